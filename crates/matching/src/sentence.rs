//! Formats mismatches as sentences. The sentences of the individual rules are in their modules.

use std::fmt::{self, Write};

use contract_model::Json;

use crate::display::{display, display_quoted, display_text, display_with_type, join_keys};
use crate::hidden::OneLine;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::rule::{
    array_contains, boolean, content_type, include, moment, not_empty, null, numbers, regex, same_type, semver,
    status_code,
};

impl fmt::Display for Mismatch {
    /// Formats a mismatch on one line. Other Pact implementations use the same sentences, and their tests check them.
    #[expect(clippy::too_many_lines, reason = "one arm per kind")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut OneLine(f);
        let (expected, actual) = (self.expected.as_ref(), self.actual.as_ref());
        match &self.kind {
            MismatchKind::NotEqual => self.not_equal(f),
            MismatchKind::Missing => self.missing(f),
            MismatchKind::Unexpected => match &self.at {
                Location::Query { name, .. } => write!(f, "Unexpected query parameter '{name}' received"),
                Location::Form { name, .. } => write!(f, "Unexpected form post parameter '{name}' received"),
                Location::Body(_) => write!(f, "Unexpected value {} received", display_with_type(actual)),
                other => write!(f, "Unexpected {other} received"),
            },
            MismatchKind::Keys { missing, exact, .. } => {
                let keys = |value: Option<&Json>| {
                    join_keys(
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
                    write!(f, "Actual map is missing the following keys: {}", join_keys(missing))
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
            MismatchKind::Type => f.write_str(&same_type::describe(expected, actual)),
            MismatchKind::Regex { pattern } => f.write_str(&regex::describe(pattern, actual)),
            MismatchKind::RegexBudget { pattern } => f.write_str(&regex::describe_budget(pattern, actual)),
            MismatchKind::TooFew { min, actual: size } => {
                f.write_str(&same_type::describe_size("minimum", *min, *size, actual))
            }
            MismatchKind::TooMany { max, actual: size } => {
                f.write_str(&same_type::describe_size("maximum", *max, *size, actual))
            }
            MismatchKind::Include { text } => f.write_str(&include::describe(text, actual)),
            MismatchKind::Number => f.write_str(&numbers::describe_number(actual)),
            MismatchKind::Integer => f.write_str(&numbers::describe_integer(actual)),
            MismatchKind::Decimal => f.write_str(&numbers::describe_decimal(actual)),
            MismatchKind::Boolean => f.write_str(&boolean::describe(actual)),
            MismatchKind::Null => f.write_str(&null::describe(actual)),
            MismatchKind::Moment { what, format } => f.write_str(&moment::describe(what, format, actual)),
            MismatchKind::ContentType { expected, actual } => f.write_str(&content_type::describe(expected, actual)),
            MismatchKind::StatusCode(class) => f.write_str(&status_code::describe(class, actual)),
            MismatchKind::Empty => f.write_str(&not_empty::describe(actual)),
            MismatchKind::EmptyElement { name } => f.write_str(&not_empty::describe_element(name)),
            MismatchKind::EmptyBytes => f.write_str(not_empty::EMPTY_BYTES),
            MismatchKind::Semver => f.write_str(&semver::describe(actual)),
            MismatchKind::Variant { index } => f.write_str(&array_contains::describe(*index, expected)),
            MismatchKind::BodyType { expected, actual } => {
                write!(
                    f,
                    "Expected a body of '{expected}' but the actual content type was '{actual}'"
                )
            }
            MismatchKind::Unreadable { format, problem } => {
                write!(f, "Failed to parse the actual body as {format}: {problem}")
            }
            MismatchKind::NotApplicable { problem } | MismatchKind::Plugin { problem } => f.write_str(problem),
            MismatchKind::Body => write!(
                f,
                "Expected body {} to match {} using equality but did not match",
                display(expected),
                display(actual)
            ),
            MismatchKind::Bytes { expected, actual } => {
                write!(f, "Actual body {actual} is not equal to the expected body {expected}")
            }
            MismatchKind::NothingExpected => write!(f, "Expected empty body but received {}", display(actual)),
            MismatchKind::Element { expected, actual } => {
                write!(f, "Expected element {expected} but received {actual}")
            }
            MismatchKind::Child { name } => write!(f, "Expected child <{name}/> but was missing"),
            MismatchKind::UnexpectedChild { name } => write!(f, "Unexpected child <{name}/>"),
            MismatchKind::Attribute { name } => {
                write!(
                    f,
                    "Expected attribute '{name}' with value {} but was missing",
                    display_quoted(expected)
                )
            }
            MismatchKind::UnexpectedAttribute { name } => {
                write!(f, "Unexpected attribute '{name}' with value {}", display_quoted(actual))
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

impl Mismatch {
    fn not_equal(&self, f: &mut OneLine<'_, '_>) -> fmt::Result {
        let (expected, actual) = (self.expected.as_ref(), self.actual.as_ref());
        match &self.at {
            Location::Method => write!(
                f,
                "Expected method {} but received {}",
                display_text(expected),
                display_text(actual)
            ),
            Location::Path => write!(
                f,
                "Expected path {} but received {}",
                display_quoted(expected),
                display_quoted(actual)
            ),
            Location::Status => write!(
                f,
                "Expected status {} but was {}",
                display_text(expected),
                display_text(actual)
            ),
            Location::Query { name, .. } if name.is_empty() => {
                write!(
                    f,
                    "Expected query {} but received {}",
                    display_quoted(expected),
                    display_quoted(actual)
                )
            }
            Location::Query { name, .. } => {
                write!(
                    f,
                    "Expected query parameter '{name}' with value {} but was {}",
                    display_quoted(expected),
                    display_quoted(actual)
                )
            }
            Location::Form { name, .. } => {
                write!(
                    f,
                    "Expected form post parameter '{name}' with value {} but was {}",
                    display_quoted(expected),
                    display_quoted(actual)
                )
            }
            Location::Header { name, .. } => {
                write!(
                    f,
                    "Expected header '{name}' to have value {} but was {}",
                    display_quoted(expected),
                    display_quoted(actual)
                )
            }
            Location::Metadata { key, path } if path.tokens().is_empty() => {
                write!(
                    f,
                    "Expected metadata key '{key}' to have value {} but was {}",
                    display(expected),
                    display(actual)
                )
            }
            Location::BodyType | Location::Body(_) | Location::Metadata { .. } => {
                write!(
                    f,
                    "Expected {} to be equal to {}",
                    display_with_type(actual),
                    display_with_type(expected)
                )
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
                    display(expected)
                )
            }
            Location::Body(path) if path.tokens().is_empty() => {
                write!(f, "Expected body {} but was missing", display(expected))
            }
            other => write!(f, "Expected {} at {other} but was missing", display_with_type(expected)),
        }
    }
}
