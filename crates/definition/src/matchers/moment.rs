//! Matchers and generators for dates and times.

use contract_datetime::{DateTime, Format, from_strftime, is_strftime};
use contract_matching::{Pattern, date_time_pattern, time_pattern};
use contract_model::Json;
use serde::Deserialize;
use serde::de::{self, Error as _};

use super::json::{GENERATOR, TYPE, checked, fields, invalid, text};
use super::template::Template;
use super::value::not_null;
use contract_call::error::{ArgumentError, EXAMPLE};
use contract_call::read::{Document, describe};

/// The notation of a date format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatStyle {
    /// Notation of `strftime`, such as `%Y-%m-%d`.
    Strftime,
    /// Notation of Java's `DateTimeFormatter` and of contract files, such as `yyyy-MM-dd`.
    Java,
}

/// The arguments of a matcher for dates or times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MomentArguments {
    /// The example.
    #[serde(default, deserialize_with = "not_null")]
    pub example: Option<MomentExample>,
    /// Format in the notation of strftime (`%Y-%m-%d`) or of Java's `DateTimeFormatter` (`yyyy-MM-dd`), or one of the
    /// names `ISO8601`, `RFC3339`, and `RFC1123`. A format with `%` is in the notation of strftime. Default: the format
    /// that is detected from the example, or ISO 8601 without an example.
    pub format: Option<String>,
    /// Notation of the format. Required only for formats that are valid in both notations.
    pub format_style: Option<FormatStyle>,
}

/// Options for generated dates and times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MomentGenerator {
    /// Format in the notation of strftime (`%Y-%m-%d`) or of Java's `DateTimeFormatter` (`yyyy-MM-dd`), or one of the
    /// names `ISO8601`, `RFC3339`, and `RFC1123`. A format with `%` is in the notation of strftime. Default: ISO 8601.
    pub format: Option<String>,
    /// Notation of the format. Required only for formats that are valid in both notations.
    pub format_style: Option<FormatStyle>,
    /// Expression relative to the current date and time, such as `today + 1 day`, `next month`, or `now @ + 2 hours`.
    /// Default: the current date and time.
    pub expression: Option<String>,
}

/// The example of a matcher for dates or times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MomentExample {
    /// Text that is used unchanged.
    Text(String),
    /// A date object, such as `{"milliseconds": 0, "text": "1970-01-01T00:00:00Z"}`.
    Moment {
        /// Milliseconds since 1970-01-01T00:00:00Z.
        milliseconds: i64,
        /// The date object as ISO 8601 text, which is the example if there is no format.
        text: Option<String>,
    },
}

/// The maximum of a JavaScript `Date`, in milliseconds since 1970. The minimum is the negative value.
const LAST_MILLISECOND: i64 = 8_640_000_000_000_000;

impl<'de> Deserialize<'de> for MomentExample {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        if let Json::String(text) = &json {
            return Ok(Self::Text(text.to_string()));
        }
        let written = json.get("text").and_then(Json::as_str).map(str::to_owned);
        match json.get("milliseconds") {
            Some(milliseconds) => match milliseconds.as_i64().filter(|at| at.abs() <= LAST_MILLISECOND) {
                Some(milliseconds) => Ok(Self::Moment {
                    milliseconds,
                    text: written,
                }),
                None => Err(D::Error::custom("is an invalid date")),
            },
            None => Err(D::Error::custom(format!(
                "must be a string, a Date, or a Temporal value, received {}",
                describe(&json)
            ))),
        }
    }
}

/// What the matchers for dates, times, and date-times have in common.
pub(super) struct MomentKind {
    rule: &'static str,
    generator: &'static str,
    /// The default format for examples that are passed as milliseconds.
    timestamp_format: &'static str,
    /// The formats that can be detected from an example. The first one is the default.
    defaults: &'static [DefaultFormat],
}

/// A function that returns a pattern, and the argument for it: true if the pattern requires an offset.
type Tolerant = (fn(bool) -> String, bool);

