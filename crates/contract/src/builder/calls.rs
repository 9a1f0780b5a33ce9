//! What each operation does to a draft. Everything is checked before anything is changed: a refused operation leaves no trace.

use std::collections::BTreeMap;
use std::path::Path;

use contract_model::{
    Headers, HttpInteraction, InteractionKind, Json, Message, Object, PathRules, Query, Request, Response, Rule,
    RuleList, Rules, SpecificationVersion, SyncMessage, Text,
};

use super::body::{BodyDraft, BodyValue, BytesMatch, is_provided};
use super::cookie::{self, Cookie};
use super::draft::{Draft, Kind, Part, PartDraft, check, checked, no_response};
use super::head::{check_bearer_token, check_header_name, check_header_values, check_method, in_list, status};
use super::multipart::{self, PartContent, PartValue};
use super::operation::{Binary, Operation, Pairs, PartArguments, RequestArguments, ResponseArguments};
use super::portable;
use super::rules::{read_generators, read_rules};
use super::states::{self, GivenArguments};
use super::value::{Value, values};
use crate::error::{ARGUMENTS, ArgumentError, BODY, HEADER, METADATA, PART, PATH, QUERY, RULES, SPECIFICATION, STATUS};
use crate::file::file_problem;
use crate::message::{operation as called, told};

type Done = Result<(), ArgumentError>;
/// Values by name, checked.
type Checked = Vec<(Text, Vec<Value>)>;

impl Draft {
    /// Does what the operation says, or refuses it and stays as it is.
    pub(super) fn carry_out(&mut self, operation: Operation) -> Done {
        use Operation as Op;
        match operation {
            Op::Given {
                state,
                name,
                value,
                parameters,
            } => self.given(
                &state,
                GivenArguments {
                    name,
                    value,
                    parameters,
                },
            ),
            Op::WithRequest(request) => self.with_request(*request),
            Op::WillRespondWith(response) => self.will_respond_with(*response),
            Op::WithHeader { name, value, part } => self.with_headers(Pairs(vec![(name.into(), value)]), part),
            Op::WithHeaders { headers, part } => self.with_headers(headers, part),
            Op::SetHeader { name, value, part } => self.set_headers(Pairs(vec![(name.into(), value.into())]), part),
            Op::SetHeaders { headers, part } => self.set_headers(headers, part),
            Op::WithQueryParameter { name, value } => self.with_query(Pairs(vec![(name.into(), value)])),
            Op::WithQueryParameters { parameters } => self.with_query(parameters),
            Op::WithCookie { name, value, part } => self.with_cookie(&name, &value, part),
            Op::WithBearerToken { example } => {
                check_bearer_token(&example)?;
                self.with_headers(
                    Pairs(vec![("Authorization".into(), bearer(&example))]),
                    Some(Part::Request),
                )
            }
            Op::WithMultipart { parts, boundary, part } => self.with_multipart(parts, boundary.as_deref(), part),
            Op::WithMultipartFile {
                name,
                path,
                content_type,
                filename,
                boundary,
                part,
            } => {
                let file = PartArguments {
                    name,
                    file: path,
                    content_type,
                    filename,
                    ..PartArguments::default()
                };
                self.with_multipart(vec![file], boundary.as_deref(), part)
            }
            Op::WithMatchingRules { rules, part } => self.with_matching_rules(&rules, part),
            Op::WithGenerators { generators, part } => self.with_generators(&generators, part),
            Op::WithMetadata { metadata, part } => self.with_metadata(metadata, part),
            Op::SetComment { .. } | Op::AddTextComment { .. } | Op::AddReference { .. } => self.comment(operation),
            Op::SetKey { key } => {
                self.v4()?;
                self.key = key.map(Text::from);
                Ok(())
            }
            Op::SetPending { pending } => {
                self.v4()?;
                self.pending = pending;
                Ok(())
            }
            Op::TestName { name } => {
                self.comments.insert("testname", name);
                Ok(())
            }
            Op::Times { times } => self.local.set_times(&times),
            Op::Optional { optional } => {
                self.local.optional = optional.unwrap_or(true);
                Ok(())
            }
            body => self.with_any_body(body),
        }
    }

