use std::ffi::c_char;

use crate::edge::{give, guarded, options, place, text};
use crate::{contract_status, contract_text};

/// Creates a matcher or generator and returns its JSON. `name` is a function such as `match.int`, `generate.uuid`, or
/// `xml.element`, and `json` contains its arguments, such as `{"example": 7}`. Use the result in place of an example
/// value in bodies and other values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_matcher(
    name: *const c_char,
    name_length: usize,
    json: *const c_char,
    json_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let name = text(name, name_length, "name")?;
            let template = contract::matcher(name, options(json, json_length, "json")?)?;
            give(out, template.into_text())
        })
    }
}

/// Returns the example value of a template as JSON: each matcher in the template is replaced by its own example value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_example(
    json: *const c_char,
    json_length: usize,
    out: *mut contract_text,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            let template = contract::parse_json(text(json, json_length, "json")?)?;
            give(out, contract::example_of(&template)?)
        })
    }
}
