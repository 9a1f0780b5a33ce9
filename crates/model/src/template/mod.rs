//! The matcher JSON of builders: templates in which objects replace values.
//!
//! An object with the key `contract:matcher:type` is a matcher: its `value` is the example, its other members are the
//! attributes of the rule. An object with the key `contract:generator:type` makes a fresh value; both keys may stand in
//! one object. `pact:…` is read as `contract:…`. Splitting a template gives the example, the rules and the generators.
//!
//! | template | example | rules and generators |
//! |---|---|---|
//! | `{"contract:matcher:type": "type", "value": 1}` | `1` | `$`: type |
//! | `{"id": {"contract:matcher:type": "integer", "value": 1}}` | `{"id": 1}` | `$.id`: integer |
//! | `{"contract:matcher:type": "type", "min": 2, "value": [M]}` | `[e, e]` | `$`: type with min; what `M` asks for at `$[*]` |
//! | `{"contract:matcher:type": "values", "value": {"a": M}}` | `{"a": e}` | `$`: values; what `M` asks for at `$.*` |
//! | `{"contract:matcher:type": [A, B], "combine": "OR", "value": 1}` | `1` | `$`: A or B; without `combine` both |
//! | `{"contract:matcher:type": "arrayContains", "variants": [V, …]}` | list of examples | `$`: arrayContains with the rules of each variant |
//! | `{"contract:matcher:type": "matching(…)", …}` | as the expression says | see [`MatchingExpression`](crate::MatchingExpression) |
//!
//! A list with one item below a `type` matcher is a template for its items: the item is repeated `examples` times, or,
//! without `examples`, `min` times; the example has at most `exampleLimit` bytes, 4 MiB unless said otherwise. A matcher or generator without an example is filled in by [`Template::fill`].
//!
//! A generator without a matcher comes with a `type` rule, since the value on the wire is not the example; only a value
//! of the provider's state or a URL of the mock server with an example stays exact, so that a test sees what it said.

mod error;
mod fill;
mod matcher;
mod split;
mod value;

pub use error::{DEFAULT_EXAMPLE_LIMIT, TemplateError, TemplateErrorKind};
pub use value::{ValueTemplate, split_value};

use std::collections::BTreeMap;

use crate::place::Place;
use crate::{Generator, Json, Object, PathExpression, PathRules};

/// A body template taken apart.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Template {
    /// The template with an example in place of every matcher.
    pub example: Json,
    /// Matching rules.
    pub rules: PathRules,
    /// Generators.
    pub generators: BTreeMap<PathExpression, Generator>,
    /// Places in `example` that hold null because only a generator can make a value for them. A path with `[*]` stands
    /// for all items that are there. [`Template::fill`] fills them.
    pub needs_example: Vec<PathExpression>,
    /// The generators of `needs_example`, in the same order; those of variants are not among `generators`.
    makers: Vec<Generator>,
}

impl Template {
    /// Fills the places that need an example: `make` is called for each with its generator.
    pub fn fill<E>(&mut self, make: impl FnMut(&Generator) -> Result<Json, E>) -> Result<(), E> {
        fill::fill(&mut self.example, &mut self.needs_example, &mut self.makers, make)
    }
}

/// Returns true if an object is a matcher or a generator.
pub fn is_matcher(object: &Object) -> bool {
    split::matcher_type(object).or(split::generator_type(object)).is_some()
}

/// Takes a body template apart.
///
/// ```
/// use contract_model::{Json, split_body};
/// let template = Json::parse(br#"{"id": {"contract:matcher:type": "integer", "value": 7}}"#)?;
/// let split = split_body(&template)?;
/// assert_eq!(split.example.to_text(), r#"{"id":7}"#);
/// assert!(split.rules.contains_key(&"$.id".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Fails at the first matcher or generator that is not known, lacks an attribute or has neither an example nor a
/// generator; the error points at it.
pub fn split_body(template: &Json) -> Result<Template, TemplateError> {
    let mut splitter = split::Splitter::default();
    let example = splitter.value(template, &Place::Root, split::Below::default())?;
    let (needs_example, makers) = splitter.needs.into_iter().unzip();
    Ok(Template {
        example,
        rules: splitter.rules,
        generators: splitter.generators,
        needs_example,
        makers,
    })
}

#[cfg(test)]
mod tests;
