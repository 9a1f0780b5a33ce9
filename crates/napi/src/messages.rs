use std::sync::Arc;

use contract::{Handled, MessageSession};
use napi::bindgen_prelude::Object;
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::contract::NativeContract;
use crate::convert::{done, either, json};
use crate::failure::{Failure, TypeScript};
use crate::promise::promise;

/// Messages that a test has taken from a contract.
#[napi]
pub struct NativeMessages(Arc<MessageSession>);

/// Takes the messages of one kind that were defined since the last time; options and surroundings are JSON texts.
#[napi(catch_unwind)]
pub fn take_messages(contract: &NativeContract, options: String, around: String) -> Either<NativeMessages, Failure> {
    let taken = contract.0.take_messages_text(&options, &around);
    either(taken.map(|session| NativeMessages(Arc::new(session))))
}

#[napi]
impl NativeMessages {
    /// The messages: JSON text of a list.
    #[napi(catch_unwind)]
    pub fn messages(&self) -> String {
        self.0.messages_text()
    }

    /// How long the handler may take for one message in milliseconds; 0 is without end.
    #[napi(getter)]
    pub fn timeout(&self) -> u32 {
        u32::try_from(self.0.timeout().as_millis()).unwrap_or(u32::MAX)
    }

    /// How many responses what the handler of this message returns is compared with.
    #[napi(catch_unwind)]
    pub fn compared_with(&self, index: u32) -> u32 {
        u32::try_from(self.0.compared_with(index as usize)).unwrap_or(u32::MAX)
    }

    /// Takes down how the handler took a message: JSON text of `returned`, `unreadable`, `threw`, `timedOut` or `skipped`.
    #[napi(catch_unwind)]
    pub fn handled(&self, index: u32, how: String) -> Option<Failure> {
        done(Handled::from_text(&how).map(|how| self.0.handled(index as usize, how, &TypeScript)))
    }

    /// Gives the messages back and writes those that passed; resolves with the JSON text of `{ raises, failures, text }`.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn finish<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let session = Arc::clone(&self.0);
        promise(env, async move {
            let verdict = session.finish()?;
            Ok::<_, contract::WriteProblem>(contract::to_text(&verdict))
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
