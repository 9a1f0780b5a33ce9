//! Formats values in mismatch sentences.

use contract_model::{Json, NumberKind, write_string};

use crate::excerpt::{MAX_SIZE, original_size};

/// Maximum size in bytes of a value in a mismatch sentence.
const MAX_VALUE_SIZE: usize = 400;

pub(crate) fn truncate(text: String) -> String {
    if text.len() <= MAX_VALUE_SIZE {
        return text;
    }
    let cut = (0..=MAX_VALUE_SIZE)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    // The truncated text of a body ends with its original size.
    let whole = if text.len() > MAX_SIZE - 3 {
        original_size(&text)
    } else {
        text.len()
    };
    format!("{}… ({whole} bytes)", &text[..cut])
}

/// Formats a value, such as `'text'`, `12`, or `["a"]`. `None` becomes `nothing`. Truncates long values.
pub(crate) fn display(value: Option<&Json>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Json::String(text)) => format!("'{}'", truncate(text.to_string())),
        Some(other) => truncate(other.to_text()),
    }
}

/// Returns the name of the JSON type for mismatch sentences.
fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "Null",
        Json::Bool(_) => "Boolean",
        Json::Number(number) => match number.kind() {
            NumberKind::Integer => "Integer",
            NumberKind::Decimal => "Decimal",
        },
        Json::String(_) => "String",
        Json::Array(_) => "Array",
        Json::Object(_) => "Object",
    }
}

pub(crate) fn display_with_type(value: Option<&Json>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(value) => format!("{} ({})", display(Some(value)), kind_of(value)),
    }
}

/// Formats a value that is always text, without quotes. `None` becomes an empty string. Truncates long text.
pub(crate) fn display_text(value: Option<&Json>) -> String {
    value
        .map(|value| truncate(value.text_form().into_owned()))
        .unwrap_or_default()
}

/// Formats JSON with sorted members, which is how other Pact implementations format variants.
pub(crate) fn sorted_json(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("[{}]", items.iter().map(sorted_json).collect::<Vec<_>>().join(",")),
        Json::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
            let members = members.into_iter().map(|(key, value)| {
                let mut text = String::new();
                write_string(key, &mut text);
                text + ":" + &sorted_json(value)
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_text(),
    }
}

pub(crate) fn join_keys(keys: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut keys: Vec<_> = keys.into_iter().map(|key| key.as_ref().to_owned()).collect();
    keys.sort_unstable();
    truncate(keys.join(", "))
}

pub(crate) fn display_list(value: Option<&Json>) -> String {
    match value {
        Some(Json::Array(items)) => truncate(format!(
            "[{}]",
            items.iter().map(Json::to_text).collect::<Vec<_>>().join(", ")
        )),
        other => display(other),
    }
}

pub(crate) fn display_quoted(value: Option<&Json>) -> String {
    format!("'{}'", display_text(value))
}
