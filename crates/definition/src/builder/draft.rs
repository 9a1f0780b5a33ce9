//! An interaction that is still being defined.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use contract_matching::{MessagePlan, Mismatch, PlanError, RequestPlan, ResponsePlan};
use contract_model::{
    Body, Content, ContentHint, ContentValue, Generators, Headers, HttpInteraction, Interaction, InteractionKind,
    Message, Object, ProviderState, Query, Request, Response, Rule, RuleList, Rules, SpecificationVersion, SyncMessage,
    Text,
};

use super::body::{BodyDraft, PluginContents};
use super::cookie::Cookie;
use super::defaults::Defaults;
use super::frequency::Frequency;
use super::named::ValuesByName;
use super::part::{Kind, Part};
use super::value::{Value, check_example};
use crate::examples::{declare_texts, declared};
use crate::plugins::{PluginSet, PluginUse};
use contract_call::error::{ArgumentError, BODY, Done, HEADER, PATH, QUERY, STATUS};

#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Location of the definition in the user's code, such as `orders.test.ts:12:5`. Empty if unknown.
    pub(super) origin: Text,
    /// The specification version of the contract, shared with its other interactions.
    pub(super) version: Arc<Mutex<SpecificationVersion>>,
    /// The plugins of the contract, shared with its other interactions.
    pub(super) plugins: PluginSet,
    pub(super) defaults: Option<Arc<Defaults>>,
    /// Maximum total size in bytes of the examples that generators produce for one value. `None` means 64 MiB.
    pub(super) generated_size: Option<usize>,
    pub(super) description: Text,
    pub(super) kind: Kind,
    pub(super) states: Vec<ProviderState>,
    pub(super) key: Option<Text>,
    pub(super) pending: bool,
    pub(super) comments: Object,
    pub(super) method: Text,
    pub(super) path: Value,
    pub(super) status: Value,
    pub(super) query: ValuesByName,
    pub(super) request: PartDraft,
    /// The responses: at most one for HTTP, and one for each `will_respond_with` for synchronous messages.
    pub(super) responses: Vec<PartDraft>,
    /// The part to which operations without a `part` argument apply.
    pub(super) current: Part,
    pub(super) frozen: bool,
    /// True if a request is defined.
    pub(super) has_request: bool,
    /// The error of the last operation. `None` if it succeeded. If there is an error, the interaction is incomplete.
    pub(super) last_error: Option<ArgumentError>,
    pub(super) frequency: Frequency,
    /// Warnings about parts that other Pact implementations interpret differently.
    pub(super) warnings: Vec<String>,
    pub(super) taken_warnings: usize,
}

/// The parts of a request, response, or message that are defined alike for all of them.
#[derive(Clone, Debug)]
pub(super) struct PartDraft {
    pub(super) headers: ValuesByName,
    /// Cookies that are written to the `Cookie` header.
    pub(super) cookies: Vec<Cookie>,
    pub(super) metadata: ValuesByName,
    pub(super) body: BodyDraft,
    pub(super) rules: Rules,
    pub(super) generators: Generators,
}

impl Default for PartDraft {
    fn default() -> Self {
        Self {
            headers: ValuesByName::case_insensitive(),
            cookies: Vec::new(),
            metadata: ValuesByName::default(),
            body: BodyDraft::default(),
            rules: Rules::default(),
            generators: Generators::default(),
        }
    }
}

impl Draft {
    /// Returns the number of paths with matching rules in the bodies.
    pub(super) fn rules(&self) -> usize {
        let parts = self.responses.iter().chain([&self.request]);
        parts.map(|part| part.body.rules.len() + part.rules.body.len()).sum()
    }

    pub(super) fn new(kind: Kind, version: Arc<Mutex<SpecificationVersion>>, plugins: PluginSet) -> Self {
        Self {
            origin: Text::default(),
            version,
            plugins,
            defaults: None,
            generated_size: None,
            description: Text::default(),
            kind,
            states: Vec::new(),
            key: None,
            pending: false,
            comments: Object::new(),
            method: "GET".into(),
            path: Value::literal("/"),
            status: Value::literal(200_u64),
            query: ValuesByName::default(),
            request: PartDraft::default(),
            responses: Vec::new(),
            current: Part::Request,
            frozen: false,
            has_request: false,
            last_error: None,
            frequency: Frequency::default(),
            warnings: Vec::new(),
            taken_warnings: 0,
        }
    }

    pub(super) fn set_defaults(&mut self, defaults: &Arc<Defaults>) {
        if let Some(method) = &defaults.method {
            self.method.clone_from(method);
        }
        if let Some(status) = &defaults.status {
            self.status.clone_from(status);
        }
        self.defaults = Some(Arc::clone(defaults));
    }

