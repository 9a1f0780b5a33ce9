//! Connects user functions to the verifier: state handlers, message handlers, request filters, header functions, and
//! hooks.

use std::sync::Arc;
use std::time::Duration;

use contract_broker_client::Secrets;
use contract_model::{Headers, Json, Object, Query, Text};
use contract_verifier::{
    BoxFuture, CallbackError, CustomHeader, HeaderSource, HeaderValue, Hooks, InteractionInfo, InteractionReport,
    MessageRequest, MessageSource, Options, OutgoingRequest, ProducedMessage, RequestContext, RequestFilter,
    StateChange, StateHandler, Transport,
};
use contract_wire::Client;
use thiserror::Error;

use super::invalid::setup;
use super::operation::RunOptions;
use super::options::{Header, RunContext, VerifyOptions};
use crate::callbacks::{Callbacks, Role};
use crate::message_handler::result as handler_result;
use contract_call::binary::BinaryError;
use contract_call::error::ArgumentError;
use contract_call::json::to_value;
use contract_call::read::{self, TextOrFunction};
use contract_call::value::{self, Foreign, UserFunction, foreign};
use contract_plugin_work::Driver;

/// The user's functions and the binding that calls them.
pub(super) struct User {
    /// Credentials to redact in the results that hooks receive.
    secrets: Secrets,
    pub(super) options: Arc<VerifyOptions>,
    pub(super) callbacks: Arc<dyn Callbacks>,
}

impl VerifyOptions {
    /// Returns the options for the verifier of a run.
    pub(super) fn assembled(
        self: &Arc<Self>,
        run: RunOptions,
        context: &RunContext,
        callbacks: &Arc<dyn Callbacks>,
        warnings: &mut Vec<String>,
    ) -> Result<Options, ArgumentError> {
        let environment = &context.environment;
        let user = Arc::new(User {
            secrets: self.secrets(environment),
            options: Arc::clone(self),
            callbacks: Arc::clone(callbacks),
        });
        let mut options = self.settings.clone();
        options.client = Client::new(self.client(environment, warnings)).map_err(setup)?;
        for (app, url) in self.apps.iter().zip(&context.apps) {
            let transport = Transport::new(app.name.as_str(), &format!("{url}{}", app.path));
            options.transports.push(transport.map_err(setup)?);
        }
        options.headers = self.headers.iter().map(|header| header.assembled(callbacks)).collect();
        super::environment::filter(environment, &mut options.filter)?;
        options.exit_first = run.exit_first;
        options.concurrency = run.concurrency.map_or(options.concurrency, read::Whole::size);
        let states = self
            .states
            .assembled(Arc::clone(&user) as _, &options.client, options.request_timeout);
        options.states = states.map_err(setup)?;
        options.messages = self.messages.is_registered.then(|| Arc::clone(&user) as _);
        options.request_filter = (!self.request_filters.is_empty()).then(|| Arc::clone(&user) as _);
        options.hooks = (!(self.before.is_empty() && self.after.is_empty())).then_some(user as _);
        options.plugins = Some(Arc::new(Driver::new(self.plugins.clone())));
        options.command = context.command.clone().or_else(|| environment.command());
        options.now = Some(contract_definition::clock::now());
        Ok(options)
    }
}

impl Header {
    fn assembled(&self, callbacks: &Arc<dyn Callbacks>) -> CustomHeader {
        match &self.value {
            TextOrFunction::Text(value) => CustomHeader::fixed(self.name.as_str(), value.as_str()),
            TextOrFunction::Function(function) => CustomHeader {
                name: self.name.clone(),
                value: HeaderValue::Made(Arc::new(UserHeader {
                    callbacks: Arc::clone(callbacks),
                    name: self.name.clone(),
                    function: *function,
                })),
            },
        }
    }
}

