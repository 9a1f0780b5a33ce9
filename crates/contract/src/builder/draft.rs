//! What the calls on an interaction have collected, and the interaction that it makes.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use contract_matching::{MessagePlan, RequestPlan, ResponsePlan};
use contract_model::{
    Body, Content, ContentHint, ContentValue, Generators, Headers, HttpInteraction, Interaction, InteractionKind,
    Message, Object, ProviderState, Query, Request, Response, Rule, RuleList, Rules, SpecificationVersion, SyncMessage,
    Text,
};

use super::body::{BodyDraft, Made};
use super::cookie::Cookie;
use super::defaults::Defaults;
use super::example::{declare_texts, declared};
use super::frequency::Frequency;
use super::named::Named;
use super::part::{Kind, Part};
use super::value::{Value, accepted};
use crate::error::{ArgumentError, BODY, Done, HEADER, PART, PATH, QUERY, STATUS};
use crate::plugins::{PluginSet, PluginUse};

#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Where in the user's code it was begun.
    pub(super) origin: Text,
    /// The version that the contract is written in, shared by all its interactions.
    pub(super) version: Arc<Mutex<SpecificationVersion>>,
    /// The plugins of the contract, shared by all its interactions.
    pub(super) plugins: PluginSet,
    pub(super) defaults: Arc<Defaults>,
    /// What its contract allows to be generated for one value, if it says.
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
    pub(super) query: Named,
    pub(super) request: PartDraft,
    /// One for HTTP; for synchronous messages one for each `willRespondWith`.
    pub(super) responses: Vec<PartDraft>,
    /// Where calls without a part go.
    pub(super) current: Part,
    pub(super) frozen: bool,
    /// Whether a request was defined.
    pub(super) requested: bool,
    /// Why the last operation was refused: as long as no other follows, the definition broke off there.
    pub(super) refused: Option<ArgumentError>,
    pub(super) frequency: Frequency,
    /// What was told about other tools, and how much of it was taken.
    pub(super) warnings: Vec<String>,
    pub(super) taken_warnings: usize,
}

/// What requests, responses and messages have in common.
#[derive(Clone, Debug)]
pub(super) struct PartDraft {
    pub(super) headers: Named,
    /// Those that make up the header `Cookie`.
    pub(super) cookies: Vec<Cookie>,
    pub(super) metadata: Named,
    pub(super) body: BodyDraft,
    pub(super) rules: Rules,
    pub(super) generators: Generators,
}

impl Default for PartDraft {
    fn default() -> Self {
        Self {
            headers: Named::without_case(),
            cookies: Vec::new(),
            metadata: Named::default(),
            body: BodyDraft::default(),
            rules: Rules::default(),
            generators: Generators::default(),
        }
    }
}

pub(super) fn no_response(description: &str) -> ArgumentError {
    ArgumentError::new(
        PART,
        format!("{description:?} is an asynchronous message and has no response"),
    )
}

impl Draft {
    /// How many matching rules it has.
    pub(super) fn rules(&self) -> usize {
        let parts = self.responses.iter().chain([&self.request]);
        parts.map(|part| part.body.rules.len() + part.rules.body.len()).sum()
    }

    pub(super) fn new(
        description: &str,
        kind: Kind,
        (version, plugins): (Arc<Mutex<SpecificationVersion>>, PluginSet),
        defaults: &Arc<Defaults>,
        origin: &str,
    ) -> Self {
        let mut draft = Self {
            origin: origin.into(),
            version,
            plugins,
            defaults: Arc::clone(defaults),
            generated_size: None,
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
            requested: false,
            refused: None,
            frequency: Frequency::default(),
            warnings: Vec::new(),
            taken_warnings: 0,
        };
        if let Some(method) = &defaults.method {
            draft.method.clone_from(method);
        }
        if let Some(status) = &defaults.status {
            draft.status.clone_from(status);
        }
        draft
    }

