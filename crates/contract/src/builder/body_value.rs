//! What bodies are defined with, each by its own rules.

use bytes::Bytes;
use contract_model::{ContentType, Json, PathExpression};

use super::body::{BodyDraft, declared};
use super::operation::{BytesMatch, Pairs};
use super::value::Value;
use super::{form, graphql, xml};
use crate::error::{ArgumentError, BODY};

/// What a body is defined with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BodyValue {
    /// JSON with matchers in it.
    Template(Json),
    /// Text as it is.
    Text(String),
    /// Bytes as they are; `None` for no bytes.
    Bytes(Option<Bytes>, BytesMatch),
    /// Text or a matcher for it, `text/plain` unless something else is declared.
    Plain(Json),
    /// The fields of a form.
    Form(Pairs),
    /// The root element of an XML document.
    Xml(Json),
    /// A GraphQL request: `query`, `variables`, `operationName`, `extensions`.
    GraphQl(Json),
}

impl BodyValue {
    /// The body, its type still open.
    pub(super) fn draft(self, content_type: Option<&str>) -> Result<BodyDraft, ArgumentError> {
        // A type that is none is told before anything else.
        declared(content_type)?;
        match self {
            Self::Template(template) => BodyDraft::of_template(&template, content_type),
            Self::Text(text) => BodyDraft::of_document(text, content_type),
            Self::Bytes(Some(bytes), how) if !bytes.is_empty() => BodyDraft::of_bytes(bytes, how, content_type),
            Self::Bytes(..) => BodyDraft::empty(content_type),
            Self::Plain(template) => plain(&template, content_type),
            Self::Form(fields) => form::draft(fields, content_type),
            Self::Xml(root) => xml::draft(&root, content_type),
            Self::GraphQl(request) => BodyDraft::of_template(&graphql::template(&request)?, content_type),
        }
    }
}

fn plain(template: &Json, content_type: Option<&str>) -> Result<BodyDraft, ArgumentError> {
    let value = Value::new(template)?;
    let text = value.text(BODY)?;
    let mut draft = BodyDraft::of_text(text.into(), content_type, Some(ContentType::text()))?;
    draft
        .rules
        .extend(value.rules.map(|list| (PathExpression::root(), list)));
    draft
        .generators
        .extend(value.generator.map(|generator| (PathExpression::root(), generator)));
    Ok(draft)
}
