//! The interactions of all contracts, indexed by path.

use contract_matching::{ActualRequest, PathIndex};

use crate::expectation::Expectation;

#[derive(Debug, Default)]
pub(crate) struct Index {
    /// All expectations, in the order of the contracts and their interactions.
    pub(crate) list: Vec<Expectation>,
    paths: PathIndex,
}

impl Index {
    pub(crate) fn add(&mut self, expectation: Expectation) {
        self.paths.add(self.list.len(), &expectation.http().request);
        self.list.push(expectation);
    }

    /// Returns the expectations that may match a path. Expectations without a matching rule for the path come first.
    pub(crate) fn on_path(&self, path: &str) -> impl Iterator<Item = &Expectation> {
        let mut numbers = self.paths.literal(path).to_vec();
        numbers.extend_from_slice(&self.paths.ruled(path));
        numbers.into_iter().map(|at| &self.list[at])
    }

    /// Returns the expectations that match the complete request. Ignores provider states.
    pub(crate) fn matching(&self, actual: &ActualRequest) -> impl Iterator<Item = &Expectation> {
        self.on_path(&actual.path).filter(|one| one.plan.matches(actual))
    }
}
