//! Rules for things with names: query parameters, headers, metadata.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use contract_model::{Combine, Json, RuleList, Text};

use crate::check::{Check, CheckedRule, Checks, RuleProblem, VariantChecks};
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::scope::{Scope, Step};
use crate::sink::Sink;

/// The rules for one name: for all its values, and for single ones.
#[derive(Debug, Default)]
pub(crate) struct NamedChecks {
    pub(crate) all: Option<Arc<Checks>>,
    pub(crate) at: HashMap<usize, Arc<Checks>>,
}

/// Whether names are compared with case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Matters,
    Ignored,
}

/// Which values of a name a key is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    All,
    At(usize),
}

impl NamedChecks {
    /// The rules for `name`. Keys are opaque names first; `name[0]`, `name[*]`, `$.name` and `$['name']` are understood too.
    pub(crate) fn new(rules: &BTreeMap<Text, RuleList>, name: &str, case: Case) -> Result<Self, (Text, RuleProblem)> {
        let mut found = Self::default();
        // An empty list asks for nothing, and the value is the example's.
        for (key, list) in rules.iter().filter(|(_, list)| !list.rules.is_empty()) {
            let place = if same(key, name, case) {
                Some(Values::All)
            } else {
                place_of(key, name, case)
            };
            let Some(place) = place else { continue };
            let checks = Arc::new(Checks::new(list).map_err(|problem| (key.clone(), problem))?);
            match place {
                Values::At(index) => drop(found.at.entry(index).or_insert(checks)),
                Values::All => found.all = found.all.or(Some(checks)),
            }
        }
        Ok(found)
    }

