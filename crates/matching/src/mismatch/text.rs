//! The one place where a mismatch becomes a sentence.

use std::fmt::{self, Write};

use contract_model::{Json, NumberKind, StatusClass, write_string};

use super::{Location, Mismatch, MismatchKind};
use crate::hidden::OneLine;
use crate::shown::whole_size;

/// Longest value that a sentence quotes.
const QUOTED: usize = 400;

fn shortened(text: String) -> String {
    if text.len() <= QUOTED {
        return text;
    }
    let cut = (0..=QUOTED).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    // A body that was cut before tells how long it was.
    format!("{}… ({} bytes)", &text[..cut], whole_size(&text))
}

/// `'text'`, `12`, `["a"]`: how a sentence shows a value.
fn shown(value: Option<&Json>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Json::String(text)) => format!("'{}'", shortened(text.to_string())),
        Some(other) => shortened(other.to_text()),
    }
}

/// The name of a value's kind in sentences.
fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "Null",
        Json::Bool(_) => "Boolean",
        Json::Number(number) => match number.kind() {
            NumberKind::Integer => "Integer",
            NumberKind::Decimal => "Decimal",
        },
        Json::String(_) => "String",
        Json::Array(_) => "Array",
        Json::Object(_) => "Object",
    }
}

fn typed(value: Option<&Json>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(value) => format!("{} ({})", shown(Some(value)), kind_of(value)),
    }
}

/// The text itself, for places where nothing but text can stand.
fn bare(value: Option<&Json>) -> String {
    value
        .map(|value| shortened(value.text_form().into_owned()))
        .unwrap_or_default()
}

