use std::sync::Arc;

use contract::{
    Callbacks, Kept, RunOptions, Surroundings, Verification, Verified, VerifierOperation, VerifyError, WriteProblem,
};
use napi::bindgen_prelude::{Null, Object};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::{either, json};
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
    /// The last lines of the log.
    pub log: Vec<String>,
}

/// A verifier; the provider's name and the options are JSON texts, and options are checked by their names alone.
#[napi(catch_unwind)]
pub fn create_verification(provider: String, options: String) -> Either<NativeVerification, Failure> {
    let created = json(&provider)
        .and_then(|provider| json(&options).map(|options| (provider, options)))
        .and_then(|(provider, options)| Verification::from_json(&provider, &options));
    either(created.map(|created| NativeVerification(Arc::new(created))))
}

#[napi]
impl NativeVerification {
    /// Takes one operation, JSON text. Whether there is an application that the caller has to start.
    #[napi(catch_unwind)]
    pub fn say(&self, operation: String) -> Either<bool, Failure> {
        let said = json(&operation)
            .and_then(VerifierOperation::from_json)
            .and_then(|operation| self.0.say(operation));
        either(said.map(|kept| kept == Kept::App))
    }

    /// Reads the sources, for `run`, `interactions` and `start`.
    #[napi(catch_unwind, ts_return_type = "Promise<Failure | null>")]
    pub fn prepare<'env>(&self, env: &'env Env, around: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            verification.prepare(&Surroundings::from_text(&around)?).await?;
            Ok::<_, VerifyError>(Null)
        })
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
            let options = json(&options).and_then(RunOptions::from_json)?;
            let verified = verification
                .verify(options, &Surroundings::from_text(&around)?, calls)
                .await?;
            Ok::<_, VerifyError>(handed(&verified))
        })
    }

    /// The interactions to verify: JSON text of a list of `{ contract, group, title }`. Reads sources on this thread unless
    /// `prepare` has.
    #[napi(catch_unwind)]
    pub fn interactions(&self, around: String) -> Either<String, Failure> {
        let around = Surroundings::from_text(&around).map_err(VerifyError::from);
        let listed = around.and_then(|around| self.0.interactions(&around));
        either(listed.map(|listed| contract::to_text(&listed)))
    }

    /// Gets ready to verify the interactions one by one.
    #[napi(catch_unwind)]
    pub fn start(&self, around: String, functions: &NativeFunctions) -> Option<Failure> {
        let calls: Arc<dyn Callbacks> = Arc::clone(&functions.0) as _;
        let around = Surroundings::from_text(&around).map_err(VerifyError::from);
        around
            .and_then(|around| self.0.start(&around, &calls))
            .err()
            .map(Failure::from)
    }

    /// Verifies one interaction; resolves with what is about it alone.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure>")]
    pub fn verify_one<'env>(&self, env: &'env Env, index: u32) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            let verified = verification.verify_one(index as usize).await?;
            Ok::<_, VerifyError>(handed(&verified))
        })
    }

    /// Ends what `start` began: publishes what is to be published. Nothing when nothing was started.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeVerified | Failure | null>")]
    pub fn finish<'env>(&self, env: &'env Env, around: String) -> Result<Object<'env>> {
        let verification = Arc::clone(&self.0);
        promise(env, async move {
            let finished = verification.finish(&Surroundings::from_text(&around)?).await;
            Ok::<_, VerifyError>(finished.map_or(Either::B(Null), |verified| Either::A(handed(&verified))))
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
        promise(env, async move {
            let (format, path) = contract::report_place("write_report", &json(&format)?, &json(&path)?)?;
            verification.write_report(&format, &path)?;
            Ok::<_, WriteProblem>(Null)
        })
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
        log: verified.log.clone(),
    }
}

/// The environment variables that a verification wants to know.
#[napi(catch_unwind)]
pub fn verification_variables() -> Vec<&'static str> {
    contract::VARIABLES.to_vec()
}