    /// Checks a single value in an otherwise empty interaction. Checking the whole interaction after each call would
    /// take quadratic time. In V4, values without rules need no check.
    pub(super) fn check_alone(&self, part: Part, is_ruled: bool, fill: &dyn Fn(&mut Self)) -> Done {
        let is_v4 = self.version() >= SpecificationVersion::V4;
        if is_v4 && !is_ruled {
            return Ok(());
        }
        let mut alone = Self::new(self.kind, Arc::clone(&self.version), self.plugins.clone());
        alone.description.clone_from(&self.description);
        fill(&mut alone);
        match (self.kind, part) {
            (Kind::Http, Part::Request) if is_v4 => alone.request().map(drop),
            (Kind::Http, Part::Response) if is_v4 => alone.response().map(drop),
            _ => alone.check(),
        }
    }

    /// Checks that the interaction is valid and that the specification version supports it.
    pub(super) fn check(self) -> Done {
        let version = self.version();
        super::version::convert_to_version(self.build()?, version).map(drop)
    }

    pub(super) fn version(&self) -> SpecificationVersion {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs warnings and stores them for the user. Equal warnings are stored once.
    pub(super) fn warn(&mut self, problem: impl IntoIterator<Item = String>) {
        for problem in problem {
            let text = format!("{:?}: {problem}", self.description);
            if !self.warnings.contains(&text) {
                tracing::warn!(target: "contract::builder", "{text}");
                self.warnings.push(text);
            }
        }
    }

    /// Returns the part, and creates the response if it is missing. If there are several responses, returns the last
    /// one.
    pub(super) fn part(&mut self, part: Part) -> &mut PartDraft {
        match part {
            Part::Request => &mut self.request,
            Part::Response => {
                if self.responses.is_empty() {
                    // Reserve capacity for one response only, because drafts live as long as their contract.
                    self.responses = vec![PartDraft::default()];
                }
                let last = self.responses.len() - 1;
                &mut self.responses[last]
            }
        }
    }

    /// Like [`Self::part`], but returns `None` if there is no response.
    pub(super) fn existing_part(&self, part: Part) -> Option<&PartDraft> {
        match part {
            Part::Request => Some(&self.request),
            Part::Response => self.responses.last(),
        }
    }

    /// Builds the interaction and consumes the draft. Clone the draft to keep it.
    pub(super) fn build(mut self) -> Result<Interaction, ArgumentError> {
        let plugin_configuration = self.plugin_configuration();
        let markup = self
            .plugin_contents()
            .filter_map(|(_, contents)| contents.part.markup.clone())
            .last();
        let kind = match self.kind {
            Kind::Http => {
                let http = HttpInteraction {
                    request: self.request()?,
                    response: self.response()?,
                };
                check_body_is_sent(&http)?;
                InteractionKind::Http(Box::new(http))
            }
            Kind::Async => InteractionKind::AsyncMessage(Box::new(self.request.message()?)),
            Kind::Sync => InteractionKind::SyncMessage(Box::new(SyncMessage {
                request: self.request.message()?,
                responses: self
                    .responses
                    .into_iter()
                    .map(PartDraft::message)
                    .collect::<Result<_, _>>()?,
            })),
        };
        Ok(Interaction {
            description: self.description,
            states: self.states,
            kind,
            key: self.key,
            pending: self.pending,
            comments: self.comments,
            plugin_configuration,
            markup,
            ..Interaction::default()
        })
    }

    /// Returns the contents that plugins generated, with the names of their parts.
    fn plugin_contents(&self) -> impl Iterator<Item = (&'static str, &PluginContents)> {
        let request = self
            .request
            .body
            .plugin_contents()
            .map(|contents| ("request", contents));
        let responses = self.responses.iter().filter_map(|part| part.body.plugin_contents());
        request
            .into_iter()
            .chain(responses.map(|contents| ("response", contents)))
    }

    /// Returns the plugin data that the contract file stores.
    pub(super) fn plugin_uses(&self) -> Vec<PluginUse> {
        self.plugin_contents()
            .map(|(_, contents)| contents.used.clone())
            .collect()
    }

    /// Returns the plugin data that the interaction stores. For HTTP, the request and the response have separate data.
    fn plugin_configuration(&self) -> Object {
        let mut all = Object::new();
        for (part, contents) in self
            .plugin_contents()
            .filter(|(_, contents)| !contents.part.interaction.is_empty())
        {
            let mut kept = contents.part.interaction.clone();
            if self.kind == Kind::Http {
                kept = [(part, kept)].into_iter().collect();
            }
            let mut own = Object::new();
            own.insert(contents.used.name.as_str(), kept);
            contract_plugins::merge(&mut all, own);
        }
        all
    }

    fn request(&mut self) -> Result<Request, ArgumentError> {
        let is_v4 = self.version() >= SpecificationVersion::V4;
        let part = take(&mut self.request);
        let known = part.known_body();
        let defaults = self.defaults.as_deref();
        let (headers, body, mut rules, mut generators) =
            part.http(defaults.and_then(|defaults| defaults.request_headers.as_ref()), is_v4)?;
        let mut parameters = take(&mut self.query);
        if let Some(defaults) = defaults {
            parameters.add_missing(&defaults.query);
        }
        let (query_rules, mut query_generators) = parameters.rules();
        declare_texts(query_generators.values_mut());
        add_missing(&mut rules.query, query_rules);
        add_missing(&mut generators.query, query_generators);
        let mut path = take(&mut self.path);
        rules.path = rules.path.or(path.rules.take());
        declare_texts(&mut path.generator);
        generators.path = generators.path.or(path.generator.take());
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
        let request = Request {
            method: take(&mut self.method),
            path: path.text(PATH)?,
            query,
            headers,
            body,
            rules,
            generators,
            other: Object::new(),
        };
        let is_known = known.holds(&request.headers);
        checked(
            request,
            is_known,
            |request| (&mut request.body, &mut request.rules),
            RequestPlan::rejected_example,
        )
    }

    fn response(&mut self) -> Result<Response, ArgumentError> {
        let is_v4 = self.version() >= SpecificationVersion::V4;
        let part = self.responses.first_mut().map(take).unwrap_or_default();
        let known = part.known_body();
        let defaults = self.defaults.as_deref();
        let (headers, body, mut rules, mut generators) =
            part.http(defaults.and_then(|defaults| defaults.response_headers.as_ref()), is_v4)?;
        let value = take(&mut self.status);
        rules.status = rules.status.or(value.rules);
        let status_generator = || Some(declared(value.generator.as_ref()?, &value.example));
        generators.status = generators.status.or_else(status_generator);
        let status = value.example.as_u64().and_then(|code| u16::try_from(code).ok());
        let response = Response {
            status: status.ok_or_else(|| ArgumentError::new(STATUS, "the status must be a whole number"))?,
            headers,
            body,
            rules,
            generators,
            other: Object::new(),
        };
        let is_known = known.holds(&response.headers);
        checked(
            response,
            is_known,
            |response| (&mut response.body, &mut response.rules),
            ResponsePlan::rejected_example,
        )
    }
}

fn add_missing<K: Ord, T>(known: &mut BTreeMap<K, T>, more: BTreeMap<K, T>) {
    if known.is_empty() {
        *known = more;
        return;
    }
    for (name, value) in more {
        known.entry(name).or_insert(value);
    }
}

/// Returns an error if HTTP does not allow the response body (RFC 9110 sections 6.4.1 and 9.3.2), because no provider
/// can send it.
fn check_body_is_sent(http: &HttpInteraction) -> Done {
    let Body::Present(content) = &http.response.body else {
        return Ok(());
    };
    let reason = match (http.response.status, &*http.request.method) {
        (status @ (100..=199 | 204 | 304), _) => format!("with the status {status}"),
        (_, "HEAD") => "to HEAD".to_owned(),
        _ => return Ok(()),
    };
    if content.bytes().is_empty() {
        return Ok(());
    }
    let message = format!("a response {reason} cannot have a body; omit the body, or change the status or the method");
    Err(ArgumentError::new(BODY, message))
}

/// The reason why the example of a body is known to satisfy its rules.
#[derive(Clone, Copy, Debug)]
enum KnownBody {
    No,
    /// The call that set the body checked the example. This only applies if the headers also declare JSON.
    Document,
    /// A plugin generated the body.
    FromPlugin,
}

impl KnownBody {
    fn holds(self, headers: &Headers) -> bool {
        match self {
            Self::No => false,
            Self::Document => headers.content_type().is_some_and(|declared| declared.is_json()),
            Self::FromPlugin => true,
        }
    }
}

/// Returns the part if each example satisfies its own rules. Skips bodies that are known to be valid.
fn checked<T>(
    mut whole: T,
    is_known: bool,
    parts: impl Fn(&mut T) -> (&mut Body, &mut Rules),
    rejected_example: impl Fn(&T) -> Result<Option<Mismatch>, PlanError>,
) -> Result<T, ArgumentError> {
    let (body, rules) = parts(&mut whole);
    let known = is_known.then(|| (take(body), take(&mut rules.body)));
    if !rules.is_empty() {
        check_example(rejected_example(&whole))?;
    }
    if let Some(known) = known {
        let (body, rules) = parts(&mut whole);
        (*body, rules.body) = known;
    }
    Ok(whole)
}

fn reject_unparsed(body: &Body) -> Done {
    match body {
        Body::Present(Content {
            value: ContentValue::Bytes(_),
            content_type: Some(json),
            ..
        }) if json.is_json() => {
            let mut problem = format!("the body is not valid {json}");
            if json.is_kafka_schema_registry_json() {
                problem += "; pass the JSON document without the schema ID that the serializer writes in front of it";
            }
            Err(ArgumentError::new(BODY, problem))
        }
        _ => Ok(()),
    }
}

/// Removes the content type. If a body has a content type, other Pact implementations compare it as a document even if
/// a rule compares only the type, and reject every response. Without a content type, they detect the type from the
/// bytes.
fn without_type(mut body: Body) -> Body {
    if let Body::Present(content) = &mut body {
        content.value = ContentValue::Bytes(content.bytes());
        content.content_type = None;
        // Other implementations would parse text with the content type of the header.
        content.hint = Some(ContentHint::Binary);
    }
    body
}

impl PartDraft {
    /// Adds headers, and replaces the body if one is passed.
    pub(super) fn add(&mut self, headers: Vec<(Text, Vec<Value>)>, body: Option<BodyDraft>) {
        self.headers.append_all(headers);
        if let Some(body) = body {
            self.body = body;
        }
    }

