//! XML bodies. Compares elements by name, attributes, and children. Children may be in any order. Whitespace around
//! text is ignored.
//!
//! Rules use paths such as `$.order.item['@id']` and `$.order.item['#text']`. Siblings with the same name have the same
//! path. An index selects one of them (`$.order.item[1]`).

mod paths;
mod tree;

use std::cell::OnceCell;
use std::collections::HashMap;

use bytes::Bytes;
use contract_model::{PathRules, Text};

use crate::actual::ActualBody;
use crate::at::At;
use crate::at::Step;
use crate::error::PlanError;
use crate::mismatch::{Explanation, MismatchKind};
use crate::rule::{Check, CheckedRule, Scope, Scopes, Selected, Verdict, custom};
use crate::sink::Sink;
pub use paths::is_xml_name;
use tree::{Element, Name, XmlError};

/// Returns the reason why the bytes are not an XML document, or `None` if they are one.
pub fn xml_problem(bytes: &[u8]) -> Option<String> {
    tree::parse(bytes).err().map(|error| error.to_string())
}

#[derive(Debug)]
pub(crate) struct XmlPlan {
    root: Element,
    scopes: Scopes,
    strict: bool,
}

impl XmlPlan {
    /// Parses the example. If it is not valid XML, returns the error to report as a mismatch.
    pub(crate) fn new(bytes: &[u8], rules: &PathRules, strict: bool) -> Result<Result<Self, XmlError>, PlanError> {
        let root = match tree::parse(bytes) {
            Ok(root) => root,
            Err(error) => return Ok(Err(error)),
        };
        let scopes = Scopes::for_body(&paths::expanded(rules, &root))?;
        Ok(Ok(Self { root, scopes, strict }))
    }

    pub(crate) fn compare(&self, actual: &ActualBody, sink: &mut Sink) {
        let actual = match tree::parse(actual.bytes()) {
            Ok(actual) => actual,
            Err(error) => {
                let kind = MismatchKind::Unreadable {
                    format: "XML",
                    problem: error.to_string(),
                };
                return sink.add(|| At::ROOT.mismatch(kind).actual(crate::excerpt::body(actual)));
            }
        };
        let key = self.root.name.expanded();
        let scope = self.scopes.root().child(Step::Key(&key)).child(Step::Sibling(0));
        let written = self.root.name.written();
        let at = At::ROOT.then(Step::Key(&written));
        Walk { strict: self.strict }.root(Position { scope, at: &at }, &self.root, &actual, sink);
    }
}

#[derive(Clone, Copy)]
struct Walk {
    strict: bool,
}

#[derive(Clone, Copy)]
struct Position<'a> {
    scope: &'a Scope,
    at: &'a At<'a>,
}

/// Number of siblings with the same name, including the element itself.
type Siblings = usize;

impl Walk {
    fn root(self, position: Position<'_>, expected: &Element, actual: &Element, sink: &mut Sink) {
        let renamed = position.scope.selected().is_some_and(|selected| {
            let regex = |checked: &CheckedRule| matches!(checked.check, Check::Regex(_));
            !selected.cascaded && !is_text_only(expected) && selected.checks.list.iter().any(regex)
        });
        if !expected.name.is(&actual.name) && !renamed {
            let kind = MismatchKind::Element {
                expected: display_name(&expected.name),
                actual: display_name(&actual.name),
            };
            return sink.add(|| {
                At::ROOT
                    .mismatch(kind)
                    .expected(expected.name.written())
                    .actual(actual.name.written())
            });
        }
        self.element(position, expected, actual, 1, sink);
    }

    fn element(
        self,
        position: Position<'_>,
        expected: &Element,
        actual: &Element,
        siblings: Siblings,
        sink: &mut Sink,
    ) {
        if let Some(selected) = position.scope.selected() {
            let failures = selected.checks.failures(selected.cascaded, |checked| {
                element_rule(checked, selected, expected, actual, siblings)
            });
            for (checked, kind) in failures {
                sink.add(|| {
                    position
                        .at
                        .mismatch(kind)
                        .expected(expected.name.written())
                        .actual(actual.name.written())
                        .rule(&checked.rule)
                });
            }
        }
        if sink.is_done() {
            return;
        }
        let pair = Pair {
            expected,
            actual,
            outlines: OnceCell::new(),
        };
        self.attributes(position, &pair, sink);
        self.children(position, &pair, sink);
        Self::text(position, expected, actual, sink);
    }

