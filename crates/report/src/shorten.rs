//! Truncates long values. A truncated string ends with its original size.

use contract_matching::{Mismatch, MismatchKind, original_size};
use contract_model::{Json, Text};

/// Maximum size of a string in a mismatch, in bytes.
pub const MAX_TEXT_SIZE: usize = 2 << 10;
/// Maximum number of nested values that a JSON value in a mismatch keeps.
pub const MAX_VALUES: usize = 200;
/// Maximum total size of the strings and names that a JSON value in a mismatch keeps, in bytes.
const MAX_DOCUMENT_SIZE: usize = 16 << 10;
/// Maximum total size of the values in all mismatches of an interaction, in bytes.
const MAX_TOTAL_SIZE: usize = 1 << 20;
/// Size that each JSON value may have even if [`MAX_TOTAL_SIZE`] is used up, in bytes.
const MIN_SIZE: usize = 256;
/// Maximum size of a value that is displayed on the same line as other text, in bytes.
pub(crate) const LINE: usize = 100;

/// The size that is still available for the values of an interaction's mismatches, in bytes.
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn for_all() -> Self {
        Self(MAX_TOTAL_SIZE)
    }

    /// Truncates the values of a mismatch. Without this, a received value could be as large as the largest body.
    pub(crate) fn cut(&mut self, mismatch: &mut Mismatch) {
        for value in [&mut mismatch.expected, &mut mismatch.actual].into_iter().flatten() {
            self.cut_value(value);
        }
        match &mut mismatch.kind {
            MismatchKind::Unreadable { problem: text, .. }
            | MismatchKind::NotApplicable { problem: text }
            | MismatchKind::Plugin { problem: text } => {
                *text = cut_text(text, MAX_TEXT_SIZE);
            }
            MismatchKind::Regex { pattern: text }
            | MismatchKind::RegexBudget { pattern: text }
            | MismatchKind::Include { text }
                if text.len() > MAX_TEXT_SIZE =>
            {
                *text = cut_text(text, MAX_TEXT_SIZE).into();
            }
            _ => {}
        }
    }

    pub(crate) fn cut_value(&mut self, value: &mut Json) {
        let most = MAX_DOCUMENT_SIZE.min(self.0).max(MIN_SIZE);
        let mut left = Remaining {
            values: MAX_VALUES,
            bytes: most,
        };
        left.cut(value);
        self.0 = self.0.saturating_sub(most - left.bytes);
    }
}

/// The limits that are still available for a JSON value.
struct Remaining {
    values: usize,
    bytes: usize,
}

impl Remaining {
    fn is_empty(&self) -> bool {
        self.values == 0 || self.bytes == 0
    }

    fn text(&mut self, text: &str) -> Option<String> {
        let most = MAX_TEXT_SIZE.min(self.bytes.max(MIN_SIZE / 4));
        self.bytes = self.bytes.saturating_sub(text.len().min(most));
        (text.len() > most).then(|| cut_text(text, most))
    }

    fn cut(&mut self, value: &mut Json) {
        self.values = self.values.saturating_sub(1);
        match value {
            Json::String(text) => {
                if let Some(short) = self.text(text) {
                    *text = short.into();
                }
            }
            Json::Number(number) => self.bytes = self.bytes.saturating_sub(number.as_str().len()),
            Json::Array(items) => {
                let (all, mut kept) = (items.len(), 0);
                while kept < all && !self.is_empty() {
                    self.cut(&mut items[kept]);
                    kept += 1;
                }
                if let Some(more) = omitted(all - kept, "items") {
                    items.truncate(kept);
                    items.push(more.into());
                }
            }
            Json::Object(members) => {
                let all = members.len();
                let mut remaining: Vec<(Text, Json)> = Vec::new();
                for (name, mut value) in std::mem::take(members) {
                    if self.is_empty() {
                        break;
                    }
                    let name = self.text(&name).map_or(name, Text::from);
                    self.cut(&mut value);
                    remaining.push((name, value));
                }
                let more = omitted(all - remaining.len(), "members").map(|more| (Text::const_new("…"), more.into()));
                *members = remaining.into_iter().chain(more).collect();
            }
            Json::Null | Json::Bool(_) => {}
        }
    }
}

fn omitted(count: usize, noun: &str) -> Option<String> {
    (count > 0).then(|| format!("… ({count} more {noun})"))
}

/// Truncates a string to `most` bytes and appends its original size, such as `… (5000 bytes)`. Returns shorter strings
/// unchanged.
pub fn cut_text(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}… ({} bytes)", beginning(text, most), original_size(text))
}

/// Returns at most the first `most` bytes of a string. Does not split characters.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// Truncates a line to `most` bytes and appends `…`. Returns shorter lines unchanged.
pub(crate) fn cut_line(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", beginning(text, most))
}

/// Returns whether a value must be displayed on separate lines.
pub(crate) fn is_long(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains('\n') || text.len() > LINE,
        Json::Array(_) | Json::Object(_) => value.to_text().len() > LINE,
        _ => false,
    }
}

/// Returns the sentence of a mismatch for output that displays long values separately.
pub(crate) fn brief(mismatch: &Mismatch) -> String {
    // The usual sentence would contain both strings.
    if mismatch.kind == MismatchKind::Body {
        return "the text differs from the expected text".to_owned();
    }
    let mut brief = mismatch.clone();
    for value in [&mut brief.expected, &mut brief.actual].into_iter().flatten() {
        abbreviate(value);
    }
    let sentence = brief.to_string();
    let sentence = sentence.replace("[\"…\"]", "[…]").replace("{\"…\":\"…\"}", "{…}");
    cut_line(&sentence, 3 * LINE)
}

fn abbreviate(value: &mut Json) {
    if !is_long(value) {
        return;
    }
    match value {
        Json::String(text) => {
            let start = text.lines().next().unwrap_or_default();
            *text = format!("{}…", beginning(start, LINE)).into();
        }
        Json::Array(items) => *items = vec!["…".into()],
        Json::Object(members) => *members = [("…", "…")].into_iter().collect(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{Budget, cut_text};

    #[test]
    fn truncates_large_values() {
        let mut value = Json::Array(vec![Json::Array(vec![Json::Null; 1000]); 1000]);
        Budget::for_all().cut_value(&mut value);
        let text = value.to_text();
        assert!(text.len() < 3000 && text.ends_with("\"… (999 more items)\"]"), "{text}");
        let mut value = Json::from("é".repeat(5000));
        Budget::for_all().cut_value(&mut value);
        assert!(value.as_str().unwrap().ends_with("… (10000 bytes)"));
        let members = (0..1000).map(|n| (format!("{n}"), "x".repeat(1000)));
        let mut value = Json::Object(members.collect());
        Budget::for_all().cut_value(&mut value);
        let text = value.to_text();
        assert!(
            text.len() < 20_000 && text.contains("more members)\"}"),
            "{}",
            text.len()
        );
    }

    #[test]
    fn limits_the_values_of_an_interaction() {
        let mut budget = Budget::for_all();
        let mut length = 0;
        for _ in 0..2_000 {
            let mut value = Json::Array(vec![Json::from("x".repeat(3000)); 100]);
            budget.cut_value(&mut value);
            length += value.to_text().len();
        }
        assert!(length < 4 << 20, "{length}");
    }

    #[test]
    fn keeps_the_original_size() {
        assert_eq!(cut_text("aaaaaaaaaa… (77 bytes)", 4), "aaaa… (77 bytes)");
        assert_eq!(cut_text("ääö", 3), "ä… (6 bytes)");
    }
}
