//! Determines how to compare a body.

mod binary;
mod form;
pub(crate) mod json;
mod multipart;
mod text;
mod xml;

use std::sync::Arc;

use contract_model::{Body, Content, ContentType, ContentValue, Json, PathExpression, PathRules, Rule};

pub use self::json::variant_matches;
pub use self::xml::{is_xml_name, xml_problem};

use self::binary::BinaryPlan;
use self::form::FormPlan;
use self::multipart::MultipartPlan;
use self::text::TextPlan;
use self::xml::XmlPlan;
use crate::actual::ActualBody;
use crate::at::At;
use crate::content_type;
use crate::error::PlanError;
use crate::excerpt;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::rule::Scopes;
use crate::sink::Sink;

#[derive(Debug)]
pub(crate) enum BodyPlan {
    /// The contract does not restrict the body.
    Any,
    /// The body must be empty. If the contract expects null, null is accepted as well.
    Nothing(Json),
    /// The body must be present.
    Something(Box<ContentPlan>),
}

#[derive(Debug)]
pub(crate) struct ContentPlan {
    content: Content,
    compared: Compared,
    /// True if only a `contentType` rule checks the content, and the contract declares no other type than the one
    /// detected from the example.
    any_type: bool,
}

#[derive(Debug)]
enum Compared {
    Json {
        expected: Arc<Json>,
        scopes: Scopes,
        strict: bool,
    },
    Xml(XmlPlan),
    Form(FormPlan),
    Multipart(MultipartPlan),
    Bytes(BinaryPlan),
    Text(TextPlan),
}

/// Size in bytes of the prefix that Kafka schema registry serializers write: a zero byte and a schema ID of four bytes.
/// <https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format>
const KAFKA_PREFIX: usize = 5;

/// Returns the document after the prefix of a Kafka schema registry serializer, or `None` if the body has no such
/// prefix. JSON never starts with a zero byte.
fn kafka_payload<'a>(content_type: &ContentType, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let has_prefix = content_type.is_kafka_schema_registry_json() && bytes.first() == Some(&0);
    has_prefix.then(|| bytes.get(KAFKA_PREFIX..)).flatten()
}

/// Returns the example without the prefix of a Kafka schema registry serializer, or `None` if it has no such prefix.
fn without_kafka_prefix(content: &Content) -> Option<Content> {
    let ContentValue::Bytes(bytes) = &content.value else {
        return None;
    };
    let payload = kafka_payload(content.content_type.as_ref()?, bytes)?;
    Some(Content {
        hint: content.hint,
        ..Content::new(bytes.slice_ref(payload), content.content_type.clone())
    })
}

impl BodyPlan {
    pub(crate) fn new(body: &Body, rules: &PathRules, strict: bool) -> Result<Self, PlanError> {
        Ok(match body {
            Body::Missing => Self::Any,
            Body::Empty => Self::Nothing(Json::from("")),
            Body::Null => Self::Nothing(Json::Null),
            Body::Present(content) => Self::Something(Box::new(ContentPlan::new(content, rules, strict, 0)?)),
        })
    }

    /// Returns a mismatch if the declared content type of a message differs from the expected type. For HTTP, a type
    /// with a structured suffix may replace its base type (`application/hal+json` for `application/json`). For
    /// messages, both types must be the same.
    pub(crate) fn message_type_mismatch(&self, actual: &ActualBody) -> Option<MismatchKind> {
        let Self::Something(plan) = self else { return None };
        let (expected, declared) = (plan.content.content_type.as_ref()?, actual.declared()?);
        (!actual.is_missing() && !content_type::accepts(expected, declared)).then(|| MismatchKind::BodyType {
            expected: expected.essence().into(),
            actual: declared.essence().into(),
        })
    }

