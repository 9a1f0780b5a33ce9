//! Bodies of interactions that are being defined, with their rules: a template, text, bytes, or the contents of a
//! plugin.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract_model::{Body, Content, ContentType, Generator, Json, PathExpression, PathRules, Rule, RuleList, Text};
use contract_plugins::ConfiguredPart;

use super::multipart::{Multipart, content_type_rule};
use super::operation::BytesMatch;
use super::value::Value;
use crate::plugins::PluginUse;
use contract_call::error::{ArgumentError, BODY};
use contract_call::message::{message, option, setting};

/// A body with its rules, before its content type is decided.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyDraft {
    value: Option<BodyContent>,
    declared: Option<ContentType>,
    /// The content type to use if neither the operation nor a header declares one. `None` means that it is detected.
    default: Option<ContentType>,
    pub(super) rules: PathRules,
    pub(super) generators: BTreeMap<PathExpression, Generator>,
    /// True if the example is known to satisfy its own rules.
    pub(super) is_checked: bool,
}

#[derive(Clone, Debug)]
enum BodyContent {
    Json(Json),
    Text(String),
    Bytes(Bytes),
    Multipart(Multipart),
    Plugin(Box<PluginContents>),
    Empty,
}

#[derive(Clone, Debug)]
pub(super) struct PluginContents {
    /// The part that the plugin generated. Its rules and generators are moved to the draft.
    pub(super) part: ConfiguredPart,
    /// The content type that the operation declared, which selected the plugin.
    pub(super) content_type: Text,
    /// The plugin's name, version, and data, as stored in the contract file.
    pub(super) used: PluginUse,
}

impl BodyDraft {
    /// Creates an empty body. `content_type` is the type that the operation declares, or `None` if it declares none.
    pub(super) fn with_type(content_type: Option<&str>) -> Result<Self, ArgumentError> {
        let read = |text: &str| {
            text.parse::<ContentType>()
                .map_err(|error| ArgumentError::new(BODY, error.to_string()))
        };
        Ok(Self {
            value: Some(BodyContent::Empty),
            declared: content_type.map(read).transpose()?,
            ..Self::default()
        })
    }

    /// Sets the body. Strings are used unchanged, and other values are JSON templates.
    pub(super) fn document_or_template(self, body: Json) -> Result<Self, ArgumentError> {
        match body {
            Json::String(text) => self.document(text.into()),
            template => self.template(&template),
        }
    }

    /// Sets a JSON template.
    pub(super) fn template(mut self, template: &Json) -> Result<Self, ArgumentError> {
        let split = crate::examples::body(template)?;
        (self.rules, self.generators) = (split.rules, split.generators);
        let other_type = self.declared.as_ref().filter(|declared| !declared.is_json());
        self.value = Some(match (other_type, split.example) {
            (None, example) => BodyContent::Json(example),
            // With another content type, the example is the text of the body, so that `match.regex` can describe a text
            // body.
            (Some(_), Json::String(text)) => BodyContent::Text(text.into()),
            (Some(_), Json::Null) => BodyContent::Empty,
            (Some(declared), other) => {
                let message = format!("a JSON {} cannot be sent as {declared}", other.kind());
                return Err(ArgumentError::new(BODY, message));
            }
        });
        Ok(self)
    }

    /// Sets text, which must be valid if the content type is JSON or XML.
    fn document(mut self, text: String) -> Result<Self, ArgumentError> {
        match &self.declared {
            Some(declared) if declared.is_json() && !text.is_empty() => {
                let read = Json::parse(text.as_bytes());
                let problem = |error| ArgumentError::new(BODY, format!("the text is not valid {declared}: {error}"));
                self.value = Some(BodyContent::Json(read.map_err(problem)?));
                Ok(self)
            }
            Some(declared) if declared.is_xml() && !text.is_empty() => {
                match contract_matching::xml_problem(text.as_bytes()) {
                    Some(problem) => Err(ArgumentError::new(
                        BODY,
                        format!("the text is not valid {declared}: {problem}"),
                    )),
                    None => Ok(self.text(text, None)),
                }
            }
            _ => Ok(self.text(text, None)),
        }
    }

    /// Sets text with a default content type, which a call or a header overrides.
    pub(super) fn text(mut self, text: String, default: Option<ContentType>) -> Self {
        if !text.is_empty() {
            self.value = Some(BodyContent::Text(text));
        }
        self.default = default;
        self
    }

    /// Sets text or a matcher for text. The default content type is `text/plain`.
    pub(super) fn plain(self, template: &Json) -> Result<Self, ArgumentError> {
        let value = Value::new(template)?;
        let mut draft = self.text(value.text(BODY)?.into(), Some(ContentType::text()));
        let root = PathExpression::root;
        draft.rules.extend(value.rules.map(|list| (root(), list)));
        draft
            .generators
            .extend(value.generator.map(|generator| (root(), generator)));
        Ok(draft)
    }