    fn attributes(self, position: Position<'_>, pair: &Pair<'_>, sink: &mut Sink) {
        let Pair { expected, actual, .. } = pair;
        let find = |element: &'_ Element, name: &Name| {
            let found = element.attributes.iter().find(|(other, _)| other.is(name));
            found.map(|(_, value)| value.clone())
        };
        for (name, value) in &expected.attributes {
            if let Some(found) = find(actual, name) {
                let key = ["@", &name.expanded()].concat();
                let path_key = ["@", &name.written()].concat();
                compare_value(position, &key, &path_key, value, &found, sink);
            } else {
                let kind = MismatchKind::Attribute { name: name.written() };
                sink.add(|| position.at.mismatch(kind).expected(value.clone()));
            }
        }
        if !self.strict {
            return;
        }
        for (name, value) in &actual.attributes {
            if find(expected, name).is_none() {
                let kind = MismatchKind::UnexpectedAttribute { name: name.written() };
                let mismatch = || position.at.mismatch(kind).actual(value.clone());
                sink.add_explained(mismatch, || Some(pair.explain()));
            }
        }
    }

    fn text(position: Position<'_>, expected: &Element, actual: &Element, sink: &mut Sink) {
        let scope = position.scope.child(Step::Key("#text"));
        // The inherited rules of a container apply to its children, but not to missing text.
        let absent = expected.text.is_empty() && actual.text.is_empty();
        if absent && scope.selected().is_none_or(|selected| selected.cascaded) {
            return;
        }
        compare_value(position, "#text", "#text", &expected.text, &actual.text, sink);
    }

    fn children(self, position: Position<'_>, pair: &Pair<'_>, sink: &mut Sink) {
        let Pair { expected, actual, .. } = pair;
        let mut arrived = groups(&actual.children);
        for (name, examples) in groups(&expected.children).in_order() {
            if sink.is_done() {
                return;
            }
            let found = arrived.take(name);
            self.group(position, name, (&examples, &found), pair, sink);
        }
        // With a type rule, the children in the example determine which children are allowed, like the example item of
        // an array.
        let is_allowed = |name: &Name| {
            let scope = position.scope.child(Step::Key(&name.expanded()));
            !self.strict && !scope.selected().is_some_and(is_about_types)
        };
        for (name, _) in arrived.in_order().filter(|(name, _)| !is_allowed(name)) {
            let kind = MismatchKind::UnexpectedChild { name: name.written() };
            let mismatch = || position.at.mismatch(kind).actual(name.written());
            sink.add_explained(mismatch, || Some(pair.explain()));
        }
    }

    /// Compares the children that have the same name. With a `type` rule, each child is compared with the first
    /// example; otherwise, with the example at the same index.
    fn group(
        self,
        position: Position<'_>,
        name: &Name,
        (expected, actual): (&[&Element], &[&Element]),
        pair: &Pair<'_>,
        sink: &mut Sink,
    ) {
        let key = name.expanded();
        let shared = position.scope.child(Step::Key(&key));
        let is_free = shared.selected().is_some_and(is_about_types);
        let missing = |sink: &mut Sink| {
            let kind = MismatchKind::Child { name: name.written() };
            let mismatch = || position.at.mismatch(kind).expected(name.written());
            sink.add_explained(mismatch, || Some(pair.explain()));
        };
        let needed = if is_free { 1 } else { expected.len() };
        for _ in actual.len()..needed {
            missing(sink);
        }
        let written = name.written();
        let named = position.at.then(Step::Key(&written));
        for (index, element) in actual.iter().enumerate() {
            if sink.is_done() {
                return;
            }
            let example = if is_free { expected.first() } else { expected.get(index) };
            let Some(example) = example else {
                if self.strict {
                    let kind = MismatchKind::UnexpectedChild { name: name.written() };
                    let mismatch = || position.at.mismatch(kind).actual(name.written());
                    sink.add_explained(mismatch, || Some(pair.explain()));
                }
                continue;
            };
            let indexed = named.then(Step::Sibling(index));
            let position = Position {
                scope: shared.child(Step::Sibling(index)),
                at: if actual.len() > 1 { &indexed } else { &named },
            };
            self.element(position, example, element, actual.len(), sink);
        }
    }
}

/// An expected and an actual element, with their outlines, which are created at most once.
struct Pair<'a> {
    expected: &'a Element,
    actual: &'a Element,
    outlines: OnceCell<(Bytes, Bytes)>,
}

