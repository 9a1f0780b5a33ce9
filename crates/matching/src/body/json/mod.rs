//! JSON bodies. The expected and the actual document are traversed together.

mod keys;
mod nearest;

use std::sync::Arc;

use contract_model::{Combine, Json, Object, Variant};

use self::keys::{Lookup, each_key, keys};
use self::nearest::nearest;
use crate::actual::ActualBody;
use crate::at::At;
use crate::at::Step;
use crate::excerpt;
use crate::mismatch::{Explanation, Mismatch, MismatchKind};
use crate::rule::array_contains::{self, VariantChecks};
use crate::rule::{Check, CheckedRule, Checks, Scope, Scopes};
use crate::sink::Sink;

/// Maximum nesting of OR lists for which all alternatives are tried, and maximum number of alternatives in each list.
/// Beyond these limits, only the first alternative that accepts the container itself is used. Without limits, the
/// comparison could take exponential time.
const MAX_ALTERNATIVES: (u8, usize) = (3, 16);

#[derive(Clone, Copy)]
pub(crate) struct Walk {
    /// True if object members that the contract does not define are mismatches.
    pub(crate) strict: bool,
}

/// The current position and its rules.
#[derive(Clone, Copy)]
struct Position<'a> {
    scope: &'a Scope,
    at: &'a At<'a>,
    /// The OR list of which one alternative is tried, and the index of that alternative. It also applies to nested
    /// values. `None` if no alternative was chosen.
    chosen: Option<(&'a Arc<Checks>, usize)>,
    /// Number of nested OR lists whose alternatives are currently tried.
    tried: u8,
}

/// The rules that apply at a node: either the rules selected for it, or one alternative of an OR list.
#[derive(Clone, Copy)]
struct ActiveRules<'a> {
    checks: &'a Arc<Checks>,
    alternative: Option<usize>,
    cascaded: bool,
}

impl<'a> ActiveRules<'a> {
    fn iter(self) -> impl Iterator<Item = &'a CheckedRule> {
        let only = self.alternative.map(|alternative| &self.checks.list[alternative]);
        self.checks
            .applicable(self.cascaded)
            .filter(move |checked| only.is_none_or(|only| std::ptr::eq(only, *checked)))
    }

    fn has(self, kind: impl Fn(&Check) -> bool) -> bool {
        self.iter().any(|checked| kind(&checked.check))
    }

    fn is_choice(self) -> bool {
        self.alternative.is_none() && self.checks.combine == Combine::Or && self.checks.list.len() > 1
    }
}

/// Returns whether an item satisfies a variant of `arrayContains`. An item satisfies a variant if it equals the example
/// or is accepted by the variant's rules.
///
/// ```
/// use contract_matching::variant_matches;
/// use contract_model::{Json, Rule};
/// let rule = br#"{"match": "arrayContains", "variants": [{"index": 0, "rules": {"$.id": {"matchers": [{"match": "integer"}]}}}]}"#;
/// let Rule::ArrayContains(variants) = Rule::from_json(&Json::parse(rule)?)? else { panic!() };
/// let (item, example) = (Json::parse(br#"{"id": 7}"#)?, Json::parse(br#"{"id": 1}"#)?);
/// assert!(variant_matches(&item, &variants[0], &example));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn variant_matches(item: &Json, variant: &Variant, example: &Json) -> bool {
    if item == example {
        return true;
    }
    let Ok(scopes) = Scopes::new(&variant.rules) else {
        return false;
    };
    let mut trial = Sink::deciding();
    Walk { strict: true }.compare(scopes.root(), example, item, &At::ROOT, &mut trial);
    trial.is_clean()
}

/// Compares a body with an expected JSON document.
pub(crate) fn compare_body(expected: &Json, scope: &Scope, strict: bool, actual: &ActualBody, sink: &mut Sink) {
    match actual.json() {
        Ok(actual) => Walk { strict }.compare(scope, expected, actual, &At::ROOT, sink),
        Err(error) => {
            let kind = MismatchKind::Unreadable {
                format: "JSON",
                problem: error.to_string(),
            };
            sink.add(|| {
                At::ROOT
                    .mismatch(kind)
                    .expected(expected.clone())
                    .actual(excerpt::body(actual))
            });
        }
    }
}