    fn given(&mut self, state: &str, arguments: GivenArguments) -> Done {
        let mut states = self.states.clone();
        states::add(&mut states, state, arguments)?;
        self.check_version(self.empty_kind(), &states)?;
        self.states = states;
        Ok(())
    }

    fn with_request(&mut self, request: RequestArguments) -> Done {
        self.http()?;
        let RequestArguments {
            method,
            path,
            query,
            headers,
            body,
            binary_body,
            xml_body,
            content_type,
        } = request;
        let method = method.map(|method| check_method(&method)).transpose()?;
        let path = path.map(|path| self.checked_path(&path)).transpose()?;
        let query = self.checked_query(query.unwrap_or_default())?;
        let headers = self.checked_headers(headers.unwrap_or_default(), Part::Request)?;
        let body = self.checked_body(
            one_body(body, binary_body, xml_body)?,
            content_type.as_deref(),
            Part::Request,
        )?;
        self.requested = true;
        if let Some(method) = method {
            self.method = method;
        }
        if let Some(path) = path {
            self.path = path;
        }
        for (name, values) in query {
            self.query.append(&name, values);
        }
        for (name, values) in headers {
            self.request.headers.append(&name, values);
        }
        if let Some(body) = body {
            self.request.body = body;
        }
        Ok(())
    }

    fn will_respond_with(&mut self, response: ResponseArguments) -> Done {
        let ResponseArguments {
            status,
            headers,
            body,
            binary_body,
            xml_body,
            content_type,
        } = response;
        match self.kind {
            Kind::Async => return Err(no_response(&self.description)),
            Kind::Sync if status.is_some() || headers.is_some() => {
                let message = told![
                    "a synchronous message has neither status nor headers; give ",
                    called("will_respond_with"),
                    " none"
                ];
                return Err(ArgumentError::new(STATUS, message).about("status"));
            }
            Kind::Sync | Kind::Http => {}
        }
        let status = status.map(|status| self.checked_status(&status)).transpose()?;
        let headers = self.checked_headers(headers.unwrap_or_default(), Part::Response)?;
        let body = self.checked_body(
            one_body(body, binary_body, xml_body)?,
            content_type.as_deref(),
            Part::Response,
        )?;
        if self.kind == Kind::Sync {
            self.responses.push(PartDraft::default());
        }
        if let Some(status) = status {
            self.status = status;
        }
        self.current = Part::Response;
        let part = self.part(Part::Response);
        for (name, values) in headers {
            part.headers.append(&name, values);
        }
        if let Some(body) = body {
            part.body = body;
        }
        Ok(())
    }

    fn with_headers(&mut self, headers: Pairs, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let headers = self.checked_headers(headers, part)?;
        let draft = self.part(part);
        for (name, values) in headers {
            draft.headers.append(&name, values);
        }
        Ok(())
    }

    fn set_headers(&mut self, headers: Pairs, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let mut checked = Vec::with_capacity(headers.0.len());
        for (name, value) in headers.0 {
            check_header_name(&name)?;
            let Json::String(text) = value else {
                let found = if contract_model::is_secret(&name) {
                    value.kind().to_string()
                } else {
                    crate::read::shown(&value)
                };
                let message = format!("the value must be text, got {found}");
                return Err(ArgumentError::new(HEADER, message).within(format!("{:?}", name.as_str())));
            };
            let values = vec![Value::literal(text)];
            check_header_values(&name, &values)?;
            let values = in_list(&name, values);
            self.check_header(part, &name, &values)?;
            checked.push((name, values));
        }
        let draft = self.part(part);
        for (name, values) in checked {
            draft.headers.set(&name, values);
        }
        Ok(())
    }

    fn with_query(&mut self, parameters: Pairs) -> Done {
        self.http()?;
        for (name, values) in self.checked_query(parameters)? {
            self.query.append(&name, values);
        }
        Ok(())
    }

