//! What a verification asks of the user's own code, whatever language that is written in.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use contract_model::{Headers, Json, Object, Query, Text};
use contract_verifier::{
    BoxFuture, CallbackError, HeaderSource, Hooks, InteractionInfo, InteractionReport, OutgoingRequest, RequestContext,
    RequestFilter,
};
use tokio::sync::oneshot;

use crate::read;
use crate::value::{self, Foreign, UserFunction, foreign};

/// Calls the user's functions. What they take is said where they are made; answers may hold what JSON has no form for.
pub trait Callbacks: Send + Sync + 'static {
    /// Calls a function and waits for its answer.
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>>;
}

/// What a function is called for, so that bindings can give arguments the shape that their users expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// State, action and parameters, or some of them. The answer may be an object of values.
    State,
    /// Nothing. The answer is the value of a header.
    Header,
    /// A question: `{ description, kind, providerStates, request, metadata, answers, stateValues }`. The answer is a message.
    Message,
    /// A request `{ method, path, query, headers, body }` and its context `{ interaction, stateValues }`. The answer is a
    /// request.
    RequestFilter,
    /// `{ interaction }`.
    Before,
    /// `{ interaction }` and what became of it.
    After,
}

impl Role {
    /// Its name, in camelCase.
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Header => "header",
            Self::Message => "message",
            Self::RequestFilter => "requestFilter",
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// Stands in where nobody is called.
pub(crate) struct Nobody;

impl Callbacks for Nobody {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Err(CallbackError::new("nobody is there to answer")) })
    }
}

/// Gives the answer to a call.
#[derive(Debug)]
pub struct Answer(oneshot::Sender<Result<Json, CallbackError>>);

impl Answer {
    /// Answers. Nobody may be waiting any more, after a time-out; then the answer is dropped.
    pub fn send(self, answer: Result<Json, CallbackError>) {
        drop(self.0.send(answer));
    }

    /// Whether anybody waits for it still.
    pub fn is_awaited(&self) -> bool {
        !self.0.is_closed()
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

/// Request filters in the user's code, one after another. Payload: `{ method, path, query, headers, body }` and
/// `{ interaction, stateValues }`; answer: the request, changed, its body as text or bytes.
pub(crate) struct UserFilters {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) filters: Vec<UserFunction>,
}

impl RequestFilter for UserFilters {
    fn filter(
        &self,
        mut request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>> {
        let mut about = Object::new();
        about.insert("interaction", info(&context.interaction));
        about.insert("stateValues", context.state_values);
        let about = Json::from(about);
        Box::pin(async move {
            for filter in &self.filters {
                let arguments = vec![outgoing(&request), about.clone()];
                let answer = self.callbacks.call(*filter, Role::RequestFilter, arguments).await?;
                request = changed(request, &answer)
                    .map_err(|problem| CallbackError::new(format!("the request filter's request: {problem}")))?;
            }
            Ok(request)
        })
    }
}

fn outgoing(request: &OutgoingRequest) -> Json {
    let mut members = Object::new();
    members.insert("method", request.method.as_str());
    members.insert("path", request.path.as_str());
    members.insert("query", crate::journal::query(&request.query));
    members.insert("headers", crate::journal::headers(&request.headers));
    members.insert("body", crate::binary::to_json(&request.body));
    members.into()
}

fn changed(mut request: OutgoingRequest, answer: &Json) -> Result<OutgoingRequest, String> {
    let Some(members) = answer.as_object().filter(|_| value::shown(answer).is_none()) else {
        return Err(format!("it must be a request, got {}", read::shown(answer)));
    };
    let given = |name: &str| members.get(name).filter(|value| !value::is_undefined(value));
    let text = |name: &str| match given(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("its {name} must be text, got {}", read::shown(other))),
    };
    if let Some(method) = text("method")? {
        request.method = method.to_ascii_uppercase();
    }
    if let Some(path) = text("path")? {
        request.path = path.to_string();
    }
    if let Some(query) = given("query") {
        request.query = Query::new();
        for (name, value) in named("query", query)? {
            request.query.append(name, value);
        }
    }
    if let Some(headers) = given("headers") {
        request.headers = Headers::new();
        for (name, value) in named("headers", headers)? {
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
            (_, body) if is_base64(body) => crate::binary::from_json(body)?,
            _ => {
                return Err(format!(
                    "its body must be text or bytes, got {}; write an object as JSON text",
                    read::shown(body)
                ));
            }
        };
    }
    Ok(request)
}

/// Bytes as the request had them when it was handed over.
fn is_base64(body: &Json) -> bool {
    let members = body.as_object().filter(|members| members.len() == 1);
    members.is_some_and(|members| members.get("base64").and_then(Json::as_str).is_some())
}

/// Headers or parameters, each with one value or a list of them.
fn named(what: &str, given: &Json) -> Result<Vec<(Text, Option<Text>)>, String> {
    let Some(members) = given.as_object().filter(|_| value::shown(given).is_none()) else {
        return Err(format!("its {what} must be an object, got {}", read::shown(given)));
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
                    other => return Err(format!("{name} in its {what} must be text, got {}", read::shown(other))),
                },
            ));
        }
    }
    Ok(all)
}

/// Functions around each interaction.
pub(crate) struct UserHooks {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) before: Vec<UserFunction>,
    pub(crate) after: Vec<UserFunction>,
}

fn about(interaction: &InteractionInfo) -> Json {
    let about: Object = [("interaction", info(interaction))].into_iter().collect();
    about.into()
}

impl Hooks for UserHooks {
    fn before(&self, interaction: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        Box::pin(async move {
            for hook in &self.before {
                let arguments = vec![about(&interaction)];
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
            for hook in &self.after {
                let arguments = vec![about(&interaction), reread(&crate::json::to_text(result))];
                self.callbacks.call(*hook, Role::After, arguments).await?;
            }
            Ok(())
        })
    }
}

/// A header whose value the user's code makes for each request.
pub(crate) struct UserHeader {
    pub(crate) callbacks: Arc<dyn Callbacks>,
    pub(crate) name: String,
    pub(crate) function: UserFunction,
}

impl HeaderSource for UserHeader {
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>> {
        Box::pin(async move {
            match self.callbacks.call(self.function, Role::Header, Vec::new()).await? {
                Json::String(value) => Ok(value.into()),
                // What it is may be a secret.
                other => Err(CallbackError::new(format!(
                    "the value of the header {} must be text, got {}",
                    self.name,
                    value::shown(&other).unwrap_or_else(|| other.kind().to_string())
                ))),
            }
        })
    }
}

fn info(interaction: &InteractionInfo) -> Json {
    reread(&crate::json::to_text(interaction))
}

/// What was just serialised can be read again.
fn reread(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_default()
}

/// How long the user's functions may take when nothing else is said.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);
