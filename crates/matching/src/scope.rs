//! Selects the rules that apply to each value. Rules are compiled once.
//!
//! The paths of all rules of a part form a tree of steps. A [`Scope`] represents one place in a document. It contains
//! the rules that are selected there, and the tree nodes from which longer paths may continue. A scope is created when
//! it is first needed and then reused. A comparison therefore neither creates nor parses paths, and rules that do not
//! apply cost nothing.
//!
//! Of all rules whose path matches a place or one of its ancestors, the rule with the greatest product of weight and
//! path length is selected. The weight of a path is the product of the weights of its steps: 2 for a named step, 1 for
//! a wildcard. Of several rules with the same product, the one with the greater weight is selected, then the one with
//! the longer path, then the one whose first named step comes earlier, then the first one in alphabetical order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use contract_model::{Combine, PathExpression, PathRules, PathToken, Rule, RuleList, Text};

use crate::at::Step;
use crate::error::{PlanError, RuleProblem};

/// The compiled rules for one place.
pub(crate) trait PlaceRules: Sized {
    fn new(rules: &RuleList) -> Result<Self, RuleProblem>;

    fn is_empty(&self) -> bool;

    /// Returns whether any of the rules also applies below its path.
    fn cascade(&self) -> bool;
}

/// The scopes of one part, starting at its root.
#[derive(Debug)]
pub(crate) struct Scopes<R> {
    root: Scope<R>,
}

/// A place in a document, with the rules that apply to it.
#[derive(Debug)]
pub(crate) struct Scope<R> {
    tree: Arc<Tree<R>>,
    /// Tree nodes whose paths match this place, each with the number of its named steps.
    live: Vec<Live>,
    /// Number of steps from the root.
    depth: usize,
    /// The rules that apply to the value at this place. `None` if there are none.
    selected: Option<Selected<R>>,
    /// The rules that values below this place inherit: of the rules that match this place or an ancestor and also apply
    /// below their path, those with the highest rank. `None` if there are none.
    inherited: Option<Selected<R>>,
    /// Created on demand. Most places are leaves and have no children, and the box halves the size of a leaf.
    children: OnceLock<Box<Children<R>>>,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    node: usize,
    named: u32,
}

/// The rules that are selected for a place.
#[derive(Debug)]
pub(crate) struct Selected<R> {
    pub(crate) checks: Arc<R>,
    /// True if the path of the rules matches an ancestor of this place.
    pub(crate) cascaded: bool,
    rank: Rank,
}

#[derive(Clone, Debug)]
struct Rank {
    /// Number of named steps, including the root. The weight is two to the power of this number.
    named: u32,
    /// Number of steps, including the root.
    length: u32,
    /// The tree node at the end of the path.
    node: usize,
}

#[derive(Debug)]
struct Children<R> {
    keys: HashMap<Text, OnceLock<Box<Scope<R>>>>,
    indexes: HashMap<usize, OnceLock<Box<Scope<R>>>>,
    /// For keys and indexes that no rule contains. A key that consists of digits counts as an index for `[*]`.
    other_key: OnceLock<Box<Scope<R>>>,
    other_numeric_key: OnceLock<Box<Scope<R>>>,
    other_index: OnceLock<Box<Scope<R>>>,
}

#[derive(Debug)]
struct Tree<R> {
    nodes: Vec<Node<R>>,
}

#[derive(Debug)]
struct Node<R> {
    keys: HashMap<Text, usize>,
    indexes: HashMap<usize, usize>,
    any_key: Option<usize>,
    any_index: Option<usize>,
    checks: Option<Arc<R>>,
    /// Index of the first named step after the root.
    first_named: usize,
    /// Index of the path among all paths, in alphabetical order.
    order: usize,
}

/// Shares compiled rules. Most rules of a part are equal, and shared rules stay in the processor cache.
struct Shared<'r, R>(Vec<(&'r Rule, Arc<R>)>);

/// Maximum number of compiled rules to share.
const MAX_SHARED: usize = 8;

impl<'r, R: PlaceRules> Shared<'r, R> {
    /// Returns the compiled checks of a list, or `None` if the list is empty. Lists with several rules are not shared,
    /// because the address of a list identifies the alternative that is tried.
    fn checks(&mut self, list: &'r RuleList) -> Result<Option<Arc<R>>, RuleProblem> {
        if let [rule] = &list.rules[..] {
            if let Some((_, checks)) = self.0.iter().find(|(known, _)| *known == rule) {
                return Ok(Some(Arc::clone(checks)));
            }
            let checks = Arc::new(R::new(list)?);
            if self.0.len() < MAX_SHARED {
                self.0.push((rule, Arc::clone(&checks)));
            }
            return Ok(Some(checks));
        }
        let checks = R::new(list)?;
        Ok((!checks.is_empty()).then(|| Arc::new(checks)))
    }
}

