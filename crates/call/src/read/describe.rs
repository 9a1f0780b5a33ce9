use contract_model::Json;

use crate::value;

/// Describes a value for an error message. Objects and arrays are described by their type. Other values are printed as
/// JSON, cut after 80 characters.
pub fn describe(json: &Json) -> String {
    const MAX_LENGTH: usize = 80;
    if let Some(foreign) = value::describe(json) {
        return foreign;
    }
    match json {
        Json::Object(members) if contract_model::is_matcher(members) => "a matcher".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        Json::Array(_) => "an array".to_owned(),
        other => {
            let text = other.to_text();
            match text.char_indices().nth(MAX_LENGTH) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}