    pub(super) fn bytes(mut self, bytes: Bytes, comparison: BytesMatch) -> Result<Self, ArgumentError> {
        if bytes.is_empty() {
            return Ok(self);
        }
        if comparison == BytesMatch::ContentType {
            let sniffed = || contract_matching::sniffed_content_type(&bytes);
            let known = self.declared.take().unwrap_or_else(sniffed);
            let Some(rule) = content_type_rule(&known) else {
                let problem = message![
                    "bytes of the type application/octet-stream cannot be compared by type; pass their ",
                    option("content_type"),
                    ", or compare every byte with ",
                    setting("match", "'bytes'")
                ];
                return Err(ArgumentError::new(BODY, problem));
            };
            self.rules.insert(PathExpression::root(), rule);
            self.declared = Some(known);
        }
        self.value = Some(BodyContent::Bytes(bytes));
        Ok(self)
    }

    pub(super) fn from_plugin(mut contents: PluginContents) -> Self {
        Self {
            rules: std::mem::take(&mut contents.part.rules),
            generators: std::mem::take(&mut contents.part.generators),
            value: Some(BodyContent::Plugin(Box::new(contents))),
            ..Self::default()
        }
    }

    pub(super) fn plugin_contents(&self) -> Option<&PluginContents> {
        match &self.value {
            Some(BodyContent::Plugin(contents)) => Some(contents),
            _ => None,
        }
    }

    pub(super) fn declared(&self) -> Option<&ContentType> {
        self.declared.as_ref()
    }

    /// Returns true if the body is the JSON document `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Some(BodyContent::Json(Json::Null)))
    }

    fn is_bytes(&self) -> bool {
        matches!(self.value, Some(BodyContent::Bytes(_)))
    }

    /// Returns true for bytes, and for text that is declared as JSON: their contents are not parsed.
    pub(super) fn is_unread(&self) -> bool {
        let is_text = matches!(self.value, Some(BodyContent::Text(_)));
        self.is_bytes() || (is_text && self.declared.as_ref().is_some_and(ContentType::is_json))
    }

    pub(super) fn is_multipart(&self) -> bool {
        matches!(self.value, Some(BodyContent::Multipart(_)))
    }

    pub(super) fn take_multipart(&mut self) -> Option<Multipart> {
        match self.value.take() {
            Some(BodyContent::Multipart(multipart)) => Some(multipart),
            other => {
                self.value = other;
                None
            }
        }
    }

    pub(super) fn set_multipart(&mut self, multipart: Multipart) {
        self.declared = multipart.content_type();
        self.value = Some(BodyContent::Multipart(multipart));
    }

    /// Returns the content types for which the body has a `contentType` rule, although other Pact implementations parse
    /// contents of these types as documents.
    pub(super) fn documents_by_type(&self) -> Vec<&ContentType> {
        if !matches!(self.value, Some(BodyContent::Bytes(_) | BodyContent::Multipart(_))) {
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

    /// Returns true if the body is a JSON document.
    pub(super) fn is_document(&self) -> bool {
        matches!(self.value, Some(BodyContent::Json(_)))
    }

    /// Returns true if the whole body is JSON that is compared by type only. XML is excluded, because implementations
    /// differ in the content type that they detect for XML.
    pub(super) fn is_json_by_type(&self) -> bool {
        self.is_bytes() && self.documents_by_type().iter().any(|known| known.is_json())
    }

    /// Sets the types of generated values to string, unless the body is JSON.
    pub(super) fn declare_texts(&mut self) {
        if !self.is_document() {
            crate::examples::declare_texts(self.generators.values_mut());
        }
    }

    /// Adds a `type` rule for each value from a provider state or with the mock server's URL, because in messages and
    /// responses these values may differ from the example.
    pub(super) fn allow_provided_values(&mut self) {
        for (path, generator) in &self.generators {
            if is_provided(generator) {
                self.rules
                    .entry(path.clone())
                    .or_insert_with(|| RuleList::single(Rule::Type { min: None, max: None }));
            }
        }
    }

    /// Returns the body. The content type of the operation takes precedence over that of the header.
    pub(super) fn finish(self, header: Option<&str>) -> Body {
        let declared = self
            .declared
            .or_else(|| header.and_then(|text| text.parse().ok()))
            .or(self.default);
        let content = match self.value {
            None => return Body::Missing,
            Some(BodyContent::Empty) => return Body::Empty,
            Some(BodyContent::Plugin(contents)) => return contents.part.body,
            Some(BodyContent::Json(value)) => {
                let mut content = Content::json(value);
                content.content_type = declared.filter(ContentType::is_json).or(content.content_type);
                content
            }
            Some(BodyContent::Text(text)) => {
                let declared = declared.or_else(|| contract_model::detect(text.as_bytes()));
                Content::new(text, declared)
            }
            Some(BodyContent::Bytes(bytes)) => Content::new(bytes, Some(declared.unwrap_or_else(ContentType::binary))),
            Some(BodyContent::Multipart(multipart)) => Content::new(multipart.bytes(), multipart.content_type()),
        };
        Body::Present(content)
    }

    /// Returns the example of a JSON document, or `None` for other bodies.
    pub(super) fn json(&self) -> Option<&Json> {
        match &self.value {
            Some(BodyContent::Json(example)) => Some(example),
            _ => None,
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.value.is_none()
    }
}

/// Returns true if the value comes from a provider state or contains the mock server's URL.
pub(super) fn is_provided(generator: &Generator) -> bool {
    matches!(
        generator,
        Generator::ProviderState { .. } | Generator::MockServerUrl { .. }
    )
}