impl Walk {
    pub(crate) fn compare(self, scope: &Scope, expected: &Json, actual: &Json, at: &At<'_>, sink: &mut Sink) {
        let position = Position {
            scope,
            at,
            chosen: None,
            tried: 0,
        };
        self.node(position, expected, actual, sink);
    }

    fn below(self, position: Position<'_>, step: Step<'_>, expected: &Json, actual: &Json, sink: &mut Sink) {
        let at = position.at.then(step);
        let position = Position {
            scope: position.scope.child(step),
            at: &at,
            ..position
        };
        self.node(position, expected, actual, sink);
    }

    fn node(self, position: Position<'_>, expected: &Json, actual: &Json, sink: &mut Sink) {
        let Some(selected) = position.scope.selected() else {
            return self.plain(position, expected, actual, sink);
        };
        let alternative = position
            .chosen
            .filter(|(list, _)| Arc::ptr_eq(list, &selected.checks))
            .map(|(_, alternative)| alternative);
        let active = ActiveRules {
            checks: &selected.checks,
            alternative,
            cascaded: selected.cascaded,
        };
        self.apply_rules(position, active, expected, actual, sink);
    }

    fn apply_rules(
        self,
        position: Position<'_>,
        active: ActiveRules<'_>,
        expected: &Json,
        actual: &Json,
        sink: &mut Sink,
    ) {
        if active.is_choice() {
            return self.choice(position, active, expected, actual, sink);
        }
        if active.iter().next().is_none() {
            // The chosen alternative does not apply here.
            return self.plain(position, expected, actual, sink);
        }
        if !compares_contents(active, expected) {
            return scalar(active, expected, actual, position.at, sink);
        }
        container(active, expected, actual, position.at, sink);
        if sink.is_done() || expected.kind() != actual.kind() {
            return;
        }
        let equality = active.iter().find(|checked| matches!(checked.check, Check::Equality));
        match equality.filter(|_| !active.cascaded && expected != actual) {
            None => self.contents(position, active, expected, actual, sink),
            Some(equality) => {
                // Report the nested values that differ. If nested rules accept all of them, report the container,
                // because the values are still not equal.
                let mut inside = sink.new_like();
                self.contents(position, active, expected, actual, &mut inside);
                if inside.is_clean() {
                    let mismatch = || difference(position.at, MismatchKind::NotEqual, expected, actual);
                    inside.add_explained(|| mismatch().rule(&equality.rule), || Some(Explanation::Documents));
                }
                sink.append(inside);
            }
        }
    }

    fn contents(
        self,
        position: Position<'_>,
        active: ActiveRules<'_>,
        expected: &Json,
        actual: &Json,
        sink: &mut Sink,
    ) {
        match (expected, actual) {
            (Json::Object(expected), Json::Object(actual)) => {
                self.ruled_object(position, active, expected, actual, sink);
            }
            (Json::Array(expected), Json::Array(actual)) => self.ruled_array(position, active, expected, actual, sink),
            _ => {}
        }
    }

