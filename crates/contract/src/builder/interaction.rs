//! One interaction under construction.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract_matching::{
    ActualMessage, ActualRequest, ActualResponse, MessagePlan, Options, RequestPlan, ResponsePlan,
};
use contract_model::{
    Body, Content, ContentValue, Generators, Headers, HttpInteraction, Interaction, InteractionKind, Json, Message,
    Object, ProviderState, Query, Request, Response, Rule, RuleList, Rules, SpecificationVersion, SyncMessage, Text,
};

use super::body::{BodyDraft, BodyValue, BytesMatch, is_provided};
use super::cookie::{self, Cookie};
use super::defaults::Defaults;
use super::local::Local;
use super::multipart::{self, PartValue};
use super::named::Named;
use super::rules::{read_generators, read_rules};
use super::states::{self, GivenArguments};
use super::value::{Value, refused, values};
use crate::error::{
    ArgumentError, BODY, FROZEN, HEADER, MATCHER, METADATA, METHOD, PART, PATH, QUERY, SPECIFICATION, STATUS,
};

/// The kinds of interactions that can be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request and its response.
    Http,
    /// A message from the provider.
    Async,
    /// A message and its answers.
    Sync,
}

/// The parts of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the consumer sends; of an asynchronous message, the message.
    Request,
    /// What the provider answers.
    Response,
}

/// A handle on an interaction of a [`ContractBuilder`](super::ContractBuilder). Cloning gives another handle on the same.
#[derive(Clone, Debug)]
pub struct InteractionBuilder(pub(super) Arc<Mutex<Draft>>);

#[derive(Debug)]
pub(super) struct Draft {
    /// The version that the contract is written in, shared by all its interactions.
    version: Arc<Mutex<SpecificationVersion>>,
    defaults: Defaults,
    description: Text,
    kind: Kind,
    states: Vec<ProviderState>,
    key: Option<Text>,
    pending: bool,
    comments: Object,
    method: Text,
    path: Value,
    status: Value,
    query: Named,
    request: PartDraft,
    /// One for HTTP; for synchronous messages one for each `willRespondWith`.
    responses: Vec<PartDraft>,
    /// Where calls without a part go.
    current: Part,
    frozen: bool,
    pub(super) local: Local,
}

/// What requests, responses and messages have in common.
#[derive(Clone, Debug)]
struct PartDraft {
    headers: Named,
    /// Those that make up the header `Cookie`.
    cookies: Vec<Cookie>,
    metadata: Vec<(Text, Value)>,
    body: BodyDraft,
    rules: Rules,
    generators: Generators,
}

impl Default for PartDraft {
    fn default() -> Self {
        Self {
            headers: Named::without_case(),
            cookies: Vec::new(),
            metadata: Vec::new(),
            body: BodyDraft::default(),
            rules: Rules::default(),
            generators: Generators::default(),
        }
    }
}

type Done = Result<(), ArgumentError>;

