//! Templates of single values: a path, a status, a header, a query parameter, or a metadata value.

use std::collections::BTreeMap;

use super::error::{TemplateError, TemplateErrorKind as Kind};
use super::fill;
use super::split::{Below, Splitter, error, join_rules};
use crate::place::Place;
use crate::{Generator, Json, PathExpression, PathToken, RuleList};

/// The result of splitting a value template.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ValueTemplate {
    /// The example: a single value, or an array if there are several values.
    pub value: Json,
    /// Rules for the value. If a matcher contains an array, the rules apply to each item and to the number of items.
    /// `None` if there are no rules.
    pub rules: Option<RuleList>,
    pub generator: Option<Generator>,
    /// Rules for individual array items by index, as in `["a", {"contract:matcher:type": …}]`.
    pub item_rules: BTreeMap<usize, RuleList>,
    /// Generators for individual array items by index.
    pub item_generators: BTreeMap<usize, Generator>,
    /// Paths of null values in `value` that [`ValueTemplate::fill`] replaces with generated values: the root or array
    /// items.
    pub needs_example: Vec<PathExpression>,
    makers: Vec<Generator>,
}

impl ValueTemplate {
    /// Replaces each missing example with the value that `make` returns for its generator.
    pub fn fill<E>(&mut self, make: impl FnMut(&Generator) -> Result<Json, E>) -> Result<(), E> {
        fill::fill(&mut self.value, &mut self.needs_example, &mut self.makers, make)
    }
}

/// Splits a value template. Fails for the same reasons as [`split_body`](super::split_body), and also for matchers
/// inside objects, which contract files cannot represent.
///
/// ```
/// use contract_model::{Json, split_value};
/// let template = Json::parse(br#"{"contract:matcher:type": "regex", "regex": "a|b", "value": ["a", "b"]}"#)?;
/// let split = split_value(&template)?;
/// assert_eq!(split.value.to_text(), r#"["a","b"]"#);
/// assert_eq!(split.rules.unwrap().rules[0].name(), "regex");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn split_value(value: &Json) -> Result<ValueTemplate, TemplateError> {
    let mut splitter = Splitter::default();
    let mut split = ValueTemplate {
        value: splitter.value(value, &Place::Root, Below::default())?,
        ..ValueTemplate::default()
    };
    let nested = || error(&Place::Root, Kind::Nested);
    for (path, list) in splitter.rules {
        match path.tokens() {
            [] | [PathToken::AnyIndex] => {
                join_rules(split.rules.get_or_insert_default(), list).map_err(|kind| error(&Place::Root, kind))?;
            }
            [PathToken::Index(index)] => {
                split.item_rules.insert(*index, list);
            }
            _ => return Err(nested()),
        }
    }
    let count = split.value.as_array().map_or(0, <[Json]>::len);
    for (path, generator) in splitter.generators {
        match path.tokens() {
            [] => split.generator = Some(generator),
            [PathToken::AnyIndex] => split
                .item_generators
                .extend((0..count).map(|at| (at, generator.clone()))),
            [PathToken::Index(index)] => {
                split.item_generators.insert(*index, generator);
            }
            _ => return Err(nested()),
        }
    }
    if splitter.needs.iter().any(|(path, _)| path.tokens().len() > 1) {
        return Err(nested());
    }
    (split.needs_example, split.makers) = splitter.needs.into_iter().unzip();
    Ok(split)
}