    fn with_cookie(&mut self, name: &str, value: &Json, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let cookie = Cookie::new(name, value)?;
        if part == Part::Response {
            let values = vec![cookie.set()];
            self.check_header(part, "Set-Cookie", &values)?;
            self.part(part).headers.append("Set-Cookie", values);
        } else {
            let mut cookies = self.request.cookies.clone();
            cookies.push(cookie);
            let values = vec![cookie::header(&cookies)];
            self.check_header(part, "Cookie", &values)?;
            self.request.cookies = cookies;
            self.request.headers.set("Cookie", values);
        }
        Ok(())
    }

    fn with_any_body(&mut self, operation: Operation) -> Done {
        use Operation as Op;
        let (body, content_type, part) = match operation {
            Op::WithBody {
                body: None,
                content_type,
                part,
            } => (None, content_type, part),
            Op::WithBody {
                body: Some(body),
                content_type,
                part,
            } => (Some(text_or_template(body)), content_type, part),
            Op::WithJsonBody {
                body,
                content_type,
                part,
            } => (Some(BodyValue::Template(body)), content_type, part),
            Op::WithTextBody {
                body,
                content_type,
                part,
            } => (Some(BodyValue::Plain(body)), content_type, part),
            Op::WithXmlBody {
                root,
                content_type,
                part,
            } => (Some(BodyValue::Xml(root)), content_type, part),
            Op::WithFormBody {
                fields,
                content_type,
                part,
            } => (Some(BodyValue::Form(fields)), content_type, part),
            Op::WithGraphql {
                query,
                variables,
                operation_name,
                extensions,
                content_type,
                part,
            } => {
                let members = [
                    ("query", Some(query)),
                    ("variables", variables),
                    ("operationName", operation_name),
                    ("extensions", extensions),
                ];
                let known = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
                let request: Object = known.collect();
                (Some(BodyValue::GraphQl(request.into())), content_type, part)
            }
            Op::WithBinaryBody {
                body,
                how,
                content_type,
                part,
            } => {
                let bytes = BodyValue::Bytes(body.map(|bytes| bytes.0), how.unwrap_or(BytesMatch::Bytes));
                (Some(bytes), content_type, part)
            }
            Op::WithBinaryFile {
                path,
                how,
                content_type,
                part,
            } => {
                let bytes = read_file(&path)?;
                let bytes = BodyValue::Bytes(Some(bytes), how.unwrap_or(BytesMatch::ContentType));
                (Some(bytes), content_type, part)
            }
            other => {
                let message = format!("there is no operation {}", other.name());
                return Err(ArgumentError::new(ARGUMENTS, message));
            }
        };
        let part = self.existing(part)?;
        let body = match body {
            None => BodyDraft::default(),
            body => self
                .checked_body(body, content_type.as_deref(), part)?
                .unwrap_or_default(),
        };
        self.part(part).body = body;
        Ok(())
    }