    pub(super) fn version(&self) -> SpecificationVersion {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells something that is no mistake here, and may be one elsewhere: to the log, and once to whoever defines.
    pub(super) fn warn(&mut self, problem: impl IntoIterator<Item = String>) {
        for problem in problem {
            let text = format!("{:?}: {problem}", self.description);
            if !self.warnings.contains(&text) {
                tracing::warn!(target: "contract::builder", "{text}");
                self.warnings.push(text);
            }
        }
    }

    /// The same, about a version that cannot say something as others would read it.
    pub(super) fn warn_before_v4(&mut self, problem: impl FnOnce(SpecificationVersion) -> String) {
        let version = self.version();
        if version < SpecificationVersion::V4 {
            self.warn([problem(version)]);
        }
    }

    /// The part of that name; of several responses the last one.
    pub(super) fn part(&mut self, part: Part) -> &mut PartDraft {
        match part {
            Part::Request => &mut self.request,
            Part::Response => {
                if self.responses.is_empty() {
                    self.responses.push(PartDraft::default());
                }
                let last = self.responses.len() - 1;
                &mut self.responses[last]
            }
        }
    }

    /// Whether the version has interactions of this kind.
    pub(super) fn check_kind(&self) -> Done {
        let kind = match self.kind {
            Kind::Http => InteractionKind::Http(Box::default()),
            Kind::Async => InteractionKind::AsyncMessage(Box::default()),
            Kind::Sync => InteractionKind::SyncMessage(Box::default()),
        };
        self.check_version(kind, &[])
    }

    /// A copy to try something on.
    pub(super) fn tried(&self) -> Self {
        self.clone()
    }

    /// Whether the version can say this; the states stand for those of the interaction.
    pub(super) fn check_version(&self, kind: InteractionKind, states: &[ProviderState]) -> Done {
        let version = self.version();
        if version >= SpecificationVersion::V4 {
            return Ok(());
        }
        let interaction = Interaction {
            description: self.description.clone(),
            states: states.to_vec(),
            kind,
            ..Interaction::default()
        };
        super::version::check(&interaction, version)
    }

    /// The interaction; whoever goes on with the draft gives a copy.
    pub(super) fn build(mut self) -> Result<Interaction, ArgumentError> {
        let plugin_configuration = self.plugin_configuration();
        let markup = self.made().filter_map(|(_, made)| made.markup.clone()).last();
        let made = [Some(&self.request), self.responses.first()]
            .map(|part| part.is_some_and(|part| part.body.of_plugin().is_some()));
        let kind = match self.kind {
            Kind::Http => {
                let http = HttpInteraction {
                    request: self.request()?,
                    response: self.response()?,
                };
                check_made(&http, made)?;
                InteractionKind::Http(Box::new(http))
            }
            Kind::Async => InteractionKind::AsyncMessage(Box::new(self.request.checked_message()?)),
            Kind::Sync => InteractionKind::SyncMessage(Box::new(SyncMessage {
                request: self.request.checked_message()?,
                responses: self
                    .responses
                    .into_iter()
                    .map(PartDraft::checked_message)
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

    /// What plugins made, and in which part.
    fn made(&self) -> impl Iterator<Item = (&'static str, &Made)> {
        let request = self.request.body.of_plugin().map(|made| ("request", made));
        let responses = self.responses.iter().filter_map(|part| part.body.of_plugin());
        request.into_iter().chain(responses.map(|made| ("response", made)))
    }

    /// What the contract keeps for the plugins that made something of this interaction.
    pub(super) fn plugin_uses(&self) -> Vec<PluginUse> {
        self.made().map(|(_, made)| made.used.clone()).collect()
    }

    /// What the interaction keeps for plugins. The parts of an HTTP interaction are told apart: both may keep something.
    fn plugin_configuration(&self) -> Object {
        let mut all = Object::new();
        for (part, made) in self.made().filter(|(_, made)| !made.kept.is_empty()) {
            let mut kept = made.kept.clone();
            if self.kind == Kind::Http {
                kept = [(part, kept)].into_iter().collect();
            }
            let mut own = Object::new();
            own.insert(made.used.name.as_str(), kept);
            contract_plugins::merge(&mut all, own);
        }
        all
    }

    /// The request, taken out of the draft.
    fn request(&mut self) -> Result<Request, ArgumentError> {
        let says_nothing = self.version() >= SpecificationVersion::V4;
        let part = take(&mut self.request);
        let (headers, body, mut rules, mut generators) =
            part.http(self.defaults.request_headers.as_ref(), says_nothing)?;
        let mut parameters = take(&mut self.query);
        parameters.add_missing(&self.defaults.query);
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
        Ok(Request {
            method: take(&mut self.method),
            path: path.text(PATH)?,
            query,
            headers,
            body,
            rules,
            generators,
            other: Object::new(),
        })
    }

    /// The response, taken out of the draft.
    fn response(&mut self) -> Result<Response, ArgumentError> {
        let says_nothing = self.version() >= SpecificationVersion::V4;
        let part = self.responses.first_mut().map(take).unwrap_or_default();
        let (headers, body, mut rules, mut generators) =
            part.http(self.defaults.response_headers.as_ref(), says_nothing)?;
        let value = take(&mut self.status);
        rules.status = rules.status.or(value.rules);
        let status_generator = || Some(declared(value.generator.as_ref()?, &value.example));
        generators.status = generators.status.or_else(status_generator);
        let status = value.example.as_u64().and_then(|code| u16::try_from(code).ok());
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

fn add_missing<K: Ord, T>(known: &mut BTreeMap<K, T>, more: BTreeMap<K, T>) {
    for (name, value) in more {
        known.entry(name).or_insert(value);
    }
}

/// Whether each example satisfies its own rules. Of a body that a plugin made, the plugin says so.
fn check_made(http: &HttpInteraction, [in_request, in_response]: [bool; 2]) -> Done {
    if !(in_request || in_response) {
        return check(&http.request, &http.response);
    }
    let mut rest = http.clone();
    if in_request {
        rest.request.body = Body::Missing;
        rest.request.rules.body.clear();
    }
    if in_response {
        rest.response.body = Body::Missing;
        rest.response.rules.body.clear();
    }
    check(&rest.request, &rest.response)
}

pub(super) fn check(request: &Request, response: &Response) -> Done {
    if !request.rules.is_empty() {
        accepted(RequestPlan::refused_example(request))?;
    }
    if !response.rules.is_empty() {
        accepted(ResponsePlan::refused_example(response))?;
    }
    Ok(())
}

/// The message, if its contents are what their type says and each example satisfies its own rules.
pub(super) fn checked(message: Message) -> Result<Message, ArgumentError> {
    refuse_unreadable(&message.contents)?;
    if !message.rules.is_empty() {
        accepted(MessagePlan::refused_example(&message))?;
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

/// Other tools compare a body as the document that its own type says, even if only its type should count, and refuse every
/// answer; where the body says no type, they look at the bytes.
fn without_type(mut body: Body) -> Body {
    if let Body::Present(content) = &mut body {
        content.value = ContentValue::Bytes(content.bytes());
        content.content_type = None;
        // A text would be read as one by the type that the header says.
        content.hint = Some(ContentHint::Binary);
    }
    body
}

impl PartDraft {
    /// With `says_nothing`, a body may leave it to the header to say its type.
    fn http(
        mut self,
        defaults: Option<&Named>,
        says_nothing: bool,
    ) -> Result<(Headers, Body, Rules, Generators), ArgumentError> {
        let mut own = take(&mut self.headers);
        if let Some(defaults) = defaults {
            own.add_missing(defaults);
        }
        let mut headers = Headers::new();
        for (name, values) in own.texts(HEADER)? {
            headers.set(name, values);
        }
        let body = self.body.finish(headers.first("content-type"));
        if let (Some(made), None) = (self.body.of_plugin(), headers.get("content-type")) {
            headers.set("Content-Type", vec![made.content_type.clone()]);
        }
        if let (Some(content_type), None) = (body.content_type(), headers.get("content-type")) {
            headers.set("Content-Type", vec![content_type.to_string().into()]);
        }
        if self.body.of_plugin().is_none() {
            refuse_unreadable(&body)?;
        }
        let body = if says_nothing && self.body.is_json_by_type() {
            without_type(body)
        } else {
            body
        };
        let is_multipart = self.body.multipart().is_some();
        let (mut rules, mut generators) = self.body_rules();
        let (mut header_rules, mut header_generators) = own.rules();
        declare_texts(header_generators.values_mut());
        if is_multipart {
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

    /// The message, checked; of contents that a plugin made, the plugin says whether they make sense.
    fn checked_message(self) -> Result<Message, ArgumentError> {
        let is_made = self.body.of_plugin().is_some();
        let mut message = self.message();
        if !is_made {
            return checked(message);
        }
        let contents = take(&mut message.contents);
        let rules = take(&mut message.rules.body);
        let mut message = checked(message)?;
        message.contents = contents;
        message.rules.body = rules;
        Ok(message)
    }

    pub(super) fn message(self) -> Message {
        let mut metadata = Object::new();
        for (key, values) in self.metadata.iter() {
            if let Some(value) = values.last() {
                metadata.insert(key.as_str(), value.example.clone());
            }
        }
        let (entry_rules, mut entry_generators) = self.metadata.rules();
        for (key, generator) in &mut entry_generators {
            let example = self.metadata.iter().find(|(name, _)| *name == key);
            if let Some([value, ..]) = example.map(|(_, values)| values) {
                *generator = declared(generator, &value.example);
            }
        }
        let content_type = metadata
            .iter()
            .find(|(name, _)| Message::is_content_type(name))
            .and_then(|(_, value)| value.as_str());
        let contents = self.body.finish(content_type);
        let (mut rules, mut generators) = self.body_rules();
        add_missing(&mut rules.metadata, entry_rules);
        add_missing(&mut generators.metadata, entry_generators);
        Message {
            contents,
            metadata,
            rules,
            generators,
            other: Object::new(),
        }
    }

    /// The rules and generators of the part, with those of its body where it has none.
    fn body_rules(mut self) -> (Rules, Generators) {
        add_missing(&mut self.rules.body, self.body.rules);
        add_missing(&mut self.generators.body, self.body.generators);
        (self.rules, self.generators)
    }
}
