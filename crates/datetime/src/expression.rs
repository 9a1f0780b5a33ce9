//! Expressions that shift a date or time: `next monday + 2 hours`.

mod apply;
mod error;
mod lexer;
mod parser;
mod steps;

pub use error::ExpressionError;

use crate::{DateTime, DateTimeError};
use lexer::Token;
use steps::{DateStart, DateUnit, Steps, TimeStart, TimeUnit};

/// An expression that shifts a date or time, as used by date and time generators.
///
/// ```text
/// date      = [ "now" | "today" | "yesterday" | "tomorrow" | ("next" | "last") which ] { ("+" | "-") n unit }
/// which     = unit | "fortnight" | weekday | month
/// unit      = "day" | "week" | "month" | "year"
/// time      = [ "now" | "midnight" | "noon" | n "o'clock" [ "am" | "pm" ] | ("next" | "last") unit ] { ("+" | "-") n unit }
/// unit      = "hour" | "minute" | "second" | "millisecond"
/// date-time = date [ "@" time ]
/// ```
///
/// Units may be plural. Weekdays and months may be abbreviated (`mon`, `jan`, also `tues` and `thurs`). Case is
/// ignored. An empty expression changes nothing.
///
/// Steps are applied from left to right:
///
/// - `next monday` is always after the start date, `last monday` always before it. `next june` is 1 June of this year
///   if the month has not started yet, otherwise of the next year. `last june` is 1 June of this year if the month is
///   over, otherwise of the previous year. The time of day is kept.
/// - Months and years keep the day of the month, or use the last day of a shorter month: 31 January `+ 1 month` is 28
///   or 29 February. (Java does the same; the reference implementation returns the first of the next month.)
/// - `12 o'clock am` is midnight, `12 o'clock pm` is noon. Without `am` or `pm`, an hour from 1 to 12 is in the
///   afternoon if the start time is before noon, otherwise in the morning of the same day. 0 and 13 to 23 are hours of
///   the 24-hour clock. Minutes and smaller units become 0.
/// - Times that pass midnight change the date: `@ + 14 hours` may be tomorrow.
/// - The offset is kept: daylight saving time is not supported.
///
/// ```
/// use contract_datetime::{DateTime, Expression};
///
/// let base = DateTime::new(2000, 1, 1)?.at(10, 0, 0, 0)?;
/// let then = Expression::date_time("next monday + 1 month @ noon - 1 minute")?.apply(&base)?;
/// assert_eq!((then.month(), then.day(), then.hour(), then.minute()), (2, 3, 11, 59));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    date: Steps<DateStart, DateUnit>,
    time: Steps<TimeStart, TimeUnit>,
}

impl Expression {
    /// Parses a date expression, such as `tomorrow + 2 weeks`.
    pub fn date(text: &str) -> Result<Self, ExpressionError> {
        let mut tokens = lexer::tokens(text)?;
        let date = parser::date(&mut tokens)?;
        tokens.end("\"+\", \"-\", or the end")?;
        Ok(Self {
            date,
            time: Steps::default(),
        })
    }

    /// Parses a time expression, such as `noon - 10 minutes`.
    pub fn time(text: &str) -> Result<Self, ExpressionError> {
        let mut tokens = lexer::tokens(text)?;
        let time = parser::time(&mut tokens)?;
        tokens.end("\"+\", \"-\", or the end")?;
        Ok(Self {
            date: Steps::default(),
            time,
        })
    }

    /// Parses a date expression, a time expression after `@`, or both: `tomorrow`, `@ noon`, `tomorrow @ noon`.
    ///
    /// ```
    /// let error = contract_datetime::Expression::date_time("today @ noon + 5 days").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     r#"column 18: expected hours, minutes, seconds, or milliseconds, found "days""#
    /// );
    /// ```
    pub fn date_time(text: &str) -> Result<Self, ExpressionError> {
        let mut tokens = lexer::tokens(text)?;
        let date = parser::date(&mut tokens)?;
        if !tokens.eat(&Token::At) {
            tokens.end("\"+\", \"-\", \"@\", or the end")?;
            return Ok(Self {
                date,
                time: Steps::default(),
            });
        }
        let time = parser::time(&mut tokens)?;
        tokens.end("\"+\", \"-\", or the end")?;
        Ok(Self { date, time })
    }

