//! Bodies of every kind.

use contract_model::{
    Headers, HttpInteraction, InteractionKind, Json, Message, Object, Request, Response, Rules, SpecificationVersion,
};

use crate::builder::body::BodyDraft;
use crate::builder::body_value::BodyValue;
use crate::builder::draft::Draft;
use crate::builder::multipart_part::{self, PartContent, PartValue};
use crate::builder::operation::BytesMatch;
use crate::builder::operation::{Binary, Operation, PartArguments};
use crate::builder::part::{Kind, Part};
use crate::builder::portable;
use crate::error::{ARGUMENTS, ArgumentError, BODY, Done};
use crate::file::file_problem;
use crate::paths::place_of;

impl Draft {
    pub(super) fn with_any_body(&mut self, operation: Operation) -> Done {
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

    pub(super) fn with_multipart(
        &mut self,
        parts: Vec<PartArguments>,
        boundary: Option<&str>,
        part: Option<Part>,
    ) -> Done {
        self.http()?;
        let part = part.unwrap_or(self.current);
        let mut body = self.part(part).body.clone();
        for one in parts {
            body = multipart_part::add(body, part_value(one, boundary)?)?;
        }
        body.declare_texts();
        self.check_body(&body, part)?;
        self.warn_of_body(&body);
        self.part(part).body = body;
        Ok(())
    }

    pub(super) fn checked_body(
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
        let mut body = body.draft(content_type)?;
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
        // Such a body as a whole can leave its type to the header.
        let is_written =
            self.kind == Kind::Http && self.version() >= SpecificationVersion::V4 && body.is_json_by_type();
        if !is_written {
            let types = body.documents_by_type();
            self.warn(types.into_iter().map(|content_type| {
                format!(
                    "other tools refuse contents of the type {content_type} of which only the type should count, for they \
                     compare them as documents; define them with matchers, as such a document"
                )
            }));
        }
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
}

fn text_or_template(body: Json) -> BodyValue {
    match body {
        Json::String(text) => BodyValue::Text(text.into()),
        template => BodyValue::Template(template),
    }
}

pub(super) fn one_body(
    body: Option<Json>,
    binary: Option<Binary>,
    xml: Option<Json>,
) -> Result<Option<BodyValue>, ArgumentError> {
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
        file.map(|path| place_of(&path).map(PartContent::File)).transpose()?,
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
    let path = place_of(path)?;
    let problem = |error| file_problem(&path, "read the body from", &error);
    let read = std::fs::read(&path).map(Into::into);
    read.map_err(|error| ArgumentError::new(BODY, problem(error)).about("path"))
}
