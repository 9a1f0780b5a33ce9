//! Operations that set the body of a part.

use contract_model::{Json, SpecificationVersion};

use crate::builder::body::BodyDraft;
use crate::builder::draft::Draft;
use crate::builder::operation::{Binary, BytesMatch, PartArguments};
use crate::builder::part::{Kind, Part};
use crate::builder::{multipart_part, xml};
use crate::examples::portable;
use contract_call::error::{ARGUMENTS, ArgumentError, BODY, Done};
use contract_call::files::file_problem;
use contract_call::paths::resolve_path;

impl Draft {
    pub(super) fn set_body(&mut self, body: BodyDraft, part: Option<Part>) -> Done {
        let part = self.checked_part(part)?;
        self.part(part).body = self.checked_body(body, part)?;
        Ok(())
    }

    pub(super) fn with_multipart(
        &mut self,
        parts: Vec<PartArguments>,
        boundary: Option<&str>,
        part: Option<Part>,
    ) -> Done {
        self.require_http()?;
        let part = part.unwrap_or(self.current);
        let mut body = self.part(part).body.clone();
        for part in parts {
            body = multipart_part::add(body, part, boundary)?;
        }
        body.declare_texts();
        self.check_body(&body, part)?;
        self.part(part).body = body;
        Ok(())
    }

    pub(super) fn checked_body(&mut self, mut body: BodyDraft, part: Part) -> Result<BodyDraft, ArgumentError> {
        body.declare_texts();
        // The provider generates the contents of responses and asynchronous messages.
        if self.kind == Kind::Async || part == Part::Response {
            body.allow_provided_values();
        }
        self.check_body(&body, part)?;
        body.is_checked = true;
        Ok(body)
    }

    /// Checks that the specification version supports the body, and that each example satisfies its own matcher and the
    /// rules of the part.
    fn check_body(&mut self, body: &BodyDraft, part: Part) -> Done {
        let known = self.existing_part(part).map(|part| &part.rules.body);
        let is_ruled = !body.rules.is_empty() || known.is_some_and(|rules| !rules.is_empty());
        self.check_alone(part, is_ruled || body.is_unread(), &|alone| {
            let draft = alone.part(part);
            draft.body = body.clone();
            draft.rules.body = known.cloned().unwrap_or_default();
        })?;
        self.warn_of_body(body);
        Ok(())
    }

    fn warn_of_body(&mut self, body: &BodyDraft) {
        self.warn(portable::unsupported_paths_warning(portable::unsupported_paths(
            &body.rules,
            &body.generators,
        )));
        self.warn(
            body.json()
                .and_then(|example| portable::nullable_warning(example, &body.rules)),
        );
        // Only V4 contracts can omit the content type of such a body, and use the header instead.
        let is_written =
            self.kind == Kind::Http && self.version() >= SpecificationVersion::V4 && body.is_json_by_type();
        if !is_written {
            let types = body.documents_by_type();
            self.warn(types.into_iter().map(|content_type| {
                format!(
                    "other Pact implementations compare {content_type} contents as documents, not by content type, so they \
                     report mismatches; define the contents as a document with matchers"
                )
            }));
        }
        let version = self.version();
        if body.is_null() && version < SpecificationVersion::V4 {
            self.warn([format!(
                "in {version} contracts, other Pact implementations read a null body as a missing body; V4 distinguishes them"
            )]);
        }
    }
}

/// Returns the body of a request or response. Setting more than one of the three body arguments is an error.
pub(super) fn body_argument(
    body: Option<Json>,
    binary: Option<Binary>,
    xml: Option<Json>,
    content_type: Option<&str>,
) -> Result<Option<BodyDraft>, ArgumentError> {
    let invalid = |message| ArgumentError::new(ARGUMENTS, message);
    let typed = || BodyDraft::with_type(content_type);
    Ok(Some(match (body, binary, xml) {
        (None, None, None) if content_type.is_none() => return Ok(None),
        (None, None, None) => return Err(invalid("a content type requires a body").for_argument("content_type")),
        (Some(body), None, None) => typed()?.document_or_template(body)?,
        (None, Some(Binary(bytes)), None) => typed()?.bytes(bytes, BytesMatch::Bytes)?,
        (None, None, Some(root)) => xml::draft(typed()?, &root)?,
        _ => return Err(invalid("only one body is allowed").for_argument("body")),
    }))
}

pub(super) fn read_file(path: &str) -> Result<bytes::Bytes, ArgumentError> {
    let path = resolve_path(path)?;
    let problem = |error| file_problem(&path, "read the body from", &error);
    let read = contract_call::files::read_all(&path).map(Into::into);
    read.map_err(|error| ArgumentError::new(BODY, problem(error)).for_argument("path"))
}