    /// Returns why the body is known to satisfy its rules, or `No` if the part has further rules.
    fn known_body(&self) -> KnownBody {
        if self.body.plugin_contents().is_some() {
            KnownBody::FromPlugin
        } else if self.body.is_checked && self.body.is_document() && self.rules.body.is_empty() {
            KnownBody::Document
        } else {
            KnownBody::No
        }
    }

    /// Builds headers, body, rules, and generators of an HTTP part. If `is_v4`, the body may omit its content type and
    /// use the header's.
    fn http(
        mut self,
        defaults: Option<&ValuesByName>,
        is_v4: bool,
    ) -> Result<(Headers, Body, Rules, Generators), ArgumentError> {
        if let Some(defaults) = defaults {
            self.headers.add_missing(defaults);
        }
        let mut headers = Headers::new();
        for (name, values) in self.headers.texts(HEADER)? {
            headers.insert(name, values);
        }
        let (mut header_rules, mut header_generators) = self.headers.rules();
        declare_texts(header_generators.values_mut());
        if self.body.is_multipart() {
            // The boundary may differ, because each sender creates its own boundary.
            let rule = Rule::Regex("(?i)multipart/form-data;.*boundary=.+".into());
            header_rules
                .entry("Content-Type".into())
                .or_insert_with(|| RuleList::single(rule));
        }
        add_missing(&mut self.rules.header, header_rules);
        add_missing(&mut self.generators.header, header_generators);
        let is_typeless = is_v4 && self.body.is_json_by_type();
        let plugin_type = self
            .body
            .plugin_contents()
            .map(|contents| contents.content_type.clone());
        let mut body = self.take_body(headers.first("content-type"));
        if plugin_type.is_none() {
            reject_unparsed(&body)?;
        }
        let content_type = plugin_type.or_else(|| Some(body.content_type()?.to_string().into()));
        if let (Some(content_type), None) = (content_type, headers.get("content-type")) {
            headers.set("Content-Type", vec![content_type]);
        }
        if is_typeless {
            body = without_type(body);
        }
        Ok((headers, body, self.rules, self.generators))
    }

