//! What a verification asks of the user's own code, whatever language that is written in.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use contract_model::{Headers, Json, Object, Query, Text};
use contract_verifier::{
    BoxFuture, CallbackError, HeaderSource, Hooks, InteractionInfo, InteractionReport, MessageRequest, MessageSource,
    OutgoingRequest, ProducedMessage, RequestContext, RequestFilter, StateChange, StateHandler,
};
use tokio::sync::oneshot;

/// Calls the user's code. The payload and the answer are JSON; what they hold is said where they are made.
pub trait Callbacks: Send + Sync + 'static {
    /// Calls the function of that kind and waits for its answer.
    fn call(&self, kind: &'static str, payload: Json) -> BoxFuture<'_, Result<Json, CallbackError>>;
}

/// Gives the answer to a call.
#[derive(Debug)]
pub struct Answer(oneshot::Sender<Result<Json, CallbackError>>);

impl Answer {
    /// Answers. Nobody may be waiting any more, after a time-out; then the answer is dropped.
    pub fn send(self, answer: Result<Json, CallbackError>) {
        drop(self.0.send(answer));
    }
}

/// A call's answer, to be given and to be awaited.
pub fn answer() -> (Answer, impl Future<Output = Result<Json, CallbackError>> + Send) {
    let (sender, receiver) = oneshot::channel();
    let wait = async {
        receiver
            .await
            .unwrap_or_else(|_| Err(CallbackError::new("the function was dropped before it answered")))
    };
    (Answer(sender), wait)
}

/// Names of states that a mapping knows, and which of them it tears down itself.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct StateNames {
    /// Known states; none when a function takes them all.
    pub known: Option<Vec<String>>,
    /// States whose handler has a teardown of its own.
    pub torn_down: Vec<String>,
    /// Whether interactions without states are announced.
    pub empty: bool,
}

/// State handlers in the user's code. Payload: `{ state, action, parameters }`; answer: an object of values, or null.
pub(crate) struct UserStates {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) names: StateNames,
}

impl StateHandler for UserStates {
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>> {
        let mut payload = Object::new();
        payload.insert("state", change.state);
        payload.insert("action", change.action.name());
        payload.insert("parameters", change.parameters);
        Box::pin(async move {
            match self.callbacks.call("state", payload.into()).await? {
                Json::Object(values) => Ok(values),
                // A handler that returns nothing, or what means nothing to a contract, returns no values.
                _ => Ok(Object::new()),
            }
        })
    }

    fn knows(&self, state: &str) -> Option<bool> {
        self.names
            .known
            .as_ref()
            .map(|known| known.iter().any(|name| name == state))
    }

    fn known_names(&self) -> Vec<String> {
        self.names.known.clone().unwrap_or_default()
    }

    fn tears_down(&self, state: &str) -> Option<bool> {
        self.names.torn_down.iter().any(|name| name == state).then_some(true)
    }

    fn takes_empty_state(&self) -> bool {
        self.names.empty
    }
}

/// A request filter in the user's code. Payload: `{ request: { method, path, query, headers, body }, interaction,
/// stateValues }`; answer: the request, changed, its body as text or `{ base64 }`.
pub(crate) struct UserFilter(pub(crate) Arc<dyn Callbacks>);

