//! Operations that set matching rules and generators in the format of contract files.

use std::collections::BTreeMap;

use contract_model::{ByPlace, Json, PathExpression, PathRules, RuleList, Text};

use crate::builder::draft::{Draft, PartDraft};
use crate::builder::part::Part;
use crate::builder::rules::{read_generators, read_rules};
use crate::builder::value::document;
use crate::examples::examples_at;
use crate::examples::portable;
use contract_call::error::{Done, RULES};

impl Draft {
    pub(super) fn with_matching_rules(&mut self, rules: Json, part: Option<Part>) -> Done {
        let part = self.checked_part(part)?;
        let read = read_rules(document(rules, RULES)?, &self.plugins)?;
        let mut warnings: Vec<_> =
            portable::unsupported_paths_warning(portable::unsupported_paths(&read.body, &BTreeMap::new()))
                .into_iter()
                .collect();
        warnings.extend(ineffective_paths(
            "matching rule",
            self.existing_part(part),
            read.body.keys(),
        ));
        let mut whole = self.clone();
        replace_rules(&mut whole.part(part).rules, read.clone());
        whole.check_defined()?;
        replace_rules(&mut self.part(part).rules, read);
        self.warn(warnings);
        Ok(())
    }

    pub(super) fn with_generators(&mut self, generators: Json, part: Option<Part>) -> Done {
        let part = self.checked_part(part)?;
        let read = read_generators(document(generators, RULES)?, &self.plugins)?;
        self.warn(portable::unsupported_paths_warning(portable::unsupported_paths(
            &PathRules::new(),
            &read.body,
        )));
        self.warn(ineffective_paths(
            "generator",
            self.existing_part(part),
            read.body.keys(),
        ));
        replace_rules(&mut self.part(part).generators, read);
        Ok(())
    }

    /// Checks the new rules against the parts that are already defined. Ignores rules for parts that are not.
    fn check_defined(mut self) -> Done {
        if !self.has_request {
            self.request.rules.path = None;
        }
        for part in std::iter::once(&mut self.request).chain(&mut self.responses) {
            if part.body.is_missing() {
                part.rules.body.clear();
            }
            let headers = &part.headers;
            part.rules
                .header
                .retain(|place, _| headers.get(name_of(place)).is_some());
            let metadata = &part.metadata;
            part.rules
                .metadata
                .retain(|place, _| metadata.get(name_of(place)).is_some());
        }
        let query = &self.query;
        let known = &mut self.request.rules.query;
        known.retain(|place, _| query.get(name_of(place)).is_some());
        self.check()
    }
}

/// Returns warnings about paths that do not exist in the body. Rules and generators at these paths have no effect.
fn ineffective_paths<'a>(
    noun: &str,
    part: Option<&PartDraft>,
    places: impl Iterator<Item = &'a PathExpression>,
) -> Vec<String> {
    let Some(example) = part.and_then(|part| part.body.json()) else {
        return Vec::new();
    };
    let nothing = places.filter(|place| examples_at(example, place.tokens()).is_empty());
    let warnings =
        nothing.map(|place| format!("the {noun} at {place} has no effect: the body has no value at this path"));
    warnings.collect()
}

/// Inserts the rules or generators. Replaces those for the same name or path.
fn replace_rules<V>(known: &mut ByPlace<V>, read: ByPlace<V>) {
    known.method = read.method.or(known.method.take());
    known.path = read.path.or(known.path.take());
    known.status = read.status.or(known.status.take());
    known.query.extend(read.query);
    known.header.extend(read.header);
    known.metadata.extend(read.metadata);
    known.body.extend(read.body);
}

/// Returns the name of a header, query parameter, or metadata entry without its index, for example `X-Id` for
/// `X-Id[0]`.
fn name_of(place: &str) -> &str {
    match place.rfind('[') {
        Some(at) if place.ends_with(']') => &place[..at],
        _ => place,
    }
}

pub(super) fn rules_for_name(
    rules: &BTreeMap<Text, RuleList>,
    name: &str,
    ignore_case: bool,
) -> BTreeMap<Text, RuleList> {
    let is_same = |place: &str| {
        let own = name_of(place);
        own == name || (ignore_case && own.eq_ignore_ascii_case(name))
    };
    let own = rules.iter().filter(|(place, _)| is_same(place));
    own.map(|(place, list)| (place.clone(), list.clone())).collect()
}