    fn with_multipart(&mut self, parts: Vec<PartArguments>, boundary: Option<&str>, part: Option<Part>) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let mut body = self.part(part).body.clone();
        for one in parts {
            body = multipart::add(&body, part_value(one, boundary)?)?;
        }
        body.declare_texts();
        self.check_body(&body, part)?;
        self.warn_of_body(&body);
        self.part(part).body = body;
        Ok(())
    }

    fn with_matching_rules(&mut self, rules: &Json, part: Option<Part>) -> Done {
        let part = self.existing(part)?;
        let read = read_rules(&document(rules)?)?;
        self.warn(portable::warning(portable::foreign(&read.body, &BTreeMap::new())));
        let before = self.part(part).rules.clone();
        let known = &mut self.part(part).rules;
        known.method = read.method.or(known.method.take());
        known.path = read.path.or(known.path.take());
        known.status = read.status.or(known.status.take());
        known.query.extend(read.query);
        known.header.extend(read.header);
        known.metadata.extend(read.metadata);
        known.body.extend(read.body);
        let checked = self.check_defined();
        if checked.is_err() {
            self.part(part).rules = before;
        }
        checked
    }

    fn with_generators(&mut self, generators: &Json, part: Option<Part>) -> Done {
        let part = self.existing(part)?;
        let read = read_generators(&document(generators)?)?;
        self.warn(portable::warning(portable::foreign(&PathRules::new(), &read.body)));
        let known = &mut self.part(part).generators;
        known.method = read.method.or(known.method.take());
        known.path = read.path.or(known.path.take());
        known.status = read.status.or(known.status.take());
        known.query.extend(read.query);
        known.header.extend(read.header);
        known.metadata.extend(read.metadata);
        known.body.extend(read.body);
        Ok(())
    }

    fn with_metadata(&mut self, metadata: Pairs, part: Option<Part>) -> Done {
        if self.kind == Kind::Http {
            let message = "an HTTP interaction has no metadata; use headers";
            return Err(ArgumentError::new(METADATA, message));
        }
        let part = self.existing(part)?;
        let mut entries = Vec::with_capacity(metadata.0.len());
        for (key, value) in metadata.0 {
            let value = self
                .checked_entry(&key, value, part)
                .map_err(|error| error.within(format!("{:?}", key.as_str())))?;
            entries.push((key, value));
        }
        let known = &mut self.part(part).metadata;
        for (key, value) in entries {
            match value {
                Some(value) => known.set(&key, vec![value]),
                None => known.remove(&key),
            }
        }
        Ok(())
    }

    fn checked_entry(&mut self, key: &str, value: Json, part: Part) -> Result<Option<Value>, ArgumentError> {
        let value = match value {
            Json::Null => return Ok(None),
            Json::String(text) if text == "null" => Value::literal(Json::Null),
            Json::String(text) => match super::value::from_text(&text) {
                Some(json) => Value::new(&json)?,
                None => Value::literal(text),
            },
            other => Value::new(&other)?,
        };
        let mut probe = PartDraft::default();
        probe.metadata.set(key, vec![value.clone()]);
        let rules = &self.part(part).rules.metadata;
        probe.rules.metadata = of_name(rules, key, false);
        let message = checked(probe.message())?;
        self.check_version(self.kind_of_message(message), &[])?;
        Ok(Some(value))
    }

    fn comment(&mut self, operation: Operation) -> Done {
        self.v4()?;
        let comments = &mut self.comments;
        match operation {
            Operation::SetComment {
                key,
                value: Some(value),
            } => drop(comments.insert(key, value)),
            Operation::SetComment { key, value: None } => drop(comments.remove(&key)),
            Operation::AddTextComment { text } => match comments.get_mut("text") {
                Some(Json::Array(texts)) => texts.push(text.into()),
                Some(known @ Json::String(_)) => *known = vec![known.clone(), text.into()].into(),
                _ => drop(comments.insert("text", vec![Json::from(text)])),
            },
            Operation::AddReference { group, name, value } => {
                let groups = object_of(comments, "references");
                object_of(groups, &group).insert(name, value);
            }
            _ => {}
        }
        Ok(())
    }

    fn checked_path(&self, path: &Json) -> Result<Value, ArgumentError> {
        let refused = |message: crate::message::Message| Err(ArgumentError::new(PATH, message).about("path"));
        let path = match path {
            Json::String(text) => match super::value::from_text(text) {
                Some(json) => Value::new(&json)?,
                None => Value::literal(text.clone()),
            },
            Json::Object(_) => Value::new(path)?,
            other => return refused(format!("the path must be text or a matcher, got {}", other.kind()).into()),
        };
        let text = path.text(PATH)?;
        if let Some(at) = text.find('?') {
            let query = &text[at + 1..];
            return refused(told![
                format!("the path {text:?} holds a query; use "),
                called("with_query_parameter"),
                format!(" for {query:?}")
            ]);
        }
        if !text.starts_with('/') && path.rules.is_none() {
            return refused(format!("the path {text:?} must begin with a slash").into());
        }
        let mut request = Request {
            path: text,
            ..Request::default()
        };
        request.rules.path = self.request.rules.path.clone().or_else(|| path.rules.clone());
        self.check_http(HttpInteraction {
            request,
            response: Response::default(),
        })?;
        Ok(path)
    }

    fn checked_status(&self, given: &Json) -> Result<Value, ArgumentError> {
        let value = status(given).map_err(|error| error.about("status"))?;
        let code = value.example.as_u64().and_then(|code| u16::try_from(code).ok());
        let mut response = Response {
            status: code.unwrap_or(200),
            ..Response::default()
        };
        let own = self.responses.first().and_then(|part| part.rules.status.clone());
        response.rules.status = own.or_else(|| value.rules.clone());
        self.check_http(HttpInteraction {
            request: Request::default(),
            response,
        })?;
        Ok(value)
    }

    fn checked_headers(&self, headers: Pairs, part: Part) -> Result<Checked, ArgumentError> {
        let mut checked = Vec::with_capacity(headers.0.len());
        for (name, value) in headers.0 {
            check_header_name(&name)?;
            let quoted = |error: ArgumentError| error.within(format!("{:?}", name.as_str()));
            let mut values = values(&value, HEADER).map_err(quoted)?;
            check_header_values(&name, &values)?;
            values = in_list(&name, values);
            if part == Part::Response {
                free_provided(&mut values);
            }
            self.check_header(part, &name, &values).map_err(quoted)?;
            checked.push((name, values));
        }
        Ok(checked)
    }

    fn checked_query(&mut self, parameters: Pairs) -> Result<Checked, ArgumentError> {
        let mut checked = Vec::with_capacity(parameters.0.len());
        for (name, value) in parameters.0 {
            let quoted = |error: ArgumentError| error.within(format!("{:?}", name.as_str()));
            let values = if value.is_null() {
                vec![Value::literal(Json::Null)]
            } else {
                values(&value, QUERY).map_err(quoted)?
            };
            self.check_query(&name, &values).map_err(quoted)?;
            let is_ruled = values.iter().any(|value| value.rules.is_some());
            if is_ruled && self.version() < SpecificationVersion::V3 && !contract_model::is_flat_name(&name) {
                self.warn([format!(
                    "other tools cannot read V2 contracts with a matcher for the query parameter {name:?}, because they take \
                     its name for a path; V3 and V4 take any name"
                )]);
            }
            checked.push((name, values));
        }
        Ok(checked)
    }

    /// Only what the call is about is checked: all of a large request again at each call would take quadratic time.
    fn check_header(&self, part: Part, name: &str, values: &[Value]) -> Done {
        let mut named = super::named::Named::without_case();
        named.append(name, values.to_vec());
        let mut headers = Headers::new();
        for (name, texts) in named.texts(HEADER)? {
            headers.set(name, texts);
        }
        let (mut rules, _) = named.rules();
        let draft = match part {
            Part::Request => Some(&self.request),
            Part::Response => self.responses.last(),
        };
        rules.extend(
            draft
                .map(|draft| of_name(&draft.rules.header, name, true))
                .unwrap_or_default(),
        );
        let mut response = Response::default();
        let mut request = Request::default();
        let (place, rules_of) = match part {
            Part::Request => (&mut request.headers, &mut request.rules.header),
            Part::Response => (&mut response.headers, &mut response.rules.header),
        };
        *place = headers;
        *rules_of = rules;
        self.check_http(HttpInteraction { request, response })
    }

    fn check_query(&self, name: &str, values: &[Value]) -> Done {
        let mut named = super::named::Named::default();
        named.append(name, values.to_vec());
        let mut query = Query::new();
        for value in values {
            let text = if value.example.is_null() {
                None
            } else {
                Some(value.text(QUERY)?)
            };
            query.append(name, text);
        }
        let (mut rules, _) = named.rules();
        rules.extend(of_name(&self.request.rules.query, name, false));
        let mut request = Request {
            query,
            ..Request::default()
        };
        request.rules.query = rules;
        self.check_http(HttpInteraction {
            request,
            response: Response::default(),
        })
    }

    fn check_http(&self, http: HttpInteraction) -> Done {
        check(&http.request, &http.response)?;
        self.check_version(InteractionKind::Http(Box::new(http)), &[])
    }

    fn checked_body(
        &mut self,
        body: Option<BodyValue>,
        content_type: Option<&str>,
        part: Part,
    ) -> Result<Option<BodyDraft>, ArgumentError> {
        let Some(body) = body else {
            if content_type.is_none() {
                return Ok(None);
            }
            let message = "a content type needs a body";
            return Err(ArgumentError::new(ARGUMENTS, message).about("content_type"));
        };
        let mut body = BodyDraft::new(body, content_type)?;
        body.declare_texts();
        // The provider sends responses and messages of its own accord.
        if self.kind == Kind::Async || part == Part::Response {
            body.free_provided();
        }
        self.check_body(&body, part)?;
        self.warn_of_body(&body);
        Ok(Some(body))
    }

    fn warn_of_body(&mut self, body: &BodyDraft) {
        self.warn(portable::warning(portable::foreign(&body.rules, &body.generators)));
        if body.is_null() {
            self.warn_before_v4(|version| {
                format!("in {version} contracts, other tools read the body null as no body; V4 tells them apart")
            });
        }
    }

    /// Whether each example satisfies its own matcher and the rules that were set for the part, and the version has such bodies.
    fn check_body(&self, body: &BodyDraft, part: Part) -> Done {
        let draft = match part {
            Part::Request => Some(&self.request),
            Part::Response => self.responses.last(),
        };
        let none = Rules::default();
        body.check(draft.map_or(&none.body, |draft| &draft.rules.body))?;
        let contents = body.finish(None);
        let rules = Rules {
            body: body.rules.clone(),
            ..Rules::default()
        };
        let kind = if self.kind == Kind::Http {
            // As when it is built, the header says the type.
            let mut headers = Headers::default();
            if let Some(content_type) = contents.content_type() {
                headers.set("Content-Type", vec![content_type.to_string().into()]);
            }
            let (mut request, mut response) = (Request::default(), Response::default());
            match part {
                Part::Request => (request.headers, request.body, request.rules) = (headers, contents, rules),
                Part::Response => (response.headers, response.body, response.rules) = (headers, contents, rules),
            }
            InteractionKind::Http(Box::new(HttpInteraction { request, response }))
        } else {
            self.kind_of_message(Message {
                contents,
                rules,
                ..Message::default()
            })
        };
        self.check_version(kind, &[])
    }

    /// What is there so far, without what is not defined yet.
    fn check_defined(&self) -> Done {
        let mut whole = self.tried();
        if !self.requested {
            whole.request.rules.path = None;
        }
        for part in std::iter::once(&mut whole.request).chain(&mut whole.responses) {
            if part.body.is_missing() {
                part.rules.body.clear();
            }
            let headers = &part.headers;
            part.rules.header.retain(|place, _| headers.contains(name_of(place)));
            let metadata = &part.metadata;
            part.rules.metadata.retain(|place, _| metadata.contains(name_of(place)));
        }
        let query = &whole.query;
        whole
            .request
            .rules
            .query
            .retain(|place, _| query.contains(name_of(place)));
        let interaction = whole.build()?;
        self.check_version(interaction.kind, &[])
    }

    /// The part that the call is about, if the interaction has it.
    fn existing(&self, part: Option<Part>) -> Result<Part, ArgumentError> {
        match (self.kind, part.unwrap_or(self.current)) {
            (Kind::Async, Part::Response) => Err(no_response(&self.description)),
            (_, part) => Ok(part),
        }
    }

    fn http(&self) -> Done {
        if self.kind == Kind::Http {
            return Ok(());
        }
        let message = format!("{:?} is a message; only HTTP interactions have that", self.description);
        Err(ArgumentError::new(PART, message))
    }

    /// For what only V4 can say. The name of the test is no such thing: it is only a remark.
    fn v4(&self) -> Done {
        let version = self.version();
        if version >= SpecificationVersion::V4 {
            return Ok(());
        }
        let message = told![
            format!("{version} contracts cannot say that; "),
            called("with_specification"),
            "('V4') can"
        ];
        Err(ArgumentError::new(SPECIFICATION, message))
    }

    fn empty_kind(&self) -> InteractionKind {
        match self.kind {
            Kind::Http => InteractionKind::Http(Box::default()),
            _ => self.kind_of_message(Message::default()),
        }
    }

    fn kind_of_message(&self, message: Message) -> InteractionKind {
        match self.kind {
            Kind::Sync => InteractionKind::SyncMessage(Box::new(SyncMessage {
                request: message,
                responses: Vec::new(),
            })),
            _ => InteractionKind::AsyncMessage(Box::new(message)),
        }
    }
}

