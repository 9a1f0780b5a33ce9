//! Matchers and generators as values: what `match.int(7)` or `generate.uuid()` means, checked and expanded here and nowhere
//! else.
//!
//! A binding calls [`matcher`] with a name and the text of the arguments and gets matcher JSON, which it puts where the value
//! stands. In Rust the same values are made by hand:
//!
//! ```
//! use contract::{Json, Matcher, Template};
//!
//! let order = Template::object([
//!     ("id", Matcher::int(7_u64).template()?),
//!     ("price", Matcher::number(9.5).template()?),
//!     ("tags", Matcher::each_like("new").template()?),
//!     ("paid", Json::from(true).into()),
//! ]);
//! assert_eq!(
//!     contract::matcher("match.int", r#"{"example":7}"#)?.text(),
//!     r#"{"contract:matcher:type":"integer","value":7}"#
//! );
//! # Ok::<(), contract::ArgumentError>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `matcher.rs`, `generator.rs`, `xml.rs` | every function with its arguments: a new one is a variant there |
//! | `expand.rs`, `lists.rs`, `combine.rs`, `url.rs` | what a variant becomes; `json.rs` has the pieces |
//! | `moment.rs`, `presets.rs`, `uuid.rs` | formats and patterns |
//! | `arguments.rs`, `template.rs`, `value.rs` | reading a call |
//! | `names.rs` | the table that bindings are compared with |

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
pub(crate) use lists::count;
pub use matcher::{Accepted, Example, Matcher};
pub use moment::{FormatStyle, MomentArguments, MomentExample, MomentGenerator};
pub use names::{Function, functions};
pub(crate) use presets::literal;
pub use template::Template;
pub use uuid::UuidForm;
pub use value::{Length, Numeric, OneOrMore, Pattern};
pub use xml::Xml;

use contract_model::{Json, Object};

use crate::builder::break_off;
use crate::error::{ArgumentError, MATCHER};
use crate::message::{operation, told};
use names::Home;

/// The matcher JSON of a call: `match.int` with `{"example":7}`, `generate.uuid` with `{}`.
///
/// A refusal breaks off the definition at hand on this thread: the call that the matcher was for never comes.
///
/// `arguments` is the text of an object with an argument under each name; names may be in the case of any language. The member
/// `options` may hold some of them in an object of its own, as languages without named arguments pass them.
pub fn matcher(name: &str, arguments: &str) -> Result<Template, ArgumentError> {
    let called = crate::read::snake(name);
    let name = names::canonical(name);
    if name == "match.each_like" {
        warn_of_list(arguments);
    }
    let made = match names::home(&name) {
        Some(Home::Matcher(function)) => arguments::read(function, arguments).and_then(|made: Matcher| made.template()),
        Some(Home::Generator(function)) => {
            arguments::read(function, arguments).and_then(|made: Generator| made.template())
        }
        Some(Home::Xml(function)) => arguments::read(function, arguments).and_then(|made: Xml| made.template()),
        None => return Err(unknown(&name)),
    };
    made.map_err(|error| error.of(called)).inspect_err(break_off)
}

/// A list of one object as template is a list of lists; mostly a list of objects is meant.
fn warn_of_list(arguments: &str) {
    let Ok(arguments) = crate::json::parse_json(arguments) else {
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
        crate::running::slip(format!(
            "match.eachLike([{{ {names} }}]) describes an array of arrays. For an array of objects, write match.eachLike({{ {names} }}); \
             for an array of arrays, write match.eachLike(match.eachLike({{ {names} }}))"
        ));
    }
}

fn unknown(name: &str) -> ArgumentError {
    let mut message = told![format!("unknown matcher or generator \"{name}\".")];
    let likeness = |known: &String| strsim::normalized_damerau_levenshtein(name, known);
    let functions = functions().into_iter().map(|function| function.name);
    let near = functions.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    if let Some(near) = near.filter(|near| likeness(near) > 0.6) {
        message.push(told![" Did you mean ", operation(near), "?"]);
    }
    ArgumentError::new(MATCHER, message)
}
