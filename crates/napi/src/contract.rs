use std::cell::Cell;
use std::sync::Arc;

use contract::{CallSite, ContractBuilder, Kind, ServeContract as _, VariantSuite, WriteOptions};
use napi::bindgen_prelude::{ClassInstance, Either3, Object};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;
use crate::interaction::NativeInteraction;
use crate::promise::promise;
use crate::server::NativeServer;
use crate::variants::NativeVariants;

/// A contract whose interactions are being defined.
#[napi]
pub struct NativeContract(pub(crate) ContractBuilder);

/// Creates a contract from JSON text (`{ consumer, provider, options }`).
#[napi(catch_unwind)]
pub fn create_contract(env: &Env, text: String) -> Result<Either<NativeContract, Failure>> {
    let owner = watch(env)?;
    let created = ContractBuilder::from_text(&text).inspect(|contract| contract.watch(owner));
    Ok(either(created.map(NativeContract)))
}

#[napi]
impl NativeContract {
    #[napi(getter)]
    pub fn specification(&self) -> &'static str {
        self.0.specification().name()
    }

    /// Performs an operation, given as JSON text. `origin` is the operation's call site: `file:line:column`. If the
    /// operation defines an interaction, returns it. Otherwise, returns null on success.
    #[napi(catch_unwind)]
    pub fn apply(&self, operation: String, origin: String) -> Option<Either<NativeInteraction, Failure>> {
        let done = self.0.apply_text(&operation, &origin).transpose()?;
        Some(either(done.map(NativeInteraction)))
    }

    /// Returns the interactions of a kind as a JSON array in the format of V4 files, or all interactions if `kind` is
    /// null.
    #[napi(catch_unwind)]
    pub fn interactions(&self, kind: Option<String>) -> Either<String, Failure> {
        either(self.0.interactions_text(kind.as_deref()))
    }

    /// Starts a mock server. Options and call site are JSON text. If `only` is not null, the server serves only these
    /// interactions. If `watched` is true, the server is reported if it is still running when this environment ends.
    /// Returns a promise only for large contracts, because binding a port takes less time than resolving a promise
    /// across two threads.
    #[napi(
        catch_unwind,
        ts_return_type = "NativeServer | Failure | Promise<NativeServer | Failure>"
    )]
    pub fn serve<'env>(
        &self,
        env: &'env Env,
        options: String,
        only: Option<Vec<ClassInstance<'_, NativeInteraction>>>,
        call_site: String,
        watched: bool,
    ) -> Result<Either3<NativeServer, Failure, Object<'env>>> {
        let only = only.map(|only| only.iter().map(|interaction| interaction.0.clone()).collect());
        let owner = watched.then(|| watch(env)).transpose()?;
        let claimed = CallSite::from_text(&call_site)
            .map_err(contract::Failure::from)
            .and_then(|call_site| {
                self.0
                    .claim_for_server_text(&options, only, CallSite { owner, ..call_site })
            });
        let serving = match claimed {
            Ok(serving) => serving,
            Err(error) => return Ok(Either3::B(error.into())),
        };
        if serving.is_large() {
            let started = async move { Ok(NativeServer(Arc::new(serving.start().await?))) };
            return promise(env, started).map(Either3::C);
        }
        Ok(
            match contract::runtime::run_here(serving.start()).unwrap_or_else(|error| Err(error.into())) {
                Ok(session) => Either3::A(NativeServer(Arc::new(session))),
                Err(error) => Either3::B(error.into()),
            },
        )
    }

    /// Returns the variants of the interactions that were defined since the last call, for tests that receive one
    /// variant each. Options and call site are JSON text. If `only` is not null, uses only these interactions.
    #[napi(catch_unwind)]
    pub fn variants(
        &self,
        options: String,
        only: Option<Vec<ClassInstance<'_, NativeInteraction>>>,
        call_site: String,
    ) -> Either<NativeVariants, Failure> {
        let only = only.map(|only| only.iter().map(|interaction| interaction.0.clone()).collect());
        let suite = CallSite::from_text(&call_site)
            .map_err(contract::Failure::from)
            .and_then(|call_site| VariantSuite::new(&self.0, &options, only, &call_site));
        either(suite.map(|suite| NativeVariants(Arc::new(suite))))
    }

    /// Marks the HTTP interactions that were defined since the last call as failed, because a call that should have
    /// served them failed before it reached the core.
    #[napi(catch_unwind)]
    pub fn retire(&self) {
        self.0.retire(Kind::Http);
    }

    /// Writes the interactions that passed and those that were never served. `operation` is the `write_file` call as
    /// JSON text. Resolves with the path of the file.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn write_file<'env>(&self, env: &'env Env, operation: String, call_site: String) -> Result<Object<'env>> {
        let contract = self.0.clone();
        promise(env, async move {
            let options = WriteOptions::from_text(&operation)?;
            let path = contract.write_file(
                options.directory.clone(),
                options.mode(),
                &CallSite::from_text(&call_site)?,
            )?;
            Ok(path.display().to_string())
        })
    }
}

thread_local! {
    static IS_WATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns the owner ID for mock servers that this environment starts. Servers that are still running when the
/// environment ends are reported. The owner does not keep the process alive.
fn watch(env: &Env) -> Result<u64> {
    // Environments that exist at the same time have different addresses.
    let owner = env.raw() as usize as u64;
    if !IS_WATCHING.replace(true) {
        env.add_env_cleanup_hook(owner, |owner| {
            for text in contract::warnings_at_end(owner) {
                eprintln!("contract: {text}");
            }
        })?;
    }
    Ok(owner)
}
