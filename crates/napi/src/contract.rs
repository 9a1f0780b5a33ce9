use contract::{ContractBuilder, ServeError, ServeOptions, Writer};
use napi::bindgen_prelude::{ClassInstance, Object};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::{done, either, json, kind, write_mode};
use crate::failure::Failure;
use crate::interaction::NativeInteraction;
use crate::promise::promise;
use crate::server::NativeServer;

/// A contract under construction.
#[napi]
pub struct NativeContract(pub(crate) ContractBuilder);

/// A contract between two participants.
#[napi(catch_unwind)]
pub fn create_contract(consumer: String, provider: String) -> Either<NativeContract, Failure> {
    either(ContractBuilder::new(&consumer, &provider).map(NativeContract))
}

#[napi]
impl NativeContract {
    #[napi(getter)]
    pub fn specification(&self) -> &'static str {
        self.0.specification().name()
    }

    #[napi(catch_unwind)]
    pub fn with_specification(&self, version: String) -> Option<Failure> {
        done(self.0.with_specification(&version))
    }

    /// Entries of the file's metadata, as the JSON text of an object.
    #[napi(catch_unwind)]
    pub fn with_metadata(&self, namespace: String, entries: String) -> Option<Failure> {
        done(json(&entries).and_then(|entries| self.0.with_metadata(&namespace, &entries)))
    }

    /// What interactions have unless they say otherwise, as JSON text.
    #[napi(catch_unwind)]
    pub fn defaults(&self, defaults: String) -> Option<Failure> {
        done(json(&defaults).and_then(|defaults| self.0.defaults(&defaults)))
    }

    /// Begins an interaction; `origin` says where, for messages about duplicates.
    #[napi(catch_unwind)]
    pub fn upon_receiving(
        &self,
        description: String,
        kind_name: String,
        origin: String,
    ) -> Either<NativeInteraction, Failure> {
        either(
            kind(&kind_name)
                .and_then(|kind| self.0.upon_receiving(&description, kind, &origin))
                .map(NativeInteraction),
        )
    }

    /// The interactions as they stand, of one kind or all: JSON text of a list, in the form of V4 files.
    #[napi(catch_unwind)]
    pub fn interactions(&self, kind_name: Option<String>) -> Either<String, Failure> {
        let kind = kind_name.as_deref().map(kind).transpose();
        either(kind.and_then(|kind| self.0.interactions_text(kind)))
    }

    /// Starts a mock server; the options are JSON text. With `only`, for exactly these interactions. Binding a port is quicker
    /// than a promise's way through two threads.
    #[napi(catch_unwind)]
    pub fn serve(
        &self,
        options: String,
        only: Option<Vec<ClassInstance<'_, NativeInteraction>>>,
        writer: String,
    ) -> Either<NativeServer, Failure> {
        let only = only.map(|only| only.iter().map(|interaction| interaction.0.clone()).collect());
        let started = ServeOptions::from_text(&options)
            .map_err(ServeError::from)
            .and_then(|options| {
                let writer = Writer::from_text(&writer)?;
                contract::runtime::run_here(self.0.serve(ServeOptions {
                    only,
                    writer,
                    ..options
                }))
            });
        either(started.map(NativeServer::new))
    }

    /// Writes what passed and what was never served; resolves with the path of the file.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn write_file<'env>(
        &self,
        env: &'env Env,
        directory: String,
        overwrite: bool,
        writer: String,
    ) -> Result<Object<'env>> {
        let contract = self.0.clone();
        let mode = write_mode(overwrite);
        promise(env, async move {
            let path = contract.write_file(directory.into(), mode, Writer::from_text(&writer)?)?;
            Ok::<_, contract::WriteProblem>(path.display().to_string())
        })
    }
}
