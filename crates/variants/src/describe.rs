//! Describes matching rules and values in the names and reports of variants.

use contract_model::{Combine, Json, Rule, RuleList};

/// Maximum number of characters of a value in the name of a variant.
const LABEL: usize = 40;
/// Maximum number of characters of a value in a message.
const VALUE: usize = 160;

/// Describes rules, for example `regex open|paid` or `type OR null`.
pub(crate) fn rules(list: &RuleList) -> String {
    let joint = match list.combine {
        Combine::And => " AND ",
        Combine::Or => " OR ",
    };
    let each: Vec<String> = list.rules.iter().map(rule).collect();
    each.join(joint)
}

fn rule(rule: &Rule) -> String {
    match rule {
        Rule::Regex(pattern) => format!("regex {}", cut(pattern, VALUE)),
        Rule::Include(text) => format!("include {}", Json::from(cut(text, VALUE))),
        Rule::Date(Some(format)) | Rule::Time(Some(format)) | Rule::DateTime(Some(format)) => {
            format!("{} {format}", rule.name())
        }
        Rule::Type { min, max } => {
            let min = min.map(|min| format!(" (min {min})")).unwrap_or_default();
            let max = max.map(|max| format!(" (max {max})")).unwrap_or_default();
            format!("type{min}{max}")
        }
        rule => rule.name().to_owned(),
    }
}

/// Formats a value for the name of a variant: a string without quotes, any other value as JSON. Truncates long text.
pub(crate) fn label(value: &Json) -> String {
    let text = match value {
        Json::String(text) => text.to_string(),
        value => value.to_text(),
    };
    cut(&text, LABEL)
}

/// Formats a value as JSON, truncated to [`VALUE`] characters.
pub(crate) fn value(value: &Json) -> String {
    cut(&value.to_text(), VALUE)
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_rules() {
        let list = RuleList {
            rules: vec![
                Rule::Type {
                    min: Some(1),
                    max: None,
                },
                Rule::Null,
            ],
            combine: Combine::Or,
        };
        assert_eq!(rules(&list), "type (min 1) OR null");
        assert_eq!(rules(&RuleList::single(Rule::Regex("a|b".into()))), "regex a|b");
        assert_eq!(rules(&RuleList::single(Rule::Include("x".into()))), "include \"x\"");
    }

    #[test]
    fn values_are_limited() {
        assert_eq!(label(&Json::from("shipped")), "shipped");
        assert_eq!(label(&Json::Null), "null");
        assert_eq!(label(&Json::from("ü".repeat(50))).chars().count(), 41);
    }
}
