//! Matchers and generators. This module validates calls such as `match.int(7)` and `generate.uuid()` and converts them
//! to matcher JSON.
//!
//! A binding calls [`matcher`] with a function name and the arguments as JSON text, and uses the returned matcher JSON
//! as the value. Rust code can create the same values directly:
//!
//! ```
//! use contract_definition::{Matcher, Template};
//! use contract_model::Json;
//!
//! let order = Template::object([
//!     ("id", Matcher::int(7_u64).template()?),
//!     ("price", Matcher::number(9.5).template()?),
//!     ("tags", Matcher::each_like("new").template()?),
//!     ("paid", Json::from(true).into()),
//! ]);
//! assert_eq!(
//!     contract_definition::matcher("match.int", r#"{"example":7}"#)?.text(),
//!     r#"{"contract:matcher:type":"integer","value":7}"#
//! );
//! # Ok::<(), contract_call::error::ArgumentError>(())
//! ```

mod arguments;
mod check;
mod combine;
mod expand;
mod generator;
mod json;
mod lists;
mod matcher;
mod moment;
mod names;
mod presets;
mod template;
mod url;
mod uuid;
mod value;
mod xml;

pub use contract_model::StatusClass;
pub use generator::{Generator, StateType};
pub use lists::DEFAULT_EXAMPLE_LIMIT;
pub use lists::count;
pub use matcher::{Accepted, Example, Matcher};
pub use moment::{FormatStyle, MomentArguments, MomentExample, MomentGenerator};
pub use names::{Function, functions};
pub use template::Template;
pub use uuid::UuidForm;
pub use value::{Length, Numeric, OneOrMore, Pattern};
pub use xml::Xml;

use contract_model::{Json, Object};

use contract_call::error::{ArgumentError, MATCHER};
use contract_call::message::{message, operation};
use names::FunctionKind;

/// Returns the matcher JSON of a call, such as `match.int` with `{"example":7}` or `generate.uuid` with `{}`.
///
/// `arguments` is the text of an object with one member per argument. Names may use the convention of any language. The
/// `options` member may contain some of the arguments as an object, because languages without named arguments pass them
/// this way.
pub fn matcher(name: &str, arguments: &str) -> Result<Template, ArgumentError> {
    let original_name = contract_call::read::snake(name);
    let name = names::canonical(name);
    if name == "match.each_like" {
        warn_of_list(arguments);
    }
    let template = match names::find(&name) {
        Some(FunctionKind::Matcher(function)) => {
            arguments::read(function, arguments).and_then(|call: Matcher| call.template())
        }
        Some(FunctionKind::Generator(function)) => {
            arguments::read(function, arguments).and_then(|call: Generator| call.template())
        }
        Some(FunctionKind::Xml(function)) => arguments::read(function, arguments).and_then(|call: Xml| call.template()),
        None => return Err(unknown(&name)),
    };
    template.map_err(|error| error.in_operation(original_name))
}

/// Logs a warning if the template is an array of one object. Such a template describes an array of arrays, but users
/// usually mean an array of objects.
fn warn_of_list(arguments: &str) {
    let Ok(arguments) = contract_call::json::parse_json(arguments) else {
        return;
    };
    let is_object = |item: &Json| {
        item.as_object()
            .is_some_and(|members| members.get("contract:matcher:type").is_none())
    };
    let Some([only]) = arguments.get("template").and_then(Json::as_array) else {
        return;
    };
    if is_object(only) {
        let names = only.as_object().into_iter().flat_map(Object::keys);
        let names = names
            .take(3)
            .map(contract_model::Text::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        crate::end_warnings::record(format!(
            "match.eachLike([{{ {names} }}]) describes an array of arrays. For an array of objects, write match.eachLike({{ {names} }}); \
             for an array of arrays, write match.eachLike(match.eachLike({{ {names} }}))"
        ));
    }
}

fn unknown(name: &str) -> ArgumentError {
    let mut message = message![format!("unknown matcher or generator \"{name}\".")];
    let likeness = |known: &String| strsim::normalized_damerau_levenshtein(name, known);
    let functions = functions().into_iter().map(|function| function.name);
    let near = functions.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    if let Some(near) = near.filter(|near| likeness(near) > 0.6) {
        message.push(message![" Did you mean ", operation(near), "?"]);
    }
    ArgumentError::new(MATCHER, message)
}
