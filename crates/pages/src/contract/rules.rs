//! Describes matching rules in words, and finds the rules for a value in a body.

use std::collections::BTreeMap;

use contract_model::{Combine, Json, PathExpression, PathToken, Rule, RuleList, StatusClass, Text};
use maud::{Markup, html};

/// The matching rules of a body. A rule for an object or array also applies to the values in it.
pub(crate) struct Scope<'a>(pub(crate) &'a BTreeMap<PathExpression, RuleList>);

impl Scope<'_> {
    /// Describes the rule for a value. Returns `None` if no rule applies, or if the description of its object or array
    /// already covers it.
    pub(crate) fn describe(&self, path: &[PathToken], value: &Json) -> Option<Markup> {
        let (depth, found) = self.best(path)?;
        if depth == path.len() {
            return Some(list(found, Some(value)));
        }
        // Type rules of a container also apply to its values.
        let is_type = |rule: &Rule| matches!(rule, Rule::Type { .. });
        let is_container = matches!(value, Json::Array(_) | Json::Object(_));
        (!is_container && found.rules.iter().any(is_type)).then(|| any(Some(value)))
    }

    /// Returns the rules that apply to the value at a path, or `None` if no rule applies.
    pub(crate) fn rules(&self, path: &[PathToken]) -> Option<&RuleList> {
        self.best(path).map(|(_, found)| found)
    }

    /// Returns whether there is a rule for the value at a path, or for a value inside it.
    pub(crate) fn concerns(&self, path: &[PathToken]) -> bool {
        self.0.keys().any(|rule| {
            let tokens = rule.tokens();
            tokens.len() >= path.len() && matches(&tokens[..path.len()], path)
        })
    }

    /// Returns the rules that apply to a path, and the length of their own path. If several paths match, the longest
    /// has priority, and then the one with the fewest wildcards (based on Pact Specification V2, "Matching Rules").
    fn best(&self, path: &[PathToken]) -> Option<(usize, &RuleList)> {
        let candidates = self.0.iter().filter_map(|(rule, list)| {
            let tokens = rule.tokens();
            let applies = tokens.len() <= path.len() && matches(tokens, &path[..tokens.len()]);
            let exact = tokens
                .iter()
                .filter(|token| !matches!(token, PathToken::AnyKey | PathToken::AnyIndex))
                .count();
            applies.then_some(((tokens.len(), exact), list))
        });
        candidates
            .max_by_key(|(weight, _)| *weight)
            .map(|((length, _), list)| (length, list))
    }
}

fn matches(rule: &[PathToken], path: &[PathToken]) -> bool {
    rule.iter().zip(path).all(|(rule, step)| match (rule, step) {
        (PathToken::AnyKey, PathToken::Key(_)) | (PathToken::AnyIndex, PathToken::Index(_)) => true,
        (rule, step) => rule == step,
    })
}

/// Describes a list of rules. If `example` is known, type rules are described by the example's type.
pub(crate) fn list(rules: &RuleList, example: Option<&Json>) -> Markup {
    let separator = match rules.combine {
        Combine::And => ", and ",
        Combine::Or => ", or ",
    };
    html! {
        @for (number, matching_rule) in rules.rules.iter().enumerate() {
            @if number > 0 { (separator) }
            (rule(matching_rule, example))
        }
    }
}

fn rule(rule: &Rule, example: Option<&Json>) -> Markup {
    match rule {
        Rule::Equality => html! { "exactly this value" },
        Rule::Regex(pattern) => regex(pattern),
        Rule::Type { min, max } => type_of(*min, *max, example),
        Rule::Include(text) => html! { "contains " code { (text) } },
        Rule::Number => html! { "a number" },
        Rule::Integer => html! { "an integer" },
        Rule::Decimal => html! { "a decimal number" },
        Rule::Boolean => html! { "a boolean" },
        Rule::Null => html! { "null" },
        Rule::Date(format) => moment("a date", format.as_ref()),
        Rule::Time(format) => moment("a time", format.as_ref()),
        Rule::DateTime(format) => moment("a date and time", format.as_ref()),
        Rule::ContentType(media) => html! { "content of the type " code { (media) } },
        Rule::Values => html! { "any names, with values like these" },
        Rule::ArrayContains(variants) => match variants.len() {
            1 => html! { "contains an element like this" },
            count => html! { "contains an element for each of " (count) " variants" },
        },
        Rule::StatusCode(class) => status(class),
        Rule::NotEmpty => html! { "not empty" },
        Rule::Semver => html! { "a semantic version" },
        Rule::EachKey(definition) => html! { "each key: " (all(&definition.rules)) },
        Rule::EachValue(definition) => html! { "each value: " (all(&definition.rules)) },
        Rule::Custom { name, .. } => html! { "the " code { (name) } " rule" },
    }
}

fn all(rules: &[Rule]) -> Markup {
    html! {
        @for (number, matching_rule) in rules.iter().enumerate() {
            @if number > 0 { ", and " }
            (rule(matching_rule, None))
        }
    }
}

