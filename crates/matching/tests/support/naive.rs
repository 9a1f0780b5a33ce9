//! A naive matcher for JSON bodies. For each value, it compares the paths of all rules step by step. It compiles
//! nothing.

#[path = "naive_text.rs"]
pub(crate) mod text;

use contract_model::{
    Combine, Json, JsonKind, NumberKind, PathExpression, PathRules, PathToken, Rule, RuleList, StatusClass,
};

/// Returns whether the actual value satisfies the expected value under these rules.
pub(crate) fn matches(rules: &PathRules, strict: bool, expected: &Json, actual: &Json) -> bool {
    let mut all: Vec<(PathExpression, RuleList)> = rules.clone().into_iter().collect();
    let mut at = 0;
    while at < all.len() {
        let (path, list) = all[at].clone();
        for rule in &list.rules {
            if let Rule::EachValue(definition) = rule {
                let below = path.join(PathToken::AnyKey);
                let list = RuleList {
                    rules: definition.rules.clone(),
                    combine: Combine::And,
                };
                match all.iter_mut().find(|(other, _)| *other == below) {
                    // Alternatives for each value take precedence. All other rules are combined.
                    Some((_, there)) if there.combine == Combine::Or => {}
                    Some((_, there)) => there.rules.extend(list.rules),
                    None => all.push((below, list)),
                }
            }
        }
        at += 1;
    }
    Naive { rules: all, strict }.value(&mut Vec::new(), None, expected, actual)
}

struct Naive {
    rules: Vec<(PathExpression, RuleList)>,
    strict: bool,
}

/// Returns the list that is selected for a place: the one with the greatest product of weight and length. Ties are
/// resolved as documented.
pub(crate) fn selected<'r>(
    rules: &'r [(PathExpression, RuleList)],
    place: &[PathToken],
) -> Option<&'r (PathExpression, RuleList)> {
    let applies = |(path, list): &&(PathExpression, RuleList)| {
        let below = path.tokens().len() < place.len();
        weight(path, place).is_some() && list.rules.iter().any(|rule| !below || cascades(rule))
    };
    rules.iter().filter(applies).max_by(|(a, _), (b, _)| {
        let rank = |path: &PathExpression| {
            let weight = weight(path, place).unwrap_or(0);
            let length = path.tokens().len() + 1;
            let named = path
                .tokens()
                .iter()
                .position(|token| matches!(token, PathToken::Key(_) | PathToken::Index(_)));
            (
                weight * length,
                weight,
                length,
                std::cmp::Reverse(named.unwrap_or(usize::MAX)),
            )
        };
        rank(a).cmp(&rank(b)).then_with(|| b.cmp(a))
    })
}

/// The path of an OR list, and the index of the chosen rule.
type Chosen<'a> = Option<(&'a PathExpression, usize)>;

