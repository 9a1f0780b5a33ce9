use std::sync::Arc;

use contract::{Callbacks, RunContext, RunOptions, Verification, Verified};
use napi::bindgen_prelude::{Null, Object};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::{done, either};
use crate::failure::Failure;
use crate::functions::NativeFunctions;
use crate::promise::promise;

/// A verifier, from its first call to its last report.
#[napi]
pub struct NativeVerification(Arc<Verification>);

/// What a verification found.
#[napi(object)]
pub struct NativeVerified {
    /// The report as JSON text.
    pub report: String,
    /// What failed, for an error; nothing when nothing did.
    pub failures: Option<String>,
    /// Failures that came from functions: JSON text of a list of `{ contract, interaction, teardown, token }`.
    pub causes: String,
    /// All of it for people.
    pub text: String,
    /// What is to be printed besides the error: nothing of a quiet verifier.
    pub notes: Option<String>,
    /// The last lines of the log.
    pub log: Vec<String>,
}

/// A verifier from JSON text: `{ provider, options }`.
#[napi(catch_unwind)]
pub fn create_verification(text: String) -> Either<NativeVerification, Failure> {
    either(Verification::from_text(&text).map(|created| NativeVerification(Arc::new(created))))
}

#[napi]
impl NativeVerification {
    /// Takes one operation, JSON text.
    #[napi(catch_unwind)]
    pub fn say(&self, operation: String) -> Option<Failure> {
        done(self.0.apply_text_operation(&operation).map(drop))
    }

    /// Reads the sources, for `run`, `interactions` and `start`.
    #[napi(catch_unwind, ts_return_type = "Promise<Failure | null>")]
    pub fn prepare<'env>(&self, env: &'env Env, around: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            verification.prepare(&RunContext::from_text(&around)?).await?;
            Ok(Null)
        })
    }

    /// The same, while this thread waits.
    #[napi(catch_unwind)]
    pub fn prepare_here(&self, around: String) -> Option<Failure> {
        let prepare = || self.0.prepare_here(&RunContext::from_text(&around)?);
        done(prepare())
    }

    /// Runs; options are JSON text.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure>")]
    pub fn run<'env>(
        &self,
        env: &'env Env,
        options: String,
        around: String,
        functions: &NativeFunctions,
    ) -> Result<Object<'env>> {
        let (verification, calls) = (Arc::clone(&self.0), Arc::clone(&functions.0));
        promise(env, async move {
            let (options, around) = (RunOptions::from_text(&options)?, RunContext::from_text(&around)?);
            Ok(handed(&*verification.verify(options, &around, calls).await?))
        })
    }

    /// The interactions to verify: JSON text of a list of `{ contract, group, title }`. Reads sources on this thread unless
    /// `prepare` has.
    #[napi(catch_unwind)]
    pub fn interactions(&self, around: String) -> Either<String, Failure> {
        let around = RunContext::from_text(&around).map_err(contract::Failure::from);
        let listed = around.and_then(|around| self.0.interactions(&around));
        either(listed.map(|listed| contract::to_text(&listed)))
    }

    /// Gets ready to verify the interactions one by one.
    #[napi(catch_unwind)]
    pub fn start(&self, around: String, functions: &NativeFunctions) -> Option<Failure> {
        let calls: Arc<dyn Callbacks> = Arc::clone(&functions.0) as _;
        let start = || self.0.start(&RunContext::from_text(&around)?, &calls);
        done(start())
    }

    /// Verifies one interaction; resolves with what is about it alone.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure>")]
    pub fn verify_one<'env>(&self, env: &'env Env, index: u32, around: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            let around = RunContext::from_text(&around)?;
            Ok(handed(&verification.verify_one(index as usize, &around).await?))
        })
    }

    /// Ends what `start` began: publishes what is to be published. Nothing when nothing was started.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure | null>")]
    pub fn finish<'env>(&self, env: &'env Env, around: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            let finished = verification.finish(&RunContext::from_text(&around)?).await;
            Ok(finished.map_or(Either::B(Null), |verified| Either::A(handed(&verified))))
        })
    }

    /// What the last run found, or what was verified one by one so far; nothing before the first.
    #[napi(catch_unwind)]
    pub fn last(&self) -> Option<NativeVerified> {
        self.0.last().map(|last| handed(&last))
    }

    /// Writes what the last run found to a file; format and path are JSON texts.
    #[napi(catch_unwind, ts_return_type = "Promise<null | Failure>")]
    pub fn write_report<'env>(&self, env: &'env Env, format: String, path: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move { verification.write_report(&format, &path) })
    }

    /// Lets go of connections, and ends what was started.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.0.close();
    }
}

fn handed(verified: &Verified) -> NativeVerified {
    NativeVerified {
        report: verified.report_text(),
        failures: verified.failures.clone(),
        causes: contract::to_text(&verified.causes),
        text: verified.text.clone(),
        notes: verified.notes.clone(),
        log: verified.log.clone(),
    }
}