    /// Compares a value with a list of alternatives. At least one alternative must accept the value and all values
    /// inside it.
    fn choice<'a>(
        self,
        position: Position<'a>,
        active: ActiveRules<'a>,
        expected: &Json,
        actual: &Json,
        sink: &mut Sink,
    ) {
        let only = |alternative| ActiveRules {
            alternative: Some(alternative),
            ..active
        };
        let all = (0..active.checks.list.len()).map(only);
        // Check only the value itself, not its contents.
        let look = |active: ActiveRules<'_>, sink: &mut Sink| {
            if compares_contents(active, expected) && active.iter().next().is_some() {
                container(active, expected, actual, position.at, sink);
            } else {
                scalar(active, expected, actual, position.at, sink);
            }
        };
        let fits = |active: &ActiveRules<'_>| {
            let mut trial = Sink::deciding();
            look(*active, &mut trial);
            trial.is_clean()
        };
        let mut fitting: Vec<ActiveRules<'a>> = all.clone().filter(fits).collect();
        if fitting.is_empty() {
            let before = sink.mismatches.len();
            all.for_each(|active| look(active, sink));
            return sink.mark_as_alternatives(before);
        }
        fitting.truncate(if position.tried < MAX_ALTERNATIVES.0 {
            MAX_ALTERNATIVES.1
        } else {
            1
        });
        let with = |active: &ActiveRules<'a>, tried| Position {
            chosen: active.alternative.map(|alternative| (active.checks, alternative)),
            tried,
            ..position
        };
        if let [single] = &fitting[..] {
            return self.apply_rules(with(single, position.tried), *single, expected, actual, sink);
        }
        let mut failed = Vec::new();
        for active in &fitting {
            let mut trial = sink.new_like();
            self.apply_rules(with(active, position.tried + 1), *active, expected, actual, &mut trial);
            if trial.is_clean() {
                return;
            }
            failed.push(trial);
        }
        let before = sink.mismatches.len();
        for trial in failed {
            sink.append(trial);
        }
        sink.mark_as_alternatives(before);
    }

    fn ruled_object(
        self,
        position: Position<'_>,
        active: ActiveRules<'_>,
        expected: &Object,
        actual: &Object,
        sink: &mut Sink,
    ) {
        let free_values = active.has(|check| matches!(check, Check::Values | Check::EachValue(_)));
        let mut free_keys = free_values;
        for checked in active.iter() {
            if let Check::EachKey(rule) = &checked.check {
                free_keys = true;
                each_key(rule, actual, position.at, sink);
            }
        }
        if !free_keys {
            let equality = active.has(|check| matches!(check, Check::Equality));
            keys(
                expected,
                actual,
                self.strict || equality,
                active.iter().next(),
                position.at,
                sink,
            );
        }
        if sink.is_done() {
            return;
        }
        if !free_values {
            return self.members(position, expected, actual, sink);
        }
        let mut examples = Lookup::new(expected);
        for (key, value) in actual {
            let example = examples
                .get(key)
                .or_else(|| expected.members().first().map(|(_, value)| value));
            self.below(position, Step::Key(key), example.unwrap_or(value), value, sink);
            if sink.is_done() {
                return;
            }
        }
    }

    fn ruled_array(
        self,
        position: Position<'_>,
        active: ActiveRules<'_>,
        expected: &[Json],
        actual: &[Json],
        sink: &mut Sink,
    ) {
        // `arrayContains` does not depend on the position of an item. All other rules apply to each item.
        let by_item = active.has(|check| !matches!(check, Check::ArrayContains(_)));
        for checked in active.iter() {
            match &checked.check {
                Check::ArrayContains(variants) => {
                    self.array_contains(checked, variants, expected, actual, position.at, sink);
                }
                Check::Equality if expected.len() != actual.len() => {
                    sink.add_explained(
                        || length(expected, actual, position.at).rule(&checked.rule),
                        || Some(Explanation::Documents),
                    );
                }
                Check::Values if actual.len() < expected.len() => {
                    sink.add_explained(
                        || length(expected, actual, position.at).rule(&checked.rule),
                        || Some(Explanation::Documents),
                    );
                }
                _ => {}
            }
        }
        if !by_item {
            return;
        }
        for (index, item) in actual.iter().enumerate() {
            if sink.is_done() {
                return;
            }
            // An item without an example is used as its own example, so that only the rules that need no example apply.
            let example = expected.get(index).or(expected.first()).unwrap_or(item);
            self.below(position, Step::Index(index), example, item, sink);
        }
    }

    fn array_contains(
        self,
        checked: &CheckedRule,
        variants: &[VariantChecks],
        expected: &[Json],
        actual: &[Json],
        at: &At<'_>,
        sink: &mut Sink,
    ) {
        let mut explained = 0;
        let mut find = |index: usize, scope: Option<&Scope>, sink: &mut Sink| {
            let Some(example) = expected.get(index) else {
                let kind = array_contains::without_example(index);
                return sink.add(|| at.mismatch(kind).rule(&checked.rule));
            };
            let compare = |item: &Json, at: &At<'_>, sink: &mut Sink| match scope {
                Some(scope) => self.compare(scope, example, item, at, sink),
                None if example == item => {}
                None => sink.add(|| difference(at, MismatchKind::NotEqual, example, item)),
            };
            let found = actual.iter().any(|item| {
                let mut trial = Sink::deciding();
                compare(item, at, &mut trial);
                trial.is_clean()
            });
            if found {
                return;
            }
            explained += 1;
            sink.add(|| {
                let mismatch = at
                    .mismatch(MismatchKind::Variant { index })
                    .expected(example.clone())
                    .rule(&checked.rule);
                if explained <= nearest::VARIANTS {
                    mismatch.actual(actual.to_vec()).explain(nearest(actual, at, compare))
                } else {
                    mismatch
                }
            });
        };
        if variants.is_empty() {
            // Without variants, the array must contain every item of the example.
            for index in 0..expected.len() {
                find(index, None, sink);
            }
        } else {
            for variant in variants {
                find(variant.index, Some(variant.scopes.root()), sink);
            }
        }
    }

    /// Compares values to which no rule applies directly: single values must be equal, arrays must have the same
    /// length, and objects must have the expected keys.
    fn plain(self, position: Position<'_>, expected: &Json, actual: &Json, sink: &mut Sink) {
        match (expected, actual) {
            (Json::Object(expected), Json::Object(actual)) => {
                keys(expected, actual, self.strict, None, position.at, sink);
                if !sink.is_done() {
                    self.members(position, expected, actual, sink);
                }
            }
            (Json::Array(expected), Json::Array(actual)) => {
                if expected.len() != actual.len() {
                    sink.add_explained(
                        || length(expected, actual, position.at),
                        || Some(Explanation::Documents),
                    );
                }
                for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                    if sink.is_done() {
                        return;
                    }
                    self.below(position, Step::Index(index), expected, actual, sink);
                }
            }
            (Json::Object(_) | Json::Array(_), _) => {
                sink.add(|| difference(position.at, MismatchKind::Type, expected, actual));
            }
            _ if expected != actual => sink.add(|| {
                let mismatch = difference(position.at, MismatchKind::NotEqual, expected, actual);
                if differ_in_number_kind(expected, actual) {
                    mismatch.explain(Explanation::NumberKinds)
                } else {
                    mismatch
                }
            }),
            _ => {}
        }
    }

    fn members(self, position: Position<'_>, expected: &Object, actual: &Object, sink: &mut Sink) {
        let mut lookup = Lookup::new(actual);
        for (key, expected) in expected {
            if let Some(actual) = lookup.get(key) {
                self.below(position, Step::Key(key), expected, actual, sink);
                if sink.is_done() {
                    return;
                }
            }
        }
    }
}

