//! Formats explanations of mismatches and limits their size.

use std::fmt::Write;

use contract_matching::{Explanation, Mismatch, is_hidden};
use contract_model::{Json, Layout, Object, REDACTED, is_secret};

use crate::diff::{self, Line};

/// Maximum size in bytes and maximum number of lines of the strings to compare line by line.
const DIFF_LIMITS: (usize, usize) = (64 * 1024, 2_000);
/// Number of unchanged lines before and after a change.
const CONTEXT: usize = 2;
/// Maximum size of an explanation in bytes.
const MAX_SIZE: usize = 4 * 1024;

/// Maximum length in bytes of single-line strings that are not explained, because the difference is obvious.
const SHORT_LINE: usize = 100;

/// Maximum distance between a name in a long line and the first difference, in characters. An excerpt starts with the
/// name unless the name is farther away.
const MAX_PAIR: usize = 200;

/// Formats the explanation of a mismatch. Returns `None` if there is nothing to explain. The mismatch must contain the
/// complete values without redaction.
pub fn explanation(mismatch: &Mismatch) -> Option<String> {
    format_explanation(mismatch.explanation.as_ref()?, mismatch)
}

fn format_explanation(explanation: &Explanation, mismatch: &Mismatch) -> Option<String> {
    let values = || mismatch.expected.as_ref().zip(mismatch.actual.as_ref());
    let format_more =
        |more: &Option<Box<Explanation>>| more.as_ref().and_then(|more| format_explanation(more, mismatch));
    match explanation {
        Explanation::Texts => match values()? {
            (Json::String(expected), Json::String(actual)) if expected.contains('\n') || actual.contains('\n') => {
                lines(expected, actual)
            }
            (Json::String(expected), Json::String(actual)) => long_line(expected, actual),
            _ => None,
        },
        Explanation::Documents => values().and_then(|(expected, actual)| json(expected, actual)),
        Explanation::Keys => values().and_then(|(expected, actual)| keys(expected.as_object()?, actual.as_object()?)),
        Explanation::Between { expected, actual } => {
            texts(&String::from_utf8_lossy(expected), &String::from_utf8_lossy(actual))
        }
        Explanation::Bytes { expected, actual } => bytes(expected, actual),
        Explanation::Text(text) => Some(text.clone()),
        Explanation::NumberKinds => Some(
            "the values are equal, but one is an integer and the other is a decimal; use a number matcher to accept both"
                .to_owned(),
        ),
        Explanation::Key => Some("the mismatch is in the key, not in its value".to_owned()),
        Explanation::EmptyList => Some("the array is empty".to_owned()),
        Explanation::Nearest {
            index,
            among,
            mismatches,
            more,
        } => Some(nearest(*index, *among, mismatches, *more)),
        Explanation::AsText { reason, more } => {
            let reason = format!("The example in the contract is not {reason}; the bodies were compared as text.");
            let all: Vec<_> = std::iter::once(reason).chain(format_more(more)).collect();
            Some(all.join("\n"))
        }
        Explanation::Alternatives { more } => {
            format_more(more).or_else(|| Some("at least one alternative must match, but none does".to_owned()))
        }
        Explanation::FirstOnly(most) => Some(format!(
            "Only the first {most} mismatches are listed; there may be more."
        )),
        Explanation::InMessage { number, count, more } => {
            let place = format!("in message {number} of {count}");
            Some(match format_more(more) {
                Some(more) => format!("{place}: {more}"),
                None => place,
            })
        }
        _ => None,
    }
}

/// Describes the array item that is closest to the expected item, and how it differs.
fn nearest(index: usize, examined: Option<usize>, mismatches: &[Mismatch], more: usize) -> String {
    let reason = |m: &Mismatch| {
        if m.at.is_secret() {
            format!("  {}: the value does not match (redacted)", m.at)
        } else {
            format!("  {}: {m}", m.at)
        }
    };
    let mut reasons: Vec<_> = mismatches.iter().map(reason).collect();
    if more > 0 {
        reasons.push(format!("  … and {more} more mismatches"));
    }
    let examined = examined
        .map(|count| format!(" (among the first {count})"))
        .unwrap_or_default();
    format!(
        "the closest item is at index {index}{examined}:\n{}",
        reasons.join("\n")
    )
}