impl<R: PlaceRules> Scopes<R> {
    pub(crate) fn new(rules: &PathRules) -> Result<Self, RuleProblem> {
        let rules = &with_each_value_rules(rules);
        let mut nodes = vec![Node::new(usize::MAX)];
        let mut shared = Shared(Vec::new());
        for (order, (path, list)) in rules.iter().enumerate() {
            let mut at = 0;
            for (depth, token) in path.tokens().iter().enumerate() {
                let next = nodes.len();
                let node = &mut nodes[at];
                let child = match token {
                    PathToken::Key(key) => *node.keys.entry(key.clone()).or_insert(next),
                    PathToken::Index(index) => *node.indexes.entry(*index).or_insert(next),
                    PathToken::AnyKey => *node.any_key.get_or_insert(next),
                    PathToken::AnyIndex => *node.any_index.get_or_insert(next),
                };
                if child == next {
                    let named_here = matches!(token, PathToken::Key(_) | PathToken::Index(_));
                    let first_named = nodes[at].first_named.min(if named_here { depth } else { usize::MAX });
                    nodes.push(Node::new(first_named));
                }
                at = child;
            }
            nodes[at].checks = shared.checks(list)?;
            nodes[at].order = order;
        }
        let tree = Arc::new(Tree { nodes });
        Ok(Self {
            root: Scope::new(tree, vec![Live { node: 0, named: 1 }], 0, None),
        })
    }

    pub(crate) fn for_body(rules: &PathRules) -> Result<Self, PlanError> {
        Self::new(rules).map_err(|problem| PlanError::new("the body", problem))
    }

    pub(crate) fn root(&self) -> &Scope<R> {
        &self.root
    }
}

impl<R: PlaceRules> Scope<R> {
    fn new(tree: Arc<Tree<R>>, live: Vec<Live>, depth: usize, inherited: Option<Selected<R>>) -> Self {
        let length = u32::try_from(depth + 1).unwrap_or(u32::MAX);
        let own = live.iter().filter_map(|at| {
            tree.nodes[at.node].checks.as_ref().map(|checks| Selected {
                checks: Arc::clone(checks),
                cascaded: false,
                rank: Rank {
                    named: at.named,
                    length,
                    node: at.node,
                },
            })
        });
        let best = |candidates: &mut dyn Iterator<Item = Selected<R>>| {
            candidates.max_by(|a, b| tree.compare(&a.rank, &b.rank))
        };
        let inherited = inherited.into_iter().map(|above| Selected {
            cascaded: true,
            ..above
        });
        // If several rules are equal, use the last one, so that a rule for this place takes precedence over the same
        // inherited rule.
        let all: Vec<Selected<R>> = inherited.chain(own).collect();
        let selected = best(&mut all.iter().cloned());
        let inherited = best(&mut all.into_iter().filter(|candidate| candidate.checks.cascade()));
        Self {
            tree,
            live,
            depth,
            selected,
            inherited,
            children: OnceLock::new(),
        }
    }

    /// Returns the rules that apply to a value at this place, if any.
    pub(crate) fn selected(&self) -> Option<&Selected<R>> {
        self.selected.as_ref()
    }

    /// Returns the scope of a value in this object or array.
    pub(crate) fn child(&self, step: Step<'_>) -> &Self {
        if self.live.is_empty() {
            // No path continues here, so the same rules apply to all nested values.
            return self;
        }
        if matches!(step, Step::Sibling(_)) && !self.live.iter().any(|at| self.tree.nodes[at.node].has_indexes()) {
            return self;
        }
        let children = self.children.get_or_init(|| Box::new(self.prepare()));
        let slot = match step {
            Step::Key(key) => match children.keys.get(key) {
                Some(slot) => slot,
                None if is_numeric(key) => {
                    // A rule for `[100]` also applies to the key "100", like in other Pact implementations.
                    let index = key.parse().ok().and_then(|index: usize| children.indexes.get(&index));
                    index.unwrap_or(&children.other_numeric_key)
                }
                None => &children.other_key,
            },
            Step::Index(index) | Step::Sibling(index) => children.indexes.get(&index).unwrap_or(&children.other_index),
        };
        slot.get_or_init(|| Box::new(self.make(step)))
    }

