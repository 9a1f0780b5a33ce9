//! Matching rules for named values: query parameters, headers, and metadata.

use std::collections::{BTreeMap, HashMap};
use std::ptr;
use std::sync::Arc;

use contract_model::{Combine, Json, RuleList, Text};

use crate::at::Step;
use crate::error::RuleProblem;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::rule::{Check, CheckedRule, Checks, Scope};
use crate::sink::Sink;

/// The rules for one name. Some apply to all values of the name, others to individual values.
#[derive(Debug, Default)]
pub(crate) struct NamedChecks {
    pub(crate) all: Option<Arc<Checks>>,
    pub(crate) at: HashMap<usize, Arc<Checks>>,
}

/// Determines whether names are case-sensitive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Matters,
    Ignored,
}

/// The values to which a key refers: all values of a name, or one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    All,
    At(usize),
}

/// The rules of one part, indexed by name.
pub(crate) struct NamedRules<'a> {
    case: Case,
    /// Rules by name, in the order of their keys.
    by_name: HashMap<Text, Vec<Named<'a>>>,
}

/// The rules for a name that one key defines.
struct Named<'a> {
    key: &'a Text,
    /// The name as written in the contract.
    name: &'a str,
    list: &'a RuleList,
    values: Values,
}

impl<'a> NamedRules<'a> {
    /// Indexes the rules by name. Each key is first interpreted as a literal name. Keys such as `name[0]`, `name[*]`,
    /// `$.name`, and `$['name']` are also supported.
    pub(crate) fn new(rules: &'a BTreeMap<Text, RuleList>, case: Case) -> Self {
        let mut by_name: HashMap<Text, Vec<Named<'a>>> = HashMap::new();
        // An empty list contains no rules, so the value is compared with the example.
        for (key, list) in rules.iter().filter(|(_, list)| !list.rules.is_empty()) {
            for (name, values) in meanings(key) {
                let named = by_name.entry(folded(name, case)).or_default();
                // Use only the first interpretation of a key for each name.
                if named.last().is_none_or(|earlier| !ptr::eq(earlier.key, key)) {
                    named.push(Named {
                        key,
                        name,
                        list,
                        values,
                    });
                }
            }
        }
        Self { case, by_name }
    }

    /// Returns the compiled rules for a name, or the key of an invalid rule with the problem.
    pub(crate) fn checks(&self, name: &str) -> Result<NamedChecks, (Text, RuleProblem)> {
        self.checks_but(name, |_| false)
    }

    /// Like [`Self::checks`], but ignores rules for names for which `is_another` returns true: headers of their own
    /// whose names differ only in case.
    pub(crate) fn checks_but(
        &self,
        name: &str,
        is_another: impl Fn(&str) -> bool,
    ) -> Result<NamedChecks, (Text, RuleProblem)> {
        let mut found = NamedChecks::default();
        let named = self.by_name.get(&folded(name, self.case)).into_iter().flatten();
        for Named { key, list, values, .. } in named.filter(|named| !is_another(named.name)) {
            let checks = Arc::new(Checks::new(list).map_err(|problem| ((*key).clone(), problem))?);
            match values {
                Values::At(index) => drop(found.at.entry(*index).or_insert(checks)),
                Values::All => found.all = found.all.or(Some(checks)),
            }
        }
        Ok(found)
    }
}

impl NamedChecks {
    /// Creates the rules for a name with `count` values from the rules at a path in a body.
    pub(crate) fn from_scope(scope: &Scope, count: usize) -> Self {
        let own = |scope: &Scope| {
            scope
                .selected()
                .map(|selected| (selected.cascaded, Arc::clone(&selected.checks)))
        };
        let at = (0..count)
            .filter_map(|index| match own(scope.child(Step::Index(index))) {
                Some((false, checks)) => Some((index, checks)),
                _ => None,
            })
            .collect();
        Self {
            all: own(scope).map(|(_, checks)| checks),
            at,
        }
    }

    /// Returns true if a rule applies to the individual values or to their number.
    pub(crate) fn applies_to_items(&self) -> bool {
        self.all
            .as_ref()
            .is_some_and(|all| all.list.iter().any(|checked| checked.check.applies_to_items()))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none() && self.at.is_empty()
    }

