//! Bodies as they are collected: a template, a text, bytes, with their rules.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract_matching::RequestPlan;
use contract_model::{
    Body, Content, ContentType, Generator, Json, Object, PathExpression, PathRules, Request, Rule, RuleList, Text,
};

use super::multipart::{Multipart, by_type};
use super::operation::BytesMatch;
use super::value::accepted;
use crate::error::{ArgumentError, BODY};
use crate::message::{option, setting, told};
use crate::plugins::PluginUse;

/// A body with its rules, its type still open.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BodyDraft {
    value: Option<Drafted>,
    declared: Option<ContentType>,
    /// Where neither a call nor a header declares one.
    default: Option<ContentType>,
    pub(super) rules: PathRules,
    pub(super) generators: BTreeMap<PathExpression, Generator>,
}

#[derive(Clone, Debug, PartialEq)]
enum Drafted {
    Json(Json),
    Text(String),
    Bytes(Bytes),
    Multipart(Multipart),
    /// As a plugin made it.
    Made(Box<Made>),
    Empty,
}

/// A body that a plugin made, and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Made {
    pub(super) body: Body,
    pub(super) rules: PathRules,
    pub(super) generators: BTreeMap<PathExpression, Generator>,
    /// The type that the user named.
    pub(super) content_type: Text,
    /// What the interaction keeps for the plugin.
    pub(super) kept: Object,
    /// What the contract keeps for it.
    pub(super) used: PluginUse,
    pub(super) markup: Option<Json>,
}

impl BodyDraft {
    /// Without bytes.
    pub(super) fn empty(content_type: Option<&str>) -> Result<Self, ArgumentError> {
        Self::filled(content_type, |_| Ok(Drafted::Empty))
    }

    /// JSON with matchers in it.
    pub(super) fn of_template(template: &Json, content_type: Option<&str>) -> Result<Self, ArgumentError> {
        Self::filled(content_type, |draft| draft.template(template))
    }

    /// Text as it is: the text of a document, where that is the type.
    pub(super) fn of_document(text: String, content_type: Option<&str>) -> Result<Self, ArgumentError> {
        Self::filled(content_type, |draft| draft.text(text))
    }

    /// Bytes as they are.
    pub(super) fn of_bytes(bytes: Bytes, how: BytesMatch, content_type: Option<&str>) -> Result<Self, ArgumentError> {
        Self::filled(content_type, |draft| draft.bytes(bytes, how))
    }

    fn filled(
        content_type: Option<&str>,
        value: impl FnOnce(&mut Self) -> Result<Drafted, ArgumentError>,
    ) -> Result<Self, ArgumentError> {
        let mut draft = Self {
            declared: declared(content_type)?,
            ..Self::default()
        };
        draft.value = Some(value(&mut draft)?);
        Ok(draft)
    }

    /// A body that a plugin made.
    pub(super) fn made(mut made: Made) -> Self {
        Self {
            rules: std::mem::take(&mut made.rules),
            generators: std::mem::take(&mut made.generators),
            value: Some(Drafted::Made(Box::new(made))),
            ..Self::default()
        }
    }

    /// What a plugin made, if one did.
    pub(super) fn of_plugin(&self) -> Option<&Made> {
        match &self.value {
            Some(Drafted::Made(made)) => Some(made),
            _ => None,
        }
    }

    /// Text with a type that holds unless a call or a header declares another.
    pub(super) fn of_text(
        text: String,
        content_type: Option<&str>,
        default: Option<ContentType>,
    ) -> Result<Self, ArgumentError> {
        Ok(Self {
            value: Some(if text.is_empty() {
                Drafted::Empty
            } else {
                Drafted::Text(text)
            }),
            declared: declared(content_type)?,
            default,
            ..Self::default()
        })
    }

    /// The content type that the call declared.
    pub(super) fn declared(&self) -> Option<&ContentType> {
        self.declared.as_ref()
    }