impl StateHandler for User {
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>> {
        let state = change.state.clone();
        let call = self.options.states.call(change);
        Box::pin(async move {
            let Some((function, arguments)) = call else {
                return Ok(Object::new());
            };
            let answer = self.callbacks.call(function, Role::State, arguments).await?;
            // A result that is not a plain object contains no state values.
            if !answer.as_object().is_some_and(value::is_plain) {
                return Ok(Object::new());
            }
            match (value::not_json(&answer), answer) {
                (None, Json::Object(values)) => Ok(values),
                (problem, _) => {
                    let problem = problem.unwrap_or_default();
                    Err(CallbackError::new(format!(
                        "the handler for the state {state:?} returned invalid values: {problem}"
                    )))
                }
            }
        })
    }

    fn knows(&self, state: &str) -> Option<bool> {
        self.options.states.knows(state)
    }

    fn known_names(&self) -> Vec<String> {
        self.options.states.known_names()
    }

    fn tears_down(&self, state: &str) -> Option<bool> {
        self.options.states.tears_down(state)
    }

    fn takes_empty_state(&self) -> bool {
        self.options.states.takes_empty_state()
    }
}

impl MessageSource for User {
    fn produce(&self, request: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>> {
        let description = request.interaction.description.clone();
        let several = request.answers > 1;
        let handler_argument = crate::message_handler::handler_argument(request);
        Box::pin(async move {
            let handlers = &self.options.messages;
            let answer = handlers.make(&description, handler_argument, &*self.callbacks).await?;
            handler_result::read(&answer, &format!("the result for {description:?}"), several)
                .map_err(|error| CallbackError::new(error.to_string()))
        })
    }

    fn knows(&self, description: &str) -> Option<bool> {
        Some(self.options.messages.takes(description))
    }

    fn known_names(&self) -> Vec<String> {
        self.options.messages.descriptions()
    }

    fn timeout(&self) -> Option<Duration> {
        self.options.messages.timeout()
    }
}

impl RequestFilter for User {
    /// Calls the request filters in order. Each one receives `{ method, path, query, headers, body }` and `{
    /// interaction, stateValues }`, and returns the request with its changes. The body is a string or bytes.
    fn filter(
        &self,
        mut request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>> {
        let mut description = describe(&context.interaction);
        description.insert("stateValues", context.state_values);
        let description = Json::from(description);
        Box::pin(async move {
            for filter in &self.options.request_filters {
                let arguments = vec![outgoing(&request), description.clone()];
                let answer = self.callbacks.call(*filter, Role::RequestFilter, arguments).await?;
                request = changed(request, &answer).map_err(|error| {
                    CallbackError::new(format!("the request filter returned an invalid request: {error}"))
                })?;
            }
            Ok(request)
        })
    }
}

impl Hooks for User {
    fn before(&self, interaction: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        Box::pin(async move {
            for hook in &self.options.before {
                let arguments = vec![describe(&interaction).into()];
                self.callbacks.call(*hook, Role::Before, arguments).await?;
            }
            Ok(())
        })
    }

    fn after<'a>(
        &'a self,
        interaction: Arc<InteractionInfo>,
        result: &'a InteractionReport,
    ) -> BoxFuture<'a, Result<(), CallbackError>> {
        Box::pin(async move {
            let mut result = result.clone();
            if !self.secrets.is_empty() {
                result.map_texts(&|text| self.secrets.redacted(text));
            }
            for hook in &self.options.after {
                let arguments = vec![describe(&interaction).into(), to_value(&result)];
                self.callbacks.call(*hook, Role::After, arguments).await?;
            }
            Ok(())
        })
    }
}

/// A header whose value a user function returns for each request.
pub(super) struct UserHeader {
    pub(super) callbacks: Arc<dyn Callbacks>,
    pub(super) name: String,
    pub(super) function: UserFunction,
}

impl HeaderSource for UserHeader {
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>> {
        Box::pin(async move {
            match self.callbacks.call(self.function, Role::Header, Vec::new()).await? {
                Json::String(value) => Ok(value.into()),
                // Print only the type, because the value may be a secret.
                other => Err(CallbackError::new(format!(
                    "the value of the header {:?} must be a string, received {}",
                    self.name,
                    value::describe_type(&other)
                ))),
            }
        })
    }
}

fn describe(interaction: &InteractionInfo) -> Object {
    Object::from_iter([("interaction", to_value(interaction))])
}

