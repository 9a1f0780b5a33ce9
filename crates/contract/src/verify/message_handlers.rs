//! Message handlers in the user's process: functions or constant messages for descriptions, and a function for all
//! other messages.

use std::time::Duration;

use contract_model::Json;
use contract_verifier::CallbackError;

use crate::callbacks::{Callbacks, Role};
use crate::message_handler::result as handler_result;
use crate::verify::operation::MessageHandler;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::read;
use contract_call::value::{self, UserFunction};

#[derive(Clone, Debug, Default)]
pub(crate) struct MessageHandlers {
    known: Vec<(String, Handler)>,
    fallback: Option<UserFunction>,
    timeout: Option<Duration>,
    /// True after a successful call to [`Self::add`], even with an empty object.
    pub(crate) is_registered: bool,
}

#[derive(Clone, Debug)]
enum Handler {
    Function(UserFunction),
    /// A constant message, or an array of constant messages, in the form that functions return.
    Value(Json),
}

impl MessageHandlers {
    /// Registers handlers. An object adds handlers and replaces those with the same descriptions. A function handles
    /// all other messages. On error, the registered handlers remain unchanged.
    pub(crate) fn add(&mut self, arguments: MessageHandler) -> Result<(), ArgumentError> {
        let MessageHandler { handlers, options } = arguments;
        match (value::function(&handlers.0), handlers.0) {
            (Some(function), _) => self.fallback = Some(function),
            (None, Json::Object(members)) if value::is_plain(&members) => {
                let produced = members
                    .into_iter()
                    .map(|(description, produced)| Ok((description.to_string(), handler_for(&description, produced)?)));
                for (description, handler_for) in produced.collect::<Result<Vec<_>, ArgumentError>>()? {
                    match self.known.iter_mut().find(|(known, _)| *known == description) {
                        Some((_, known)) => *known = handler_for,
                        None => self.known.push((description, handler_for)),
                    }
                }
            }
            (None, other) => {
                let message = format!(
                    "handlers must be a function or an object of functions by description, received {}",
                    read::describe(&other)
                );
                return Err(ArgumentError::new(OPTIONS, message).for_argument("handlers"));
            }
        }
        self.timeout = options.timeout.map(|timeout| timeout.0).or(self.timeout);
        self.is_registered = true;
        Ok(())
    }

    pub(crate) fn descriptions(&self) -> Vec<String> {
        self.known.iter().map(|(description, _)| description.clone()).collect()
    }

    pub(crate) fn takes(&self, description: &str) -> bool {
        self.fallback.is_some() || self.handler_for(description).is_some()
    }

    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn handler_for(&self, description: &str) -> Option<&Handler> {
        let found = self.known.iter().find(|(known, _)| known == description);
        found.map(|(_, handler_for)| handler_for)
    }

    /// Returns the message with this description: the constant message, or the result of the function, which receives
    /// `question`.
    pub(crate) async fn make(
        &self,
        description: &str,
        question: Json,
        callbacks: &dyn Callbacks,
    ) -> Result<Json, CallbackError> {
        let function = match self.handler_for(description) {
            Some(Handler::Value(message)) => return Ok(message.clone()),
            Some(Handler::Function(function)) => Some(*function),
            None => self.fallback,
        };
        match function {
            Some(function) => callbacks.call(function, Role::Message, vec![question]).await,
            None => Err(CallbackError::new("no handler for this message")),
        }
    }
}

fn handler_for(description: &str, produced: Json) -> Result<Handler, ArgumentError> {
    if let Some(function) = value::function(&produced) {
        return Ok(Handler::Function(function));
    }
    let invalid = |message: String| ArgumentError::new(OPTIONS, message).for_argument("handlers");
    if value::is_undefined(&produced) {
        return Err(invalid(format!("the handler for {description:?} is undefined")));
    }
    // An array may be one message or several responses. This depends on the request.
    handler_result::check(&produced, &format!("the message for {description:?}"))
        .map_err(|error| invalid(error.to_string()))?;
    Ok(Handler::Value(produced))
}
