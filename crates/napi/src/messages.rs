use std::sync::Arc;

use contract::{ArgumentError, EndpointRequest, MessageEndpoint, MessageOptions, MessageSession, Writer};
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::contract::NativeContract;
use crate::convert::{either, json};
use crate::failure::Failure;
use crate::functions::NativeFunctions;
use crate::promise::promise;

/// Messages that a test has taken from a contract.
#[napi]
pub struct NativeMessages(Arc<MessageSession>);

/// Takes the messages of one kind that were defined since the last time; the options are JSON text.
#[napi(catch_unwind)]
pub fn take_messages(contract: &NativeContract, options: String, writer: String) -> Either<NativeMessages, Failure> {
    either(
        MessageOptions::from_text(&options)
            .and_then(|options| {
                let writer = Writer::from_text(&writer)?;
                contract.0.take_messages(MessageOptions { writer, ..options })
            })
            .map(|session| NativeMessages(Arc::new(session))),
    )
}

#[napi]
impl NativeMessages {
    /// The messages: JSON text of a list.
    #[napi(catch_unwind)]
    pub fn messages(&self) -> String {
        self.0.messages_text()
    }

    /// Compares what the handler of a synchronous message returned with the defined responses: JSON text of
    /// `{ mismatches, text }`.
    #[napi(catch_unwind)]
    pub fn compare(&self, index: u32, answer: String) -> Either<String, Failure> {
        either(json(&answer).and_then(|answer| self.0.compare(index as usize, &answer)))
    }

    /// Gives the messages back and writes those that passed; resolves with the path of the file, or null.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null | Failure>")]
    pub fn finish<'env>(&self, env: &'env Env, passed: Vec<bool>) -> Result<Object<'env>> {
        let session = Arc::clone(&self.0);
        promise(env, async move {
            let path = session.finish(&passed)?;
            Ok::<_, contract::WriteProblem>(path.map(|path| path.display().to_string()))
        })
    }
}

/// An endpoint for messages, as far as it is no server.
#[napi]
pub struct NativeMessageEndpoint(Arc<MessageEndpoint>);

/// The answer of a message endpoint.
#[napi(object)]
pub struct NativeResponse {
    pub status: u16,
    /// Names and values, one after the other.
    pub headers: Vec<String>,
    pub body: Uint8Array,
}

/// An endpoint with the handlers that the JSON text of `{ handlers, options }` gives.
#[napi(catch_unwind)]
pub fn create_message_endpoint(handlers: String) -> Either<NativeMessageEndpoint, Failure> {
    let created = json(&handlers)
        .and_then(MessageEndpoint::from_json)
        .map(|endpoint| NativeMessageEndpoint(Arc::new(endpoint)));
    either(created)
}

#[napi]
impl NativeMessageEndpoint {
    /// Most bytes of a request; of a longer one it is enough to hand over one more.
    #[napi(getter)]
    pub fn largest_request(&self) -> u32 {
        u32::try_from(MessageEndpoint::LARGEST_REQUEST).unwrap_or(u32::MAX)
    }

    /// Answers a request.
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
            Ok::<_, ArgumentError>(NativeResponse {
                status: answer.status,
                headers: answer
                    .headers
                    .into_iter()
                    .flat_map(|(name, value)| [name.to_owned(), value])
                    .collect(),
                body: answer.body.to_vec().into(),
            })
        })
    }
}
