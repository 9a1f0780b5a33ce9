use std::sync::Arc;

use contract::{MessageOptions, MessageSession, Writer};
use napi::bindgen_prelude::Object;
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::contract::NativeContract;
use crate::convert::{either, json};
use crate::failure::Failure;
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

/// The request of a synchronous message as it stands in the field's HTTP form, JSON text, as handlers get it, JSON text.
#[napi(catch_unwind)]
pub fn read_message(document: String) -> Either<String, Failure> {
    either(json(&document).and_then(|document| contract::read_message(&document)))
}

/// The first of a handler's answers, JSON text, as it goes over HTTP: JSON text of `{ form, raw, contentType, metadata }`.
#[napi(catch_unwind)]
pub fn first_message(answer: String) -> Either<String, Failure> {
    either(json(&answer).and_then(|answer| contract::first_message(&answer)))
}

/// The answers of a handler, JSON text, as the HTTP form for several answers has them, JSON text.
#[napi(catch_unwind)]
pub fn message_list(answer: String) -> Either<String, Failure> {
    either(json(&answer).and_then(|answer| contract::message_list(&answer)))
}

/// The end of a sentence about a message that nobody produces: what was meant, and what there is.
#[napi(catch_unwind)]
pub fn suggest_handler(description: String, known: Vec<String>) -> String {
    contract::suggest_handler(&description, &known)
}