    fn message(mut self) -> Result<Message, ArgumentError> {
        let is_from_plugin = self.body.plugin_contents().is_some();
        let mut metadata = Object::new();
        for (key, values) in self.metadata.iter() {
            if let Some(value) = values.last() {
                metadata.insert(key.as_str(), value.example.clone());
            }
        }
        let (entry_rules, mut entry_generators) = self.metadata.rules();
        for (key, generator) in &mut entry_generators {
            if let Some([value, ..]) = self.metadata.get(key) {
                *generator = declared(generator, &value.example);
            }
        }
        add_missing(&mut self.rules.metadata, entry_rules);
        add_missing(&mut self.generators.metadata, entry_generators);
        let content_type = metadata
            .iter()
            .find(|(name, _)| Message::is_content_type(name))
            .and_then(|(_, value)| value.as_str());
        let contents = self.take_body(content_type);
        if !is_from_plugin {
            reject_unparsed(&contents)?;
        }
        let message = Message {
            contents,
            metadata,
            rules: self.rules,
            generators: self.generators,
            other: Object::new(),
        };
        checked(
            message,
            is_from_plugin,
            |message| (&mut message.contents, &mut message.rules),
            MessagePlan::rejected_example,
        )
    }

    /// Returns the body, and adds its rules and generators to the part.
    fn take_body(&mut self, content_type: Option<&str>) -> Body {
        let mut body = take(&mut self.body);
        add_missing(&mut self.rules.body, take(&mut body.rules));
        add_missing(&mut self.generators.body, take(&mut body.generators));
        body.finish(content_type)
    }
}
