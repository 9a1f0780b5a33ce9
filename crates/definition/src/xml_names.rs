//! Validates XML names and values.

use contract_model::Json;

/// Returns true if the value can be an attribute or text. Matchers are accepted, because their examples are checked
/// when they are used.
pub(crate) fn is_xml_value(value: &Json) -> bool {
    matches!(
        value,
        Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Object(_)
    )
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a valid XML name")]
pub(crate) struct XmlNameError(String);

pub(crate) fn check_xml_name(name: &str) -> Result<(), XmlNameError> {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    let is_name = match name.split_once(':') {
        Some((prefix, local)) => is_part(prefix) && is_part(local),
        None => is_part(name),
    };
    if is_name {
        Ok(())
    } else {
        Err(XmlNameError(name.to_owned()))
    }
}
