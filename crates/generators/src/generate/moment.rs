//! Generates dates and times, relative to the current time.

use contract_datetime::{DateTime, Expression, ExpressionError, Format};
use contract_model::{Json, Moment, Text};

use crate::GenerateError;

// The default formats of the rules `date`, `time`, and `datetime`. Generated values use them as well, so that they
// match.
const DATE: &str = "yyyy-MM-dd";
const TIME: &str = "HH:mm:ss";
const DATE_TIME: &str = "yyyy-MM-dd'T'HH:mm:ssXXX";

pub(super) fn date(moment: &Moment, now: &DateTime) -> Result<Json, GenerateError> {
    read(moment, DATE, Expression::date)?.write(now)
}

pub(super) fn time(moment: &Moment, now: &DateTime) -> Result<Json, GenerateError> {
    read(moment, TIME, Expression::time)?.write(now)
}

pub(super) fn date_time(moment: &Moment, now: &DateTime) -> Result<Json, GenerateError> {
    read(moment, DATE_TIME, Expression::date_time)?.write(now)
}

/// Checks the format and the expression of a date generator.
pub(super) fn check_date(moment: &Moment) -> Result<(), GenerateError> {
    read(moment, DATE, Expression::date).map(|_| ())
}

/// Checks the format and the expression of a time generator.
pub(super) fn check_time(moment: &Moment) -> Result<(), GenerateError> {
    read(moment, TIME, Expression::time).map(|_| ())
}

/// Checks the format and the expression of a date and time generator.
pub(super) fn check_date_time(moment: &Moment) -> Result<(), GenerateError> {
    read(moment, DATE_TIME, Expression::date_time).map(|_| ())
}

struct Read {
    format: (Text, Format),
    expression: Option<(Text, Expression)>,
}

fn read(
    moment: &Moment,
    default: &str,
    read: fn(&str) -> Result<Expression, ExpressionError>,
) -> Result<Read, GenerateError> {
    let non_empty = |text: &Option<Text>| text.clone().filter(|text| !text.is_empty());
    let format = non_empty(&moment.format).unwrap_or_else(|| default.into());
    let parsed = Format::parse(&format).map_err(|problem| GenerateError::Format {
        format: format.clone(),
        problem,
    })?;
    let expression = non_empty(&moment.expression).map(|text| match read(&text) {
        Ok(parsed) => Ok((text, parsed)),
        Err(problem) => Err(GenerateError::Expression {
            expression: text,
            problem,
        }),
    });
    Ok(Read {
        format: (format, parsed),
        expression: expression.transpose()?,
    })
}

impl Read {
    fn write(self, now: &DateTime) -> Result<Json, GenerateError> {
        let (format, parsed) = self.format;
        let text = match self.expression {
            None => parsed.format(now),
            Some((text, expression)) => {
                let lost = |problem| GenerateError::OutOfRange {
                    expression: text,
                    problem,
                };
                parsed.format(&expression.apply(now).map_err(lost)?)
            }
        };
        text.map(Json::from).map_err(|problem| GenerateError::Unwritable {
            format,
            problem: Box::new(problem),
        })
    }
}

#[cfg(test)]
mod tests {
    use contract_datetime::{DateTime, Format};
    use contract_model::{Generator, Json, Moment};

    use crate::{Context, GenerateError, Mode, Random, generate};

    fn now() -> DateTime {
        DateTime::new(2026, 7, 1).unwrap().at(12, 30, 5, 0).unwrap()
    }

    fn moment(format: &str, expression: &str) -> Moment {
        let non_empty = |text: &str| (!text.is_empty()).then(|| text.into());
        Moment {
            format: non_empty(format),
            expression: non_empty(expression),
        }
    }

    fn generate_text(generator: &Generator) -> Result<String, GenerateError> {
        let mut context = Context::new(Mode::Consumer, now(), Random::from_seed(1));
        generate(generator, None, &mut context).map(|value| value.unwrap_or_default().text_form().into_owned())
    }

    #[test]
    fn formats_and_expressions() {
        for (generator, want) in [
            (Generator::Date(moment("", "")), "2026-07-01"),
            (Generator::Time(moment("", "")), "12:30:05"),
            (Generator::DateTime(moment("", "")), "2026-07-01T12:30:05Z"),
            (Generator::Date(moment("dd.MM.yy", "today + 1 day")), "02.07.26"),
            (Generator::Time(moment("HH:mm", "now + 1 hour")), "13:30"),
            (
                Generator::DateTime(moment("yyyy-MM-dd HH:mm", "tomorrow @ noon")),
                "2026-07-02 12:00",
            ),
        ] {
            assert_eq!(generate_text(&generator).unwrap(), want, "{generator:?}");
        }
    }

    #[test]
    fn the_zone_of_now_is_written() {
        let now = now().with_offset(13 * 3600).unwrap();
        let mut context = Context::new(Mode::Consumer, now, Random::from_seed(1));
        let value = generate(&Generator::DateTime(moment("", "")), None, &mut context)
            .unwrap()
            .unwrap();
        assert_eq!(value, Json::from("2026-07-01T12:30:05+13:00"));
    }

    #[test]
    fn generated_values_pass_the_check_of_their_format() {
        for format in [
            "yyyy-MM-dd'T'HH:mm:ss.SSSX",
            "E, d MMM yyyy HH:mm:ss Z",
            "D",
            "hh:mm a",
            "yyyy'W'ww[ e]",
            "QQQ",
        ] {
            for expression in ["", "today + 200 days", "last december", "next monday - 1 year"] {
                let text = generate_text(&Generator::DateTime(moment(format, expression))).unwrap();
                assert_eq!(Format::parse(format).unwrap().check(&text), Ok(()), "{format}: {text}");
            }
        }
    }

    #[test]
    fn rejects_invalid_formats_and_expressions() {
        let format = generate_text(&Generator::DateTime(moment("yyyy-MM-ddTHH", ""))).unwrap_err();
        assert_eq!(
            format.to_string(),
            r#"the format "yyyy-MM-ddTHH" is invalid: unquoted letter "T" at column 11; to include it as text, write 'T'"#
        );
        let expression = generate_text(&Generator::Date(moment("", "someday"))).unwrap_err();
        assert!(matches!(expression, GenerateError::Expression { .. }), "{expression}");
        let lost = generate_text(&Generator::Date(moment("", "today + 999999999 years"))).unwrap_err();
        assert!(
            matches!(
                lost,
                GenerateError::OutOfRange { .. } | GenerateError::Expression { .. }
            ),
            "{lost}"
        );
    }
}