fn text_or_template(body: Json) -> BodyValue {
    match body {
        Json::String(text) => BodyValue::Text(text.into()),
        template => BodyValue::Template(template),
    }
}

fn one_body(body: Option<Json>, binary: Option<Binary>, xml: Option<Json>) -> Result<Option<BodyValue>, ArgumentError> {
    let mut bodies = [
        body.map(text_or_template),
        binary.map(|bytes| BodyValue::Bytes(Some(bytes.0), BytesMatch::Bytes)),
        xml.map(BodyValue::Xml),
    ]
    .into_iter()
    .flatten();
    let first = bodies.next();
    match bodies.next() {
        None => Ok(first),
        Some(_) => Err(ArgumentError::new(ARGUMENTS, "there can be only one body").about("body")),
    }
}

fn part_value(part: PartArguments, boundary: Option<&str>) -> Result<PartValue, ArgumentError> {
    let PartArguments {
        name,
        json,
        text,
        file,
        bytes,
        content_type,
        filename,
    } = part;
    let mut contents = [
        json.map(PartContent::Json),
        text.map(PartContent::Text),
        file.map(|path| PartContent::File(path.into())),
        bytes.map(|bytes| PartContent::Bytes(bytes.0)),
    ]
    .into_iter()
    .flatten();
    let content = contents.next().unwrap_or_default();
    if contents.next().is_some() {
        let message = "a part has only one of json, text, file and bytes";
        return Err(ArgumentError::new(ARGUMENTS, message).within(format!("{name:?}")));
    }
    Ok(PartValue {
        name,
        content,
        filename,
        content_type,
        boundary: boundary.map(str::to_owned),
    })
}