    /// Compares a body. `header_rule_accepts` returns true if a rule for the Content-Type header accepts the received
    /// value.
    pub(crate) fn compare(&self, actual: &ActualBody, header_rule_accepts: impl Fn() -> bool, sink: &mut Sink) {
        match self {
            Self::Any => {}
            Self::Nothing(expected) => {
                if !(actual.is_missing() || (expected.is_null() && is_null(actual))) {
                    sink.add(|| {
                        At::ROOT
                            .mismatch(MismatchKind::NothingExpected)
                            .expected(expected.clone())
                            .actual(excerpt::body(actual))
                    });
                }
            }
            Self::Something(plan) => plan.compare(actual, header_rule_accepts, sink),
        }
    }
}

impl ContentPlan {
    /// Compiles a plan. `depth` is the number of enclosing multipart bodies.
    pub(crate) fn new(content: &Content, rules: &PathRules, strict: bool, depth: usize) -> Result<Self, PlanError> {
        let document = without_kafka_prefix(content);
        let content = document.as_ref().unwrap_or(content);
        // Rules below the root also apply.
        if has_content_type_rule(rules) && rules.len() == 1 && !contains_base64(content, rules) {
            return Ok(Self {
                any_type: content.content_type == contract_model::detect(&content.bytes()),
                ..Self::for_bytes(content, rules)?
            });
        }
        Ok(Self {
            compared: Compared::new(content, rules, strict, depth)?,
            content: content.clone(),
            any_type: false,
        })
    }

    /// Returns the example, formatted for a mismatch.
    pub(crate) fn excerpt(&self) -> Json {
        excerpt::content(&self.content)
    }

    /// Creates a plan that compares the bytes, regardless of the content type.
    pub(crate) fn for_bytes(content: &Content, rules: &PathRules) -> Result<Self, PlanError> {
        let plan = BinaryPlan::new(&content.bytes(), content.content_type.as_ref(), rules)?;
        Ok(Self {
            compared: Compared::Bytes(plan),
            content: content.clone(),
            any_type: false,
        })
    }

    pub(crate) fn compare(&self, actual: &ActualBody, header_rule_accepts: impl Fn() -> bool, sink: &mut Sink) {
        if actual.is_missing() {
            return self.missing(sink);
        }
        let payload = self.kafka_payload(actual);
        let actual = payload.as_ref().unwrap_or(actual);
        if let Some((expected, found)) = self.type_mismatch(actual)
            && !header_rule_accepts()
        {
            let kind = MismatchKind::BodyType {
                expected: expected.essence().into(),
                actual: found.essence().into(),
            };
            return sink.add(|| Mismatch::new(Location::BodyType, kind));
        }
        let before = sink.mismatches.len();
        match &self.compared {
            Compared::Json {
                expected,
                scopes,
                strict,
            } => json::compare_body(expected, scopes.root(), *strict, actual, sink),
            Compared::Xml(plan) => plan.compare(actual, sink),
            Compared::Form(plan) => plan.compare(actual, sink),
            Compared::Multipart(plan) => plan.compare(actual, sink),
            Compared::Bytes(plan) => plan.compare(actual, sink),
            Compared::Text(plan) => plan.compare(actual, sink),
        }
        for mismatch in sink.mismatches.iter_mut().skip(before) {
            if matches!(mismatch.kind, MismatchKind::Unreadable { .. }) {
                mismatch.expected.get_or_insert_with(|| excerpt::content(&self.content));
                mismatch.actual.get_or_insert_with(|| excerpt::body(actual));
            }
        }
    }

    fn kafka_payload(&self, actual: &ActualBody) -> Option<ActualBody> {
        let payload = kafka_payload(self.content.content_type.as_ref()?, actual.bytes())?;
        Some(ActualBody::new(
            actual.bytes().slice_ref(payload),
            actual.declared().cloned(),
        ))
    }

    /// Returns the expected and the actual type if the actual type does not match, otherwise `None`.
    fn type_mismatch(&self, actual: &ActualBody) -> Option<(&ContentType, ContentType)> {
        let expected = self.content.content_type.as_ref()?;
        let found = actual.content_type()?;
        let accepted = self.any_type
            || found.essence() == "*/*"
            || content_type::accepts(expected, &found)
            || expected.accepts(&found.base())
            // A detected text type is only a guess: `12` is both plain text and JSON.
            || (actual.declared().is_none() && !(expected.is_json() || expected.is_xml()));
        (!accepted).then_some((expected, found))
    }

