//! Formats an example body as lines, with the matching rule next to each value.

use contract_model::{Body, ContentValue, Json, Object, PathExpression, PathToken, Text};
use maud::{Markup, html};

use super::rules::Scope;

/// Maximum size of a body that is displayed without a click, in bytes.
pub(super) const MAX_FOLDED: usize = 20 * 1024;
/// Maximum number of lines of a body that are displayed.
const MAX_LINES: usize = 5_000;
/// Maximum length of an object or array that is written on a single line, in bytes.
const SHORT: usize = 64;

/// A line of an example, and the description of its matching rule, or `None` if the line has no rule of its own.
pub(super) struct Line {
    pub(super) text: Markup,
    pub(super) rule: Option<Markup>,
    pub(super) has_failed: bool,
}

impl Line {
    pub(super) fn plain(text: Markup, rule: Option<Markup>) -> Self {
        Self {
            text,
            rule,
            has_failed: false,
        }
    }
}

/// Returns the lines of a body. Lines whose paths are in `failed` are marked as mismatches.
pub(super) fn lines(body: &Body, scope: &Scope<'_>, failed: &[PathExpression]) -> Vec<Line> {
    let content = match body {
        Body::Missing | Body::Empty => return Vec::new(),
        Body::Null => return vec![Line::plain(html! { span class="l" { "null" } }, None)],
        Body::Present(content) => content,
    };
    match &content.value {
        ContentValue::Json(json) => {
            let mut writer = Writer {
                scope,
                failed,
                lines: Vec::new(),
                path: Vec::new(),
            };
            writer.value(json, 0, &html! {}, "");
            writer.lines
        }
        ContentValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text
                .lines()
                .take(MAX_LINES)
                .map(|line| Line::plain(html! { (line) }, None))
                .collect(),
            Err(_) => vec![Line::plain(html! { "Binary content of " (size(bytes.len())) }, None)],
        },
    }
}

pub(super) fn size(bytes: usize) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KB", bytes.div_ceil(1_024)),
        _ => format!("{} MB", bytes.div_ceil(1_048_576)),
    }
}

struct Writer<'a> {
    scope: &'a Scope<'a>,
    failed: &'a [PathExpression],
    lines: Vec<Line>,
    path: Vec<PathToken>,
}

impl Writer<'_> {
    /// Adds the lines of a value. `key` is the name before the value, and `comma` is the text after it. Both may be
    /// empty.
    fn value(&mut self, value: &Json, indent: usize, key: &Markup, comma: &str) {
        let rule = self.scope.describe(&self.path, value);
        match value {
            Json::Object(object) if !self.fits(value) => {
                self.push(indent, &html! { (key) "{" }, rule);
                self.members(object, indent + 1);
                self.push(indent, &html! { "}" (comma) }, None);
            }
            Json::Array(items) if !self.fits(value) => {
                self.push(indent, &html! { (key) "[" }, rule);
                for (number, item) in items.iter().enumerate() {
                    if self.is_full() {
                        break;
                    }
                    self.path.push(PathToken::Index(number));
                    let comma = if number + 1 < items.len() { "," } else { "" };
                    self.value(item, indent + 1, &html! {}, comma);
                    self.path.pop();
                }
                self.push(indent, &html! { "]" (comma) }, None);
            }
            _ => {
                let is_scalar = !matches!(value, Json::Array(_) | Json::Object(_));
                let exact = (is_scalar && !self.scope.0.is_empty()).then(|| html! { "exactly this value" });
                self.push(indent, &html! { (key) (compact(value)) (comma) }, rule.or(exact));
            }
        }
    }

    fn members(&mut self, object: &Object, indent: usize) {
        let count = object.len();
        for (number, (name, value)) in object.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.path.push(PathToken::Key(name.clone()));
            let comma = if number + 1 < count { "," } else { "" };
            self.value(value, indent, &html! { (key_of(name)) ": " }, comma);
            self.path.pop();
        }
    }

    fn push(&mut self, indent: usize, text: &Markup, rule: Option<Markup>) {
        if self.lines.len() == MAX_LINES {
            self.lines.push(Line::plain(html! { "…" }, None));
        }
        if self.is_full() {
            return;
        }
        let has_failed = rule_matters(self.failed, &self.path);
        self.lines.push(Line {
            text: html! { (" ".repeat(indent * 2)) (text) },
            rule,
            has_failed,
        });
    }

    fn is_full(&self) -> bool {
        self.lines.len() > MAX_LINES
    }

    /// Returns whether an object or array fits on a single line: it is short, and none of its values has a rule or a
    /// mismatch.
    fn fits(&self, value: &Json) -> bool {
        let is_scalar = |value: &Json| !matches!(value, Json::Array(_) | Json::Object(_));
        let values: Vec<&Json> = match value {
            Json::Array(items) => items.iter().collect(),
            Json::Object(object) => object.iter().map(|(_, value)| value).collect(),
            _ => return true,
        };
        values.is_empty()
            || (values.len() <= 8
                && values.iter().all(|value| is_scalar(value))
                && value.to_text().len() <= SHORT
                && !self.has_rules_below())
    }

    fn has_rules_below(&self) -> bool {
        self.scope.0.keys().any(|rule| rule.tokens().len() > self.path.len()) && self.scope.concerns(&self.path)
            || !self.failed.is_empty()
    }
}

/// Returns whether there is a mismatch at this path.
fn rule_matters(failed: &[PathExpression], path: &[PathToken]) -> bool {
    failed.iter().any(|known| known.tokens() == path)
}

fn key_of(name: &Text) -> Markup {
    html! { span class="k" { (Json::from(name.as_str()).to_text()) } }
}

/// Renders a value on a single line.
pub(super) fn compact(value: &Json) -> Markup {
    match value {
        Json::Null | Json::Bool(_) => html! { span class="l" { (value.to_text()) } },
        Json::Number(_) => html! { span class="n" { (value.to_text()) } },
        Json::String(_) => html! { span class="s" { (value.to_text()) } },
        Json::Array(items) => html! {
            "[" @for (number, item) in items.iter().enumerate() { @if number > 0 { ", " } (compact(item)) } "]"
        },
        Json::Object(object) => html! {
            @if object.is_empty() { "{}" } @else {
                "{ "
                @for (number, (name, value)) in object.iter().enumerate() {
                    @if number > 0 { ", " } (key_of(name)) ": " (compact(value))
                }
                " }"
            }
        },
    }
}
