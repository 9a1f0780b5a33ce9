use super::{Json, Object};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// No whitespace; members in their original order.
    Compact,
    /// No whitespace; members sorted by name. Equal values have the same text, which is therefore suitable for hashing.
    Canonical,
    /// Indented by two spaces; members in their original order. For display.
    Pretty,
    /// Indented by two spaces; members sorted by name. For contract files.
    Sorted,
}

impl Json {
    /// Returns the value as JSON without whitespace, with members in their original order.
    pub fn to_text(&self) -> String {
        // Large enough for a typical matcher or call, so that few strings are reallocated.
        let mut out = String::with_capacity(match self {
            Self::Array(_) | Self::Object(_) => 128,
            _ => 0,
        });
        compact(self, false, &mut out);
        out
    }

    pub fn to_layout(&self, layout: Layout) -> String {
        let mut out = String::new();
        write(self, layout, 0, &mut out);
        out
    }

    /// Appends the value to `out`. `indent` is its nesting depth, in levels.
    pub fn write_into(&self, layout: Layout, indent: usize, out: &mut String) {
        write(self, layout, indent, out);
    }

    /// Returns a string without quotes, and any other value as JSON.
    pub fn text_form(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::String(text) => std::borrow::Cow::Borrowed(text),
            other => std::borrow::Cow::Owned(other.to_text()),
        }
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_text())
    }
}

fn write(value: &Json, layout: Layout, indent: usize, out: &mut String) {
    match layout {
        Layout::Compact => compact(value, false, out),
        Layout::Canonical => compact(value, true, out),
        Layout::Pretty => indented(value, indent, false, out),
        Layout::Sorted => indented(value, indent, true, out),
    }
}

fn compact(value: &Json, sorted: bool, out: &mut String) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                compact(item, sorted, out);
            }
            out.push(']');
        }
        Json::Object(object) => {
            out.push('{');
            let mut write_member = |at: usize, key: &str, item: &Json| {
                if at > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                compact(item, sorted, out);
            };
            if sorted {
                for (at, (key, item)) in in_order(object).into_iter().enumerate() {
                    write_member(at, key, item);
                }
            } else {
                for (at, (key, item)) in object.iter().enumerate() {
                    write_member(at, key, item);
                }
            }
            out.push('}');
        }
        scalar => write_scalar(scalar, out),
    }
}

fn write_scalar(value: &Json, out: &mut String) {
    match value {
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(number) => out.push_str(number.as_str()),
        Json::String(text) => write_string(text, out),
        Json::Null | Json::Array(_) | Json::Object(_) => out.push_str("null"),
    }
}

fn indented(value: &Json, indent: usize, sorted: bool, out: &mut String) {
    match value {
        Json::Array(items) if items.is_empty() => out.push_str("[]"),
        Json::Object(object) if object.is_empty() => out.push_str("{}"),
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                new_line(at > 0, indent + 1, out);
                indented(item, indent + 1, sorted, out);
            }
            new_line(false, indent, out);
            out.push(']');
        }
        Json::Object(object) => {
            out.push('{');
            let mut write_member = |at: usize, key: &str, item: &Json| {
                new_line(at > 0, indent + 1, out);
                write_string(key, out);
                out.push_str(": ");
                indented(item, indent + 1, sorted, out);
            };
            if sorted {
                for (at, (key, item)) in in_order(object).into_iter().enumerate() {
                    write_member(at, key, item);
                }
            } else {
                for (at, (key, item)) in object.iter().enumerate() {
                    write_member(at, key, item);
                }
            }
            new_line(false, indent, out);
            out.push('}');
        }
        scalar => write_scalar(scalar, out),
    }
}

fn in_order(object: &Object) -> Vec<(&str, &Json)> {
    let mut members: Vec<_> = object.iter().map(|(key, value)| (key.as_str(), value)).collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

fn new_line(comma: bool, indent: usize, out: &mut String) {
    const BLANKS: &str = "                                ";
    if comma {
        out.push(',');
    }
    out.push('\n');
    let mut left = indent * 2;
    while left > 0 {
        let take = left.min(BLANKS.len());
        out.push_str(&BLANKS[..take]);
        left -= take;
    }
}

/// True for each byte that must be escaped in a string.
const IS_ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

/// Appends `text` as a quoted JSON string. Escapes only the characters that RFC 8259 section 7 requires.
pub fn write_string(text: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| IS_ESCAPED[usize::from(byte)]) {
        out.push_str(&rest[..at]);
        let byte = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            _ => {
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
                continue;
            }
        };
        out.push_str(escape);
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::{Json, Layout};

    #[test]
    fn sorted_layout_sorts_every_level() {
        let value = Json::parse(br#"{"b":{"d":1,"c":[]},"a":[1,{}]}"#).unwrap();
        assert_eq!(
            value.to_layout(Layout::Sorted),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": [],\n    \"d\": 1\n  }\n}"
        );
    }

    #[test]
    fn the_canonical_layout_is_the_same_in_any_order() {
        let text = |document: &str| Json::parse(document.as_bytes()).unwrap().to_layout(Layout::Canonical);
        let one = text(r#"{"b": {"d": 1.0, "c": [2, 1]}, "a": "\n"}"#);
        assert_eq!(one, r#"{"a":"\n","b":{"c":[2,1],"d":1.0}}"#);
        assert_eq!(text(r#"{"a": "\n", "b": {"c": [2, 1], "d": 1.0}}"#), one);
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(
            Json::from("a\"\\\n\u{1}\u{7f}é/").to_text(),
            "\"a\\\"\\\\\\n\\u0001\u{7f}é/\""
        );
    }
}