impl Naive {
    fn value<'a>(&'a self, place: &mut Vec<PathToken>, chosen: Chosen<'a>, expected: &Json, actual: &Json) -> bool {
        let Some((path, list)) = selected(&self.rules, place) else {
            return self.plain(place, chosen, expected, actual);
        };
        let below = path.tokens().len() < place.len();
        let run = |place: &mut Vec<PathToken>, chosen, rules: Vec<&Rule>| {
            let rules: Vec<&Rule> = rules.into_iter().filter(|rule| !below || cascades(rule)).collect();
            if rules.is_empty() {
                self.plain(place, chosen, expected, actual)
            } else {
                self.ruled(place, chosen, &rules, below, expected, actual)
            }
        };
        if list.combine == Combine::And || list.rules.len() == 1 {
            return run(place, chosen, list.rules.iter().collect());
        }
        match chosen.filter(|(at, _)| *at == path) {
            Some((_, alternative)) => run(place, chosen, vec![&list.rules[alternative]]),
            None => (0..list.rules.len()).any(|index| run(place, Some((path, index)), vec![&list.rules[index]])),
        }
    }

    fn step<'a>(
        &'a self,
        place: &mut Vec<PathToken>,
        token: PathToken,
        chosen: Chosen<'a>,
        expected: &Json,
        actual: &Json,
    ) -> bool {
        place.push(token);
        let holds = self.value(place, chosen, expected, actual);
        place.pop();
        holds
    }

    fn plain<'a>(&'a self, place: &mut Vec<PathToken>, chosen: Chosen<'a>, expected: &Json, actual: &Json) -> bool {
        match (expected, actual) {
            (Json::Object(wanted), Json::Object(got)) => {
                let keys =
                    wanted.keys().all(|key| got.contains_key(key)) && (!self.strict || wanted.len() == got.len());
                keys && wanted.iter().all(|(key, value)| {
                    self.step(
                        place,
                        PathToken::Key(key.clone()),
                        chosen,
                        value,
                        &got.get(key).cloned().unwrap_or_default(),
                    )
                })
            }
            (Json::Array(wanted), Json::Array(got)) => {
                wanted.len() == got.len()
                    && (0..got.len())
                        .all(|index| self.step(place, PathToken::Index(index), chosen, &wanted[index], &got[index]))
            }
            _ => expected == actual,
        }
    }

    fn ruled<'a>(
        &'a self,
        place: &mut Vec<PathToken>,
        chosen: Chosen<'a>,
        rules: &[&Rule],
        below: bool,
        expected: &Json,
        actual: &Json,
    ) -> bool {
        let null = rules.iter().any(|rule| matches!(rule, Rule::Null));
        // At its own path, the rule applies to the complete container. Below, it applies to each value.
        if !below && expected != actual && rules.iter().any(|rule| matches!(rule, Rule::Equality)) {
            return false;
        }
        match (expected, actual) {
            (Json::Object(wanted), Json::Object(got)) if !null => {
                let free_values = rules
                    .iter()
                    .any(|rule| matches!(rule, Rule::Values | Rule::EachValue(_)));
                let free_keys = free_values || rules.iter().any(|rule| matches!(rule, Rule::EachKey(_)));
                let exact = self.strict || rules.iter().any(|rule| matches!(rule, Rule::Equality));
                rules.iter().all(|rule| on_container(rule, got.len(), true, below))
                    && rules.iter().all(|rule| match rule {
                        Rule::EachKey(definition) => got.keys().all(|key| {
                            let key = Json::String(key.clone());
                            definition.rules.iter().all(|rule| on_scalar(rule, &key, &key))
                        }),
                        _ => true,
                    })
                    && (free_keys
                        || (wanted.keys().all(|key| got.contains_key(key)) && (!exact || wanted.len() == got.len())))
                    && got.iter().all(|(key, value)| {
                        let first = wanted.members().first().map(|(_, value)| value).filter(|_| free_values);
                        match wanted.get(key).or(first) {
                            Some(example) => self.step(place, PathToken::Key(key.clone()), chosen, example, value),
                            None if free_values => self.step(place, PathToken::Key(key.clone()), chosen, value, value),
                            None => true,
                        }
                    })
            }
            (Json::Array(wanted), Json::Array(got)) if !null => {
                // Items that match no variant are allowed.
                if let [Rule::ArrayContains(variants)] = rules {
                    return variants.iter().all(|variant| {
                        let wanted = wanted.get(variant.index);
                        wanted.is_some_and(|wanted| {
                            got.iter()
                                .any(|item| matches(&variant.rules, self.strict, wanted, item))
                        })
                    });
                }
                let exact = rules.iter().any(|rule| matches!(rule, Rule::Equality));
                let at_least = rules.iter().any(|rule| matches!(rule, Rule::Values));
                rules.iter().all(|rule| on_container(rule, got.len(), false, below))
                    && (!exact || wanted.len() == got.len())
                    && (!at_least || got.len() >= wanted.len())
                    && (0..got.len()).all(|index| {
                        let example = wanted.get(index).or(wanted.first()).unwrap_or(&got[index]);
                        self.step(place, PathToken::Index(index), chosen, example, &got[index])
                    })
            }
            (Json::Object(_) | Json::Array(_), _) if !null => false,
            _ => rules.iter().all(|rule| on_scalar(rule, expected, actual)),
        }
    }
}