impl Pair<'_> {
    fn explain(&self) -> Explanation {
        let outlines = || (self.expected.outline().into(), self.actual.outline().into());
        let (expected, actual) = self.outlines.get_or_init(outlines).clone();
        Explanation::Between { expected, actual }
    }
}

fn is_about_types(selected: &Selected) -> bool {
    let is_type = |checked: &CheckedRule| matches!(checked.check, Check::Type(_));
    selected.checks.list.iter().any(is_type)
}

/// Applies a rule to an element itself. Rules for single values do not apply here: they cascade to the attributes, and
/// to the text of elements without children.
fn element_rule(
    checked: &CheckedRule,
    selected: &Selected,
    expected: &Element,
    actual: &Element,
    siblings: Siblings,
) -> Verdict {
    // The children of a single element may form a list, or the element may be the only item of a list.
    let sizes = || {
        let alone = (siblings == 1).then_some(actual.size);
        alone.into_iter().chain([siblings])
    };
    match &checked.check {
        Check::Unknown(name) => Err(custom::unknown(name)),
        _ if selected.cascaded => Ok(()),
        Check::Type(allowed) => {
            if sizes().any(|size| allowed.check(size).is_ok()) {
                return Ok(());
            }
            allowed.check(sizes().next().unwrap_or(siblings))
        }
        Check::NotEmpty if actual.size == 0 => Err(MismatchKind::EmptyElement {
            name: actual.name.written(),
        }),
        Check::Regex(_) if !is_text_only(expected) => checked.text(&expected.name.local, &actual.name.local),
        Check::NotEmpty | Check::Equality | Check::Regex(_) => Ok(()),
        Check::Values | Check::EachKey(_) | Check::EachValue(_) | Check::ArrayContains(_) => Err(no_element(checked)),
        // The rule does not apply to missing text.
        _ if expected.children.is_empty() && expected.text.is_empty() && actual.text.is_empty() => checked.text("", ""),
        _ if expected.children.is_empty() => Ok(()),
        _ => Err(no_element(checked)),
    }
}

/// Returns whether the element contains only text. If so, a pattern applies to the text, otherwise to the name of the
/// element.
fn is_text_only(element: &Element) -> bool {
    element.children.is_empty() && !element.text.is_empty()
}

fn no_element(checked: &CheckedRule) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!("Unable to match an XML element using {}", checked.rule.name()),
    }
}

fn compare_value(position: Position<'_>, key: &str, path_key: &str, expected: &str, actual: &str, sink: &mut Sink) {
    let difference = |kind| {
        let at = position.at.then(Step::Key(path_key));
        at.mismatch(kind).expected(expected).actual(actual)
    };
    match position.scope.child(Step::Key(key)).selected() {
        Some(selected) => {
            for (checked, kind) in selected.text(expected, actual) {
                sink.add(|| difference(kind).rule(&checked.rule));
            }
        }
        None if expected == actual => {}
        None => sink.add(|| difference(MismatchKind::NotEqual)),
    }
}

/// Returns the name as displayed in messages, including its namespace if it has one.
fn display_name(name: &Name) -> Text {
    match &name.namespace {
        Some(namespace) => format!("<{}/> of the namespace '{namespace}'", name.written()).into(),
        None => format!("<{}/>", name.written()).into(),
    }
}

/// Elements grouped by name, in the order in which the names first occur.
struct Groups<'a> {
    groups: Vec<(&'a Name, Vec<&'a Element>)>,
    index: HashMap<(Option<&'a str>, &'a str), usize>,
}

fn groups(elements: &[Element]) -> Groups<'_> {
    let mut groups: Vec<(&Name, Vec<&Element>)> = Vec::new();
    let mut index = HashMap::new();
    for element in elements {
        let name = &element.name;
        let last = groups.len();
        let at = *index.entry((name.namespace.as_deref(), &*name.local)).or_insert(last);
        if at == last {
            groups.push((name, Vec::new()));
        }
        groups[at].1.push(element);
    }
    Groups { groups, index }
}

impl<'a> Groups<'a> {
    fn take(&mut self, name: &Name) -> Vec<&'a Element> {
        let at = self.index.get(&(name.namespace.as_deref(), &*name.local));
        at.map(|&at| std::mem::take(&mut self.groups[at].1)).unwrap_or_default()
    }

    /// Returns the remaining groups in order.
    fn in_order(self) -> impl Iterator<Item = (&'a Name, Vec<&'a Element>)> {
        self.groups.into_iter().filter(|(_, elements)| !elements.is_empty())
    }
}
