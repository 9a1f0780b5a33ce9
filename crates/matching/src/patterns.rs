//! Limits the total size of the compiled patterns in a part. There is also a limit for each pattern, but a contract may
//! contain a hundred thousand patterns.

use std::collections::HashSet;

use contract_model::{PathRules, Rule, Rules, Text};

use crate::error::{PlanError, RuleProblem};
use crate::pattern::Pattern;

/// Compiles the patterns of a part, up to `most` bytes in total. As long as the result exists, compiling the rules
/// reuses these patterns. Invalid patterns are skipped; they are reported later with their location.
pub(crate) fn compiled(rules: &Rules, most: usize) -> Result<Vec<Pattern>, PlanError> {
    if most == usize::MAX {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    collect(rules, &mut found);
    if found.len() <= most / Pattern::LARGEST {
        return Ok(Vec::new());
    }
    let mut seen = HashSet::new();
    let mut patterns = Vec::new();
    let mut left = most;
    for text in found {
        let Some(pattern) = seen.insert(text).then(|| Pattern::new(text).ok()).flatten() else {
            continue;
        };
        left = left
            .checked_sub(pattern.size())
            .ok_or_else(|| PlanError::new(format!("{:?}", shortened(text)), RuleProblem::Patterns { most }))?;
        patterns.push(pattern);
    }
    Ok(patterns)
}

fn shortened(text: &str) -> &str {
    const SHOWN: usize = 60;
    text.char_indices().nth(SHOWN).map_or(text, |(end, _)| &text[..end])
}

fn collect<'r>(rules: &'r Rules, found: &mut Vec<&'r Text>) {
    let alone = [&rules.method, &rules.path, &rules.status];
    let named = [&rules.query, &rules.header, &rules.metadata];
    let lists = alone.into_iter().flatten();
    for list in lists.chain(named.into_iter().flat_map(|named| named.values())) {
        list.rules.iter().for_each(|rule| collect_from_rule(rule, found));
    }
    collect_from_paths(&rules.body, found);
}

fn collect_from_paths<'r>(rules: &'r PathRules, found: &mut Vec<&'r Text>) {
    for list in rules.values() {
        list.rules.iter().for_each(|rule| collect_from_rule(rule, found));
    }
}

fn collect_from_rule<'r>(rule: &'r Rule, found: &mut Vec<&'r Text>) {
    match rule {
        Rule::Regex(pattern) => found.push(pattern),
        Rule::EachKey(definition) | Rule::EachValue(definition) => {
            definition.rules.iter().for_each(|rule| collect_from_rule(rule, found));
        }
        Rule::ArrayContains(variants) => variants
            .iter()
            .for_each(|variant| collect_from_paths(&variant.rules, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Response, Rule, RuleList};

    use crate::{Options, ResponsePlan};

    #[test]
    fn limits_the_total_size() {
        let response = |count: usize, pattern: &dyn Fn(usize) -> String| {
            let mut response = Response::default();
            for n in 0..count {
                let path = format!("$.m{n}").parse().unwrap();
                let rule = Rule::Regex(pattern(n).into());
                response.rules.body.insert(path, RuleList::single(rule));
            }
            response
        };
        let plan = |response: &Response, pattern_size| {
            let options = Options {
                pattern_size,
                ..Options::LENIENT
            };
            ResponsePlan::new(response, options)
                .map(drop)
                .map_err(|error| error.to_string())
        };
        let different = response(60, &|n| format!(r"\w{{20}}x{n}"));
        let error = plan(&different, 2 << 20).unwrap_err();
        assert!(
            error.starts_with(r#"the rule for "\\w{20}x"#)
                && error.ends_with(
                    "the compiled regular expressions exceed 2097152 bytes in total; use fewer or smaller expressions, or raise \
                     the limit patternSize"
                ),
            "{error}"
        );
        assert_eq!(plan(&different, 4 << 30), Ok(()));
        assert_eq!(plan(&response(2000, &|_| r"\w{20}x".to_owned()), 2 << 20), Ok(()));
        assert_eq!(plan(&response(2000, &|n| format!("literal {n}")), 2 << 20), Ok(()));
    }
}
