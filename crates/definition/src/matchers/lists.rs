//! Matchers for arrays and objects.

use std::fmt::Write as _;

use contract_model::{Json, write_string};

use super::arguments::{Members, members};
use super::json::{GENERATOR, TYPE, add_generator, checked, fields, invalid, plain, text};
use super::template::Template;
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation, option, setting};
use contract_call::read::{Document, Size};

pub use contract_model::DEFAULT_EXAMPLE_LIMIT;

/// The allowed lengths of an array, and the length of its example.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    pub(super) min: Option<u64>,
    pub(super) max: Option<u64>,
    pub(super) examples: Option<u64>,
    pub(super) allow_empty: bool,
    pub(super) limit: Option<u64>,
}

pub(super) fn like(
    template: Option<&Template>,
    sizes: [Option<Size<0>>; 2],
    generator: Option<&Document>,
) -> Result<Template, ArgumentError> {
    let [min, max] = sizes.map(|size| size.map(|size| size.0));
    if generator.is_none() {
        let Some(template) = template else {
            return Err(invalid("pass an example or a generator").for_argument("template"));
        };
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(invalid(format!("min {min} is greater than max {max}")).for_argument("min"));
        }
        return Ok(sized(min, max, "", template.text()));
    }
    if min.is_some() || max.is_some() {
        return Err(invalid("min and max cannot be combined with a generator").for_argument("generator"));
    }
    let mut matcher = fields([
        (TYPE, text("type")),
        ("value", template.map(Template::json).transpose()?),
    ]);
    add_generator(&mut matcher, generator)?;
    checked(matcher)
}

/// Returns a matcher for an array with a minimum and a maximum length. An empty array matches if `min` is 0.
pub(super) fn bounded(
    template: Option<&Template>,
    min: u64,
    max: Option<u64>,
    count: Option<Size<1>>,
) -> Result<Template, ArgumentError> {
    let sizes = Sizes {
        min: Some(min),
        max,
        examples: count.map(|size| size.0),
        allow_empty: min == 0,
        limit: None,
    };
    each_like(template, &sizes)
}

/// Returns the matcher for an array. The template appears only once in matcher JSON; the operation that uses the
/// matcher repeats it.
pub(super) fn each_like(template: Option<&Template>, sizes: &Sizes) -> Result<Template, ArgumentError> {
    let Some(template) = template else {
        return Err(invalid("a template for the items is required").for_argument("template"));
    };
    if sizes.min == Some(0) && !sizes.allow_empty {
        let message = message![
            "min 0 accepts an empty array; if you intend that, pass ",
            setting("allow_empty", "true")
        ];
        return Err(invalid(message).for_argument("min"));
    }
    let least = sizes.min.unwrap_or(u64::from(!sizes.allow_empty));
    let count = count(least, sizes.max, sizes.examples)?;
    // An item takes at least one byte and a comma.
    check_limit(count, 2, sizes.limit)?;
    let mut examples = String::new();
    if count != least.max(1) {
        let _ = write!(examples, r#","examples":{count}"#);
    }
    if let Some(limit) = sizes.limit {
        let _ = write!(examples, r#","exampleLimit":{limit}"#);
    }
    Ok(sized(
        Some(least),
        sizes.max,
        &examples,
        &format!("[{}]", template.text()),
    ))
}

/// Returns the number of items in the example, or an error if it is not from `least` to `max`.
pub fn count(least: u64, max: Option<u64>, examples: Option<u64>) -> Result<u64, ArgumentError> {
    if let Some(max) = max.filter(|max| *max < least) {
        return Err(invalid(format!("min {least} is greater than max {max}")).for_argument("min"));
    }
    let count = examples.unwrap_or(least.max(1));
    if count < least || max.is_some_and(|max| count > max) {
        let bounds = max.map_or_else(|| format!("at least {least}"), |max| format!("from {least} to {max}"));
        let problem = format!("the number of examples must be {bounds}, received {count}");
        return Err(invalid(problem).for_argument("examples"));
    }
    Ok(count)
}

/// Returns an error if `count` items of `least` bytes, the minimum size of an item, exceed the limit. The actual size
/// is checked when the item is repeated.
pub(super) fn check_limit(count: u64, least: u64, limit: Option<u64>) -> Result<(), ArgumentError> {
    let limit = limit.unwrap_or(DEFAULT_EXAMPLE_LIMIT as u64);
    if count.saturating_mul(least) <= limit {
        return Ok(());
    }
    let message = message![
        format!("{count} items exceed the maximum example size of {limit} bytes; reduce "),
        option("examples"),
        " or ",
        option("min"),
        ", or increase ",
        option("example_limit")
    ];
    Err(invalid(message).for_argument("example_limit"))
}

fn sized(min: Option<u64>, max: Option<u64>, more: &str, value: &str) -> Template {
    let mut matcher = format!(r#"{{"{TYPE}":"type""#);
    for (name, size) in [("min", min), ("max", max)] {
        if let Some(size) = size {
            let _ = write!(matcher, r#","{name}":{size}"#);
        }
    }
    let _ = write!(matcher, r#"{more},"value":{value}}}"#);
    Template::from_valid_text(matcher)
}

pub(super) fn array_containing(variants: &Template) -> Result<Template, ArgumentError> {
    let list = variants.text().trim();
    let is_list = list.starts_with('[') && !list[1..].trim_start().starts_with(']');
    if !is_list {
        return Err(invalid("pass an array with at least one item").for_argument("variants"));
    }
    Ok(Template::from_valid_text(format!(
        r#"{{"{TYPE}":"arrayContains","variants":{list}}}"#
    )))
}

/// Returns the matcher for an object with arbitrary keys. Values are compared by type unless the template is a matcher.
pub(super) fn each_key_like(key: &str, template: &Template) -> Template {
    let plain_value;
    let value = if is_matcher(template) {
        template
    } else {
        plain_value = plain("type", template.text());
        &plain_value
    };
    let mut name = String::new();
    write_string(key, &mut name);
    plain("values", &format!("{{{name}:{}}}", value.text()))
}

/// Returns true if the template itself is a matcher or generator, rather than a value that contains one.
fn is_matcher(template: &Template) -> bool {
    members(template.text()).is_some_and(|Members(members)| {
        let mut names = members.iter().map(|(name, _)| &**name);
        names.any(|name| [TYPE, GENERATOR, "pact:matcher:type", "pact:generator:type"].contains(&name))
    })
}

pub(super) fn each_matches(rule: &str, template: &Template, rules: &[Json]) -> Result<Template, ArgumentError> {
    for matcher in rules {
        let is_rule = matcher.get(TYPE).is_some();
        if !is_rule {
            let message = message!["the rules must be matchers, such as ", operation("match.regex")];
            return Err(invalid(message).for_argument("rules"));
        }
    }
    checked(fields([
        (TYPE, text(rule)),
        ("value", Some(template.json()?)),
        ("rules", Some(rules.to_vec().into())),
    ]))
}
