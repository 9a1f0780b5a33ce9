//! Formats of dates and times, as the matchers take them.

use contract_datetime::{DateTime, Format, from_strftime, is_strftime};

use crate::error::{ArgumentError, EXAMPLE, MATCHER};

/// What a date or time matcher is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// A date.
    Date,
    /// A time of day.
    Time,
    /// Both.
    DateTime,
}

/// How a format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatStyle {
    /// `%Y-%m-%d`
    Strftime,
    /// `yyyy-MM-dd`, the letters of Java's `DateTimeFormatter`, as contract files have them.
    Java,
}

/// The example of a date or time matcher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MomentExample<'a> {
    /// As it stands in the document.
    Text(&'a str),
    /// Milliseconds since 1970, written in UTC.
    Milliseconds(i64),
}

/// A format for contract files, and the example in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// In the letters of Java's `DateTimeFormatter`.
    pub format: String,
    /// The example, when there was one.
    pub example: Option<String>,
}

impl MomentKind {
    /// ISO 8601 in the forms that occur; the first is the default.
    fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Date => &["yyyy-MM-dd", "yyyyMMdd"],
            Self::Time => &["HH:mm:ss", "HH:mm:ss.SSS", "HH:mm", "HH:mm:ssXXX", "HH:mm:ss.SSSXXX"],
            Self::DateTime => &[
                "yyyy-MM-dd'T'HH:mm:ssXXX",
                "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
                "yyyy-MM-dd'T'HH:mm:ss",
                "yyyy-MM-dd'T'HH:mm:ss.SSS",
                "yyyy-MM-dd'T'HH:mm:ssXX",
                "yyyy-MM-dd'T'HH:mm:ss.SSSXX",
                "yyyy-MM-dd'T'HH:mmXXX",
                "yyyy-MM-dd HH:mm:ss",
            ],
        }
    }
}

/// Settles format and example: a format in either style becomes that of contract files, a missing one is told from the
/// example, an example must be in the format. `call` names the function that asks, such as `match.date`.
pub fn moment(
    call: &str,
    kind: MomentKind,
    example: Option<MomentExample<'_>>,
    format: Option<&str>,
    style: Option<FormatStyle>,
) -> Result<Moment, ArgumentError> {
    let refused = |code, problem: String| ArgumentError::new(code, format!("{call}: {problem}"));
    let chosen = match (format, example) {
        (Some(format), _) => {
            let is_strftime = style.map_or_else(|| is_strftime(format), |style| style == FormatStyle::Strftime);
            let java = if is_strftime {
                from_strftime(format)
            } else {
                Ok(format.to_owned())
            };
            java.map_err(|error| refused(MATCHER, error.to_string()))?
        }
        (None, Some(MomentExample::Text(text))) => told_from(kind, text).ok_or_else(|| {
            let known = kind.usual().join(", ");
            refused(
                EXAMPLE,
                format!("{text:?} is in none of the usual formats ({known}); give its format"),
            )
        })?,
        // `toISOString` writes milliseconds.
        (None, Some(MomentExample::Milliseconds(_))) if kind == MomentKind::DateTime => kind.usual()[1].to_owned(),
        (None, _) => kind.usual()[0].to_owned(),
    };
    let parsed = Format::parse(&chosen).map_err(|error| refused(MATCHER, error.to_string()))?;
    if let Some(hint) = parsed.hints().first() {
        return Err(refused(
            MATCHER,
            format!("the format {chosen:?} is probably wrong: {hint}"),
        ));
    }
    let example = match example {
        None => None,
        Some(MomentExample::Text(text)) => {
            parsed.check(text).map_err(|problem| {
                refused(
                    EXAMPLE,
                    format!("the example {text:?} is not in the format {chosen:?}: {problem}"),
                )
            })?;
            Some(text.to_owned())
        }
        Some(MomentExample::Milliseconds(milliseconds)) => {
            let nanosecond = u32::try_from(milliseconds.rem_euclid(1000)).unwrap_or(0) * 1_000_000;
            let at = DateTime::from_unix(milliseconds.div_euclid(1000), nanosecond, 0);
            let at = at.map_err(|error| refused(EXAMPLE, error.to_string()))?;
            Some(
                parsed
                    .format(&at)
                    .map_err(|problem| refused(EXAMPLE, problem.to_string()))?,
            )
        }
    };
    Ok(Moment {
        format: chosen,
        example,
    })
}

fn told_from(kind: MomentKind, text: &str) -> Option<String> {
    let fits = |format: &&&str| Format::parse(format).is_ok_and(|format| format.check(text).is_ok());
    kind.usual().iter().find(fits).map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::{MomentExample, MomentKind, moment};

    fn text(kind: MomentKind, example: &str, format: Option<&str>) -> Result<String, String> {
        moment("match.date", kind, Some(MomentExample::Text(example)), format, None)
            .map(|m| m.format)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn the_format_is_told_from_the_example() {
        for (example, want) in [
            ("2024-02-29T13:45:00Z", "yyyy-MM-dd'T'HH:mm:ssXXX"),
            ("2024-02-29T13:45:00+14:00", "yyyy-MM-dd'T'HH:mm:ssXXX"),
            ("2024-02-29T13:45:00.123Z", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
            ("2024-02-29T13:45:00", "yyyy-MM-dd'T'HH:mm:ss"),
        ] {
            assert_eq!(text(MomentKind::DateTime, example, None).as_deref(), Ok(want));
        }
        assert!(
            text(MomentKind::Date, "29.2.2024", None)
                .unwrap_err()
                .contains("give its format")
        );
    }

    #[test]
    fn strftime_is_translated() {
        assert_eq!(
            text(MomentKind::Date, "29.02.2024", Some("%d.%m.%Y")).as_deref(),
            Ok("dd.MM.yyyy")
        );
    }

    #[test]
    fn an_example_must_be_in_the_format() {
        let error = text(MomentKind::Date, "2023-02-29", Some("yyyy-MM-dd")).unwrap_err();
        assert!(
            error.starts_with("match.date: the example \"2023-02-29\" is not in the format \"yyyy-MM-dd\""),
            "{error}"
        );
        assert!(
            text(MomentKind::Date, "2023-02-28", Some("YYYY-MM-dd"))
                .unwrap_err()
                .contains("probably wrong")
        );
    }

    #[test]
    fn milliseconds_are_written_in_utc() {
        let made = moment(
            "match.datetime",
            MomentKind::DateTime,
            Some(MomentExample::Milliseconds(1_709_214_300_007)),
            None,
            None,
        )
        .unwrap();
        assert_eq!(made.example.as_deref(), Some("2024-02-29T13:45:00.007Z"));
        assert_eq!(
            moment("match.time", MomentKind::Time, None, None, None).unwrap().format,
            "HH:mm:ss"
        );
    }
}
