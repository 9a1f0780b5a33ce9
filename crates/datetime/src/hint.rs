//! Hints about probable mistakes in formats.

use std::fmt;

use crate::scan::{Token, TokenKind};

/// A probable mistake in a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Column of the letters to which the hint refers, counted in characters from 1.
    pub column: usize,
    pub kind: HintKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HintKind {
    /// `Y` without a week. Around New Year, the week-based year differs from the calendar year.
    WeekYear,
    /// `D` with a month. `D` is the day of the year; the day of the month is `d`.
    DayOfYear,
    /// `m` in a date without hours. `m` is the minute; the month is `M`.
    MinuteForMonth,
    /// `h` or `K` without `a`. The 12-hour clock is ambiguous without AM or PM.
    HalfDay,
    /// The format looks like a strftime format, which [`from_strftime`](crate::from_strftime) translates.
    Strftime,
}

pub(crate) fn hints(tokens: &[Token]) -> Vec<Hint> {
    let find = |letters: &str| {
        tokens
            .iter()
            .find(|token| matches!(token.kind, TokenKind::Letters(letter, _) if letters.contains(letter)))
    };
    let has = |letters: &str| find(letters).is_some();
    let is_date = has("uyYd");
    let minute_for_month = find("m").filter(|_| is_date && !has("MLHhKkAN"));
    let likely = [
        (HintKind::WeekYear, find("Y").filter(|_| !has("w"))),
        (
            HintKind::DayOfYear,
            find("D").filter(|_| has("ML") || minute_for_month.is_some()),
        ),
        (HintKind::MinuteForMonth, minute_for_month),
        (HintKind::HalfDay, find("hK").filter(|_| !has("aHkAN"))),
        (HintKind::Strftime, strftime_directive(tokens)),
    ];
    likely
        .into_iter()
        .filter_map(|(kind, token)| {
            token.map(|token| Hint {
                column: token.column,
                kind,
            })
        })
        .collect()
}

/// Returns the first letter run that follows a percent sign.
fn strftime_directive(tokens: &[Token]) -> Option<&Token> {
    let pairs = tokens.windows(2).find(|pair| match (&pair[0].kind, &pair[1].kind) {
        (TokenKind::Literal(text), TokenKind::Letters(..)) => text.ends_with('%'),
        _ => false,
    });
    pairs.map(|pair| &pair[1])
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.column;
        match self.kind {
            HintKind::WeekYear => write!(
                f,
                "\"YYYY\" at column {column} is the week-based year. Use \"yyyy\" for the calendar year."
            ),
            HintKind::DayOfYear => {
                write!(
                    f,
                    "\"DD\" at column {column} is the day of the year. Use \"dd\" for the day of the month."
                )
            }
            HintKind::MinuteForMonth => write!(f, "\"mm\" at column {column} is the minute. Use \"MM\" for the month."),
            HintKind::HalfDay => write!(
                f,
                "\"hh\" at column {column} is an hour from 1 to 12. Use \"HH\" for 0 to 23, or add \"a\" for AM/PM."
            ),
            HintKind::Strftime => {
                write!(
                    f,
                    "the \"%\" before column {column} looks like a strftime directive. Use \"yyyy-MM-dd\" instead of \"%Y-%m-%d\"."
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[track_caller]
    fn check(format: &str, want: &[(usize, HintKind)]) {
        let format = Format::parse(format).unwrap();
        let found: Vec<_> = format.hints().iter().map(|hint| (hint.column, hint.kind)).collect();
        assert_eq!(found, want, "{format}");
    }

    #[test]
    fn hints_at_letters_that_are_often_confused() {
        check("YYYY-MM-DD", &[(1, HintKind::WeekYear), (9, HintKind::DayOfYear)]);
        check("yyyy-mm-dd", &[(6, HintKind::MinuteForMonth)]);
        check(
            "YYYY-mm-DD",
            &[
                (1, HintKind::WeekYear),
                (9, HintKind::DayOfYear),
                (6, HintKind::MinuteForMonth),
            ],
        );
        check("yyyy-MM-dd hh:mm", &[(12, HintKind::HalfDay)]);
        check(
            "%Y-%m-%d",
            &[
                (2, HintKind::WeekYear),
                (5, HintKind::MinuteForMonth),
                (2, HintKind::Strftime),
            ],
        );
    }

    #[test]
    fn valid_formats_get_no_hint() {
        for format in [
            "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
            "YYYY-'W'ww-e",
            "h:mm a",
            "mm:ss",
            "yyyy-DDD",
            "'%Y'",
            "S %",
        ] {
            check(format, &[]);
        }
    }
}