impl RequestFilter for UserFilter {
    fn filter(
        &self,
        request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>> {
        let mut payload = Object::new();
        payload.insert("request", outgoing(&request));
        payload.insert("interaction", info(&context.interaction));
        payload.insert("stateValues", context.state_values);
        Box::pin(async move {
            let answer = self.0.call("requestFilter", payload.into()).await?;
            changed(request, &answer)
                .map_err(|problem| CallbackError::new(format!("the request filter's request: {problem}")))
        })
    }
}

fn outgoing(request: &OutgoingRequest) -> Json {
    let mut members = Object::new();
    members.insert("method", request.method.clone());
    members.insert("path", request.path.clone());
    members.insert("query", crate::journal::query(&request.query));
    members.insert("headers", crate::journal::headers(&request.headers));
    members.insert("body", crate::binary::to_json(&request.body));
    members.into()
}

fn changed(mut request: OutgoingRequest, answer: &Json) -> Result<OutgoingRequest, String> {
    let texts = |value: &Json| -> Result<Vec<Option<Text>>, String> {
        let one = |value: &Json| match value {
            Json::Null => Ok(None),
            Json::String(text) => Ok(Some(text.clone())),
            Json::Number(_) | Json::Bool(_) => Ok(Some(value.to_text().into())),
            other => Err(format!("{other} is no value of a header or parameter")),
        };
        match value {
            Json::Array(items) => items.iter().map(one).collect(),
            value => Ok(vec![one(value)?]),
        }
    };
    if let Some(method) = answer.get("method").and_then(Json::as_str) {
        request.method = method.to_ascii_uppercase().into();
    }
    if let Some(path) = answer.get("path").and_then(Json::as_str) {
        path.clone_into(&mut request.path);
    }
    if let Some(Json::Object(query)) = answer.get("query") {
        request.query = Query::new();
        for (name, value) in query {
            for value in texts(value)? {
                request.query.append(name.clone(), value);
            }
        }
    }
    if let Some(Json::Object(headers)) = answer.get("headers") {
        request.headers = Headers::new();
        for (name, value) in headers {
            for value in texts(value)?.into_iter().flatten() {
                request.headers.append(name.clone(), value);
            }
        }
    }
    if let Some(body) = answer.get("body") {
        request.body = crate::binary::from_json(body)?;
    }
    Ok(request)
}

/// Functions around each interaction. Payload: `{ interaction }` before, `{ interaction, result }` after.
pub(crate) struct UserHooks {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) before: bool,
    pub(crate) after: bool,
}

impl Hooks for UserHooks {
    fn before(&self, interaction: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        Box::pin(async move {
            if self.before {
                let payload: Object = [("interaction", info(&interaction))].into_iter().collect();
                self.callbacks.call("before", payload.into()).await?;
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
            if self.after {
                let mut payload = Object::new();
                payload.insert("interaction", info(&interaction));
                payload.insert("result", reread(&crate::serve::to_text(result)));
                self.callbacks.call("after", payload.into()).await?;
            }
            Ok(())
        })
    }
}

/// A header whose value the user's code makes for each request. Payload: `{ name }`; answer: a text.
pub(crate) struct UserHeader {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) name: String,
}

impl HeaderSource for UserHeader {
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>> {
        let payload: Object = [("name", Json::from(self.name.as_str()))].into_iter().collect();
        Box::pin(async move {
            match self.callbacks.call("header", payload.into()).await? {
                Json::String(value) => Ok(value.into()),
                other => Err(CallbackError::new(format!(
                    "the value of the header {} must be text, got {other}",
                    self.name
                ))),
            }
        })
    }
}

/// Message handlers in the user's code. Payload: see [`crate::messages::question`]; answer: see [`crate::messages::produced`].
pub(crate) struct UserMessages {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) names: MessageNames,
}

/// Descriptions that handlers are there for.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MessageNames {
    /// Descriptions with a handler of their own.
    pub known: Vec<String>,
    /// Whether a function takes all others.
    pub fallback: bool,
    /// For one message, in milliseconds; the time of other functions when absent.
    pub timeout: Option<u64>,
}

impl MessageSource for UserMessages {
    fn produce(&self, request: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>> {
        let description = request.interaction.description.clone();
        let question = crate::messages::question(request);
        Box::pin(async move {
            let answer = self.callbacks.call("message", question).await?;
            crate::messages::produced(&answer)
                .map_err(|problem| CallbackError::new(format!("the result for {description:?}: {problem}")))
        })
    }

    fn knows(&self, description: &str) -> Option<bool> {
        (!self.names.fallback).then(|| self.names.known.iter().any(|name| name == description))
    }

    fn known_names(&self) -> Vec<String> {
        self.names.known.clone()
    }

    fn timeout(&self) -> Option<Duration> {
        self.names.timeout.map(Duration::from_millis)
    }
}

fn info(interaction: &InteractionInfo) -> Json {
    reread(&crate::serve::to_text(interaction))
}

/// What was just serialised can be read again.
fn reread(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_default()
}

/// How long the user's functions may take when nothing else is said.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);