    /// The rules that a place in a body has for a name with so many values.
    pub(crate) fn of_scope(scope: &Scope, count: usize) -> Self {
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

    /// Whether a rule looks at single values of a list, or counts them.
    pub(crate) fn is_about_items(&self) -> bool {
        self.all.as_ref().is_some_and(|all| {
            let is_list = |checked: &CheckedRule| {
                matches!(
                    checked.check,
                    Check::ArrayContains(_)
                        | Check::EachValue(_)
                        | Check::Values
                        | Check::Type { min: Some(_), .. }
                        | Check::Type { max: Some(_), .. }
                )
            };
            all.list.iter().any(is_list)
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none() && self.at.is_empty()
    }

    pub(crate) fn of(&self, index: usize) -> Option<&Arc<Checks>> {
        self.at.get(&index).or(self.all.as_ref())
    }

    /// Compares lists of values under these rules: each value with its example, values beyond the examples with the first.
    pub(crate) fn compare(
        &self,
        expected: &[Text],
        actual: &[Text],
        place: &impl Fn(Option<usize>) -> Location,
        sink: &mut Sink,
    ) {
        let mut failures = sink.alike();
        let mut lists = sink.alike();
        match &self.all {
            Some(all) => list(all, expected, actual, &place(None), &mut lists),
            None if expected.len() != actual.len() => lists.add(|| length(place(None), expected, actual)),
            None => {}
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
            match self.of(index) {
                Some(checks) => {
                    for (checked, kind) in checks.item(example, value) {
                        failures.add(|| difference(kind).rule(&checked.rule));
                    }
                }
                None if example != value => failures.add(|| difference(MismatchKind::NotEqual)),
                None => {}
            }
        }
        // One alternative is enough, and what is asked of each value may be the one.
        let is_enough = |all: &Arc<Checks>| {
            let of_values = |checked: &CheckedRule| !matches!(checked.check, Check::ArrayContains(_));
            all.combine == Combine::Or && all.list.iter().any(of_values) && failures.is_clean() && has_variants(all)
        };
        let variants_hold = |all: &Arc<Checks>| all.combine == Combine::Or && has_variants(all) && lists.is_clean();
        if self
            .all
            .as_ref()
            .is_some_and(|all| is_enough(all) || variants_hold(all))
        {
            return;
        }
        sink.append(lists);
        sink.append(failures);
    }
}

fn has_variants(checks: &Checks) -> bool {
    let is_list = |checked: &CheckedRule| matches!(checked.check, Check::ArrayContains(_));
    checks.list.iter().any(is_list)
}

/// What rules ask of all values of a name together.
fn list(checks: &Checks, expected: &[Text], actual: &[Text], place: &Location, sink: &mut Sink) {
    for checked in &checks.list {
        let kinds = match &checked.check {
            Check::Type { min: Some(min), .. } if actual.len() < *min => vec![MismatchKind::TooFew {
                min: *min,
                actual: actual.len(),
            }],
            Check::Type { max: Some(max), .. } if actual.len() > *max => vec![MismatchKind::TooMany {
                max: *max,
                actual: actual.len(),
            }],
            Check::Values if actual.len() < expected.len() => vec![MismatchKind::Length {
                expected: expected.len(),
                actual: actual.len(),
            }],
            Check::ArrayContains(variants) => missing(variants, expected, actual),
            _ => continue,
        };
        for kind in kinds {
            let wanted = match kind {
                MismatchKind::Variant { index } => expected.get(index).cloned().map(Json::String),
                _ => None,
            };
            sink.add(|| {
                Mismatch::new(place.clone(), kind)
                    .expected(wanted.unwrap_or_else(|| values(expected)))
                    .actual(values(actual))
                    .rule(&checked.rule)
            });
        }
    }
}

/// The variants of `arrayContains` that are none of the values.
fn missing(variants: &[VariantChecks], expected: &[Text], actual: &[Text]) -> Vec<MismatchKind> {
    let is_there = |index: usize, checks: Option<&Checks>| match expected.get(index) {
        None => Some(MismatchKind::NotApplicable {
            problem: format!("The example of the variant at index {index} is missing from the contract"),
        }),
        Some(example) => {
            let fits = |value: &Text| checks.map_or(example == value, |checks| checks.item(example, value).is_empty());
            (!actual.iter().any(fits)).then_some(MismatchKind::Variant { index })
        }
    };
    if variants.is_empty() {
        return (0..expected.len()).filter_map(|index| is_there(index, None)).collect();
    }
    let checks = |variant: &VariantChecks| {
        variant
            .scopes
            .root()
            .selected()
            .map(|selected| Arc::clone(&selected.checks))
    };
    variants
        .iter()
        .filter_map(|variant| is_there(variant.index, checks(variant).as_deref()))
        .collect()
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

fn same(a: &str, b: &str, case: Case) -> bool {
    if case == Case::Matters {
        a == b
    } else {
        a.eq_ignore_ascii_case(b)
    }
}

/// Reads a key as a path to `name`: `None` when it is about something else.
fn place_of(key: &str, name: &str, case: Case) -> Option<Values> {
    let key = match key.strip_prefix('$') {
        Some(rest) => rest.strip_prefix('.').unwrap_or(rest),
        None => key,
    };
    if same(key, name, case) {
        return Some(Values::All);
    }
    if let Some(rest) = key.strip_prefix("['") {
        let (quoted, rest) = rest.split_once("']")?;
        return if same(quoted, name, case) { index_of(rest) } else { None };
    }
    let (head, index) = key.split_at_checked(key.rfind('[')?)?;
    if same(head, name, case) { index_of(index) } else { None }
}

fn index_of(text: &str) -> Option<Values> {
    match text {
        "" | "[*]" => Some(Values::All),
        _ => text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(Values::At),
    }
}

#[cfg(test)]
mod tests {
    use super::Values::{All, At};
    use super::{Case, place_of};

    #[test]
    fn keys_are_names_or_paths() {
        for (key, name, want) in [
            ("$.a", "a", Some(All)),
            ("$['a[]']", "a[]", Some(All)),
            ("a[0]", "a", Some(At(0))),
            ("$.a[2]", "a", Some(At(2))),
            ("$['x-y'][1]", "x-y", Some(At(1))),
            ("a[*]", "a", Some(All)),
            ("b", "a", None),
            ("a[x]", "a", None),
        ] {
            assert_eq!(place_of(key, name, Case::Matters), want, "{key}");
        }
        assert_eq!(place_of("X-Y[0]", "x-y", Case::Ignored), Some(At(0)));
    }
}
