//! Matcher JSON of builders: templates in which some objects represent matchers and generators.
//!
//! An object with the `contract:matcher:type` key is a matcher: its `value` is the example, and its other members are
//! the attributes of the rule. An object with the `contract:generator:type` key is a generator. One object may have
//! both keys. The prefix `pact:` is accepted in place of `contract:`. Splitting a template returns the example, the
//! rules, and the generators.
//!
//! | template | example | rules and generators |
//! |---|---|---|
//! | `{"contract:matcher:type": "type", "value": 1}` | `1` | `$`: type |
//! | `{"id": {"contract:matcher:type": "integer", "value": 1}}` | `{"id": 1}` | `$.id`: integer |
//! | `{"contract:matcher:type": "type", "min": 2, "value": [M]}` | `[e, e]` | `$`: type with min; the rules of `M` at `$[*]` |
//! | `{"contract:matcher:type": "values", "value": {"a": M}}` | `{"a": e}` | `$`: values; the rules of `M` at `$.*` |
//! | `{"contract:matcher:type": [A, B], "combine": "OR", "value": 1}` | `1` | `$`: A or B; without `combine` both |
//! | `{"contract:matcher:type": "arrayContains", "variants": [V, …]}` | list of examples | `$`: arrayContains with the rules of each variant |
//! | `{"contract:matcher:type": "matching(…)", …}` | as in the expression | see [`MatchingExpression`](crate::MatchingExpression) |
//!
//! An array with a single item in a `type` matcher is a template for all items. The item is repeated `examples` times
//! (default: `min`). The size of the example is limited to `exampleLimit` bytes (default: 4 MiB). [`Template::fill`]
//! generates the examples of matchers and generators that have none.
//!
//! A generator without a matcher implies a `type` rule, because the sent value differs from the example. This does not
//! apply to values from provider states and mock server URLs with an example: for these, the test receives exactly the
//! value that it specified.

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

/// The result of splitting a body template.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Template {
    /// The template with an example in place of each matcher and generator.
    pub example: Json,
    pub rules: PathRules,
    pub generators: BTreeMap<PathExpression, Generator>,
    /// Paths of null values in `example` that [`Template::fill`] replaces with generated values. `[*]` denotes all
    /// existing items.
    pub needs_example: Vec<PathExpression>,
    /// The generators for the paths in `needs_example`, in the same order. `generators` does not contain those inside
    /// variants.
    makers: Vec<Generator>,
}

impl Template {
    /// Replaces each missing example with the value that `make` returns for its generator.
    pub fn fill<E>(&mut self, make: impl FnMut(&Generator) -> Result<Json, E>) -> Result<(), E> {
        fill::fill(&mut self.example, &mut self.needs_example, &mut self.makers, make)
    }
}

/// Returns true if the object is a matcher or a generator.
pub fn is_matcher(object: &Object) -> bool {
    split::matcher_type(object).or(split::generator_type(object)).is_some()
}

/// Splits a body template into its example, rules, and generators.
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
/// Returns an error with the location of the first matcher or generator that is unknown, lacks an attribute, or has
/// neither an example nor a generator.
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