fn read_file(path: &str) -> Result<bytes::Bytes, ArgumentError> {
    let path = Path::new(path);
    let problem = |error| file_problem(path, "read the body from", &error);
    let read = std::fs::read(path).map(Into::into);
    read.map_err(|error| ArgumentError::new(BODY, problem(error)).about("path"))
}

/// A document, or its JSON text.
fn document(given: &Json) -> Result<Json, ArgumentError> {
    match given {
        Json::String(text) => Json::parse(text.as_bytes())
            .map_err(|error| ArgumentError::new(RULES, format!("the text is no JSON: {error}"))),
        other => Ok(other.clone()),
    }
}

/// The value of an Authorization header (RFC 6750, section 2.1).
fn bearer(example: &str) -> Json {
    let members = [
        ("contract:matcher:type", Json::from("regex")),
        ("regex", "Bearer [A-Za-z0-9._~+/-]+=*".into()),
        ("value", format!("Bearer {example}").into()),
    ];
    members.into_iter().collect::<Object>().into()
}

/// Of what the provider makes itself, only the kind is known.
fn free_provided(values: &mut [Value]) {
    for value in values {
        if value.rules.is_none() && value.generator.as_ref().is_some_and(is_provided) {
            value.rules = Some(RuleList::one(Rule::Type { min: None, max: None }));
        }
    }
}

/// The name in a place of a header, a query parameter or a metadata entry: that of `X-Id[0]` is `X-Id`.
fn name_of(place: &str) -> &str {
    match place.rfind('[') {
        Some(at) if place.ends_with(']') => &place[..at],
        _ => place,
    }
}

fn of_name(rules: &BTreeMap<Text, RuleList>, name: &str, ignore_case: bool) -> BTreeMap<Text, RuleList> {
    let is_same = |place: &str| {
        let own = name_of(place);
        own == name || (ignore_case && own.eq_ignore_ascii_case(name))
    };
    let own = rules.iter().filter(|(place, _)| is_same(place));
    own.map(|(place, list)| (place.clone(), list.clone())).collect()
}

/// The object under a name; one is put there if there is none.
fn object_of<'a>(object: &'a mut Object, name: &str) -> &'a mut Object {
    if object.get(name).and_then(Json::as_object).is_none() {
        object.insert(name, Object::new());
    }
    object
        .get_mut(name)
        .and_then(Json::as_object_mut)
        .expect("an object that has just been put there")
}
