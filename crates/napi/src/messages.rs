use std::collections::HashMap;
use std::sync::Arc;

use contract::{EndpointRequest, Handled, MessageEndpoint, MessageSession, TakeMessages as _, VariantEnd};
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::contract::NativeContract;
use crate::convert::{done, either};
use crate::failure::{Failure, TypeScript};
use crate::functions::NativeFunctions;
use crate::promise::promise;

/// The messages that a consumer test passes to its handler.
#[napi]
pub struct NativeMessages(Arc<MessageSession>);

/// Returns the messages of one kind that were defined since the last call. Options and call site are JSON text.
#[napi(catch_unwind)]
pub fn take_messages(contract: &NativeContract, options: String, call_site: String) -> Either<NativeMessages, Failure> {
    let session = contract.0.take_messages_text(&options, &call_site);
    either(session.map(|session| NativeMessages(Arc::new(session))))
}

#[napi]
impl NativeMessages {
    /// Returns the messages as a JSON array.
    #[napi(catch_unwind)]
    pub fn messages(&self) -> String {
        self.0.messages_text()
    }

    /// Returns the timeout for handling one message in milliseconds. 0 means that there is no timeout.
    #[napi(getter)]
    pub fn timeout(&self) -> u32 {
        u32::try_from(self.0.timeout().as_millis()).unwrap_or(u32::MAX)
    }

    /// Records the handler's result for the message at `index`. `how` is JSON text: `{ "returned": … }`, `{ "threw":
    /// "error message" }`, `"timed_out"`, or `"passed"`.
    #[napi(catch_unwind)]
    pub fn handled(&self, index: u32, how: String) -> Option<Failure> {
        done(Handled::from_text(&how).map(|outcome| self.0.handled(index as usize, outcome, &TypeScript)))
    }

    /// Records how the handler call with the previous variant ended (JSON text `{ end, error }`, or null before the
    /// first variant), and returns the next variant of the message (JSON text `{ next, message, report }`).
    #[napi(catch_unwind)]
    pub fn next_variant(&self, index: u32, ended: Option<String>) -> Either<String, Failure> {
        let ended = ended.as_deref().map(VariantEnd::from_text).transpose();
        let step = ended.map_err(contract::Failure::from);
        let step = step.and_then(|ended| self.0.next_variant(index as usize, ended));
        either(step.map(|step| contract::to_text(&step)))
    }

    /// Ends the test and writes the messages that passed. Resolves with `{ raises, failures, text }` as JSON text.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn finish<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let session = Arc::clone(&self.0);
        promise(env, async move { Ok(contract::to_text(&session.finish()?)) })
    }
}

/// A message endpoint. JavaScript provides the HTTP server.
#[napi]
pub struct NativeMessageEndpoint(Arc<MessageEndpoint>);

/// The endpoint's HTTP response to a request.
#[napi(object)]
pub struct NativeResponse {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: Uint8Array,
}

/// Creates an endpoint from JSON text (`{ handlers, options }`).
#[napi(catch_unwind)]
pub fn create_message_endpoint(handlers: String) -> Either<NativeMessageEndpoint, Failure> {
    let created = contract::parse_json(&handlers).and_then(MessageEndpoint::from_json);
    either(created.map(|endpoint| NativeMessageEndpoint(Arc::new(endpoint))))
}

#[napi]
impl NativeMessageEndpoint {
    /// Returns the maximum size of a request in bytes. A larger request can be truncated to one byte more than this
    /// size.
    #[napi(getter)]
    pub fn largest_request(&self) -> u32 {
        u32::try_from(MessageEndpoint::LARGEST_REQUEST).unwrap_or(u32::MAX)
    }

    /// Returns the response to a request. `accept` is the `Accept` header, if the request has one. `functions` calls
    /// the message handlers.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeResponse | Failure>")]
    pub fn answer<'env>(
        &self,
        env: &'env Env,
        method: String,
        accept: Option<String>,
        body: Uint8Array,
        functions: &NativeFunctions,
    ) -> Result<Object<'env>> {
        let (endpoint, calls) = (Arc::clone(&self.0), Arc::clone(&functions.0));
        let body = body.to_vec().into();
        promise(env, async move {
            let answer = endpoint.answer(EndpointRequest { method, accept, body }, &*calls).await;
            let headers = answer.headers.into_iter();
            Ok(NativeResponse {
                status: answer.status,
                headers: headers.map(|(name, value)| (name.to_owned(), value)).collect(),
                body: answer.body.to_vec().into(),
            })
        })
    }
}