/// A format that can be detected from an example.
struct DefaultFormat {
    format: &'static str,
    /// A function for the pattern that the matcher uses instead of the format, because it also accepts similar values.
    /// `None` means that the matcher uses the format.
    tolerant: Option<Tolerant>,
}

const fn default_format(format: &'static str, tolerant: Option<Tolerant>) -> DefaultFormat {
    DefaultFormat { format, tolerant }
}

pub(super) const DATE: MomentKind = MomentKind {
    rule: "date",
    generator: "Date",
    timestamp_format: "yyyy-MM-dd",
    defaults: &[default_format("yyyy-MM-dd", None), default_format("yyyyMMdd", None)],
};
pub(super) const TIME: MomentKind = MomentKind {
    rule: "time",
    generator: "Time",
    timestamp_format: "HH:mm:ss",
    defaults: &[
        default_format("HH:mm:ss", Some((time_pattern, false))),
        default_format("HH:mm:ss.SSSSSSSSS", Some((time_pattern, false))),
        default_format("HH:mm", None),
        default_format("HH:mm:ssXXX", Some((time_pattern, true))),
        default_format("HH:mm:ss.SSSSSSSSSXXX", Some((time_pattern, true))),
    ],
};
pub(super) const DATE_TIME: MomentKind = MomentKind {
    rule: "datetime",
    generator: "DateTime",
    timestamp_format: "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    defaults: &[
        default_format("yyyy-MM-dd'T'HH:mm:ssXXX", Some((date_time_pattern, true))),
        default_format("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSXXX", Some((date_time_pattern, true))),
        default_format("yyyy-MM-dd'T'HH:mm:ss", Some((date_time_pattern, false))),
        default_format("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSS", Some((date_time_pattern, false))),
        default_format("yyyy-MM-dd'T'HH:mm:ssXX", Some((date_time_pattern, true))),
        default_format("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSXX", Some((date_time_pattern, true))),
        default_format("yyyy-MM-dd'T'HH:mmXXX", None),
        default_format("yyyy-MM-dd HH:mm:ss", None),
    ],
};

impl DefaultFormat {
    /// Returns the pattern that the matcher uses instead of the format, or `None` if it uses the format.
    fn pattern(&self) -> Option<String> {
        self.tolerant.map(|(pattern, has_zone)| pattern(has_zone))
    }

    fn accepts(&self, text: &str) -> bool {
        let fits_pattern =
            |pattern: String| Pattern::new(&pattern).is_ok_and(|pattern| pattern.matches(text) == Ok(true));
        Format::parse(self.format).is_ok_and(|format| format.check(text).is_ok())
            && self.pattern().is_none_or(fits_pattern)
    }
}

/// Returns matcher JSON. It contains a rule with the requested format, or by default a pattern that accepts the output
/// of both JavaScript and Java. A format with optional sections would be equivalent, but other Pact implementations do
/// not support optional sections.
pub(super) fn matcher(kind: &MomentKind, arguments: &MomentArguments) -> Result<Template, ArgumentError> {
    let example = arguments.example.as_ref();
    let preset = named_format(kind, arguments.format.as_deref(), arguments.format_style)?;
    let (format, pattern, example) = match &arguments.format {
        Some(_) if preset == Some(Preset::Iso8601) => recognize_format(kind, example)?,
        Some(_) if preset == Some(Preset::Rfc3339) => rfc3339(example)?,
        Some(format) => {
            let format = parse_format(format, arguments.format_style)?;
            let example = example.map(|example| format_example(&format, example)).transpose()?;
            (format, None, example)
        }
        None => recognize_format(kind, example)?,
    };
    let is_generated = example.is_none();
    let rule = if pattern.is_some() { "regex" } else { kind.rule };
    checked(fields([
        (TYPE, text(rule)),
        ("format", (pattern.is_none() || is_generated).then(|| format.into())),
        ("regex", pattern.map(Json::from)),
        (GENERATOR, is_generated.then(|| kind.generator.into())),
        ("value", example.map(Json::from)),
    ]))
}