    /// Compares lists of values. Each value is compared with its own example. Values without an example are compared
    /// with the first example.
    pub(crate) fn compare(
        &self,
        expected: &[Text],
        actual: &[Text],
        place: &impl Fn(Option<usize>) -> Location,
        sink: &mut Sink,
    ) {
        let of_lists: Vec<(&CheckedRule, Vec<MismatchKind>)> = self
            .all
            .iter()
            .flat_map(|all| &all.list)
            .map(|checked| (checked, checked.check.check_list(expected, actual)))
            .collect();
        let is_choice = self.all.as_ref().is_some_and(|all| all.combine == Combine::Or);
        // Exclude alternatives that reject the complete list.
        let is_open = |checked: &CheckedRule| {
            let accepts = |(other, refusals): &(&CheckedRule, Vec<_>)| ptr::eq(*other, checked) && refusals.is_empty();
            !is_choice || of_lists.iter().any(accepts)
        };
        let open = || {
            of_lists
                .iter()
                .map(|(checked, _)| *checked)
                .filter(|checked| is_open(checked))
        };
        if is_choice && open().any(|checked| matches!(checked.check, Check::ArrayContains(_))) {
            return;
        }
        let mut failures = sink.new_like();
        if self.all.is_none() && expected.len() != actual.len() {
            failures.add(|| length(place(None), expected, actual));
        }
        for (index, value) in actual.iter().enumerate() {
            let Some(example) = expected.get(index).or(expected.first()) else {
                break;
            };
            let single = actual.len() == 1;
            let at = || place(if single { None } else { Some(index) });
            let difference = |kind| {
                Mismatch::new(at(), kind)
                    .expected(example.clone())
                    .actual(value.clone())
            };
            match (self.at.get(&index), &self.all) {
                (Some(checks), _) => {
                    for (checked, kind) in checks.item(example, value, &|_| true) {
                        failures.add(|| difference(kind).rule(&checked.rule));
                    }
                }
                (None, Some(checks)) => {
                    for (checked, kind) in checks.item(example, value, &is_open) {
                        failures.add(|| difference(kind).rule(&checked.rule));
                    }
                }
                (None, None) if example != value => failures.add(|| difference(MismatchKind::NotEqual)),
                (None, None) => {}
            }
        }
        if is_choice && failures.is_clean() && open().next().is_some() {
            return;
        }
        let is_choice = is_choice && of_lists.len() > 1;
        let before = sink.mismatches.len();
        for (checked, kind) in of_lists
            .into_iter()
            .flat_map(|(checked, kinds)| kinds.into_iter().map(move |kind| (checked, kind)))
        {
            let rule_expected = match kind {
                MismatchKind::Variant { index } => expected.get(index).cloned().map(Json::String),
                _ => None,
            };
            sink.add(|| {
                Mismatch::new(place(None), kind)
                    .expected(rule_expected.unwrap_or_else(|| values(expected)))
                    .actual(values(actual))
                    .rule(&checked.rule)
            });
        }
        sink.append(failures);
        if is_choice {
            sink.mark_as_alternatives(before);
        }
    }
}

pub(crate) fn values(texts: &[Text]) -> Json {
    Json::Array(texts.iter().cloned().map(Json::String).collect())
}

pub(crate) fn length(at: Location, expected: &[Text], actual: &[Text]) -> Mismatch {
    let kind = MismatchKind::Length {
        expected: expected.len(),
        actual: actual.len(),
    };
    Mismatch::new(at, kind)
        .expected(values(expected))
        .actual(values(actual))
}

fn folded(name: &str, case: Case) -> Text {
    match case {
        Case::Matters => name.into(),
        Case::Ignored => name.to_ascii_lowercase().into(),
    }
}

/// Returns the names and values that a key may denote, in order of precedence.
fn meanings(key: &str) -> Vec<(&str, Values)> {
    let path = match key.strip_prefix('$') {
        Some(rest) => rest.strip_prefix('.').unwrap_or(rest),
        None => key,
    };
    let mut found = vec![(key, Values::All)];
    if path != key {
        found.push((path, Values::All));
    }
    let (name, index) = match path.strip_prefix("['") {
        Some(quoted) => match quoted.split_once("']") {
            Some(split) => split,
            None => return found,
        },
        None => match path.rfind('[') {
            Some(at) => path.split_at(at),
            None => return found,
        },
    };
    found.extend(index_of(index).map(|values| (name, values)));
    found
}

fn index_of(text: &str) -> Option<Values> {
    match text {
        "" | "[*]" => Some(Values::All),
        _ => text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(Values::At),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use contract_model::{Rule, RuleList};

    use super::Values::{self, All, At};
    use super::{Case, NamedRules, meanings};

    fn place_of(key: &str, name: &str) -> Option<Values> {
        let meaning = meanings(key).into_iter().find(|(meaning, _)| *meaning == name);
        meaning.map(|(_, values)| values)
    }

    #[test]
    fn keys_are_names_or_paths() {
        for (key, name, want) in [
            ("a", "a", Some(All)),
            ("$.a", "a", Some(All)),
            ("$.a", "$.a", Some(All)),
            ("$['a[]']", "a[]", Some(All)),
            ("a[0]", "a", Some(At(0))),
            ("a[0]", "a[0]", Some(All)),
            ("$.a[2]", "a", Some(At(2))),
            ("$['x-y'][1]", "x-y", Some(At(1))),
            ("a[*]", "a", Some(All)),
            ("b", "a", None),
            ("a[x]", "a", None),
            ("['a", "a", None),
        ] {
            assert_eq!(place_of(key, name), want, "{key}");
        }
    }

    #[test]
    fn names_may_be_case_insensitive() {
        let list = RuleList {
            rules: vec![Rule::Integer],
            ..RuleList::default()
        };
        let rules: BTreeMap<_, _> = ["X-Y[0]", "x-y"].map(|key| (key.into(), list.clone())).into();
        let checks = NamedRules::new(&rules, Case::Ignored).checks("x-Y").unwrap();
        assert!(checks.all.is_some() && checks.at.contains_key(&0));
        assert!(NamedRules::new(&rules, Case::Matters).checks("x-Y").unwrap().is_empty());
    }

    #[test]
    fn finds_rules_among_many() {
        let list = RuleList {
            rules: vec![Rule::Integer],
            ..RuleList::default()
        };
        let names = 0..100_000;
        let rules: BTreeMap<_, _> = names
            .clone()
            .map(|name| (format!("x{name}").into(), list.clone()))
            .collect();
        let rules = NamedRules::new(&rules, Case::Ignored);
        for name in names {
            assert!(!rules.checks(&format!("X{name}")).unwrap().is_empty());
        }
    }
}
