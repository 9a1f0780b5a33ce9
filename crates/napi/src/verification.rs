use std::sync::Arc;

use contract::{Callbacks, RunContext, RunOptions, Verification, Verified};
use napi::bindgen_prelude::{Null, Object};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::{done, either};
use crate::failure::Failure;
use crate::functions::NativeFunctions;
use crate::promise::promise;

#[napi]
pub struct NativeVerification(Arc<Verification>);

/// The result of a verification.
#[napi(object)]
pub struct NativeVerified {
    /// The report as JSON text.
    pub report: String,
    /// The error message. Absent if nothing failed.
    pub failures: Option<String>,
    /// Failures caused by errors of user functions, as a JSON array of `{ contract, interaction, teardown, token }`.
    /// `token` is the ID of the call.
    pub causes: String,
    /// The complete report, formatted for a terminal.
    pub text: String,
    /// Text to print in addition to the error message, such as warnings. Absent if there is none, and if `set_quiet`
    /// disables printing.
    pub notes: Option<String>,
    /// The last lines of the log.
    pub log: Vec<String>,
}

/// Creates a verifier from JSON text (`{ provider, options }`).
#[napi(catch_unwind)]
pub fn create_verification(text: String) -> Either<NativeVerification, Failure> {
    either(Verification::from_text(&text).map(|created| NativeVerification(Arc::new(created))))
}

#[napi]
impl NativeVerification {
    /// Performs an operation, given as JSON text. Returns the failure, or null on success.
    #[napi(catch_unwind)]
    pub fn apply(&self, operation: String) -> Option<Failure> {
        done(self.0.apply_text_operation(&operation).map(drop))
    }

    /// Reads the sources, so that `run`, `interactions`, and `start` do not need to read them.
    #[napi(catch_unwind, ts_return_type = "Promise<Failure | null>")]
    pub fn prepare<'env>(&self, env: &'env Env, context: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            verification.prepare(&RunContext::from_text(&context)?).await?;
            Ok(Null)
        })
    }

    /// Like `prepare`, but blocks the calling thread.
    #[napi(catch_unwind)]
    pub fn prepare_here(&self, context: String) -> Option<Failure> {
        let prepare = || self.0.prepare_here(&RunContext::from_text(&context)?);
        done(prepare())
    }

    /// Runs the verification. `options` and `context` are JSON text.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure>")]
    pub fn run<'env>(
        &self,
        env: &'env Env,
        options: String,
        context: String,
        functions: &NativeFunctions,
    ) -> Result<Object<'env>> {
        let (verification, calls) = (Arc::clone(&self.0), Arc::clone(&functions.0));
        promise(env, async move {
            let (options, context) = (RunOptions::from_text(&options)?, RunContext::from_text(&context)?);
            Ok(to_native(&*verification.verify(options, &context, calls).await?))
        })
    }

    /// Returns the interactions to verify as a JSON array of `{ contract, group, title }`. Reads the sources on the
    /// calling thread, unless `prepare` has already read them.
    #[napi(catch_unwind)]
    pub fn interactions(&self, context: String) -> Either<String, Failure> {
        let context = RunContext::from_text(&context).map_err(contract::Failure::from);
        let listed = context.and_then(|context| self.0.interactions(&context));
        either(listed.map(|listed| contract::to_text(&listed)))
    }

    /// Prepares to verify the interactions one at a time with `verify_one`.
    #[napi(catch_unwind)]
    pub fn start(&self, context: String, functions: &NativeFunctions) -> Option<Failure> {
        let calls: Arc<dyn Callbacks> = Arc::clone(&functions.0) as _;
        let start = || self.0.start(&RunContext::from_text(&context)?, &calls);
        done(start())
    }

    /// Verifies the interaction at `index` in the result of `interactions`. Resolves with the result of this
    /// interaction.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure>")]
    pub fn verify_one<'env>(&self, env: &'env Env, index: u32, context: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            let context = RunContext::from_text(&context)?;
            Ok(to_native(&verification.verify_one(index as usize, &context).await?))
        })
    }

    /// Ends the run that `start` began, and publishes its results if requested. Resolves with the results of all
    /// interactions, or with null if no run was started.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure | null>")]
    pub fn finish<'env>(&self, env: &'env Env, context: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            let finished = verification.finish(&RunContext::from_text(&context)?).await;
            Ok(finished.map_or(Either::B(Null), |verified| Either::A(to_native(&verified))))
        })
    }

    /// Returns the result of the last run, or of the interactions verified so far. Absent before the first run.
    #[napi(catch_unwind)]
    pub fn last(&self) -> Option<NativeVerified> {
        self.0.last().map(|last| to_native(&last))
    }

    /// Writes the report of the last run to a file. `format` and `path` are JSON text.
    #[napi(catch_unwind, ts_return_type = "Promise<null | Failure>")]
    pub fn write_report<'env>(&self, env: &'env Env, format: String, path: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move { verification.write_report(&format, &path) })
    }

    /// Closes all connections. Ends the run that `start` began, if there is one.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.0.close();
    }
}

fn to_native(verified: &Verified) -> NativeVerified {
    NativeVerified {
        report: verified.report_text(),
        failures: verified.failures.clone(),
        causes: contract::to_text(&verified.causes),
        text: verified.text.clone(),
        notes: verified.notes.clone(),
        log: verified.log.clone(),
    }
}
