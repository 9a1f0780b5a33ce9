//! Mismatches in the form in which reports contain them.

use std::fmt;

use contract_matching::{Location, Mismatch, MismatchKind};
use contract_model::{Json, REDACTED};
use serde::{Serialize, Serializer};

use crate::redact;
use crate::shorten::{Budget, cut_text};

/// A difference between an expected and a received value. Secrets are redacted, and long values are truncated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Part of the request, response, or message that contains the difference.
    #[serde(rename = "type")]
    pub part: Part,
    /// Stable name of the kind of mismatch, such as `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, or
    /// `regex`.
    pub kind: String,
    /// Location of the difference, such as `status`, `header X-Id`, `query parameter page[1]`, `$.items[0].id` in a
    /// body, or `metadata topic`. `parameter`, `key`, `index`, and `path` contain its components.
    pub place: String,
    /// Name of the query parameter. Missing for mismatches outside of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Name of the header or metadata entry. Missing for mismatches in other parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Index of the value, starting at 0, if the header or query parameter has multiple values. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Path expression, such as `$.items[0].id`, in the body or in a metadata entry that is an object or an array.
    /// Missing for mismatches in other parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The value of `path` as a JSON pointer, such as `/items/0/id`. Missing if `path` is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The expected value. Missing if the mismatch does not concern a single value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Json>,
    /// The received value. Missing if no value was received, or if the mismatch does not concern a single value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Json>,
    /// The matching rule that failed, in the format of contract files. Missing if the values were compared for
    /// equality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Json>,
    /// Description of the difference in one sentence.
    #[serde(rename = "mismatch")]
    pub sentence: String,
    /// The sentence with truncated values, for output that displays the values separately. `None` if it is the same as
    /// `sentence`.
    #[serde(skip)]
    pub(crate) brief: Option<String>,
    /// Additional information, such as a diff, the closest array item, or advice. Missing if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

/// Part of a request, response, or message. The names of mismatch types are the same as in other Pact implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Method,
    Path,
    Status,
    Query,
    Header,
    /// The content type of the body.
    BodyType,
    Body,
    Metadata,
}

impl Part {
    pub const ALL: [Self; 8] = [
        Self::Method,
        Self::Path,
        Self::Status,
        Self::Query,
        Self::Header,
        Self::BodyType,
        Self::Body,
        Self::Metadata,
    ];