/// Returns the matcher JSON of a generator.
pub(super) fn generator(kind: &MomentKind, arguments: &MomentGenerator) -> Result<Template, ArgumentError> {
    let preset = named_format(kind, arguments.format.as_deref(), arguments.format_style)?;
    let format = match &arguments.format {
        Some(format) if preset.is_none_or(|preset| preset == Preset::Rfc1123) => {
            parse_format(format, arguments.format_style)?
        }
        _ => kind.defaults[0].format.to_owned(),
    };
    checked(fields([
        (GENERATOR, text(kind.generator)),
        ("format", Some(format.into())),
        ("expression", arguments.expression.as_deref().map(Json::from)),
    ]))
}

/// A format that users select by name: `ISO8601`, `RFC3339`, or `RFC1123`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preset {
    Iso8601,
    Rfc3339,
    Rfc1123,
}

/// The format of dates in HTTP headers.
const RFC1123: &str = "EEE, dd MMM yyyy HH:mm:ss 'GMT'";

fn named_format(
    kind: &MomentKind,
    format: Option<&str>,
    style: Option<FormatStyle>,
) -> Result<Option<Preset>, ArgumentError> {
    let preset = match format {
        Some("ISO8601") => Preset::Iso8601,
        Some("RFC3339") => Preset::Rfc3339,
        Some("RFC1123") => Preset::Rfc1123,
        _ => return Ok(None),
    };
    if style.is_some() {
        return Err(invalid("a named format has no style; omit the style").for_argument("format_style"));
    }
    if preset != Preset::Iso8601 && kind.rule != DATE_TIME.rule {
        let name = format.unwrap_or_default();
        return Err(invalid(format!(
            "the {name} format is only supported by match.datetime and generate.datetime"
        ))
        .for_argument("format"));
    }
    Ok(Some(preset))
}

/// Returns the format, pattern, and example for RFC 3339. Fractions of a second are optional, and the offset is
/// required.
fn rfc3339(example: Option<&MomentExample>) -> Result<FormatChoice, ArgumentError> {
    let format = "yyyy-MM-dd'T'HH:mm:ssXXX";
    let pattern = super::presets::rfc3339();
    let text = match example {
        None => return Ok((format.to_owned(), Some(pattern), None)),
        Some(MomentExample::Text(text)) => text.clone(),
        Some(MomentExample::Moment { milliseconds, .. }) => {
            let format = Format::parse(DATE_TIME.timestamp_format).map_err(|error| invalid(error.to_string()))?;
            format_timestamp(&format, *milliseconds)?
        }
    };
    let fits = DATE_TIME.defaults.iter().any(|format| format.accepts(&text))
        && Pattern::new(&pattern).is_ok_and(|pattern| pattern.matches(&text) == Ok(true));
    if fits {
        return Ok((format.to_owned(), Some(pattern), Some(text)));
    }
    Err(wrong_example(format!(
        "the example {text:?} does not match the RFC3339 format"
    )))
}

/// Converts a format from either notation to the notation of contract files.
fn parse_format(format: &str, style: Option<FormatStyle>) -> Result<String, ArgumentError> {
    let wrong = |problem: String| invalid(problem).for_argument("format");
    let is_strftime = style.map_or_else(|| is_strftime(format), |style| style == FormatStyle::Strftime);
    let java = if format == "RFC1123" {
        RFC1123.to_owned()
    } else if is_strftime {
        from_strftime(format).map_err(|error| wrong(error.to_string()))?
    } else {
        format.to_owned()
    };
    let parsed = Format::parse(&java).map_err(|error| wrong(error.to_string()))?;
    match parsed.hints().first() {
        Some(hint) => Err(wrong(format!("the format {java:?} is probably wrong: {hint}"))),
        None => Ok(java),
    }
}

