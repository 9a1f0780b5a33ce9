use std::sync::Arc;

use contract::{MockSession, TestResult};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::promise::promise;

/// A mock server that runs. It stops when it is collected, and with the environment that started it.
#[napi]
pub struct NativeServer(Arc<MockSession>);

impl NativeServer {
    pub(crate) fn new(session: MockSession) -> Self {
        Self(Arc::new(session))
    }
}

#[napi]
impl NativeServer {
    #[napi(getter)]
    pub fn url(&self) -> String {
        self.0.url()
    }

    #[napi(getter)]
    pub fn host(&self) -> String {
        self.0.host()
    }

    #[napi(getter)]
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// What the server has to say so far: JSON text of `{ matched, mismatches, text }`.
    #[napi(catch_unwind)]
    pub fn outcome(&self, colour: bool) -> String {
        self.0.outcome_text(colour)
    }

    /// The requests that came: JSON text of a list.
    #[napi(catch_unwind)]
    pub fn received(&self) -> String {
        self.0.received_text()
    }

    /// Stops; `passed` says how the test went, nothing that nobody knows. Resolves with the JSON text of the outcome.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn stop<'env>(&self, env: &'env Env, passed: Option<bool>, colour: bool) -> Result<Object<'env>> {
        let session = Arc::clone(&self.0);
        let result = match passed {
            Some(true) => TestResult::Passed,
            Some(false) => TestResult::Failed,
            None => TestResult::Unknown,
        };
        promise(env, async move { session.stop(result, colour).await })
    }
}