    /// Applies the expression to `base`: first the date part, then the time part. Fails only if the result is out of
    /// the range of [`DateTime`].
    pub fn apply(&self, base: &DateTime) -> Result<DateTime, DateTimeError> {
        let civil = apply::apply(&self.date, &self.time, base.civil()).ok_or(DateTimeError::OutOfRange)?;
        Ok(base.with_civil(civil))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    const BASE: &str = "2000-01-01 10:00:00.000";

    #[track_caller]
    fn check_from(base: &DateTime, expression: &str, want: &str) {
        let parsed = Expression::date_time(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let format = Format::parse("yyyy-MM-dd HH:mm:ss.SSS").unwrap();
        assert_eq!(
            format.format(&parsed.apply(base).unwrap()).unwrap(),
            want,
            "{expression}"
        );
    }

    #[track_caller]
    fn check(expression: &str, want: &str) {
        check_from(
            &DateTime::new(2000, 1, 1).unwrap().at(10, 0, 0, 0).unwrap(),
            expression,
            want,
        );
    }

    #[track_caller]
    fn check_date(base: (i32, u32, u32), expression: &str, want: &str) {
        check_from(
            &DateTime::new(base.0, base.1, base.2).unwrap(),
            expression,
            &format!("{want} 00:00:00.000"),
        );
    }

    #[track_caller]
    fn refused(result: Result<Expression, ExpressionError>, want: &str) {
        assert_eq!(result.unwrap_err().to_string(), want);
    }

    #[test]
    fn dates_without_a_step() {
        for same in ["", " ", "now", "today", "TODAY", "@", "now @ now", "@ now"] {
            check(same, BASE);
        }
        check("yesterday", "1999-12-31 10:00:00.000");
        check("tomorrow", "2000-01-02 10:00:00.000");
    }

    #[test]
    fn steps_are_added_from_left_to_right() {
        check("+ 1 day", "2000-01-02 10:00:00.000");
        check("+1week-1day", "2000-01-07 10:00:00.000");
        check("tomorrow + 2 months - 3 years", "1997-03-02 10:00:00.000");
        check("next week + 1 day", "2000-01-09 10:00:00.000");
    }

    #[test]
    fn next_and_last_units() {
        check_date((2000, 1, 1), "next day", "2000-01-02");
        check_date((2000, 1, 1), "next fortnight", "2000-01-15");
        check_date((2000, 1, 1), "last fortnight", "1999-12-18");
        check_date((2000, 1, 1), "last month", "1999-12-01");
        check_date((2000, 1, 1), "next year", "2001-01-01");
    }

    #[test]
    fn weekdays_are_never_the_day_itself() {
        check_date((2000, 1, 1), "next saturday", "2000-01-08");
        check_date((2000, 1, 1), "last sat", "1999-12-25");
        check_date((2000, 1, 1), "next mon", "2000-01-03");
        check_date((2000, 1, 1), "last thurs", "1999-12-30");
        check_date((2000, 1, 1), "next Tues", "2000-01-04");
    }

    #[test]
    fn named_months_begin_on_their_first_day() {
        check_date((2000, 1, 1), "next june", "2000-06-01");
        check_date((2000, 1, 1), "last december", "1999-12-01");
        check_date((2000, 6, 15), "next jun", "2001-06-01");
        check_date((2000, 6, 15), "last june", "1999-06-01");
        check_date((2000, 6, 15), "last may", "2000-05-01");
        check_date((2000, 6, 15), "next may + 1 day", "2001-05-02");
    }

    #[test]
    fn short_months_use_their_last_day() {
        check_date((2000, 1, 31), "+ 1 month", "2000-02-29");
        check_date((2001, 1, 31), "+ 1 month", "2001-02-28");
        check_date((2001, 3, 31), "- 1 month", "2001-02-28");
        check_date((2000, 2, 29), "+ 1 year", "2001-02-28");
        check_date((2000, 2, 29), "next year + 3 years", "2004-02-28");
    }

    #[test]
    fn times_without_a_date() {
        check("@ midnight", "2000-01-01 00:00:00.000");
        check("@ noon", "2000-01-01 12:00:00.000");
        check("@ + 14 hours", "2000-01-02 00:00:00.000");
        check("@ next minute + 2 milliseconds", "2000-01-01 10:01:00.002");
        check("@ last second", "2000-01-01 09:59:59.000");
        check("tomorrow @ noon - 1 hour", "2000-01-02 11:00:00.000");
    }

    #[test]
    fn regression_twelve_o_clock_is_midnight_in_the_morning_and_noon_in_the_afternoon() {
        check("@ 12 o'clock am", "2000-01-01 00:00:00.000");
        check("@ 12 o'clock pm", "2000-01-01 12:00:00.000");
        check("@ 1 o'clock am", "2000-01-01 01:00:00.000");
        check("@ 11 O'Clock PM", "2000-01-01 23:00:00.000");
    }

    #[test]
    fn hours_without_am_or_pm_are_in_the_other_half_of_the_day() {
        check("@ 3 o'clock", "2000-01-01 15:00:00.000");
        check("@ 12 o'clock", "2000-01-01 12:00:00.000");
        let afternoon = DateTime::new(2000, 1, 1).unwrap().at(14, 30, 0, 0).unwrap();
        check_from(&afternoon, "@ 3 o'clock", "2000-01-01 03:00:00.000");
        check_from(&afternoon, "@ 12 o'clock", "2000-01-01 00:00:00.000");
        check_from(&afternoon, "@ 15 o'clock", "2000-01-01 15:00:00.000");
        check("@ 0 o'clock", "2000-01-01 00:00:00.000");
    }

    #[test]
    fn errors_point_at_the_column() {
        let unit = "days, weeks, months, or years";
        refused(
            Expression::date("+ 1 day nonsense"),
            r#"column 9: expected "+", "-", or the end, found "nonsense""#,
        );
        refused(
            Expression::date("+ 1"),
            &format!("column 4: expected {unit}, found the end"),
        );
        refused(
            Expression::date("+ 1 hour"),
            &format!(r#"column 5: expected {unit}, found "hour""#),
        );
        refused(Expression::date("+ day"), r#"column 3: expected a number, found "day""#);
        refused(
            Expression::date("next"),
            "column 5: expected a unit, a day of the week, or a month, found the end",
        );
        refused(
            Expression::date("today @ noon"),
            r#"column 7: expected "+", "-", or the end, found "@""#,
        );
        refused(Expression::time("13 o'clock am"), NO_HOUR_13);
        refused(
            Expression::date_time("@ noon @"),
            r#"column 8: expected "+", "-", or the end, found "@""#,
        );
        refused(
            Expression::date("+ 99999999999 days"),
            "column 3: the number 99999999999 is too large",
        );
        refused(
            Expression::date("morgen"),
            r#"column 1: expected "+", "-", or a word such as "today", "tomorrow", or "next", found "morgen""#,
        );
        refused(
            Expression::date("+ 1 day é"),
            r#"column 9: expected a word, a number, "+", "-", or "@", found "é""#,
        );
        assert_eq!(Expression::date("é").unwrap_err().column(), 1);
    }

    const NO_HOUR_13: &str = "column 1: the hour 13 is invalid; use 0 to 23, or 1 to 12 with \"am\" or \"pm\"";

    #[test]
    fn results_beyond_the_calendar_are_errors() {
        let base = DateTime::new(2000, 1, 1).unwrap();
        for far in [
            "+ 4294967295 years",
            "- 4294967295 years",
            "+ 4294967295 days",
            "- 4294967295 weeks",
        ] {
            assert_eq!(
                Expression::date(far).unwrap().apply(&base),
                Err(DateTimeError::OutOfRange),
                "{far}"
            );
        }
        assert!(
            Expression::time("+ 4294967295 milliseconds")
                .unwrap()
                .apply(&base)
                .is_ok()
        );
    }
}