fn format_example(format: &str, example: &MomentExample) -> Result<String, ArgumentError> {
    let parsed = Format::parse(format).map_err(|error| invalid(error.to_string()).for_argument("format"))?;
    match example {
        MomentExample::Text(text) => match parsed.check(text) {
            Ok(()) => Ok(text.clone()),
            Err(problem) => Err(wrong_example(format!(
                "the example {text:?} does not match the format {format:?}: {problem}"
            ))),
        },
        MomentExample::Moment { milliseconds, .. } => format_timestamp(&parsed, *milliseconds),
    }
}

fn format_timestamp(format: &Format, milliseconds: i64) -> Result<String, ArgumentError> {
    let nanosecond = u32::try_from(milliseconds.rem_euclid(1000)).unwrap_or(0) * 1_000_000;
    let at = DateTime::from_unix(milliseconds.div_euclid(1000), nanosecond, 0);
    let at = at.map_err(|error| wrong_example(error.to_string()))?;
    format.format(&at).map_err(|problem| wrong_example(problem.to_string()))
}

fn wrong_example(problem: String) -> ArgumentError {
    ArgumentError::new(EXAMPLE, problem).for_argument("example")
}

type FormatChoice = (String, Option<String>, Option<String>);

fn recognize_format(kind: &MomentKind, example: Option<&MomentExample>) -> Result<FormatChoice, ArgumentError> {
    let known = kind.defaults;
    let text = match example {
        None => return Ok((known[0].format.to_owned(), known[0].pattern(), None)),
        Some(MomentExample::Text(text) | MomentExample::Moment { text: Some(text), .. }) => text.clone(),
        Some(MomentExample::Moment { milliseconds, .. }) => {
            let format = Format::parse(kind.timestamp_format).map_err(|error| invalid(error.to_string()))?;
            format_timestamp(&format, *milliseconds)?
        }
    };
    if let Some(format) = known.iter().find(|format| format.accepts(&text)) {
        return Ok((format.format.to_owned(), format.pattern(), Some(text)));
    }
    let known: Vec<_> = known.iter().map(|format| format.format).collect();
    let known = known.join(", ");
    Err(wrong_example(format!(
        "{text:?} matches none of the default formats ({known}); pass its format"
    )))
}

#[cfg(test)]
mod tests {
    use super::super::matcher;

