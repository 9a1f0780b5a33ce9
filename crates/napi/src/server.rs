use std::sync::Arc;

use contract::{Ending, MockSession, VariantEnd, WriteOptions};
use napi::bindgen_prelude::{ClassInstance, Object};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::either;
use crate::failure::{Failure, TypeScript};
use crate::promise::promise;

/// A running mock server. It stops when it is garbage-collected or when the environment that started it ends.
#[napi]
pub struct NativeServer(pub(crate) Arc<MockSession>);

#[napi]
impl NativeServer {
    /// Returns the properties that do not change, as JSON text: `{ url, host, port, transport, caCertificate }`.
    #[napi(getter)]
    pub fn facts(&self) -> String {
        self.0.facts_text()
    }

    /// Returns the server's log so far, with one line per event.
    #[napi(catch_unwind)]
    pub fn log(&self) -> String {
        self.0.log()
    }

    /// Returns the outcome so far as JSON text: `{ matched, mismatches }`.
    #[napi(catch_unwind)]
    pub fn outcome(&self) -> String {
        self.0.outcome_text()
    }

    /// Returns JSON text with the error to throw for the mismatches so far: the text, the text with colors,
    /// `mismatches`, and `logs`. Returns `null` as JSON text if there are no mismatches.
    #[napi(catch_unwind)]
    pub fn mismatched(&self) -> String {
        contract::to_text(&contract::mismatched_so_far(&self.0, &TypeScript))
    }

    /// Returns the received requests as a JSON array.
    #[napi(catch_unwind)]
    pub fn received(&self) -> String {
        self.0.received_text()
    }

    /// Returns the responses of the interactions that can vary, with their example values, as a JSON array.
    #[napi(catch_unwind)]
    pub fn example_answers(&self) -> String {
        contract::to_text(&self.0.example_answers())
    }

    /// Records how the run with the previous variant ended, and serves the next variant. `ended` is JSON text (`{ end,
    /// error, same }`), or null before the first variant. Returns `{ next, report, print }` as JSON text. `next` is
    /// null if there are no more variants.
    #[napi(catch_unwind)]
    pub fn next_variant(&self, ended: Option<String>) -> Either<String, Failure> {
        let ended = ended.as_deref().map(VariantEnd::from_text).transpose();
        let step = ended
            .map_err(contract::Failure::from)
            .and_then(|ended| self.0.next_variant(ended));
        either(step.map(|step| contract::to_text(&step)))
    }

    /// Returns the report of a failed test that received one variant, as JSON text, or `null` as JSON text for any
    /// other test. `ended` is JSON text (`{ end, error }`).
    #[napi(catch_unwind)]
    pub fn variant_report(&self, ended: String) -> Either<String, Failure> {
        let report = VariantEnd::from_text(&ended).map(|ended| self.0.variant_report(ended));
        either(report.map(|report| contract::to_text(&report)))
    }

    /// Returns the timeout of the test in milliseconds. 0 means that there is no timeout.
    #[napi(getter)]
    pub fn timeout(&self) -> u32 {
        u32::try_from(self.0.timeout().as_millis()).unwrap_or(u32::MAX)
    }

    /// Writes the interactions that have passed so far. `operation` is the `write_file` call as JSON text. Resolves
    /// with the path of the file.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn write_file<'env>(&self, env: &'env Env, operation: String) -> Result<Object<'env>> {
        let session = Arc::clone(&self.0);
        promise(env, async move {
            let options = WriteOptions::from_text(&operation)?;
            let (directory, mode) = (options.needed_directory()?, options.mode().unwrap_or_default());
            Ok(session.write_file(directory, mode).await?.display().to_string())
        })
    }
}

/// Stops the servers of a test. `ending` is `{ end, name, atOnce }` as JSON text. Resolves with `{ mismatched, late,
/// print }` as JSON text: the errors to throw, each null if it did not occur, and the lines to print.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test<'env>(
    env: &'env Env,
    servers: Vec<ClassInstance<'_, NativeServer>>,
    ending: String,
) -> Result<Object<'env>> {
    let sessions: Vec<_> = servers.iter().map(|server| Arc::clone(&server.0)).collect();
    promise(env, async move {
        let verdict = contract::end_test(&sessions, Ending::from_text(&ending)?, &TypeScript).await?;
        Ok(contract::to_text(&verdict))
    })
}