/// JSON text with members sorted by name, as the field writes variants.
fn sorted_text(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("[{}]", items.iter().map(sorted_text).collect::<Vec<_>>().join(",")),
        Json::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
            let members = members.into_iter().map(|(key, value)| {
                let mut text = String::new();
                write_string(key, &mut text);
                text + ":" + &sorted_text(value)
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_text(),
    }
}

fn joined(keys: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut keys: Vec<_> = keys.into_iter().map(|key| key.as_ref().to_owned()).collect();
    keys.sort_unstable();
    shortened(keys.join(", "))
}

fn listed(value: Option<&Json>) -> String {
    match value {
        Some(Json::Array(items)) => shortened(format!(
            "[{}]",
            items.iter().map(Json::to_text).collect::<Vec<_>>().join(", ")
        )),
        other => shown(other),
    }
}

fn class_name(class: &StatusClass) -> String {
    match class {
        StatusClass::Information => "an Informational response (100–199)".into(),
        StatusClass::Success => "a Successful response (200–299)".into(),
        StatusClass::Redirect => "a Redirect (300–399)".into(),
        StatusClass::ClientError => "a Client error (400–499)".into(),
        StatusClass::ServerError => "a Server error (500–599)".into(),
        StatusClass::NonError => "a Non-error response (below 400)".into(),
        StatusClass::Error => "an Error response (400 and above)".into(),
        StatusClass::Codes(codes) => {
            format!(
                "one of {}",
                codes.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
            )
        }
    }
}

impl fmt::Display for Mismatch {
    /// One line, in the customary words of the field: suites of other implementations look for them.
    #[expect(clippy::too_many_lines, reason = "a flat table of sentences")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut OneLine(f);
        let (expected, actual) = (self.expected.as_ref(), self.actual.as_ref());
        match &self.kind {
            MismatchKind::NotEqual => self.not_equal(f),
            MismatchKind::Missing => self.missing(f),
            MismatchKind::Unexpected => match &self.at {
                Location::Query { name, .. } => write!(f, "Unexpected query parameter '{name}' received"),
                Location::Form { name, .. } => write!(f, "Unexpected form post parameter '{name}' received"),
                Location::Body(_) => write!(f, "Unexpected value {} received", typed(actual)),
                other => write!(f, "Unexpected {other} received"),
            },
            MismatchKind::Keys { missing, exact, .. } => {
                let keys = |value: Option<&Json>| {
                    joined(
                        value
                            .and_then(Json::as_object)
                            .into_iter()
                            .flatten()
                            .map(|(key, _)| key.as_str()),
                    )
                };
                if *exact {
                    write!(
                        f,
                        "Expected a Map with keys [{}] but received one with keys [{}]",
                        keys(expected),
                        keys(actual)
                    )
                } else {
                    write!(f, "Actual map is missing the following keys: {}", joined(missing))
                }
            }
            MismatchKind::Length {
                expected: want,
                actual: got,
            } => match &self.at {
                Location::Query { name, .. } => {
                    write!(
                        f,
                        "Expected query parameter '{name}' with {want} value(s) but received {got} value(s)"
                    )
                }
                Location::Form { name, .. } => {
                    write!(
                        f,
                        "Expected form post parameter '{name}' with {want} value(s) but received {got} value(s)"
                    )
                }
                Location::Header { name, .. } => {
                    write!(
                        f,
                        "Expected header '{name}' with {want} value(s) but received {got} value(s)"
                    )
                }
                _ => write!(f, "Expected a List with {want} elements but received {got} elements"),
            },
            MismatchKind::Type => {
                let containers = [expected, actual]
                    .iter()
                    .any(|v| matches!(v, Some(Json::Array(_) | Json::Object(_))));
                let prefix = if containers { "Type mismatch: " } else { "" };
                write!(
                    f,
                    "{prefix}Expected {} to be the same type as {}",
                    typed(actual),
                    typed(expected)
                )
            }
            MismatchKind::Regex { pattern } => write!(f, "Expected {} to match '{pattern}'", shown(actual)),
            MismatchKind::RegexBudget { pattern } => {
                write!(
                    f,
                    "Gave up matching {} with '{pattern}': the pattern needs too many steps",
                    shown(actual)
                )
            }
            MismatchKind::TooFew { min, actual: size } => {
                write!(
                    f,
                    "Expected {} (size {size}) to have minimum size of {min}",
                    listed(actual)
                )
            }
            MismatchKind::TooMany { max, actual: size } => {
                write!(
                    f,
                    "Expected {} (size {size}) to have maximum size of {max}",
                    listed(actual)
                )
            }
            MismatchKind::Include { text } => write!(f, "Expected {} to include '{text}'", shown(actual)),
            MismatchKind::Number => write!(f, "Expected {} to be a number", typed(actual)),
            MismatchKind::Integer => write!(f, "Expected {} to be an integer", typed(actual)),
            MismatchKind::Decimal => {
                write!(f, "Expected {} to be a decimal number", typed(actual))?;
                // Languages with one kind of number cannot write 2.0: their numbers meet this at some time.
                match actual {
                    Some(Json::Number(_)) => f.write_str(" (the rule number takes both)"),
                    _ => Ok(()),
                }
            }
            MismatchKind::Boolean => write!(f, "Expected {} to match a boolean", typed(actual)),
            MismatchKind::Null => write!(f, "Expected {} to be a null value", typed(actual)),
            MismatchKind::Moment { what, format } => {
                write!(f, "Expected {} to match a {what} pattern of '{format}'", shown(actual))
            }
            MismatchKind::ContentType { expected, actual } => {
                write!(
                    f,
                    "Expected binary contents to have content type '{expected}' but detected contents was '{actual}'"
                )
            }
            MismatchKind::StatusCode(class) => {
                write!(f, "Expected status code {} to be {}", bare(actual), class_name(class))
            }
            MismatchKind::Empty => write!(f, "Expected {} to not be empty", typed(actual)),
            MismatchKind::Semver => write!(f, "{} is not a valid semantic version", shown(actual)),
            MismatchKind::Variant { index } => {
                write!(
                    f,
                    "Variant at index {index} ({}) was not found in the actual list",
                    shortened(expected.map(sorted_text).unwrap_or_default())
                )
            }
            MismatchKind::BodyType { expected, actual } => {
                write!(
                    f,
                    "Expected a body of '{expected}' but the actual content type was '{actual}'"
                )
            }
            MismatchKind::Unreadable { format, problem } => {
                write!(f, "Failed to parse the actual body as {format}: {problem}")
            }
            MismatchKind::NotApplicable { problem } => f.write_str(problem),
            MismatchKind::Body => write!(
                f,
                "Expected body {} to match {} using equality but did not match",
                shown(expected),
                shown(actual)
            ),
            MismatchKind::Bytes { expected, actual } => {
                write!(f, "Actual body {actual} is not equal to the expected body {expected}")
            }
            MismatchKind::NothingExpected => write!(f, "Expected empty body but received {}", shown(actual)),
            MismatchKind::EmptyElement { name } => write!(f, "Expected <{name}/> to not be empty"),
            MismatchKind::EmptyBytes => f.write_str("Expected [] (0 bytes) to not be empty"),
            MismatchKind::Element { expected, actual } => {
                write!(f, "Expected element {expected} but received {actual}")
            }
            MismatchKind::Child { name } => write!(f, "Expected child <{name}/> but was missing"),
            MismatchKind::UnexpectedChild { name } => write!(f, "Unexpected child <{name}/>"),
            MismatchKind::Attribute { name } => {
                write!(
                    f,
                    "Expected attribute '{name}' with value {} but was missing",
                    quoted(expected)
                )
            }
            MismatchKind::UnexpectedAttribute { name } => {
                write!(f, "Unexpected attribute '{name}' with value {}", quoted(actual))
            }
            MismatchKind::PartKind { name, file: true } => {
                write!(f, "Expected a file as MIME part '{name}' but received a field")
            }
            MismatchKind::PartKind { name, file: false } => {
                write!(f, "Expected a field as MIME part '{name}' but received a file")
            }
            MismatchKind::Part { name } => write!(f, "Expected a MIME part '{name}' but was missing"),
        }
    }
}

