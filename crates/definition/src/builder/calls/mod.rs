//! Applies operations to an interaction that is being defined. All checks run before the first change, so a failed
//! operation has no effect.

mod body;
mod comments;
mod head;
mod message;
mod plugin;
mod rules;

use contract_model::{Interaction, Json, Text};

use super::body::BodyDraft;
use super::draft::{Draft, PartDraft};
use super::head::check_method;
use super::operation::{BytesMatch, Operation, Pairs, PartArguments, RequestArguments, ResponseArguments};
use super::part::{Kind, Part};
use super::{form, states, version, xml};
use crate::graphql;
use body::{body_argument, read_file};
use contract_call::error::{ArgumentError, Done, PART, STATUS};
use contract_call::message::{message, operation as called};
use head::with_matchers;

impl Draft {
    /// Applies an operation. On error, the draft is unchanged.
    #[expect(clippy::too_many_lines, reason = "a flat table: one arm for each operation")]
    pub(in crate::builder) fn apply(&mut self, operation: Operation) -> Done {
        use Operation as Op;
        let typed = |content_type: Option<String>| BodyDraft::with_type(content_type.as_deref());
        match operation {
            Op::Given {
                state,
                name,
                value,
                parameters,
            } => self.given(&state, (name, value, parameters)),
            Op::WithRequest(request) => self.with_request(*request),
            Op::WillRespondWith(response) => self.will_respond_with(*response),
            Op::WithHeader { name, value, part } => self.with_headers(Pairs::single(name, value), part),
            Op::WithHeaders { headers, part } => self.with_headers(headers, part),
            Op::SetHeader { name, value, part } => self.set_headers(Pairs::single(name, value), part),
            Op::SetHeaders { headers, part } => self.set_headers(headers, part),
            Op::WithQueryParameter { name, value } => self.with_query(Pairs::single(name, value)),
            Op::WithQueryParameters { parameters } => self.with_query(parameters),
            Op::WithCookie { name, value, part } => self.with_cookie(&name, value.0, part),
            Op::WithBearerToken { example } => self.with_bearer_token(&example),
            Op::WithBody { body: None, part, .. } => self.set_body(BodyDraft::default(), part),
            Op::WithBody {
                body: Some(body),
                content_type,
                part,
            } => self.set_body(typed(content_type)?.document_or_template(body)?, part),
            Op::WithJsonBody {
                body,
                content_type,
                part,
            } => self.set_body(typed(content_type)?.template(&body.0)?, part),
            Op::WithTextBody {
                body,
                content_type,
                part,
            } => self.set_body(typed(content_type)?.plain(&body.0)?, part),
            Op::WithXmlBody {
                root,
                content_type,
                part,
            } => self.set_body(xml::draft(typed(content_type)?, &root.0)?, part),
            Op::WithFormBody {
                fields,
                content_type,
                part,
            } => self.set_body(form::draft(typed(content_type)?, fields)?, part),
            Op::WithGraphql {
                query,
                variables,
                operation_name,
                extensions,
                content_type,
                part,
            } => {
                let body = typed(content_type)?;
                let (request, warning) = graphql::template(&query.0, variables, operation_name, extensions)?;
                self.set_body(body.template(&request)?, part)?;
                self.warn(warning);
                Ok(())
            }
            Op::WithBinaryBody {
                body,
                how: matching,
                content_type,
                part,
            } => {
                let bytes = body.unwrap_or_default().0;
                self.set_body(
                    typed(content_type)?.bytes(bytes, matching.unwrap_or(BytesMatch::Bytes))?,
                    part,
                )
            }
            Op::WithBinaryFile {
                path,
                how: matching,
                content_type,
                part,
            } => {
                let bytes = read_file(&path)?;
                let matching = matching.unwrap_or(BytesMatch::ContentType);
                self.set_body(typed(content_type)?.bytes(bytes, matching)?, part)
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
            Op::UsingPlugin { plugin, version } => self.using_plugin(&plugin, version.as_deref()),
            Op::WithPluginContents {
                contents,
                content_type,
                part,
            } => self.with_plugin_contents(contents.0, &content_type, part),
            Op::WithMatchingRules { rules, part } => self.with_matching_rules(rules.0, part),
            Op::WithGenerators { generators, part } => self.with_generators(generators.0, part),
            Op::WithMetadata { metadata, part } => self.with_metadata(metadata, part),
            Op::SetComment { key, value } => self.require_v4().map(|()| match value {
                Some(value) => drop(self.comments.insert(key, value)),
                None => drop(self.comments.remove(&key)),
            }),
            Op::AddTextComment { text } => self.require_v4().map(|()| self.add_text_comment(text)),
            Op::AddReference { group, name, value } => {
                self.require_v4().map(|()| self.add_reference(&group, name, value.0))
            }
            Op::SetKey { key } => self.require_v4().map(|()| self.key = key.map(Text::from)),
            Op::SetPending { pending } => self.require_v4().map(|()| self.pending = pending),
            Op::TestName { name } => {
                self.comments.insert("testname", name);
                Ok(())
            }
            Op::Times { times } => self.frequency.set_times(&times.0),
            Op::Optional { optional } => {
                self.frequency.optional = optional.unwrap_or(true);
                Ok(())
            }
        }
    }

    fn given(&mut self, state: &str, arguments: (Option<String>, Option<Json>, Option<Json>)) -> Done {
        let mut alone = Interaction {
            states: self.states.clone(),
            ..Interaction::default()
        };
        states::add(&mut alone.states, state, arguments)?;
        self.states = version::convert_to_version(alone, self.version())?.states;
        Ok(())
    }

    fn with_request(&mut self, request: RequestArguments) -> Done {
        self.require_http()?;
        let method = request.method.map(|method| check_method(&method)).transpose()?;
        let path = request.path.map(|path| self.checked_path(path)).transpose()?;
        let query = self.checked_query(request.query.unwrap_or_default())?;
        let headers = self.checked_headers(request.headers.unwrap_or_default(), Part::Request, with_matchers)?;
        let content_type = request.content_type.as_deref();
        let body = body_argument(request.body, request.binary_body, request.xml_body, content_type)?;
        let body = body.map(|body| self.checked_body(body, Part::Request)).transpose()?;
        self.has_request = true;
        if let Some(method) = method {
            self.method = method;
        }
        if let Some(path) = path {
            self.path = path;
        }
        self.query.append_all(query);
        self.request.add(headers, body);
        Ok(())
    }

    fn will_respond_with(&mut self, response: ResponseArguments) -> Done {
        self.checked_part(Some(Part::Response))?;
        if self.kind == Kind::Sync && (response.status.is_some() || response.headers.is_some()) {
            let message = message![
                "a synchronous message has no status and no headers; call ",
                called("will_respond_with"),
                " without them"
            ];
            return Err(ArgumentError::new(STATUS, message).for_argument("status"));
        }
        let status = response.status.map(|status| self.checked_status(status)).transpose()?;
        let headers = self.checked_headers(response.headers.unwrap_or_default(), Part::Response, with_matchers)?;
        let content_type = response.content_type.as_deref();
        let body = body_argument(response.body, response.binary_body, response.xml_body, content_type)?;
        let body = body.map(|body| self.checked_body(body, Part::Response)).transpose()?;
        if self.kind == Kind::Sync {
            self.responses.push(PartDraft::default());
        }
        if let Some(status) = status {
            self.status = status;
        }
        self.current = Part::Response;
        self.part(Part::Response).add(headers, body);
        Ok(())
    }

    /// Returns the part to which an operation applies. `None` selects the current part. Returns an error if the
    /// interaction has no such part.
    fn checked_part(&self, part: Option<Part>) -> Result<Part, ArgumentError> {
        let part = part.unwrap_or(self.current);
        if (self.kind, part) != (Kind::Async, Part::Response) {
            return Ok(part);
        }
        let message = format!("{:?} is an asynchronous message and has no response", self.description);
        Err(ArgumentError::new(PART, message))
    }

    fn require_http(&self) -> Done {
        if self.kind == Kind::Http {
            return Ok(());
        }
        let message = format!(
            "{:?} is a message; this operation is only supported by HTTP interactions",
            self.description
        );
        Err(ArgumentError::new(PART, message))
    }

    /// Returns an error if the specification version is below V4. `test_name` does not require V4, because it is only a
    /// comment.
    fn require_v4(&self) -> Done {
        version::check_v4(self.version(), "this operation")
    }
}