impl InteractionBuilder {
    pub(super) fn new(
        description: &str,
        kind: Kind,
        version: Arc<Mutex<SpecificationVersion>>,
        defaults: &Defaults,
    ) -> Self {
        let mut draft = Draft {
            version,
            defaults: defaults.clone(),
            description: description.into(),
            kind,
            states: Vec::new(),
            key: None,
            pending: false,
            comments: Object::new(),
            method: "GET".into(),
            path: Value::literal("/"),
            status: Value::literal(200_u64),
            query: Named::default(),
            request: PartDraft::default(),
            responses: if kind == Kind::Http {
                vec![PartDraft::default()]
            } else {
                Vec::new()
            },
            current: Part::Request,
            frozen: false,
            local: Local::default(),
        };
        if let Some(method) = &defaults.method {
            draft.method.clone_from(method);
        }
        if let Some(status) = &defaults.status {
            draft.status = status.clone();
        }
        Self(Arc::new(Mutex::new(draft)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Draft> {
        // Each call leaves a draft that is whole, so one that panicked broke nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn draft(&self) -> Result<MutexGuard<'_, Draft>, ArgumentError> {
        let draft = self.lock();
        if draft.frozen {
            let message = format!(
                "the interaction {:?} has been served; define another one with uponReceiving",
                draft.description
            );
            return Err(ArgumentError::new(FROZEN, message));
        }
        Ok(draft)
    }

    pub(super) fn description(&self) -> Text {
        self.lock().description.clone()
    }

    pub(super) fn freeze(&self) {
        self.lock().frozen = true;
    }

    /// The interaction as it stands. Fails when an example does not satisfy its own matcher.
    pub fn build(&self) -> Result<Interaction, ArgumentError> {
        let draft = self.lock();
        draft
            .build()
            .map_err(|error| error.within(&format!("{:?}", draft.description)))
    }

    /// Adds a provider state, or parameters to one of that name.
    pub fn given(&self, state: &str, arguments: GivenArguments) -> Done {
        states::add(&mut self.draft()?.states, state, arguments)
    }

    /// Begins the request: method, and path as text or matcher JSON.
    pub fn with_request(&self, method: &str, path: &Json) -> Done {
        self.with_request_parts(Some(method), Some(path))
    }

    /// Begins the request by what is known of it. Without a method it is that of the defaults, else GET; without a path `/`.
    pub fn with_request_parts(&self, method: Option<&str>, path: Option<&Json>) -> Done {
        let mut draft = self.http("withRequest")?;
        if let Some(method) = method {
            draft.method = check_method(method).map_err(|error| error.within("withRequest"))?;
        }
        let Some(path) = path else { return draft.check_head() };
        let path = match path {
            Json::String(text) => match super::value::from_text(text) {
                Some(json) => Value::new(&json)?,
                None => Value::literal(text.clone()),
            },
            Json::Object(_) => Value::new(path)?,
            other => {
                return Err(ArgumentError::new(
                    PATH,
                    format!("withRequest: the path must be text or a matcher, got {}", other.kind()),
                ));
            }
        };
        let text = path.text(PATH).map_err(|error| error.within("withRequest"))?;
        if let Some(at) = text.find('?') {
            let hint = format!(
                "withRequest: the path {text:?} holds a query; use withQueryParameter for {:?}",
                &text[at + 1..]
            );
            return Err(ArgumentError::new(PATH, hint));
        }
        if !text.starts_with('/') && path.rules.is_none() {
            return Err(ArgumentError::new(
                PATH,
                format!("withRequest: the path {text:?} must begin with a slash"),
            ));
        }
        draft.path = path;
        draft.check_head()
    }

    /// Begins the response. HTTP needs a status, as a number or matcher JSON; a synchronous message has none, and each call
    /// begins a further response.
    pub fn will_respond_with(&self, status: Option<&Json>) -> Done {
        let mut draft = self.draft()?;
        match (draft.kind, status) {
            (Kind::Async, _) => return Err(no_response(&draft.description)),
            (Kind::Sync, None) => draft.responses.push(PartDraft::default()),
            (Kind::Sync, Some(_)) => {
                return Err(ArgumentError::new(
                    STATUS,
                    "willRespondWith: a synchronous message has no status; call it without argument",
                ));
            }
            (Kind::Http, None) => {
                return Err(ArgumentError::new(
                    STATUS,
                    "willRespondWith: an HTTP response needs a status",
                ));
            }
            (Kind::Http, Some(status)) => {
                draft.status = self::status(status).map_err(|error| error.within("willRespondWith"))?;
            }
        }
        draft.current = Part::Response;
        draft.check_head()
    }

    /// Begins the response of an HTTP interaction with the status of the defaults, else 200.
    pub fn begin_response(&self) -> Done {
        self.http("willRespondWith")?.current = Part::Response;
        Ok(())
    }

    /// Adds a cookie: of the request one of those in `Cookie`, of the response a `Set-Cookie` with any attributes.
    pub fn with_cookie(&self, name: &str, value: &Json, part: Option<Part>) -> Done {
        let mut draft = self.http("withCookie")?;
        let cookie = Cookie::new(name, value)?;
        if part.unwrap_or(draft.current) == Part::Response {
            draft.part(part)?.headers.append("Set-Cookie", vec![cookie.set()]);
        } else {
            draft.request.cookies.push(cookie);
            let header = cookie::header(&draft.request.cookies);
            draft.request.headers.set("Cookie", vec![header]);
        }
        draft.check_head()
    }

    /// Adds values to a header: text, matcher JSON, or a list of them.
    pub fn with_header(&self, name: &str, value: &Json, part: Option<Part>) -> Done {
        let mut draft = self.http("withHeader")?;
        check_header_name(name)?;
        let values = values(value, HEADER).map_err(|error| error.within(&format!("withHeader {name:?}")))?;
        check_header_values(name, &values)?;
        let mut values = values;
        if part.unwrap_or(draft.current) == Part::Response {
            free_provided(&mut values);
        }
        draft.part(part)?.headers.append(name, values);
        draft.check_head()
    }

    /// Replaces a header by a text that is not processed.
    pub fn set_header(&self, name: &str, value: &str, part: Option<Part>) -> Done {
        let mut draft = self.http("setHeader")?;
        check_header_name(name)?;
        let values = vec![Value::literal(value)];
        check_header_values(name, &values)?;
        draft.part(part)?.headers.set(name, values);
        Ok(())
    }

    /// Adds values to a query parameter: text, matcher JSON, a list of them, or null for a name without value.
    pub fn with_query_parameter(&self, name: &str, value: &Json) -> Done {
        let mut draft = self.http("withQueryParameter")?;
        let values = if value.is_null() {
            vec![Value::literal(Json::Null)]
        } else {
            values(value, QUERY).map_err(|error| error.within(&format!("withQueryParameter {name:?}")))?
        };
        draft.query.append(name, values);
        draft.check_head()
    }

    /// Sets the body; `None` takes it away.
    pub fn with_body(&self, body: Option<BodyValue>, content_type: Option<&str>, part: Option<Part>) -> Done {
        let mut draft = self.draft()?;
        let call = match body {
            Some(BodyValue::Form(_)) => "withFormBody",
            Some(BodyValue::Xml(_)) => "withXmlBody",
            Some(BodyValue::GraphQl(_)) => "withGraphQL",
            Some(BodyValue::Plain(_)) => "withTextBody",
            Some(BodyValue::Bytes(..)) => "withBinaryBody",
            _ => "withBody",
        };
        let body = body.map_or_else(|| Ok(BodyDraft::default()), |body| BodyDraft::new(body, content_type))?;
        body.check(call)?;
        draft.set_body(body, part)
    }

    /// Sets the body to the bytes of a file, read now.
    pub fn with_binary_file(
        &self,
        path: &Path,
        content_type: Option<&str>,
        how: BytesMatch,
        part: Option<Part>,
    ) -> Done {
        let bytes = std::fs::read(path)
            .map_err(|error| ArgumentError::new(BODY, format!("withBinaryFile: {}: {error}", path.display())))?;
        self.with_body(Some(BodyValue::Bytes(Some(bytes.into()), how)), content_type, part)
    }

    /// Adds a part to a multipart body, or begins one. Only HTTP has them.
    pub fn with_multipart(&self, value: PartValue, part: Option<Part>) -> Done {
        let mut draft = self.http("withMultipart")?;
        let body = multipart::add(&draft.part(part)?.body, value)?;
        body.check("withMultipart")?;
        draft.set_body(body, part)
    }

    /// Adds matching rules in the form of contract files; they replace rules at the same places.
    pub fn with_matching_rules(&self, rules: &Json, part: Option<Part>) -> Done {
        let mut draft = self.draft()?;
        let read = read_rules(rules)?;
        let known = &mut draft.part(part)?.rules;
        known.method = read.method.or(known.method.take());
        known.path = read.path.or(known.path.take());
        known.status = read.status.or(known.status.take());
        known.query.extend(read.query);
        known.header.extend(read.header);
        known.metadata.extend(read.metadata);
        known.body.extend(read.body);
        Ok(())
    }

    /// Adds generators in the form of contract files; they replace generators at the same places.
    pub fn with_generators(&self, generators: &Json, part: Option<Part>) -> Done {
        let mut draft = self.draft()?;
        let read = read_generators(generators)?;
        let known = &mut draft.part(part)?.generators;
        known.method = read.method.or(known.method.take());
        known.path = read.path.or(known.path.take());
        known.status = read.status.or(known.status.take());
        known.query.extend(read.query);
        known.header.extend(read.header);
        known.metadata.extend(read.metadata);
        known.body.extend(read.body);
        Ok(())
    }

    /// Sets an entry of a message's metadata: `None` takes it away, text `null` stores JSON null, matcher JSON a rule.
    pub fn with_metadata(&self, key: &str, value: Option<&Json>, part: Option<Part>) -> Done {
        let mut draft = self.draft()?;
        if draft.kind == Kind::Http {
            return Err(ArgumentError::new(
                METADATA,
                "withMetadata: an HTTP interaction has no metadata; use headers",
            ));
        }
        let value = value
            .map(|value| match value {
                Json::String(text) if text == "null" => Ok(Value::literal(Json::Null)),
                Json::String(text) => match super::value::from_text(text) {
                    Some(json) => Value::new(&json),
                    None => Ok(Value::literal(text.clone())),
                },
                other => Value::new(other),
            })
            .transpose()
            .map_err(|error: ArgumentError| error.within(&format!("withMetadata {key:?}")))?;
        let metadata = &mut draft.part(part)?.metadata;
        let known = metadata.iter().position(|(name, _)| name == key);
        match (known, value) {
            (Some(at), Some(value)) => metadata[at].1 = value,
            (Some(at), None) => {
                metadata.remove(at);
            }
            (None, Some(value)) => metadata.push((key.into(), value)),
            (None, None) => {}
        }
        let mut told = draft.part(part)?.message();
        told.contents = Body::Missing;
        told.rules.body.clear();
        checked(told)
            .map(drop)
            .map_err(|error| error.within(&format!("withMetadata {key:?}")))
    }

    /// Sets a comment; `None` takes it away.
    pub fn set_comment(&self, key: &str, value: Option<Json>) -> Done {
        let mut draft = self.v4("setComment")?;
        match value {
            Some(value) => drop(draft.comments.insert(key, value)),
            None => drop(draft.comments.remove(key)),
        }
        Ok(())
    }

    /// Adds a text to the comments.
    pub fn add_text_comment(&self, text: &str) -> Done {
        let mut draft = self.v4("addTextComment")?;
        match draft.comments.get_mut("text") {
            Some(Json::Array(texts)) => texts.push(text.into()),
            Some(known @ Json::String(_)) => *known = vec![known.clone(), text.into()].into(),
            _ => drop(draft.comments.insert("text", vec![Json::from(text)])),
        }
        Ok(())
    }

    /// Adds a reference to something outside, such as an issue.
    pub fn add_reference(&self, group: &str, name: &str, value: Json) -> Done {
        let mut draft = self.v4("addReference")?;
        if draft.comments.get("references").and_then(Json::as_object).is_none() {
            draft.comments.insert("references", Object::new());
        }
        if let Some(Json::Object(groups)) = draft.comments.get_mut("references") {
            if groups.get(group).and_then(Json::as_object).is_none() {
                groups.insert(group, Object::new());
            }
            if let Some(Json::Object(members)) = groups.get_mut(group) {
                members.insert(name, value);
            }
        }
        Ok(())
    }

    /// Sets or clears the key.
    pub fn set_key(&self, key: Option<&str>) -> Done {
        self.v4("setKey")?.key = key.map(Text::from);
        Ok(())
    }

    /// Marks the interaction as one that the provider need not honour yet.
    pub fn set_pending(&self, pending: bool) -> Done {
        self.v4("setPending")?.pending = pending;
        Ok(())
    }

    /// Names the test that defines the interaction.
    pub fn test_name(&self, name: &str) -> Done {
        self.draft()?.comments.insert("testname", name);
        Ok(())
    }

    /// For what only V4 can say. The name of the test is no such thing: it is only a remark.
    fn v4(&self, call: &str) -> Result<MutexGuard<'_, Draft>, ArgumentError> {
        let draft = self.draft()?;
        let version = *draft.version.lock().unwrap_or_else(PoisonError::into_inner);
        if version >= SpecificationVersion::V4 {
            return Ok(draft);
        }
        let message = format!("{call}: {version} contracts cannot say that; withSpecification('V4') can");
        Err(ArgumentError::new(SPECIFICATION, message))
    }

    fn http(&self, call: &str) -> Result<MutexGuard<'_, Draft>, ArgumentError> {
        let draft = self.draft()?;
        if draft.kind == Kind::Http {
            return Ok(draft);
        }
        let message = format!(
            "{call}: {:?} is a message; only HTTP interactions have that",
            draft.description
        );
        Err(ArgumentError::new(PART, message))
    }
}

fn no_response(description: &str) -> ArgumentError {
    ArgumentError::new(
        PART,
        format!("{description:?} is an asynchronous message and has no response"),
    )
}

/// The method in capitals.
pub(super) fn check_method(method: &str) -> Result<Text, ArgumentError> {
    if is_token(method) {
        Ok(method.to_ascii_uppercase().into())
    } else {
        Err(ArgumentError::new(METHOD, format!("{method:?} is no HTTP method")))
    }
}

/// A status as a number or matcher JSON.
pub(super) fn status(json: &Json) -> Result<Value, ArgumentError> {
    let status = match json {
        Json::Object(_) => Value::new(json)?,
        other => Value::literal(other.clone()),
    };
    if status.example.as_u64().is_some_and(|code| (100..=599).contains(&code)) {
        return Ok(status);
    }
    let message = format!("a status is a whole number from 100 to 599, got {}", status.example);
    Err(ArgumentError::new(STATUS, message))
}

/// Of what the provider makes itself, only the kind is known.
fn free_provided(values: &mut [Value]) {
    for value in values {
        if value.rules.is_none() && value.generator.as_ref().is_some_and(is_provided) {
            value.rules = Some(RuleList::one(Rule::Type { min: None, max: None }));
        }
    }
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

pub(super) fn check_header_name(name: &str) -> Done {
    if is_token(name) {
        Ok(())
    } else {
        Err(ArgumentError::new(
            HEADER,
            format!("{name:?} is no header name (RFC 9110 section 5.1)"),
        ))
    }
}

pub(super) fn check_header_values(name: &str, values: &[Value]) -> Done {
    for value in values {
        let text = value
            .text(HEADER)
            .map_err(|error| error.within(&format!("header {name:?}")))?;
        if text.bytes().any(|b| (b < 0x20 && b != b'\t') || b == 0x7f) {
            return Err(ArgumentError::new(
                HEADER,
                format!("the header {name:?} cannot hold line breaks or control characters"),
            ));
        }
    }
    Ok(())
}

impl Draft {
    fn part(&mut self, part: Option<Part>) -> Result<&mut PartDraft, ArgumentError> {
        match (self.kind, part.unwrap_or(self.current)) {
            (Kind::Async, Part::Response) => Err(no_response(&self.description)),
            (_, Part::Request) => Ok(&mut self.request),
            (_, Part::Response) => {
                if self.responses.is_empty() {
                    self.responses.push(PartDraft::default());
                }
                let last = self.responses.len() - 1;
                Ok(&mut self.responses[last])
            }
        }
    }

    fn set_body(&mut self, mut body: BodyDraft, part: Option<Part>) -> Done {
        // The provider sends responses and messages of its own accord.
        if self.kind == Kind::Async || part.unwrap_or(self.current) == Part::Response {
            body.free_provided();
        }
        self.part(part)?.body = body;
        Ok(())
    }

    /// Whether path, query, headers and status satisfy their own rules. Bodies are checked by the call that sets them.
    fn check_head(&self) -> Done {
        if self.kind != Kind::Http {
            return Ok(());
        }
        let mut request = self.request()?;
        request.body = Body::Missing;
        request.rules.body.clear();
        let mut response = self.response()?;
        response.body = Body::Missing;
        response.rules.body.clear();
        check(&request, &response)
    }

    fn build(&self) -> Result<Interaction, ArgumentError> {
        let kind = match self.kind {
            Kind::Http => {
                let http = HttpInteraction {
                    request: self.request()?,
                    response: self.response()?,
                };
                check(&http.request, &http.response)?;
                InteractionKind::Http(Box::new(http))
            }
            Kind::Async => InteractionKind::AsyncMessage(Box::new(checked(self.request.message())?)),
            Kind::Sync => InteractionKind::SyncMessage(Box::new(SyncMessage {
                request: checked(self.request.message())?,
                responses: self
                    .responses
                    .iter()
                    .map(|response| checked(response.message()))
                    .collect::<Result<_, _>>()?,
            })),
        };
        Ok(Interaction {
            description: self.description.clone(),
            states: self.states.clone(),
            kind,
            key: self.key.clone(),
            pending: self.pending,
            comments: self.comments.clone(),
            ..Interaction::default()
        })
    }

    fn request(&self) -> Result<Request, ArgumentError> {
        let (headers, body, mut rules, mut generators) = self.request.http(self.defaults.request_headers.as_ref())?;
        let mut parameters = self.query.clone();
        parameters.add_missing(&self.defaults.query);
        let (query_rules, query_generators) = parameters.rules();
        add_missing(&mut rules.query, query_rules);
        add_missing(&mut generators.query, query_generators);
        rules.path = rules.path.or_else(|| self.path.rules.clone());
        generators.path = generators.path.or_else(|| self.path.generator.clone());
        let mut query = Query::new();
        for (name, values) in parameters.iter() {
            for value in values {
                let text = if value.example.is_null() {
                    None
                } else {
                    Some(value.text(QUERY)?)
                };
                query.append(name.clone(), text);
            }
        }
        Ok(Request {
            method: self.method.clone(),
            path: self.path.text(PATH)?,
            query,
            headers,
            body,
            rules,
            generators,
            other: Object::new(),
        })
    }

    fn response(&self) -> Result<Response, ArgumentError> {
        let part = self.responses.first().cloned().unwrap_or_default();
        let (headers, body, mut rules, mut generators) = part.http(self.defaults.response_headers.as_ref())?;
        rules.status = rules.status.or_else(|| self.status.rules.clone());
        generators.status = generators.status.or_else(|| self.status.generator.clone());
        let status = self.status.example.as_u64().and_then(|code| u16::try_from(code).ok());
        let status = status.ok_or_else(|| ArgumentError::new(STATUS, "the status is no whole number"))?;
        Ok(Response {
            status,
            headers,
            body,
            rules,
            generators,
            other: Object::new(),
        })
    }
}

fn add_missing<T>(known: &mut std::collections::BTreeMap<Text, T>, more: std::collections::BTreeMap<Text, T>) {
    for (name, value) in more {
        known.entry(name).or_insert(value);
    }
}

fn check(request: &Request, response: &Response) -> Done {
    let unusable = |error: contract_matching::PlanError| ArgumentError::new(MATCHER, error.to_string());
    if !request.rules.is_empty() {
        let plan = RequestPlan::new(request, Options::LENIENT).map_err(unusable)?;
        if let Some(mismatch) = plan.compare(&ActualRequest::from(request)).first() {
            return Err(refused(mismatch));
        }
    }
    if !response.rules.is_empty() {
        let plan = ResponsePlan::new(response, Options::LENIENT).map_err(unusable)?;
        if let Some(mismatch) = plan.compare(&ActualResponse::from(response)).first() {
            return Err(refused(mismatch));
        }
    }
    Ok(())
}

/// The message, if its contents are what their type says and each example satisfies its own rules.
fn checked(message: Message) -> Result<Message, ArgumentError> {
    refuse_unreadable(&message.contents)?;
    if !message.rules.is_empty() {
        let plan = MessagePlan::new(&message, Options::LENIENT)
            .map_err(|error| ArgumentError::new(MATCHER, error.to_string()))?;
        if let Some(mismatch) = plan.compare(&ActualMessage::from(&message)).first() {
            return Err(refused(mismatch));
        }
    }
    Ok(message)
}

fn refuse_unreadable(body: &Body) -> Done {
    match body {
        Body::Present(Content {
            value: ContentValue::Bytes(_),
            content_type: Some(json),
            ..
        }) if json.is_json() => Err(ArgumentError::new(BODY, format!("the body is not {json}"))),
        _ => Ok(()),
    }
}

impl PartDraft {
    fn http(&self, defaults: Option<&Named>) -> Result<(Headers, Body, Rules, Generators), ArgumentError> {
        let mut own = self.headers.clone();
        if let Some(defaults) = defaults {
            own.add_missing(defaults);
        }
        let mut headers = Headers::new();
        for (name, values) in own.texts(HEADER)? {
            headers.set(name, values);
        }
        let body = self.body.finish(headers.first("content-type"));
        if let (Some(content_type), None) = (body.content_type(), headers.get("content-type")) {
            headers.set("Content-Type", vec![content_type.to_string().into()]);
        }
        refuse_unreadable(&body)?;
        let (mut rules, mut generators) = self.body_rules();
        let (mut header_rules, header_generators) = own.rules();
        if self.body.multipart().is_some() {
            // Each sender has a boundary of its own.
            let rule = Rule::Regex("(?i)multipart/form-data;.*boundary=.+".into());
            header_rules
                .entry("Content-Type".into())
                .or_insert_with(|| RuleList::one(rule));
        }
        add_missing(&mut rules.header, header_rules);
        add_missing(&mut generators.header, header_generators);
        Ok((headers, body, rules, generators))
    }

    fn message(&self) -> Message {
        let (mut rules, mut generators) = self.body_rules();
        let mut metadata = Object::new();
        for (key, value) in &self.metadata {
            metadata.insert(key.clone(), value.example.clone());
            if let Some(list) = &value.rules {
                rules.metadata.entry(key.clone()).or_insert_with(|| list.clone());
            }
            if let Some(generator) = &value.generator {
                generators
                    .metadata
                    .entry(key.clone())
                    .or_insert_with(|| generator.clone());
            }
        }
        let declared = metadata
            .iter()
            .find(|(name, _)| Message::is_content_type(name))
            .and_then(|(_, value)| value.as_str());
        let contents = self.body.finish(declared);
        Message {
            contents,
            metadata,
            rules,
            generators,
            other: Object::new(),
        }
    }

    fn body_rules(&self) -> (Rules, Generators) {
        let (mut rules, mut generators) = (self.rules.clone(), self.generators.clone());
        for (path, list) in &self.body.rules {
            rules.body.entry(path.clone()).or_insert_with(|| list.clone());
        }
        for (path, generator) in &self.body.generators {
            generators.body.entry(path.clone()).or_insert_with(|| generator.clone());
        }
        (rules, generators)
    }
}