    fn missing(&self, sink: &mut Sink) {
        match &self.compared {
            Compared::Bytes(plan) => plan.missing(sink),
            _ => sink.add(|| {
                At::ROOT
                    .mismatch(MismatchKind::Missing)
                    .expected(excerpt::content(&self.content))
            }),
        }
    }
}

impl Compared {
    /// Compiles a plan for the expected content type. If the example is not valid for this type, it is compared as
    /// text.
    fn new(content: &Content, rules: &PathRules, strict: bool, depth: usize) -> Result<Self, PlanError> {
        let bytes = match &content.value {
            ContentValue::Json(value) => {
                return Ok(Self::Json {
                    expected: Arc::clone(value),
                    scopes: Scopes::for_body(rules)?,
                    strict,
                });
            }
            ContentValue::Bytes(bytes) => bytes,
        };
        let Some(content_type) = &content.content_type else {
            return BinaryPlan::new(bytes, None, rules).map(Self::Bytes);
        };
        let unreadable = if content_type.is_json() {
            Json::parse(bytes).err().map(|error| format!("JSON: {error}"))
        } else if content_type.is_xml() {
            match XmlPlan::new(bytes, rules, strict)? {
                Ok(plan) => return Ok(Self::Xml(plan)),
                Err(problem) => Some(format!("XML: {problem}")),
            }
        } else if content_type.is_multipart() {
            match MultipartPlan::new(bytes, content_type, rules, strict, depth)? {
                Ok(plan) => return Ok(Self::Multipart(plan)),
                Err(problem) => Some(format!("{}: {problem}", content_type.essence())),
            }
        } else if content_type.is_form() {
            match FormPlan::new(bytes, rules)? {
                Ok(plan) => return Ok(Self::Form(plan)),
                Err(problem) => Some(format!("a form: {problem}")),
            }
        } else {
            None
        };
        match std::str::from_utf8(bytes) {
            Ok(_) if unreadable.is_some() || !is_always_binary(content_type) => {
                let may_be_bytes = unreadable.is_none() && content_type.is_binary();
                TextPlan::new(bytes, rules, unreadable).map(|plan| Self::Text(plan.or_bytes(may_be_bytes)))
            }
            _ => BinaryPlan::new(bytes, Some(content_type), rules).map(Self::Bytes),
        }
    }
}

/// Returns whether a rule at the root checks the content type of the body.
pub(crate) fn has_content_type_rule(rules: &PathRules) -> bool {
    expected_types(rules).next().is_some()
}

fn expected_types(rules: &PathRules) -> impl Iterator<Item = &ContentType> {
    let root = rules.get(&PathExpression::root()).into_iter();
    root.flat_map(|list| &list.rules).filter_map(|rule| match rule {
        Rule::ContentType(content_type) => Some(content_type),
        _ => None,
    })
}

/// Returns whether the rule at the root checks bytes in a JSON string, encoded as base64. A rule for a JSON type checks
/// the body itself: pact-js writes such a rule for every body that is passed as bytes.
fn contains_base64(content: &Content, rules: &PathRules) -> bool {
    let is_string = matches!(&content.value, ContentValue::Json(value) if value.as_str().is_some());
    is_string && !expected_types(rules).all(ContentType::is_json)
}

fn is_null(actual: &ActualBody) -> bool {
    let is_json = |declared: &ContentType| declared.is_json() || declared.essence() == "*/*";
    actual.declared().is_none_or(is_json) && actual.bytes().trim_ascii() == b"null"
}

/// Returns true for content types that are never text, even if the bytes are valid UTF-8.
fn is_always_binary(content_type: &ContentType) -> bool {
    content_type.is_binary()
        && (content_type.main_type() != "application"
            || ["octet-stream", "pdf", "zip", "gzip"].contains(&content_type.subtype()))
}
