//! One interaction under construction.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract_model::{Body, Interaction, Json, Object, PathRules, Rule, RuleList, SpecificationVersion, Text};

use super::body::{BodyDraft, BodyValue, BytesMatch, is_provided};
use super::cookie::{self, Cookie};
use super::defaults::Defaults;
use super::draft::{Draft, Kind, Part, PartDraft, checked, no_response};
use super::head::{check_header_name, check_header_values, check_method, in_list, status};
use super::multipart::{self, PartValue};
use super::portable;
use super::rules::{read_generators, read_rules};
use super::states::{self, GivenArguments};
use super::value::{Value, values};
use crate::error::{ArgumentError, BODY, FROZEN, HEADER, METADATA, PART, PATH, QUERY, SPECIFICATION, STATUS};

/// A handle on an interaction of a [`ContractBuilder`](super::ContractBuilder). Cloning gives another handle on the same.
#[derive(Clone, Debug)]
pub struct InteractionBuilder(pub(super) Arc<Mutex<Draft>>);

type Done = Result<(), ArgumentError>;

impl InteractionBuilder {
    pub(super) fn new(
        description: &str,
        kind: Kind,
        version: Arc<Mutex<SpecificationVersion>>,
        defaults: &Defaults,
    ) -> Self {
        let draft = Draft::new(description, kind, version, defaults);
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

    /// What has been told since the last time about how other tools read what was defined. None of it is a mistake.
    pub fn take_warnings(&self) -> Vec<String> {
        let mut draft = self.lock();
        let fresh = draft.warnings[draft.taken_warnings..].to_vec();
        draft.taken_warnings = draft.warnings.len();
        fresh
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
        let mut values = in_list(name, values);
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
        draft.part(part)?.headers.set(name, in_list(name, values));
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
        let is_ruled = values.iter().any(|value| value.rules.is_some());
        if is_ruled && draft.version() < SpecificationVersion::V3 && !contract_model::is_flat_name(name) {
            draft.warn([format!(
                "other tools cannot read V2 contracts with a matcher for the query parameter {name:?}, because they take its \
                 name for a path; V3 and V4 take any name"
            )]);
        }
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
        draft.warn(portable::warning(portable::foreign(&read.body, &BTreeMap::new())));
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
        draft.warn(portable::warning(portable::foreign(&PathRules::new(), &read.body)));
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
        let version = draft.version();
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

/// Of what the provider makes itself, only the kind is known.
fn free_provided(values: &mut [Value]) {
    for value in values {
        if value.rules.is_none() && value.generator.as_ref().is_some_and(is_provided) {
            value.rules = Some(RuleList::one(Rule::Type { min: None, max: None }));
        }
    }
}
