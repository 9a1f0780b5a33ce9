//! Naive implementations of the rules for strings. Formats are parsed by hand, and patterns are matched step by step.

use contract_model::Rule;

/// Returns whether the string has the format that the rule requires. Returns `None` for rules of other kinds.
pub(crate) fn format(rule: &Rule, text: &str) -> Option<bool> {
    Some(match rule {
        Rule::Regex(pattern) => pattern_matches(&pieces(pattern), text.as_bytes()),
        Rule::Date(Some(format)) if format == "yyyy-MM-dd" => is_date(text),
        Rule::Time(Some(format)) if format == "HH:mm:ss" => is_time(text),
        Rule::DateTime(Some(format)) if format == "yyyy-MM-dd'T'HH:mm:ss" => text
            .split_once('T')
            .is_some_and(|(date, time)| is_date(date) && is_time(time)),
        Rule::Semver => is_version(text),
        _ => return None,
    })
}

pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn number(text: &str, length: usize) -> Option<u32> {
    (text.len() == length && is_digits(text)).then(|| text.parse().ok())?
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let [hour, minute, second] = parts[..] else {
        return false;
    };
    let below = |text, limit| number(text, 2).is_some_and(|number| number < limit);
    below(hour, 24) && below(minute, 60) && below(second, 60)
}

/// Returns true for three numbers without leading zeros, optionally followed by a hyphen and a pre-release.
fn is_version(text: &str) -> bool {
    let (core, label) = text
        .split_once('-')
        .map_or((text, None), |(core, label)| (core, Some(label)));
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.len() == 3
        && numbers
            .iter()
            .all(|n| is_digits(n) && (*n == "0" || !n.starts_with('0')))
        && label.is_none_or(|label| !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase()))
}

type Takes = fn(u8) -> bool;

/// An element of a pattern: the accepted bytes, the minimum number of repetitions, and whether more are allowed.
struct Piece {
    takes: Takes,
    least: usize,
    is_open: bool,
}

/// Parses a pattern. The test only creates patterns of `[a-z]`, `\d`, and `.`, each optionally followed by `+` or `*`.
fn pieces(pattern: &str) -> Vec<Piece> {
    let mut rest = pattern;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let forms: [(&str, Takes); 3] = [
            ("[a-z]", |b| b.is_ascii_lowercase()),
            (r"\d", |b| b.is_ascii_digit()),
            (".", |b| b != b'\n'),
        ];
        let (form, takes) = forms
            .into_iter()
            .find(|(form, _)| rest.starts_with(form))
            .expect("the test creates no other patterns");
        rest = &rest[form.len()..];
        let (least, is_open) = match rest.bytes().next() {
            Some(b'+') => (1, true),
            Some(b'*') => (0, true),
            _ => (1, false),
        };
        rest = if is_open { &rest[1..] } else { rest };
        pieces.push(Piece { takes, least, is_open });
    }
    pieces
}

fn pattern_matches(pieces: &[Piece], text: &[u8]) -> bool {
    let Some((piece, others)) = pieces.split_first() else {
        return text.is_empty();
    };
    let most = if piece.is_open { text.len() } else { 1 };
    (piece.least..=most).any(|count| {
        text.get(..count)
            .is_some_and(|head| head.iter().all(|&b| (piece.takes)(b)))
            && pattern_matches(others, &text[count..])
    })
}
