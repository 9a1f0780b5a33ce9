//! Naive matchers for XML documents, forms, multipart bodies, and metadata.

use contract_model::{
    Combine, Json, Message, Object, PathExpression, PathRules, PathToken, Query, Rule, RuleList, Rules,
};

use super::random_documents::{Part, PartContent, Xml};
use super::{naive, naive_parts};

/// Returns whether an XML document matches.
pub(crate) fn xml(rules: &PathRules, strict: bool, expected: &Xml, actual: &Xml) -> bool {
    let document = Document {
        rules: rules.clone().into_iter().collect(),
        strict,
    };
    expected.name == actual.name && document.element(&[key(expected.name)], expected, actual, 1)
}

fn key(name: &str) -> PathToken {
    PathToken::Key(name.into())
}

struct Document {
    rules: Vec<(PathExpression, RuleList)>,
    strict: bool,
}

impl Document {
    /// Returns the rules for a place, and whether their path denotes an ancestor of the place.
    fn rules(&self, place: &[PathToken]) -> Option<(&RuleList, bool)> {
        let (path, list) = naive::selected(&self.rules, place)?;
        Some((list, path.tokens().len() < place.len()))
    }

    fn is_about_types(&self, place: &[PathToken]) -> bool {
        let is_type = |rule: &Rule| matches!(rule, Rule::Type { .. });
        self.rules(place)
            .is_some_and(|(list, _)| list.rules.iter().any(is_type))
    }

    /// Compares an element. `siblings` is the number of elements with the same name.
    fn element(&self, place: &[PathToken], expected: &Xml, actual: &Xml, siblings: usize) -> bool {
        let size = actual.children.len() + usize::from(!actual.text.is_empty());
        let fits = |rule: &Rule| match rule {
            // Either the number of siblings, or the number of children of a single element.
            Rule::Type { min, max } => {
                let range = min.unwrap_or(0)..=max.unwrap_or(usize::MAX);
                range.contains(&siblings) || (siblings == 1 && range.contains(&size))
            }
            _ => unreachable!("the test gives elements rules about types only"),
        };
        let own = self.rules(place).filter(|(_, is_above)| !is_above);
        own.is_none_or(|(list, _)| list.rules.iter().all(fits))
            && self.attributes(place, expected, actual)
            && self.children(place, expected, actual)
            && self.text(place, &expected.text, &actual.text)
    }

    fn attributes(&self, place: &[PathToken], expected: &Xml, actual: &Xml) -> bool {
        let all = expected.attributes.iter().all(|(name, wanted)| {
            let got = actual.attributes.iter().find(|(other, _)| other == name);
            got.is_some_and(|(_, got)| self.value(&below(place, &format!("@{name}")), wanted, got))
        });
        let is_known = |name: &str| expected.attributes.iter().any(|(other, _)| *other == name);
        all && (!self.strict || actual.attributes.iter().all(|(name, _)| is_known(name)))
    }

    fn text(&self, place: &[PathToken], expected: &str, actual: &str) -> bool {
        let place = below(place, "#text");
        let is_ruled_here = self.rules(&place).is_some_and(|(_, is_above)| !is_above);
        (expected.is_empty() && actual.is_empty() && !is_ruled_here) || self.value(&place, expected, actual)
    }

    fn value(&self, place: &[PathToken], expected: &str, actual: &str) -> bool {
        match self.rules(place) {
            Some((list, _)) => naive_parts::accepts(list, expected, actual),
            None => expected == actual,
        }
    }

    fn children(&self, place: &[PathToken], expected: &Xml, actual: &Xml) -> bool {
        let of = |element: &Xml, name: &str| -> Vec<Xml> {
            let same = element.children.iter().filter(|child| child.name == name);
            same.cloned().collect()
        };
        let mut names: Vec<&str> = expected.children.iter().map(|child| child.name).collect();
        names.dedup();
        let known = names.iter().all(|name| {
            let place = below(place, name);
            let (wanted, got) = (of(expected, name), of(actual, name));
            let is_free = self.is_about_types(&place);
            let needed = if is_free { 1 } else { wanted.len() };
            let each =
                got.iter().enumerate().all(
                    |(at, child)| match if is_free { wanted.first() } else { wanted.get(at) } {
                        Some(example) => self.element(&place, example, child, got.len()),
                        None => !self.strict,
                    },
                );
            got.len() >= needed && each
        });
        let may_come = |child: &Xml| {
            names.contains(&child.name) || !(self.strict || self.is_about_types(&below(place, child.name)))
        };
        known && actual.children.iter().all(may_come)
    }
}

fn below(place: &[PathToken], name: &str) -> Vec<PathToken> {
    place.iter().cloned().chain([key(name)]).collect()
}

/// Returns whether a form matches. A form is compared like a query, but with the rules for the body.
pub(crate) fn form(rules: &PathRules, expected: &Query, actual: &Query) -> bool {
    let mut named = Rules::default();
    for (path, list) in rules {
        let [PathToken::Key(name)] = path.tokens() else {
            unreachable!("the test gives rules to names only")
        };
        named.query.insert(name.clone(), list.clone());
    }
    naive_parts::query(expected, &named, actual)
}

/// Returns whether all expected parts match. Additional parts are allowed.
pub(crate) fn parts(rules: &PathRules, strict: bool, expected: &[Part], actual: &[Part]) -> bool {
    expected.iter().all(|wanted| {
        let got = actual.iter().find(|part| part.name == wanted.name);
        let own: PathRules = rules
            .iter()
            .filter(|(path, _)| path.tokens().first() == Some(&key(wanted.name)))
            .map(|(path, list)| (path.tokens()[1..].to_vec().into(), list.clone()))
            .collect();
        match (&wanted.content, got.map(|part| &part.content)) {
            (PartContent::Text(wanted), Some(PartContent::Text(got))) => match own.get(&PathExpression::root()) {
                Some(list) => naive_parts::accepts(list, wanted, got),
                None => wanted == got,
            },
            (PartContent::Json(wanted), Some(PartContent::Json(got))) => naive::matches(&own, strict, wanted, got),
            _ => false,
        }
    })
}

/// Returns whether the metadata matches. Strings are compared as in a header, other values as in a body.
pub(crate) fn metadata(expected: &Message, actual: &Object) -> bool {
    expected.metadata.iter().all(|(name, wanted)| {
        let list = expected.rules.metadata.get(name);
        match (wanted, actual.get(name), list) {
            (_, None, _) => false,
            (wanted, Some(got), None) => wanted == got,
            (Json::String(wanted), Some(Json::String(got)), Some(list)) => naive_parts::accepts(list, wanted, got),
            (Json::Object(_) | Json::Array(_), Some(got), Some(list)) => {
                let rules = PathRules::from([(PathExpression::root(), list.clone())]);
                naive::matches(&rules, false, wanted, got)
            }
            (wanted, Some(got), Some(list)) => {
                let accepts = |rule: &Rule| naive::on_scalar(rule, wanted, got);
                match list.combine {
                    Combine::And => list.rules.iter().all(accepts),
                    Combine::Or => list.rules.iter().any(accepts),
                }
            }
        }
    })
}