fn outgoing(request: &OutgoingRequest) -> Json {
    let mut members = Object::new();
    members.insert("method", request.method.as_str());
    members.insert("path", request.path.as_str());
    members.insert("query", crate::journal::query(&request.query));
    members.insert("headers", crate::journal::headers(&request.headers));
    members.insert("body", contract_call::binary::to_json(&request.body));
    members.into()
}

/// The result of a request filter is not a valid request.
#[derive(Debug, Error)]
enum FilterError {
    #[error("the result must be a request object, received {0}")]
    NotARequest(String),
    #[error("{field} must be {expected}, received {received}")]
    FieldType {
        field: String,
        expected: &'static str,
        received: String,
    },
    #[error("body must be a string or bytes, received {0}; serialize objects to JSON")]
    BodyType(String),
    #[error(transparent)]
    Body(#[from] BinaryError),
}

impl FilterError {
    fn field_type(field: impl Into<String>, expected: &'static str, received: &Json) -> Self {
        Self::FieldType {
            field: field.into(),
            expected,
            received: read::describe(received),
        }
    }
}

fn changed(mut request: OutgoingRequest, answer: &Json) -> Result<OutgoingRequest, FilterError> {
    let Some(members) = answer.as_object().filter(|_| value::describe(answer).is_none()) else {
        return Err(FilterError::NotARequest(read::describe(answer)));
    };
    let member = |name: &str| members.get(name).filter(|value| !value::is_undefined(value));
    let text = |name: &str| match member(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(FilterError::field_type(name, "a string", other)),
    };
    if let Some(method) = text("method")? {
        request.method = method.to_ascii_uppercase();
    }
    if let Some(path) = text("path")? {
        request.path = path.to_string();
    }
    if let Some(query) = member("query") {
        let mut changed = Query::new();
        for (name, value) in named_values("query", query)? {
            changed.append(name, value);
        }
        // Filters receive the values of each name together. If they are the same, the order of the names must not change:
        // brokers and Rails read `q[][a]=1&q[][b]=2&q[][a]=3` as a list of objects.
        if changed != request.query {
            request.query = changed;
        }
    }
    if let Some(headers) = member("headers") {
        request.headers = Headers::new();
        for (name, value) in named_values("headers", headers)? {
            if let Some(value) = value {
                request.headers.append(name, value);
            }
        }
    }
    if let Some(body) = members.get("body") {
        request.body = match (foreign(body), body) {
            (Some(Foreign::Bytes(bytes)), _) => bytes,
            (Some(Foreign::Undefined), _) | (_, Json::Null) => bytes::Bytes::new(),
            (_, Json::String(text)) => text.to_string().into(),
            (_, body) if is_base64(body) => contract_call::binary::from_json(body)?,
            _ => return Err(FilterError::BodyType(read::describe(body))),
        };
    }
    Ok(request)
}

/// Returns true if the body is `{ base64 }`, the form in which filters receive a binary body.
fn is_base64(body: &Json) -> bool {
    let members = body.as_object().filter(|members| members.len() == 1);
    members.is_some_and(|members| members.get("base64").and_then(Json::as_str).is_some())
}

/// Reads an object of headers or query parameters. Each member contains one value or an array of values.
fn named_values(field: &str, json: &Json) -> Result<Vec<(Text, Option<Text>)>, FilterError> {
    let Some(members) = json.as_object().filter(|_| value::describe(json).is_none()) else {
        return Err(FilterError::field_type(field, "an object", json));
    };
    let mut all = Vec::new();
    for (name, value) in members {
        let values = match value {
            Json::Array(values) => values.as_slice(),
            value if value::is_undefined(value) => &[],
            value => std::slice::from_ref(value),
        };
        for value in values {
            all.push((
                name.clone(),
                match value {
                    Json::Null => None,
                    Json::String(text) => Some(text.clone()),
                    Json::Number(_) | Json::Bool(_) => Some(value.to_text().into()),
                    other => return Err(FilterError::field_type(format!("{field}.{name}"), "a string", other)),
                },
            ));
        }
    }
    Ok(all)
}