    /// Returns the name of the mismatch type, such as `BodyMismatch`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Method => "MethodMismatch",
            Self::Path => "PathMismatch",
            Self::Status => "StatusMismatch",
            Self::Query => "QueryMismatch",
            Self::Header => "HeaderMismatch",
            Self::BodyType => "BodyTypeMismatch",
            Self::Body => "BodyMismatch",
            Self::Metadata => "MetadataMismatch",
        }
    }

    fn from_location(at: &Location) -> Self {
        match at {
            Location::Method => Self::Method,
            Location::Path => Self::Path,
            Location::Status => Self::Status,
            Location::Query { .. } => Self::Query,
            Location::Header { .. } => Self::Header,
            Location::BodyType => Self::BodyType,
            Location::Body(_) | Location::Form { .. } => Self::Body,
            Location::Metadata { .. } => Self::Metadata,
        }
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Maximum size of a sentence and of a location, in bytes.
const SENTENCE: usize = 2000;
const PLACE: usize = 500;
/// Maximum size of a sentence in a list of failures, in bytes.
const HEADLINE: usize = 300;
/// Maximum size of an explanation, in bytes.
const EXPLANATION: usize = 2 << 10;

impl Finding {
    /// Converts mismatches. The total size of their values is limited, so the values of later mismatches may be
    /// truncated more than those of earlier ones.
    pub fn all(mismatches: impl IntoIterator<Item = Mismatch>) -> Vec<Self> {
        let mut left = Budget::for_all();
        mismatches.into_iter().map(|one| Self::new(one, &mut left)).collect()
    }

    fn new(mut mismatch: Mismatch, left: &mut Budget) -> Self {
        let is_secret = mismatch.at.is_secret();
        let explained = redact::explanation(crate::explanation(&mismatch), is_secret);
        let cookies = redact::cookies(&mismatch);
        left.cut(&mut mismatch);
        redact::mismatch(&mut mismatch);
        let rule = mismatch.rule.as_ref().map(|rule| {
            let mut rule = rule.to_json();
            left.cut_value(&mut rule);
            if is_secret {
                without_values(&rule)
            } else {
                redact_rule(rule)
            }
        });
        let sentence = cut_text(cookies.as_ref().unwrap_or(&mismatch.to_string()), SENTENCE);
        let brief = cookies.is_none().then(|| crate::shorten::brief(&mismatch));
        let brief = brief.filter(|brief| *brief != sentence);
        let short = |text: String| cut_text(&text, PLACE);
        if let MismatchKind::BodyType { expected, actual } = &mismatch.kind {
            let text = |value: &str| Some(Json::from(cut_text(value, PLACE)));
            (mismatch.expected, mismatch.actual) = (text(expected), text(actual));
        }
        let (parameter, key, index) = match &mismatch.at {
            Location::Query { name, index } => (Some(name), None, *index),
            Location::Header { name, index } => (None, Some(name), *index),
            Location::Metadata { key, .. } => (None, Some(key), None),
            _ => (None, None, None),
        };
        let path = mismatch.at.customary_path();
        let pointer = path.is_some().then(|| mismatch.at.pointer()).flatten();
        let mut finding = Self {
            part: Part::from_location(&mismatch.at),
            kind: mismatch.kind.code().to_owned(),
            place: String::new(),
            parameter: parameter.map(|name| short(name.to_string())),
            key: key.map(|name| short(name.to_string())),
            index: index.map(|index| index as u64),
            path: path.map(short),
            pointer: pointer.map(short),
            expected: mismatch.expected,
            actual: mismatch.actual,
            rule,
            sentence,
            brief,
            explanation: explained.map(|text| cut_text(&text, EXPLANATION)),
        };
        finding.place = finding.format_place();
        finding
    }

    /// Returns whether output can omit the location, because the sentence contains it or because the part has only one
    /// location.
    pub fn sentence_names_place(&self) -> bool {
        let by_kind = || ["not-equal", "missing", "unexpected", "length"].contains(&self.kind.as_str());
        match self.part {
            Part::Body => false,
            Part::Query | Part::Header => self.index.is_none() && by_kind(),
            Part::Metadata => self.path.is_none() && by_kind(),
            Part::Method | Part::Path => self.kind == "not-equal",
            Part::Status | Part::BodyType => true,
        }
    }

    /// Formats the location from the part, `parameter`, `key`, `index`, and `path`.
    pub(crate) fn format_place(&self) -> String {
        let indexed = |noun: &str, name: &str| match self.index {
            Some(index) => format!("{noun} {name}[{index}]"),
            None => format!("{noun} {name}"),
        };
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        match self.part {
            Part::Method => "method".to_owned(),
            Part::Path => "path".to_owned(),
            Part::Status => "status".to_owned(),
            Part::BodyType => "body".to_owned(),
            Part::Query if name(&self.parameter).is_empty() => "query".to_owned(),
            Part::Query => indexed("query parameter", &name(&self.parameter)),
            Part::Header => indexed("header", &name(&self.key)),
            Part::Body => self.path.clone().unwrap_or_else(|| "$".to_owned()),
            Part::Metadata => match &self.path {
                Some(path) => format!("metadata {} at {path}", name(&self.key)),
                None => format!("metadata {}", name(&self.key)),
            },
        }
    }

    /// Returns the location. Returns `None` if the sentence already contains it.
    pub fn place_if_unnamed(&self) -> Option<String> {
        (!self.sentence_names_place()).then(|| self.place.clone())
    }

    /// Returns the location preceded by the part, for output that is not grouped by part. Returns `None` if the
    /// sentence already contains the location.
    pub(crate) fn place_with_part(&self) -> Option<String> {
        let place = self.place_if_unnamed()?;
        Some(match (self.part, place.as_str()) {
            (Part::Body, "$") => "body".to_owned(),
            (Part::Body, path) => format!("body {path}"),
            _ => place,
        })
    }

    /// Returns the sentence for output that displays the values separately.
    pub(crate) fn short_sentence(&self) -> &str {
        self.brief.as_deref().unwrap_or(&self.sentence)
    }

    /// Returns the location and the sentence on one line.
    pub(crate) fn headline(&self) -> String {
        let place = self.place_if_unnamed().map(|place| format!("{place} -> "));
        format!("{}{}", place.unwrap_or_default(), cut_text(&self.sentence, HEADLINE))
    }

    /// Returns the location and the short sentence on one line, for output that displays long values separately.
    pub fn line(&self) -> String {
        match self.place_with_part() {
            Some(place) => format!("{place}: {}", self.short_sentence()),
            None => self.short_sentence().to_owned(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// Removes the values from a rule for a secret. Keeps the rule's type and limits.
fn without_values(rule: &Json) -> Json {
    let Json::Object(members) = rule else {
        return Json::from(REDACTED);
    };
    let redacted = members.iter().map(|(name, value)| {
        let is_kept = matches!(value, Json::Number(_) | Json::Bool(_)) || name == "match" || name == "format";
        (name.clone(), if is_kept { value.clone() } else { REDACTED.into() })
    });
    Json::Object(redacted.collect())
}

fn redact_rule(mut rule: Json) -> Json {
    redact::json(&mut rule);
    rule
}