fn texts(expected: &str, actual: &str) -> Option<String> {
    if [expected, actual].iter().all(|text| !text.contains('\n')) {
        return long_line(expected, actual).or_else(|| lines(expected, actual));
    }
    lines(expected, actual)
}

/// Describes the first difference between two single-line strings. Returns `None` if they are short or have no common
/// beginning.
fn long_line(expected: &str, actual: &str) -> Option<String> {
    if expected.len().max(actual.len()) <= SHORT_LINE || expected == actual {
        return None;
    }
    let same = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return None;
    }
    // Start the excerpt with the name in front of the value. If the name is sensitive, it is recognized, and the value
    // is redacted.
    let before: usize = expected.chars().take(same).map(char::len_utf8).sum();
    let pair = expected[..before].rfind(['&', ';', ',', '{']);
    let pair = pair.map_or(same, |at| expected[at..before].chars().count());
    let from = same - if pair <= MAX_PAIR { pair } else { same.min(10) };
    let excerpt = |text: &str| {
        let end = same + 40;
        let mut section: String = text.chars().take(end).skip(from).flat_map(visible).collect();
        if from > 0 {
            section.insert(0, '…');
        }
        if text.chars().nth(end).is_some() {
            section.push('…');
        }
        section
    };
    Some(format!(
        "{} the same; expected '{}' next, received '{}'",
        beginning(same, "character"),
        excerpt(expected),
        excerpt(actual)
    ))
}

/// Formats the start of a sentence, such as `the first byte is` or `the first 3 bytes are`.
fn beginning(same: usize, unit: &str) -> String {
    match same {
        1 => format!("the first {unit} is"),
        more => format!("the first {more} {unit}s are"),
    }
}

fn bytes(expected: &[u8], actual: &[u8]) -> Option<String> {
    let same = expected.iter().zip(actual).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return None;
    }
    let excerpt = |bytes: &[u8]| match &bytes[same..] {
        [] => "end of data".to_owned(),
        rest => {
            let start: Vec<_> = rest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            let start = start.concat();
            if rest.len() > 8 { start + "…" } else { start }
        }
    };
    Some(format!(
        "{} the same; expected {} next, received {}",
        beginning(same, "byte"),
        excerpt(expected),
        excerpt(actual)
    ))
}

/// Compares two strings line by line. In the result, `-` marks expected lines, and `+` marks actual lines.
fn lines(expected: &str, actual: &str) -> Option<String> {
    let fits =
        |text: &str| text.len() <= DIFF_LIMITS.0 && text.split('\n').take(DIFF_LIMITS.1 + 1).count() <= DIFF_LIMITS.1;
    if !fits(expected) || !fits(actual) {
        return None;
    }
    // Keep line endings as part of each line, so that different line endings are visible.
    let (expected, actual) = match (expected.strip_suffix('\n'), actual.strip_suffix('\n')) {
        (Some(expected), Some(actual)) => (expected, actual),
        _ => (expected, actual),
    };
    let (expected, actual) = (split(expected), split(actual));
    let mut text = String::new();
    for group in diff::groups(&expected, &actual, CONTEXT) {
        let _ = writeln!(text, "{}", group.header());
        for line in &group.lines {
            let _ = writeln!(text, "{}", visible_line(*line));
        }
    }
    (!text.is_empty()).then(|| shortened(text))
}

fn split(text: &str) -> Vec<&str> {
    if text.is_empty() {
        Vec::new()
    } else {
        text.split('\n').collect()
    }
}

/// Formats a line of a diff. In changed lines, makes trailing spaces and invisible characters visible.
fn visible_line(line: Line<'_>) -> String {
    let text = line.text();
    let end = match line {
        Line::Same(_) => text.len(),
        Line::Expected(_) | Line::Actual(_) => text.trim_end_matches(' ').len(),
    };
    let mut out: String = match line {
        Line::Same(_) => ' ',
        Line::Expected(_) => '-',
        Line::Actual(_) => '+',
    }
    .into();
    out.extend(text[..end].chars().flat_map(visible));
    out.extend(std::iter::repeat_n('·', text.len() - end));
    out
}

