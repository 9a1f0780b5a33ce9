//! Provider state handlers: a function for all states, handlers by state, or a URL.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use contract_model::{Json, Object};
use contract_verifier::{
    MissingState, SetupError, StateAction, StateChange, StateForm, StateHandler, States, UrlStateHandler,
};
use contract_wire::Client;

use crate::verify::operation::{OnMissing, StateHandlerOptions};
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, message, option};
use contract_call::read::{self, Argument};
use contract_call::value::{self, UserFunction};

#[derive(Clone, Debug, Default)]
pub(crate) enum StateHandlers {
    #[default]
    None,
    All {
        function: UserFunction,
        teardown: bool,
        /// True if the function is also called, with an empty state name, for interactions without states.
        empty: bool,
    },
    ByState {
        handlers: Vec<(String, Handler)>,
        on_missing: Option<OnMissing>,
    },
    Url {
        url: String,
        form: StateForm,
        teardown: bool,
        headers: BTreeMap<String, String>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler {
    calls: HandlerFunctions,
    teardown: bool,
}

#[derive(Clone, Copy, Debug)]
enum HandlerFunctions {
    /// A function that receives the action (`setup` or `teardown`) and the parameters.
    Both(UserFunction),
    /// A function for each action. It receives only the parameters.
    Each {
        setup: Option<UserFunction>,
        teardown: Option<UserFunction>,
    },
}

fn invalid<T>(message: impl Into<Message>) -> Result<T, ArgumentError> {
    Err(ArgumentError::new(OPTIONS, message).for_argument("handler"))
}

impl StateHandlers {
    /// Registers handlers. Fails if they cannot be combined with those of an earlier call. On error, the registered
    /// handlers remain unchanged.
    pub(crate) fn add(&mut self, handler: Argument<String>, options: StateHandlerOptions) -> Result<(), ArgumentError> {
        let handler = match handler {
            Argument::Value(url) => Json::from(url),
            Argument::Json(json) => json,
        };
        let added = match (value::function(&handler), handler) {
            (Some(function), _) => self.with_function(function, &options)?,
            (None, Json::String(url)) => self.with_url(url.into(), options)?,
            (None, Json::Object(members)) if value::is_plain(&members) => self.with_handlers(&members, &options)?,
            (None, other) => {
                return invalid(format!(
                    "the handler must be a function, an object of functions by state, or a URL; received {}",
                    read::describe(&other)
                ));
            }
        };
        *self = added;
        Ok(())
    }

    fn with_url(&self, url: String, options: StateHandlerOptions) -> Result<Self, ArgumentError> {
        self.require_none()?;
        reject_options(
            "a URL",
            &[
                ("on_missing", options.on_missing.is_some()),
                ("empty_state", options.empty_state.is_some()),
            ],
        )?;
        let Some(body) = options.body else {
            let message = message![
                "a URL requires ",
                option("body"),
                "; pass true to send the state in the request body, or false to send it in the query string and headers"
            ];
            return Err(ArgumentError::new(OPTIONS, message).for_argument("body"));
        };
        let added = Self::Url {
            url,
            form: if body { StateForm::Body } else { StateForm::Query },
            teardown: options.teardown.unwrap_or(false),
            headers: options.headers.unwrap_or_default(),
        };
        added
            .over_http(Client::default(), Duration::ZERO)
            .map_err(|error| ArgumentError::new(OPTIONS, error.to_string()).for_argument("handler"))?;
        Ok(added)
    }

    fn with_function(&self, function: UserFunction, options: &StateHandlerOptions) -> Result<Self, ArgumentError> {
        self.require_none()?;
        reject_options(
            "a function for all states",
            &[
                ("body", options.body.is_some()),
                ("headers", options.headers.is_some()),
                ("on_missing", options.on_missing.is_some()),
            ],
        )?;
        Ok(Self::All {
            function,
            teardown: options.teardown.unwrap_or(false),
            empty: options.empty_state.unwrap_or(false),
        })
    }

    fn with_handlers(&self, added: &Object, options: &StateHandlerOptions) -> Result<Self, ArgumentError> {
        let (mut handlers, mut on_missing) = match self {
            Self::None => (Vec::new(), None),
            Self::ByState { handlers, on_missing } => (handlers.clone(), *on_missing),
            Self::All { .. } | Self::Url { .. } => {
                return invalid(
                    "a handler for all states is already registered; handlers by state would never be called",
                );
            }
        };
        reject_options(
            "handlers by state",
            &[
                ("body", options.body.is_some()),
                ("headers", options.headers.is_some()),
                ("empty_state", options.empty_state.is_some()),
            ],
        )?;
        if let (Some(before), Some(now)) = (on_missing, options.on_missing)
            && before != now
        {
            let message = message![
                option("on_missing"),
                format!(
                    " is {} in this call, but {} in an earlier one",
                    now.name(),
                    before.name()
                )
            ];
            return Err(ArgumentError::new(OPTIONS, message).for_argument("on_missing"));
        }
        on_missing = options.on_missing.or(on_missing);
        let teardown = options.teardown.unwrap_or(false);
        for (state, value) in added {
            if handlers.iter().any(|(known, _)| known == state.as_str()) {
                return invalid(format!("a handler for {state:?} is already registered"));
            }
            handlers.push((state.to_string(), handler(state, value, teardown)?));
        }
        Ok(Self::ByState { handlers, on_missing })
    }

    fn require_none(&self) -> Result<(), ArgumentError> {
        match self {
            Self::None => Ok(()),
            _ => invalid("another handler is already registered; a handler for all states must be the only one"),
        }
    }

    fn over_http(&self, client: Client, timeout: Duration) -> Result<Option<UrlStateHandler>, SetupError> {
        let Self::Url { url, form, headers, .. } = self else {
            return Ok(None);
        };
        let mut handler = UrlStateHandler::new(url, *form, client)?.with_timeout(timeout);
        for (name, value) in headers {
            handler = handler.with_header(name, value)?;
        }
        Ok(Some(handler))
    }

    /// Returns the settings for provider states in a run, or `None` if there are no handlers.
    pub(crate) fn assembled(
        &self,
        functions: Arc<dyn StateHandler>,
        client: &Client,
        timeout: Duration,
    ) -> Result<Option<States>, SetupError> {
        let mut states = States::new(match self.over_http(client.clone(), timeout)? {
            Some(handler) => Arc::new(handler),
            None => functions,
        });
        match self {
            Self::None => return Ok(None),
            Self::All { teardown, .. } | Self::Url { teardown, .. } => states.teardown = *teardown,
            Self::ByState { on_missing, .. } => {
                states.missing = match on_missing.unwrap_or_default() {
                    OnMissing::Error => MissingState::Error,
                    OnMissing::Warn => MissingState::Warn,
                    OnMissing::Ignore => MissingState::Ignore,
                };
            }
        }
        Ok(Some(states))
    }

    fn by_state(&self) -> &[(String, Handler)] {
        match self {
            Self::ByState { handlers, .. } => handlers,
            _ => &[],
        }
    }

    fn handler_for(&self, state: &str) -> Option<&Handler> {
        let found = self.by_state().iter().find(|(known, _)| known == state);
        found.map(|(_, handler)| handler)
    }

    /// Returns the function to call and its arguments, or `None` if no function handles this action. Without
    /// parameters, `null` is passed.
    pub(super) fn call(&self, change: StateChange) -> Option<(UserFunction, Vec<Json>)> {
        let parameters = if change.parameters.is_empty() {
            Json::Null
        } else {
            change.parameters.into()
        };
        let action = || Json::from(change.action.name());
        if let Self::All { function, .. } = self {
            return Some((*function, vec![change.state.into(), action(), parameters]));
        }
        match (self.handler_for(&change.state)?.calls, change.action) {
            (HandlerFunctions::Both(function), _) => Some((function, vec![action(), parameters])),
            (HandlerFunctions::Each { setup, .. }, StateAction::Setup) => {
                setup.map(|function| (function, vec![parameters]))
            }
            (HandlerFunctions::Each { teardown, .. }, StateAction::Teardown) => {
                teardown.map(|function| (function, vec![parameters]))
            }
        }
    }

    /// Returns whether the state has a handler, or `None` if a function or URL handles all states.
    pub(super) fn knows(&self, state: &str) -> Option<bool> {
        matches!(self, Self::ByState { .. }).then(|| self.handler_for(state).is_some())
    }

    pub(super) fn known_names(&self) -> Vec<String> {
        self.by_state().iter().map(|(state, _)| state.clone()).collect()
    }

    /// Returns `Some(true)` if this state is torn down regardless of the general setting, otherwise `None`.
    pub(super) fn tears_down(&self, state: &str) -> Option<bool> {
        self.handler_for(state).filter(|handler| handler.teardown).map(|_| true)
    }

    /// Returns true if a handler is also called, with an empty state name, for interactions without states.
    pub(super) fn takes_empty_state(&self) -> bool {
        match self {
            Self::All { empty, .. } => *empty,
            _ => self.handler_for("").is_some(),
        }
    }
}

/// Fails if one of these options is set, because this form of handler does not support it. `what` describes the form.
fn reject_options(handler_kind: &str, options: &[(&'static str, bool)]) -> Result<(), ArgumentError> {
    match options.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            let message = message![option(*name), format!(" is not supported for {handler_kind}")];
            Err(ArgumentError::new(OPTIONS, message).for_argument(*name))
        }
    }
}

fn handler(state: &str, json: &Json, teardown: bool) -> Result<Handler, ArgumentError> {
    if let Some(function) = value::function(json) {
        return Ok(Handler {
            calls: HandlerFunctions::Both(function),
            teardown,
        });
    }
    let each = |name| json.get(name).and_then(value::function);
    let (enter, leave) = (each("setup"), each("teardown"));
    let other = json.as_object().and_then(|members| {
        let is_other = |name: &str, value: &Json| match name {
            "setup" | "teardown" => value::function(value).is_none() && !value::is_undefined(value),
            _ => true,
        };
        members.iter().find(|(name, value)| is_other(name, value))
    });
    if (enter.is_none() && leave.is_none()) || other.is_some() {
        return invalid(format!(
            "the handler for {state:?} must be a function or an object with setup and teardown"
        ));
    }
    Ok(Handler {
        calls: HandlerFunctions::Each {
            setup: enter,
            teardown: leave,
        },
        teardown: teardown || leave.is_some(),
    })
}