    /// Whether it is the JSON document null.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Some(Drafted::Json(Json::Null)))
    }

    pub(super) fn multipart(&self) -> Option<&Multipart> {
        match &self.value {
            Some(Drafted::Multipart(multipart)) => Some(multipart),
            _ => None,
        }
    }

    pub(super) fn take_multipart(&mut self) -> Option<Multipart> {
        match self.value.take() {
            Some(Drafted::Multipart(multipart)) => Some(multipart),
            other => {
                self.value = other;
                None
            }
        }
    }

    pub(super) fn set_multipart(&mut self, multipart: Multipart) {
        self.declared = multipart.content_type();
        self.value = Some(Drafted::Multipart(multipart));
    }

    /// Types of bytes of which only the type should count, though they are documents to whoever reads the contract.
    pub(super) fn documents_by_type(&self) -> Vec<&ContentType> {
        if !matches!(self.value, Some(Drafted::Bytes(_) | Drafted::Multipart(_))) {
            return Vec::new();
        }
        let rules = self.rules.values().flat_map(|list| &list.rules);
        let types = rules.filter_map(|rule| match rule {
            Rule::ContentType(content_type) => Some(content_type),
            _ => None,
        });
        types
            .filter(|known| known.is_json() || known.is_xml() || known.is_form())
            .collect()
    }

    /// Whether the whole body is such bytes, and JSON: of XML, tools disagree what its bytes are called.
    pub(super) fn is_json_by_type(&self) -> bool {
        matches!(self.value, Some(Drafted::Bytes(_))) && self.documents_by_type().iter().any(|known| known.is_json())
    }

    /// Generators learn the kinds of their values; outside of JSON all values are texts.
    pub(super) fn declare_texts(&mut self) {
        if !matches!(self.value, Some(Drafted::Json(_))) {
            super::example::declare_texts(self.generators.values_mut());
        }
    }

    /// What the provider sends is made by the provider: a value that comes from its state, or that names its URL, need
    /// not be the example then.
    pub(super) fn free_provided(&mut self) {
        for (path, generator) in &self.generators {
            if is_provided(generator) {
                self.rules
                    .entry(path.clone())
                    .or_insert_with(|| RuleList::one(Rule::Type { min: None, max: None }));
            }
        }
    }

    fn bytes(&mut self, bytes: Bytes, how: BytesMatch) -> Result<Drafted, ArgumentError> {
        if how == BytesMatch::ContentType {
            let known = self
                .declared
                .clone()
                .unwrap_or_else(|| contract_matching::sniffed_content_type(&bytes));
            let Some(rule) = by_type(&known) else {
                let problem = told![
                    "application/octet-stream tells nothing about the bytes; give their ",
                    option("content_type"),
                    ", or compare them with ",
                    setting("match", "'bytes'")
                ];
                return Err(ArgumentError::new(BODY, problem));
            };
            self.rules.insert(PathExpression::root(), rule);
            self.declared = Some(known);
        }
        Ok(Drafted::Bytes(bytes))
    }

    fn template(&mut self, template: &Json) -> Result<Drafted, ArgumentError> {
        let split = super::example::body(template)?;
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
                    "a body of a JSON {} cannot be sent as {}",
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
                    format!("the text is not {}: {error}", self.type_name()),
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
            .or_else(|| header.and_then(|text| text.parse().ok()))
            .or_else(|| self.default.clone());
        match &self.value {
            None => Body::Missing,
            Some(Drafted::Empty) => Body::Empty,
            Some(Drafted::Made(made)) => made.body.clone(),
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
            Some(Drafted::Multipart(multipart)) => {
                Body::Present(Content::new(multipart.bytes(), multipart.content_type()))
            }
        }
    }

    /// Whether there is none.
    pub(super) fn is_missing(&self) -> bool {
        self.value.is_none()
    }

    /// Whether each example satisfies its own matcher, and those rules that were set for the whole part.
    pub(super) fn check(&self, further: &PathRules) -> Result<(), ArgumentError> {
        if self.is_missing() || (self.rules.is_empty() && further.is_empty()) {
            return Ok(());
        }
        let mut request = Request {
            body: self.finish(None),
            ..Request::default()
        };
        request.rules.body.clone_from(further);
        for (path, list) in &self.rules {
            request.rules.body.entry(path.clone()).or_insert_with(|| list.clone());
        }
        accepted(RequestPlan::refused_example(&request))
    }
}

/// Values that the provider makes, whatever the example.
pub(super) fn is_provided(generator: &Generator) -> bool {
    matches!(
        generator,
        Generator::ProviderState { .. } | Generator::MockServerUrl { .. }
    )
}

/// The type that a call names.
pub(super) fn declared(content_type: Option<&str>) -> Result<Option<ContentType>, ArgumentError> {
    let read = |text: &str| {
        text.parse::<ContentType>()
            .map_err(|error| ArgumentError::new(BODY, error.to_string()))
    };
    content_type.map(read).transpose()
}
