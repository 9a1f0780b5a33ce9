//! Bodies as they are defined: a template, a text, bytes.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract_matching::{ActualRequest, Options, RequestPlan};
use contract_model::{Body, Content, ContentType, Generator, Json, PathExpression, PathRules, Request, split_body};

use super::value::refused;
use crate::error::{ArgumentError, BODY, MATCHER};

/// What a body is defined with.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyValue {
    /// JSON with matchers in it.
    Template(Json),
    /// Text as it is.
    Text(String),
    /// Bytes as they are; `None` for no bytes.
    Bytes(Option<Bytes>),
}

/// A body with its rules, its type still open.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BodyDraft {
    value: Option<Drafted>,
    declared: Option<ContentType>,
    pub(super) rules: PathRules,
    pub(super) generators: BTreeMap<PathExpression, Generator>,
}

#[derive(Clone, Debug, PartialEq)]
enum Drafted {
    Json(Json),
    Text(String),
    Bytes(Bytes),
    Empty,
}

impl BodyDraft {
    pub(super) fn new(value: BodyValue, content_type: Option<&str>) -> Result<Self, ArgumentError> {
        let declared = content_type
            .map(|text| {
                text.parse::<ContentType>()
                    .map_err(|error| ArgumentError::new(BODY, format!("withBody: {error}")))
            })
            .transpose()?;
        let mut draft = Self {
            declared,
            ..Self::default()
        };
        draft.value = Some(match value {
            BodyValue::Template(template) => draft.template(&template)?,
            BodyValue::Text(text) => draft.text(text)?,
            BodyValue::Bytes(None) => Drafted::Empty,
            BodyValue::Bytes(Some(bytes)) if bytes.is_empty() => Drafted::Empty,
            BodyValue::Bytes(Some(bytes)) => Drafted::Bytes(bytes),
        });
        Ok(draft)
    }

    fn template(&mut self, template: &Json) -> Result<Drafted, ArgumentError> {
        let mut split =
            split_body(template).map_err(|error| ArgumentError::new(MATCHER, format!("withBody: {error}")))?;
        split.fill(super::example::generated)?;
        self.rules = split.rules;
        self.generators = split.generators;
        if self.declared.as_ref().is_none_or(ContentType::is_json) {
            return Ok(Drafted::Json(split.example));
        }
        // Another type: the example stands for its text, so that `match.regex` can describe a text body.
        match split.example {
            Json::String(text) => Ok(Drafted::Text(text.into())),
            Json::Null => Ok(Drafted::Empty),
            other => Err(ArgumentError::new(
                BODY,
                format!(
                    "withBody: a body of a JSON {} cannot be sent as {}",
                    other.kind(),
                    self.type_name()
                ),
            )),
        }
    }

    fn text(&self, text: String) -> Result<Drafted, ArgumentError> {
        if text.is_empty() {
            return Ok(Drafted::Empty);
        }
        if self.declared.as_ref().is_some_and(ContentType::is_json) {
            return match Json::parse(text.as_bytes()) {
                Ok(value) => Ok(Drafted::Json(value)),
                Err(error) => Err(ArgumentError::new(
                    BODY,
                    format!("withBody: the text is not {}: {error}", self.type_name()),
                )),
            };
        }
        Ok(Drafted::Text(text))
    }

    fn type_name(&self) -> String {
        self.declared
            .as_ref()
            .map_or_else(|| "JSON".to_owned(), ToString::to_string)
    }

    /// The body, given the Content-Type that a header declares. A type of its own wins over the header's.
    pub(super) fn finish(&self, header: Option<&str>) -> Body {
        let declared = self
            .declared
            .clone()
            .or_else(|| header.and_then(|text| text.parse().ok()));
        match &self.value {
            None => Body::Missing,
            Some(Drafted::Empty) => Body::Empty,
            Some(Drafted::Json(Json::Null)) => Body::Null,
            Some(Drafted::Json(value)) => {
                let mut content = Content::json(value.clone());
                content.content_type = declared.filter(ContentType::is_json).or(content.content_type);
                Body::Present(content)
            }
            Some(Drafted::Text(text)) => Body::Present(Content::new(
                text.clone(),
                declared.or_else(|| contract_model::detect(text.as_bytes())),
            )),
            Some(Drafted::Bytes(bytes)) => Body::Present(Content::new(
                bytes.clone(),
                Some(declared.unwrap_or_else(ContentType::binary)),
            )),
        }
    }

    /// Whether each example satisfies its own matcher.
    pub(super) fn check(&self) -> Result<(), ArgumentError> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let mut request = Request {
            body: self.finish(None),
            ..Request::default()
        };
        request.rules.body.clone_from(&self.rules);
        let plan = RequestPlan::new(&request, Options::LENIENT)
            .map_err(|error| ArgumentError::new(MATCHER, error.to_string()))?;
        match plan.compare(&ActualRequest::from(&request)).first() {
            None => Ok(()),
            Some(mismatch) => Err(refused(mismatch).within("withBody")),
        }
    }
}