/// Returns true if the contents of an expected object or array must be compared. They are not compared if a `null` rule
/// applies to it.
fn compares_contents(active: ActiveRules<'_>, expected: &Json) -> bool {
    matches!(expected, Json::Object(_) | Json::Array(_)) && !active.has(|check| matches!(check, Check::Null))
}

/// Applies the rules to a value that is neither an object nor an array.
fn scalar(active: ActiveRules<'_>, expected: &Json, actual: &Json, at: &At<'_>, sink: &mut Sink) {
    for checked in active.iter() {
        if let Err(kind) = checked.scalar(expected, actual) {
            sink.add(|| difference(at, kind, expected, actual).rule(&checked.rule));
        }
    }
}

/// Applies the rules to an object or array itself, but not to its contents.
fn container(active: ActiveRules<'_>, expected: &Json, actual: &Json, at: &At<'_>, sink: &mut Sink) {
    if expected.kind() != actual.kind() {
        return sink.add(|| {
            let mismatch = difference(at, MismatchKind::Type, expected, actual);
            match active.iter().next() {
                Some(checked) => mismatch.rule(&checked.rule),
                None => mismatch,
            }
        });
    }
    for checked in active.iter() {
        if let Err(kind) = checked.container(actual, active.cascaded) {
            sink.add(|| difference(at, kind, expected, actual).rule(&checked.rule));
        }
    }
}

fn difference(at: &At<'_>, kind: MismatchKind, expected: &Json, actual: &Json) -> Mismatch {
    at.mismatch(kind).expected(expected.clone()).actual(actual.clone())
}

fn length(expected: &[Json], actual: &[Json], at: &At<'_>) -> Mismatch {
    let kind = MismatchKind::Length {
        expected: expected.len(),
        actual: actual.len(),
    };
    at.mismatch(kind).expected(expected.to_vec()).actual(actual.to_vec())
}

/// Returns true if the numbers have the same value, but one is an integer and the other a decimal, such as `1` and
/// `1.0`. The explanation of the mismatch then says so.
fn differ_in_number_kind(expected: &Json, actual: &Json) -> bool {
    match (expected, actual) {
        (Json::Number(e), Json::Number(a)) => e.kind() != a.kind() && (e.as_f64() - a.as_f64()).abs() < f64::EPSILON,
        _ => false,
    }
}
