//! What each operation does to a draft. Everything is checked before anything is changed: a refused operation leaves no trace.

mod body;
mod comments;
mod head;
mod message;
mod plugin;
mod rules;

use contract_model::{InteractionKind, Message, SpecificationVersion, SyncMessage, Text};

use super::draft::{Draft, PartDraft, no_response};
use super::head::check_method;
use super::operation::{Operation, Pairs, PartArguments, RequestArguments, ResponseArguments};
use super::part::{Kind, Part};
use super::states::{self, GivenArguments};
use crate::error::{ArgumentError, Done, PART, SPECIFICATION, STATUS};
use crate::message::{operation as called, told};
use body::one_body;

impl Draft {
    /// Does what the operation says, or refuses it and stays as it is.
    pub(in crate::builder) fn carry_out(&mut self, operation: Operation) -> Done {
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
            Op::WithBearerToken { example } => self.with_bearer_token(&example),
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
            Op::UsingPlugin { plugin, version } => self.using_plugin(&plugin, version.as_deref()),
            Op::WithPluginContents {
                contents,
                content_type,
                part,
            } => self.with_plugin_contents(contents, &content_type, part),
            Op::WithMatchingRules { rules, part } => self.with_matching_rules(rules, part),
            Op::WithGenerators { generators, part } => self.with_generators(generators, part),
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
            Op::Times { times } => self.frequency.set_times(&times),
            Op::Optional { optional } => {
                self.frequency.optional = optional.unwrap_or(true);
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