fn quoted(value: Option<&Json>) -> String {
    format!("'{}'", bare(value))
}

impl Mismatch {
    fn not_equal(&self, f: &mut OneLine<'_, '_>) -> fmt::Result {
        let (expected, actual) = (self.expected.as_ref(), self.actual.as_ref());
        match &self.at {
            Location::Method => write!(f, "Expected method {} but received {}", bare(expected), bare(actual)),
            Location::Path => write!(f, "Expected path {} but received {}", quoted(expected), quoted(actual)),
            Location::Status => write!(f, "Expected status {} but was {}", bare(expected), bare(actual)),
            Location::Query { name, .. } if name.is_empty() => {
                write!(f, "Expected query {} but received {}", quoted(expected), quoted(actual))
            }
            Location::Query { name, .. } => {
                write!(
                    f,
                    "Expected query parameter '{name}' with value {} but was {}",
                    quoted(expected),
                    quoted(actual)
                )
            }
            Location::Form { name, .. } => {
                write!(
                    f,
                    "Expected form post parameter '{name}' with value {} but was {}",
                    quoted(expected),
                    quoted(actual)
                )
            }
            Location::Header { name, .. } => {
                write!(
                    f,
                    "Expected header '{name}' to have value {} but was {}",
                    quoted(expected),
                    quoted(actual)
                )
            }
            Location::Metadata { key, path } if path.tokens().is_empty() => {
                write!(
                    f,
                    "Expected metadata key '{key}' to have value {} but was {}",
                    shown(expected),
                    shown(actual)
                )
            }
            Location::BodyType | Location::Body(_) | Location::Metadata { .. } => {
                write!(f, "Expected {} to be equal to {}", typed(actual), typed(expected))
            }
        }
    }

    fn missing(&self, f: &mut OneLine<'_, '_>) -> fmt::Result {
        let expected = self.expected.as_ref();
        match &self.at {
            Location::Query { name, .. } => write!(f, "Expected query parameter '{name}' but was missing"),
            Location::Form { name, .. } => write!(f, "Expected form post parameter '{name}' but was missing"),
            Location::Header { name, .. } => write!(f, "Expected a header '{name}' but was missing"),
            Location::Metadata { key, path } if path.tokens().is_empty() => {
                write!(
                    f,
                    "Expected message metadata '{key}' with value {} but was missing",
                    shown(expected)
                )
            }
            Location::Body(path) if path.tokens().is_empty() => {
                write!(f, "Expected body {} but was missing", shown(expected))
            }
            other => write!(f, "Expected {} at {other} but was missing", typed(expected)),
        }
    }
}