/// Returns the character, or its escape sequence if it is invisible.
fn visible(character: char) -> impl Iterator<Item = char> {
    let escaped = is_hidden(character) && character != '\t';
    let (plain, escape) = if escaped {
        (None, Some(character.escape_default()))
    } else {
        (Some(character), None)
    };
    plain.into_iter().chain(escape.into_iter().flatten())
}

fn json(expected: &Json, actual: &Json) -> Option<String> {
    // Skip large documents before formatting them, because they would not be compared.
    let fits = |value: &Json| values(value, DIFF_LIMITS.1) <= DIFF_LIMITS.1;
    if !fits(expected) || !fits(actual) {
        return None;
    }
    // Remove commas, because a member added after the last one would otherwise change two lines.
    let printed = |value: &Json| {
        let text = without_secrets(value).to_layout(Layout::Sorted);
        match text.as_str() {
            "{}" => "{\n}".to_owned(),
            "[]" => "[\n]".to_owned(),
            _ => text.replace(",\n", "\n"),
        }
    };
    lines(&printed(expected), &printed(actual))
}

/// Lists the missing and the unexpected keys. Members that both objects have are compared separately.
fn keys(expected: &Object, actual: &Object) -> Option<String> {
    let expected_values = expected.iter().map(|(key, value)| {
        let value = actual.get(key).unwrap_or(value);
        (key.clone(), value.clone())
    });
    json(&Json::Object(expected_values.collect()), &Json::Object(actual.clone()))
}

/// Returns a copy with sensitive members redacted. Redaction must precede formatting, because the formatted explanation
/// is plain text without members.
fn without_secrets(value: &Json) -> Json {
    let hidden = |value: &Json| match value {
        Json::Null | Json::Bool(_) => value.clone(),
        _ => REDACTED.into(),
    };
    match value {
        Json::Array(items) => Json::Array(items.iter().map(without_secrets).collect()),
        Json::Object(members) => {
            let redacted = members.iter().map(|(name, value)| {
                let value = if is_secret(name) {
                    hidden(value)
                } else {
                    without_secrets(value)
                };
                (name.clone(), value)
            });
            Json::Object(redacted.collect())
        }
        scalar => scalar.clone(),
    }
}

/// Counts nested values. Stops slightly above `limit`.
fn values(value: &Json, limit: usize) -> usize {
    let add = |sum: usize, value: &Json| if sum > limit { sum } else { sum + values(value, limit) };
    match value {
        Json::Array(items) => items.iter().fold(1, add),
        Json::Object(object) => object.iter().map(|(_, value)| value).fold(1, add),
        _ => 1,
    }
}

/// Truncates the explanation to the maximum size, at the end of a line.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_SIZE {
        let cut = text.as_bytes()[..MAX_SIZE]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .unwrap_or(0);
        text.truncate(cut);
        text.push_str("\n… (more differences follow)");
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{bytes, long_line};

    #[test]
    fn describes_different_bytes() {
        let describe = |expected: &[u8], actual: &[u8]| bytes(expected, actual).unwrap_or_default();
        assert_eq!(
            describe(&[1, 2], &[1, 3]),
            "the first byte is the same; expected 02 next, received 03"
        );
        assert_eq!(
            describe(&[1, 2, 3], &[1, 2]),
            "the first 2 bytes are the same; expected 03 next, received end of data"
        );
    }

    #[test]
    fn shows_a_long_line_from_the_start_of_its_pair() {
        let text = |value: &str| format!("{}&password={value}&b=2", "a=1&".repeat(30));
        assert_eq!(
            long_line(&text("hunter2"), &text("hunter3")).as_deref(),
            Some(
                "the first 136 characters are the same; expected '…&password=hunter2&b=2' next, received \
                 '…&password=hunter3&b=2'"
            )
        );
        assert_eq!(long_line("abc", "abd"), None);
        let (expected, actual) = ("é".repeat(60) + "a", "é".repeat(60) + "b");
        assert!(
            long_line(&expected, &actual)
                .is_some_and(|text| text.starts_with("the first 60 characters are the same; expected 'é"))
        );
    }
}