    #[track_caller]
    fn call_matcher(name: &str, arguments: &str) -> Result<String, String> {
        matcher(name, arguments)
            .map(|template| {
                let json = template.json().unwrap();
                let member = |name| {
                    json.get(name)
                        .and_then(contract_model::Json::as_str)
                        .unwrap_or("-")
                        .to_owned()
                };
                format!(
                    "{} {} {}",
                    member("contract:matcher:type"),
                    member("format"),
                    member("value")
                )
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn recognizes_the_format_from_the_example() {
        for example in [
            "2024-02-29T13:45:00Z",
            "2024-02-29T13:45:00+14:00",
            "2024-02-29T13:45:00.123Z",
            "2024-02-29T13:45:00.123456789+0200",
            "2024-02-29T13:45:00",
        ] {
            assert_eq!(
                call_matcher("match.datetime", &format!(r#"{{"example":"{example}"}}"#)),
                Ok(format!("regex - {example}"))
            );
        }
        assert_eq!(
            call_matcher("match.datetime", r#"{"example":"2024-02-29 13:45:00"}"#).as_deref(),
            Ok("datetime yyyy-MM-dd HH:mm:ss 2024-02-29 13:45:00")
        );
        let error = call_matcher("match.date", r#"{"example":"29.2.2024"}"#).unwrap_err();
        assert!(error.contains("pass its format"), "{error}");
        let error = call_matcher("match.datetime", r#"{"example":"2023-02-29T00:00:00Z"}"#).unwrap_err();
        assert!(error.contains("pass its format"), "{error}");
    }

    #[test]
    fn translates_strftime() {
        assert_eq!(
            call_matcher("match.date", r#"{"example":"29.02.2024","format":"%d.%m.%Y"}"#).as_deref(),
            Ok("date dd.MM.yyyy 29.02.2024")
        );
    }

    #[test]
    fn supports_named_formats() {
        let at = |name: &str, format: &str, example: &str| {
            call_matcher(name, &format!(r#"{{"example":{example},"format":"{format}"}}"#))
        };
        let moment = r#"{"milliseconds":1709214300007}"#;
        assert_eq!(
            at("match.datetime", "ISO8601", moment).as_deref(),
            Ok("regex - 2024-02-29T13:45:00.007Z")
        );
        assert_eq!(
            at("match.date", "ISO8601", moment).as_deref(),
            Ok("date yyyy-MM-dd 2024-02-29")
        );
        assert_eq!(
            at("match.datetime", "RFC3339", moment).as_deref(),
            Ok("regex - 2024-02-29T13:45:00.007Z")
        );
        assert_eq!(
            at("match.datetime", "RFC1123", moment).as_deref(),
            Ok("datetime EEE, dd MMM yyyy HH:mm:ss 'GMT' Thu, 29 Feb 2024 13:45:00 GMT")
        );
        assert_eq!(
            call_matcher("match.datetime", r#"{"format":"RFC1123"}"#).as_deref(),
            Ok("datetime EEE, dd MMM yyyy HH:mm:ss 'GMT' -")
        );
        for wrong in [
            r#""2024-02-29T13:45:00""#,
            r#""2024-02-29T13:45:00+0100""#,
            r#""2024-02-30T13:45:00Z""#,
        ] {
            let error = at("match.datetime", "RFC3339", wrong).unwrap_err();
            assert!(error.contains("does not match the RFC3339 format"), "{error}");
        }
        let error = at("match.date", "RFC1123", moment).unwrap_err();
        assert_eq!(
            error,
            "match.date: the RFC1123 format is only supported by match.datetime and generate.datetime"
        );
        let error = call_matcher("match.datetime", r#"{"format":"RFC1123","format_style":"java"}"#).unwrap_err();
        assert!(error.contains("a named format has no style"), "{error}");
    }

    #[test]
    fn rejects_examples_in_another_format() {
        let error = call_matcher("match.date", r#"{"example":"2023-02-29","format":"yyyy-MM-dd"}"#).unwrap_err();
        assert!(
            error.starts_with("match.date: the example \"2023-02-29\" does not match the format \"yyyy-MM-dd\""),
            "{error}"
        );
        let error = call_matcher("match.date", r#"{"example":"2023-02-28","format":"YYYY-MM-dd"}"#).unwrap_err();
        assert!(error.contains("probably wrong"), "{error}");
    }

    #[test]
    fn writes_date_objects_in_utc() {
        let at = |name, more| {
            call_matcher(
                name,
                &format!(r#"{{"example":{{"milliseconds":1709214300007}}{more}}}"#),
            )
            .unwrap()
        };
        assert_eq!(at("match.datetime", ""), "regex - 2024-02-29T13:45:00.007Z");
        assert_eq!(at("match.date", ""), "date yyyy-MM-dd 2024-02-29");
        assert_eq!(at("match.time", r#","format":"HH.mm""#), "time HH.mm 13.45");
        assert_eq!(
            call_matcher(
                "match.date",
                r#"{"example":{"milliseconds":1709214300007,"text":"2024-02-28"}}"#
            )
            .as_deref(),
            Ok("date yyyy-MM-dd 2024-02-28")
        );
        let error = call_matcher("match.date", r#"{"example":{"milliseconds":null}}"#).unwrap_err();
        assert_eq!(error, "match.date: example is an invalid date");
    }

    #[test]
    fn generates_missing_examples() {
        assert_eq!(call_matcher("match.time", "{}").as_deref(), Ok("regex HH:mm:ss -"));
    }
}
