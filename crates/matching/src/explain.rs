//! Longer explanations beside a mismatch: differences line by line, bounded in size.

use std::fmt::Write;

use contract_model::{Json, Layout};

use crate::diff;

/// Longest text that is searched for differences, and most lines.
const SEARCHED: (usize, usize) = (64 * 1024, 2_000);
/// Unchanged lines around a difference.
const CONTEXT: usize = 2;
/// Longest explanation.
const LONGEST: usize = 4 * 1024;

/// The differences between two texts, line by line: `-` stands before what was expected, `+` before what arrived.
pub(crate) fn lines(expected: &str, actual: &str) -> Option<String> {
    let fits = |text: &str| text.len() <= SEARCHED.0 && text.lines().take(SEARCHED.1 + 1).count() <= SEARCHED.1;
    if !fits(expected) || !fits(actual) {
        return None;
    }
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let mut text = String::new();
    for group in diff::groups(&expected, &actual, CONTEXT, None) {
        let _ = writeln!(text, "{}", group.header());
        for line in &group.lines {
            let _ = writeln!(text, "{line}");
        }
    }
    (!text.is_empty()).then(|| shortened(text))
}

/// The differences between two JSON values, member by member.
pub(crate) fn json(expected: &Json, actual: &Json) -> Option<String> {
    // Printing what is far too long to be searched would be wasted.
    let fits = |value: &Json| values(value, SEARCHED.1) <= SEARCHED.1;
    if !fits(expected) || !fits(actual) {
        return None;
    }
    let printed = |value: &Json| value.to_layout(Layout::Sorted) + "\n";
    lines(&printed(expected), &printed(actual))
}

/// Counts values up to somewhat above a limit.
fn values(value: &Json, limit: usize) -> usize {
    let add = |sum: usize, value: &Json| if sum > limit { sum } else { sum + values(value, limit) };
    match value {
        Json::Array(items) => items.iter().fold(1, add),
        Json::Object(object) => object.iter().map(|(_, value)| value).fold(1, add),
        _ => 1,
    }
}

/// Cuts at the end of a line.
fn shortened(mut text: String) -> String {
    if text.len() > LONGEST {
        let cut = text.as_bytes()[..LONGEST]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .unwrap_or(0);
        text.truncate(cut);
        text.push_str("\n… (more differences follow)");
    }
    text.trim_end().to_owned()
}