fn weight(path: &PathExpression, place: &[PathToken]) -> Option<usize> {
    if path.tokens().len() > place.len() {
        return None;
    }
    path.tokens().iter().zip(place).try_fold(2, |weight, (token, step)| {
        let number = match step {
            PathToken::Index(index) => Some(*index),
            PathToken::Key(key) if key.bytes().all(|byte| byte.is_ascii_digit()) => key.parse().ok(),
            _ => None,
        };
        match token {
            PathToken::AnyKey => Some(weight),
            PathToken::AnyIndex => number.map(|_| weight),
            PathToken::Index(index) => (number == Some(*index)).then_some(weight * 2),
            PathToken::Key(_) => (token == step).then_some(weight * 2),
        }
    })
}

fn cascades(rule: &Rule) -> bool {
    !matches!(
        rule,
        Rule::Values | Rule::EachKey(_) | Rule::EachValue(_) | Rule::ArrayContains(_)
    )
}

fn on_container(rule: &Rule, size: usize, is_map: bool, below: bool) -> bool {
    match rule {
        Rule::Type { min, max } => below || (min.unwrap_or(0)..=max.unwrap_or(usize::MAX)).contains(&size),
        Rule::NotEmpty => size > 0,
        Rule::Include(_)
        | Rule::Number
        | Rule::Integer
        | Rule::Decimal
        | Rule::Boolean
        | Rule::Date(_)
        | Rule::Time(_)
        | Rule::DateTime(_)
        | Rule::Semver => !is_map,
        Rule::EachKey(_) => is_map,
        _ => true,
    }
}

pub(crate) fn on_scalar(rule: &Rule, expected: &Json, actual: &Json) -> bool {
    let is_container = matches!(actual, Json::Object(_) | Json::Array(_));
    match rule {
        Rule::Equality | Rule::Values => expected == actual,
        Rule::Type { .. } => expected.kind() == actual.kind(),
        Rule::Number => actual.kind() == JsonKind::Number,
        Rule::Integer => matches!(actual, Json::Number(number) if number.kind() == NumberKind::Integer),
        Rule::Decimal => matches!(actual, Json::Number(number) if number.kind() == NumberKind::Decimal),
        Rule::StatusCode(class) => actual.as_u64().is_some_and(|code| is_of_class(class, code)),
        // Patterns also apply to the JSON text of other values. All other formats apply only to strings.
        Rule::Regex(_) if !is_container => text::format(rule, &actual.text_form()).unwrap_or(false),
        Rule::Date(_) | Rule::Time(_) | Rule::DateTime(_) | Rule::Semver => actual
            .as_str()
            .and_then(|actual| text::format(rule, actual))
            .unwrap_or(false),
        Rule::Boolean => actual.as_bool().is_some() || matches!(actual.as_str(), Some("true" | "false")),
        Rule::Null => actual.is_null(),
        Rule::NotEmpty => match actual {
            Json::Null => false,
            Json::String(text) => !text.is_empty(),
            Json::Array(items) => !items.is_empty(),
            Json::Object(object) => !object.is_empty(),
            _ => true,
        },
        Rule::Include(text) => !is_container && actual.text_form().contains(text.as_str()),
        _ => false,
    }
}

fn is_of_class(class: &StatusClass, code: u64) -> bool {
    match class {
        StatusClass::Information => code / 100 == 1,
        StatusClass::Success => code / 100 == 2,
        StatusClass::Redirect => code / 100 == 3,
        StatusClass::ClientError => code / 100 == 4,
        StatusClass::ServerError => code / 100 == 5,
        StatusClass::NonError => code < 400,
        StatusClass::Error => code >= 400,
        StatusClass::Codes(codes) => codes.iter().any(|known| u64::from(*known) == code),
    }
}