/// Describes a regular expression. An expression that only lists words becomes `one of a, b`.
fn regex(pattern: &str) -> Markup {
    let bare = pattern.trim_start_matches('^').trim_end_matches('$');
    let bare = bare
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(bare);
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|character| character.is_alphanumeric() || "-_ /".contains(character))
    };
    let words: Vec<&str> = bare.split('|').collect();
    if words.len() > 1 && words.iter().all(|word| is_word(word)) {
        return html! {
            "one of "
            @for (number, word) in words.iter().enumerate() { @if number > 0 { ", " } code { (word) } }
        };
    }
    if bare.starts_with("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}") {
        return html! { "a UUID" };
    }
    html! { "matches " code { (pattern) } }
}

fn moment(noun: &str, format: Option<&Text>) -> Markup {
    let is_usual = |format: &str| {
        let bare: String = format.chars().filter(|character| *character != '\'').collect();
        [
            "yyyy-MM-dd",
            "HH:mm:ss",
            "HH:mm",
            "yyyy-MM-ddTHH:mm:ssXXX",
            "yyyy-MM-ddTHH:mm:ss.SSSXXX",
        ]
        .contains(&bare.as_str())
    };
    html! {
        (noun)
        @if let Some(format) = format.filter(|format| !is_usual(format)) { " like " code { (format) } }
    }
}

fn type_of(min: Option<usize>, max: Option<usize>, example: Option<&Json>) -> Markup {
    let elements = |count: usize| if count == 1 { "element" } else { "elements" };
    match (min.filter(|min| *min > 0), max) {
        (None, None) => any(example),
        (Some(min), None) => html! { "at least " (min) " " (elements(min)) ", each like this" },
        (None, Some(max)) => html! { "at most " (max) " " (elements(max)) ", each like this" },
        (Some(min), Some(max)) => html! { (min) " to " (max) " elements, each like this" },
    }
}

fn any(example: Option<&Json>) -> Markup {
    let text = match example {
        None => "any value of this type",
        Some(Json::Null) => "null",
        Some(Json::Bool(_)) => "a boolean",
        Some(Json::Number(_)) => "any number",
        Some(Json::String(_)) => "any string",
        Some(Json::Array(_)) => "any number of elements, each like this",
        Some(Json::Object(_)) => "an object with these fields",
    };
    html! { (text) }
}

fn status(class: &StatusClass) -> Markup {
    let text = match class {
        StatusClass::Information => "any status from 100 to 199",
        StatusClass::Success => "any status from 200 to 299",
        StatusClass::Redirect => "any status from 300 to 399",
        StatusClass::ClientError => "any status from 400 to 499",
        StatusClass::ServerError => "any status from 500 to 599",
        StatusClass::NonError => "any status below 400",
        StatusClass::Error => "any status from 400",
        StatusClass::Codes(codes) => {
            return html! {
                "one of " @for (number, code) in codes.iter().enumerate() { @if number > 0 { ", " } (code) }
            };
        }
    };
    html! { (text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(rules: &[(&str, Rule)]) -> BTreeMap<PathExpression, RuleList> {
        let list = |rule: &Rule| RuleList {
            rules: vec![rule.clone()],
            combine: Combine::And,
        };
        let entries = rules
            .iter()
            .map(|(path, rule)| (path.parse().expect("a path"), list(rule)));
        entries.collect()
    }

    fn describe(rules: &BTreeMap<PathExpression, RuleList>, path: &str, value: &str) -> Option<String> {
        let path: PathExpression = path.parse().expect("a path");
        let value = Json::parse(value.as_bytes()).expect("JSON");
        Scope(rules)
            .describe(path.tokens(), &value)
            .map(maud::PreEscaped::into_string)
    }

    #[test]
    fn exact_paths_and_containers_apply() {
        let any_type = Rule::Type { min: None, max: None };
        let rules = scope(&[
            (
                "$.items",
                Rule::Type {
                    min: Some(1),
                    max: None,
                },
            ),
            ("$.items[*].id", Rule::Integer),
            ("$.items[0].id", Rule::Regex("1|2".into())),
            ("$.user", any_type),
        ]);
        let at = |path, value| describe(&rules, path, value);
        assert_eq!(
            at("$.items", "[{}]").as_deref(),
            Some("at least 1 element, each like this")
        );
        assert_eq!(at("$.items[1].id", "3").as_deref(), Some("an integer"));
        assert_eq!(
            at("$.items[0].id", "1").as_deref(),
            Some("one of <code>1</code>, <code>2</code>")
        );
        assert_eq!(at("$.items[0].name", "\"a\"").as_deref(), Some("any string"));
        assert_eq!(at("$.user.name", "\"a\"").as_deref(), Some("any string"));
        assert_eq!(at("$.user.address", "{}"), None);
        assert_eq!(at("$.other", "1"), None);
    }

    #[test]
    fn patterns_are_escaped() {
        let rules = scope(&[("$", Rule::Regex("<b>.*".into()))]);
        assert_eq!(
            describe(&rules, "$", "\"\"").as_deref(),
            Some("matches <code>&lt;b&gt;.*</code>")
        );
    }
}
