//! Targets for short strings with a grammar.

use contract_datetime::{DateTime, Expression, Format, from_strftime};
use contract_matching::{Pattern, from_javascript};
use contract_model::{ContentType, MatchingExpression, PathExpression, Query, Rule};

use crate::pieces::pieces;

fn text(input: &[u8]) -> &str {
    std::str::from_utf8(input).unwrap_or_default()
}

/// Checks that path expressions round-trip.
pub(crate) fn path(input: &[u8]) {
    match text(input).parse::<PathExpression>() {
        Ok(path) => assert_eq!(path.to_string().parse().as_ref(), Ok(&path), "{path}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Checks that the rules of a matching expression can be written and read back.
pub(crate) fn expression(input: &[u8]) {
    match text(input).parse::<MatchingExpression>() {
        Ok(expression) => {
            expression.example();
            for rule in expression.rules(|_| true).unwrap_or_default() {
                let json = rule.to_json();
                let reread = Rule::from_json(&json).unwrap_or_else(|error| panic_at(&json.to_text(), &error));
                assert_eq!(reread.to_json().to_text(), json.to_text());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Input: a pattern and a string. Checks that matching stops within the step limit.
pub(crate) fn pattern(input: &[u8]) {
    let [pattern, subject] = pieces(input).map(text);
    if let Ok(compiled) = Pattern::new(pattern) {
        let _ = compiled.matches(subject);
    }
    if let Ok(translated) = from_javascript(pattern, "i") {
        let _ = Pattern::new(&translated).map(|compiled| compiled.matches(subject));
    }
}

/// Input: a format and a string. Checks that values formatted with the format also match it.
pub(crate) fn format(input: &[u8]) {
    let [pattern, subject] = pieces(input).map(text);
    let translated = from_strftime(pattern);
    for pattern in [Some(pattern), translated.as_deref().ok()].into_iter().flatten() {
        match Format::parse(pattern) {
            Ok(format) => {
                let _ = format.check(subject);
                format.hints();
                for at in moments() {
                    if let Ok(written) = format.format(&at) {
                        assert_eq!(format.check(&written), Ok(()), "{pattern:?} wrote {written:?}");
                    }
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Input: an expression for a date or time, such as `now + 2 hours`.
pub(crate) fn moment(input: &[u8]) {
    let text = text(input);
    for expression in [
        Expression::date(text),
        Expression::time(text),
        Expression::date_time(text),
    ] {
        match expression {
            Ok(expression) => {
                for at in moments() {
                    let _ = expression.apply(&at);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Checks that content types round-trip and match themselves, and that query strings keep their names and values.
pub(crate) fn content_type(input: &[u8]) {
    let text = text(input);
    if let Ok(content_type) = text.parse::<ContentType>() {
        let reread = content_type.to_string().parse::<ContentType>();
        assert_eq!(reread.as_ref(), Ok(&content_type));
        assert!(content_type.accepts(&content_type));
    }
    let query = Query::parse(text);
    assert_eq!(Query::parse(&query.to_text()).pairs(), query.pairs());
}

fn moments() -> impl Iterator<Item = DateTime> {
    [
        (951_782_400, 0, 0),
        (1_798_761_599, 999_999_999, 14 * 3600),
        (-62_000_000_000, 1, -18 * 3600),
        (250_000_000_000, 500_000_000, 45 * 60),
    ]
    .into_iter()
    .filter_map(|(seconds, nanosecond, offset)| DateTime::from_unix(seconds, nanosecond, offset).ok())
}

#[expect(clippy::panic, reason = "a fuzz target reports a violation by panicking")]
fn panic_at(property: &str, error: &dyn std::fmt::Display) -> ! {
    panic!("{property}: {error}")
}