    fn prepare(&self) -> Children<R> {
        let mut children = Children {
            keys: HashMap::new(),
            indexes: HashMap::new(),
            other_key: OnceLock::new(),
            other_numeric_key: OnceLock::new(),
            other_index: OnceLock::new(),
        };
        for at in &self.live {
            let node = &self.tree.nodes[at.node];
            for key in node.keys.keys() {
                children.keys.entry(key.clone()).or_default();
            }
            for index in node.indexes.keys() {
                children.indexes.entry(*index).or_default();
            }
        }
        children
    }

    fn make(&self, step: Step<'_>) -> Self {
        let mut live = Vec::new();
        let mut depth = self.depth + 1;
        if let Step::Sibling(_) = step {
            live.clone_from(&self.live);
            depth = self.depth;
        }
        for at in &self.live {
            self.tree.nodes[at.node].follow(step, *at, &mut live);
        }
        let inherited = self.inherited.clone();
        Self::new(Arc::clone(&self.tree), live, depth, inherited)
    }
}

impl<R> Clone for Selected<R> {
    fn clone(&self) -> Self {
        Self {
            checks: Arc::clone(&self.checks),
            cascaded: self.cascaded,
            rank: self.rank.clone(),
        }
    }
}

impl<R> Node<R> {
    fn new(first_named: usize) -> Self {
        Self {
            keys: HashMap::new(),
            indexes: HashMap::new(),
            any_key: None,
            any_index: None,
            checks: None,
            first_named,
            order: 0,
        }
    }

    fn has_indexes(&self) -> bool {
        self.any_index.is_some() || !self.indexes.is_empty()
    }

    fn follow(&self, step: Step<'_>, from: Live, live: &mut Vec<Live>) {
        let (key, index) = match step {
            Step::Key(key) => (Some(key), key.parse().ok().filter(|_| is_numeric(key))),
            Step::Index(index) | Step::Sibling(index) => (None, Some(index)),
        };
        let is_index = key.is_none_or(is_numeric);
        let named = key.and_then(|key| self.keys.get(key));
        let indexed = index.and_then(|index| self.indexes.get(&index));
        live.extend(named.into_iter().chain(indexed).map(|&node| Live {
            node,
            named: from.named + 1,
        }));
        // `.*` does not match one of several siblings.
        let any_key = self.any_key.filter(|_| !matches!(step, Step::Sibling(_)));
        let any_index = self.any_index.filter(|_| is_index);
        live.extend(any_key.into_iter().chain(any_index).map(|node| Live {
            node,
            named: from.named,
        }));
    }
}

/// Adds the rules of `eachValue` as rules for `.*` below its path. They get the weight of such a path and also apply to
/// values inside each value. Other rules stay unchanged.
fn with_each_value_rules(rules: &PathRules) -> Cow<'_, PathRules> {
    let mut pending: Vec<(PathExpression, RuleList)> = Vec::new();
    let find = |path: &PathExpression, list: &RuleList, pending: &mut Vec<_>| {
        let definitions: Vec<_> = list
            .rules
            .iter()
            .filter_map(|rule| match rule {
                Rule::EachValue(definition) if !definition.rules.is_empty() => Some(&definition.rules),
                _ => None,
            })
            .collect();
        if !definitions.is_empty() {
            let combine = if definitions.len() > 1 {
                list.combine
            } else {
                Combine::And
            };
            let rules = definitions.into_iter().flatten().cloned().collect();
            pending.push((path.join(PathToken::AnyKey), RuleList { rules, combine }));
        }
    };
    for (path, list) in rules {
        find(path, list, &mut pending);
    }
    if pending.is_empty() {
        return Cow::Borrowed(rules);
    }
    let mut all = rules.clone();
    while let Some((path, list)) = pending.pop() {
        find(&path, &list, &mut pending);
        let existing = all.entry(path).or_insert_with(|| RuleList {
            rules: Vec::new(),
            combine: list.combine,
        });
        // Alternatives that the contract defines for `.*` take precedence. All other rules are combined.
        if existing.rules.is_empty() || (existing.combine, list.combine) == (Combine::And, Combine::And) {
            existing.rules.extend(list.rules);
        }
    }
    Cow::Owned(all)
}

fn is_numeric(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit())
}

