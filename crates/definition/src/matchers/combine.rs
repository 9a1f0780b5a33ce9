//! Combines several matchers for one value.

use contract_model::{Json, Object, split_body, write_string};

use super::arguments::{Members, members};
use super::json::{GENERATOR, TYPE, checked, fields, invalid, text};
use super::template::Template;
use crate::literal::literal;
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    And,
    Or,
}

impl Combine {
    fn name(self) -> &'static str {
        match self {
            Self::And => "AND",
            Self::Or => "OR",
        }
    }
}

/// Returns a matcher that accepts null, or a value like the template. Does not parse the text of the template, because
/// it was checked when it was created.
pub(super) fn nullable(template: &Template) -> Result<Template, ArgumentError> {
    let Some(Members(members)) = members(template.text()) else {
        return Ok(or_null(r#""type""#, "", "", Some(template.text())));
    };
    let member = |name| {
        members
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.get())
    };
    let kind = match (member(TYPE), member(GENERATOR)) {
        (None, None) => return Ok(or_null(r#""type""#, "", "", Some(template.text()))),
        // Null becomes another alternative of the combination.
        (Some(kind), _) if !kind.starts_with('"') => return combined(Combine::Or, [&template.json()?, &Json::Null]),
        (kind, _) => kind.unwrap_or(r#""type""#),
    };
    let mut attributes = String::new();
    for (name, value) in &members {
        if ![TYPE, GENERATOR, "value"].contains(&&**name) {
            attributes.push(',');
            write_string(name, &mut attributes);
            attributes.extend([":", value.get()]);
        }
    }
    let (mut outer, mut value) = (String::new(), member("value"));
    if let Some(generator) = member(GENERATOR) {
        outer = format!(r#","{GENERATOR}":{generator}{attributes}"#);
    } else if [r#""include""#, r#""contentType""#].contains(&kind) {
        let own = *value.get_or_insert("null");
        attributes.extend([r#","value":"#, own]);
    }
    Ok(or_null(kind, &attributes, &outer, value))
}

/// Returns matcher JSON for a rule that also accepts null.
fn or_null(kind: &str, attributes: &str, outer: &str, value: Option<&str>) -> Template {
    let mut matcher =
        format!(r#"{{"{TYPE}":[{{"{TYPE}":{kind}{attributes}}},{{"{TYPE}":"null"}}]{outer},"combine":"OR""#);
    if let Some(value) = value {
        matcher.extend([r#","value":"#, value]);
    }
    matcher.push('}');
    Template::from_valid_text(matcher)
}

/// Returns a matcher for a value that at least one matcher accepts (`Or`) or that all matchers accept (`And`). The
/// first matcher provides the example.
pub(super) fn combined<'a>(
    combine: Combine,
    parts: impl IntoIterator<Item = &'a Json>,
) -> Result<Template, ArgumentError> {
    let parts: Vec<_> = parts
        .into_iter()
        .map(|part| to_matcher(combine, part))
        .collect::<Result<_, _>>()?;
    if parts.len() < 2 {
        return Err(invalid("pass at least two matchers"));
    }
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        flatten(combine, part, &mut all)?;
    }
    let Some((first, rest)) = all.split_first() else {
        return Err(invalid("pass at least two matchers"));
    };
    rest.iter().try_for_each(|other| check_compatible(first, other))?;
    let mut matcher = Object::new();
    if first.contains_key(GENERATOR) {
        matcher = first.clone();
        matcher.remove("value");
    }
    matcher.insert(TYPE, all.iter().map(rule).map(Json::from).collect::<Vec<_>>());
    matcher.insert("combine", combine.name());
    if let Some(example) = first.get("value") {
        matcher.insert("value", example.clone());
    }
    checked(matcher)
}

/// Converts an argument to a matcher. `Or` also accepts strings and null.
fn to_matcher(combine: Combine, part: &Json) -> Result<Object, ArgumentError> {
    match part {
        Json::Null if combine == Combine::Or => Ok(fields([(TYPE, text("null")), ("value", Some(Json::Null))])),
        Json::String(exact) if combine == Combine::Or => Ok(fields([
            (TYPE, text("regex")),
            ("regex", Some(literal(exact).into())),
            ("value", text(exact)),
        ])),
        Json::Object(members) if members.contains_key(TYPE) => Ok(members.clone()),
        _ => Err(invalid(message![
            "every argument must be a matcher; ",
            operation("match.any"),
            " also accepts strings and null"
        ])),
    }
}

/// Replaces a combination inside a combination of the same kind by its matchers. Contract files cannot represent a
/// combination inside one of the other kind, so that is an error.
fn flatten(combine: Combine, mut part: Object, into: &mut Vec<Object>) -> Result<(), ArgumentError> {
    let Some(Json::Array(inner)) = part.get(TYPE) else {
        into.push(part);
        return Ok(());
    };
    // A combination of one rule ignores `combine`.
    if inner.len() > 1 && part.get("combine").and_then(Json::as_str).unwrap_or("AND") != combine.name() {
        return Err(invalid(message![
            "contract files cannot combine ",
            operation("match.all"),
            " with ",
            operation("match.any"),
            " or ",
            operation("match.nullable")
        ]));
    }
    let Some(Json::Array(inner)) = part.remove(TYPE) else {
        return Ok(());
    };
    let example = part.remove("value");
    part.remove("combine");
    // The attributes of the first rule belong to its generator if it has one.
    let mut outer = Some(part).filter(|part| part.contains_key(GENERATOR));
    let mut example = Some(example);
    for rule in inner {
        let Json::Object(mut rule) = rule else { continue };
        if let Some(Some(example)) = example.take()
            && !has_value_attribute(&rule)
        {
            rule.insert("value", example);
        }
        for (name, attribute) in outer.take().into_iter().flatten() {
            rule.insert(name, attribute);
        }
        into.push(rule);
    }
    Ok(())
}

/// Returns an error if the other matcher rejects the first matcher's example, because contract files keep only that
/// example.
fn check_compatible(first: &Object, other: &Object) -> Result<(), ArgumentError> {
    match other.get(TYPE).and_then(Json::as_str) {
        Some("type") => {
            let (expected, found) = (example_type(first)?, example_type(other)?);
            if expected == found {
                return Ok(());
            }
            Err(invalid(message![
                format!(
                    "the example of this matcher is of type {found}, but the first example is of type {expected}. Put this \
                         matcher first, or use a matcher for one type, such as "
                ),
                operation("match.int"),
                ", ",
                operation("match.bool"),
                ", or ",
                operation("match.regex")
            ]))
        }
        Some("equality") if other.get("value") != Some(first.get("value").unwrap_or(&Json::Null)) => {
            Err(invalid(message![
                operation("match.equal"),
                " must be the first matcher, because it compares with the example, and only the first example is kept"
            ]))
        }
        _ => Ok(()),
    }
}

/// Returns the JSON type of the matcher's example. A missing example is generated.
fn example_type(matcher: &Object) -> Result<&'static str, ArgumentError> {
    let mut split = split_body(&matcher.clone().into()).map_err(|error| invalid(error.kind.to_string()))?;
    match split.fill(crate::examples::example_generator()) {
        // Only the type is needed here. The operation that uses the matcher checks the size.
        Err(error) if crate::examples::is_too_large(&error) => return Ok("string"),
        filled => filled?,
    }
    Ok(match split.example {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    })
}

/// Returns the rule without its example and generator, because these belong to the whole combination.
fn rule(matcher: &Object) -> Object {
    let mut rule = matcher.clone();
    rule.remove(GENERATOR);
    if !has_value_attribute(matcher) {
        rule.remove("value");
    }
    rule
}

/// Returns true if `value` is an attribute of the rule rather than its example.
fn has_value_attribute(rule: &Object) -> bool {
    matches!(rule.get(TYPE).and_then(Json::as_str), Some("include" | "contentType")) && rule.contains_key("value")
}
