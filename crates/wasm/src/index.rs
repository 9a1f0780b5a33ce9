//! The interactions of all contracts, indexed by path.

use std::borrow::Cow;
use std::collections::BTreeMap;

use contract_matching::ActualRequest;

use crate::expectation::Expectation;

#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The expectations in the order of the contracts and interactions.
    pub(crate) list: Vec<Expectation>,
    by_path: BTreeMap<Box<str>, Vec<usize>>,
    by_rule: Vec<usize>,
}

impl Index {
    pub(crate) fn add(&mut self, expectation: Expectation) {
        let at = self.list.len();
        match expectation.plan.literal_path() {
            Some(path) => self.by_path.entry(path_key(path).into()).or_default().push(at),
            None => self.by_rule.push(at),
        }
        self.list.push(expectation);
    }

    /// Returns the expectations for a path. Those without a matching rule for the path come first.
    pub(crate) fn on_path(&self, path: &str) -> impl Iterator<Item = &Expectation> {
        let literal = self.by_path.get(&*path_key(path)).map_or(&[][..], Vec::as_slice);
        literal.iter().chain(&self.by_rule).map(|&at| &self.list[at])
    }

    /// Returns the expectations that match the complete request, regardless of the selected provider states.
    pub(crate) fn matching(&self, actual: &ActualRequest) -> impl Iterator<Item = &Expectation> {
        self.on_path(&actual.path).filter(|one| one.plan.matches(actual))
    }
}

/// Returns the key of a path in the index. Paths that are equal after percent-decoding have the same key.
fn path_key(path: &str) -> Cow<'_, str> {
    if path.contains('%') {
        percent_encoding::percent_decode_str(path)
            .decode_utf8()
            .unwrap_or(Cow::Borrowed(path))
    } else {
        Cow::Borrowed(path)
    }
}