impl<R> Tree<R> {
    /// Compares by weight times length, then by the other criteria in the module documentation.
    fn compare(&self, a: &Rank, b: &Rank) -> Ordering {
        weight_times_length(a, b)
            .then_with(|| a.named.cmp(&b.named))
            .then_with(|| a.length.cmp(&b.length))
            .then_with(|| self.nodes[b.node].first_named.cmp(&self.nodes[a.node].first_named))
            .then_with(|| self.nodes[b.node].order.cmp(&self.nodes[a.node].order))
    }
}

/// Compares `2^named * length`. Avoids computing the powers, which could overflow.
fn weight_times_length(a: &Rank, b: &Rank) -> Ordering {
    let difference = i64::from(a.named) - i64::from(b.named);
    // Lengths have at most 32 bits, so 32 additional named steps outweigh any length.
    if difference.unsigned_abs() >= 32 {
        return difference.cmp(&0);
    }
    let shift = difference.unsigned_abs();
    let (left, right) = (u64::from(a.length), u64::from(b.length));
    if difference >= 0 {
        (left << shift).cmp(&right)
    } else {
        left.cmp(&(right << shift))
    }
}

#[cfg(test)]
mod tests {
    use super::Step;
    use crate::rule::Scopes;
    use contract_model::{PathRules, Rule, RuleList};

    /// Returns the text of the `include` rule that is selected for a place. The test uses the path of each rule as its
    /// text.
    fn selected(paths: &[&str], place: &[Step<'_>]) -> Option<(String, bool)> {
        let rules: PathRules = paths
            .iter()
            .map(|path| (path.parse().unwrap(), RuleList::single(Rule::Include((*path).into()))))
            .collect();
        let scopes = Scopes::new(&rules).unwrap();
        let scope = place.iter().fold(scopes.root(), |scope, step| scope.child(*step));
        let selected = scope.selected()?;
        let Rule::Include(text) = &*selected.checks.list[0].rule else {
            return None;
        };
        Some((text.to_string(), selected.cascaded))
    }

    const A: Step<'_> = Step::Key("a");
    const B: Step<'_> = Step::Key("b");

    #[test]
    fn the_closest_rule_is_selected() {
        let paths = ["$", "$.a", "$.a.b"];
        assert_eq!(selected(&paths, &[]), Some(("$".into(), false)));
        assert_eq!(selected(&paths, &[B]), Some(("$".into(), true)));
        assert_eq!(selected(&paths, &[A]), Some(("$.a".into(), false)));
        assert_eq!(selected(&paths, &[A, B]), Some(("$.a.b".into(), false)));
        assert_eq!(selected(&paths, &[A, B, A, A]), Some(("$.a.b".into(), true)));
    }

    #[test]
    fn wildcards_weigh_less() {
        assert_eq!(selected(&["$.*", "$.a"], &[A]), Some(("$.a".into(), false)));
        assert_eq!(selected(&["$.*", "$.a"], &[B]), Some(("$.*".into(), false)));
        // 2*1*1 times 3 is less than 2*2 times 2, so the rule for the ancestor takes precedence.
        assert_eq!(selected(&["$.*.*", "$.a"], &[A, B]), Some(("$.a".into(), true)));
        assert_eq!(selected(&["$.*.b", "$.a"], &[A, B]), Some(("$.*.b".into(), false)));
    }

    #[test]
    fn ties_go_to_the_earlier_named_step() {
        assert_eq!(selected(&["$.*.b", "$.a.*"], &[A, B]), Some(("$.a.*".into(), false)));
    }

    #[test]
    fn indexes() {
        let paths = ["$[*]", "$[1]"];
        assert_eq!(selected(&paths, &[Step::Index(0)]), Some(("$[*]".into(), false)));
        assert_eq!(selected(&paths, &[Step::Index(1)]), Some(("$[1]".into(), false)));
        assert_eq!(selected(&paths, &[Step::Key("1")]), Some(("$[1]".into(), false)));
        assert_eq!(selected(&paths, &[Step::Key("7")]), Some(("$[*]".into(), false)));
        assert_eq!(selected(&paths, &[A]), None);
        assert_eq!(selected(&["$.*"], &[Step::Index(3)]), Some(("$.*".into(), false)));
    }

    #[test]
    fn a_rule_without_a_matching_value_is_never_selected() {
        assert_eq!(selected(&["$.a.b"], &[A]), None);
        assert_eq!(selected(&[], &[A, B]), None);
    }
}
