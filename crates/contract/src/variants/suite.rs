//! Collects the results of a suite in which each test receives one variant.

use std::sync::{Arc, Mutex, PoisonError};

use contract_variants::Variant;

use super::report::{VariantReport, single_report};
use super::run::RunEnd;

/// For each test, whether each interaction passed. `None` until the test has ended.
#[derive(Debug)]
pub(crate) struct SuiteResults(Mutex<Vec<Option<Vec<bool>>>>);

impl SuiteResults {
    pub(crate) fn new(tests: usize) -> Self {
        Self(Mutex::new(vec![None; tests]))
    }

    /// Records which interactions passed in a test. Returns, for each interaction, whether it has passed in all tests.
    fn record(&self, test: usize, passed: Vec<bool>) -> Vec<bool> {
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = passed.len();
        if let Some(place) = results.get_mut(test) {
            *place = Some(passed);
        }
        let has_passed = |at: usize| {
            results
                .iter()
                .all(|result| result.as_ref().is_some_and(|passed| passed[at]))
        };
        (0..count).map(has_passed).collect()
    }
}

/// A test of a suite. It receives one variant or the example.
#[derive(Debug)]
pub(crate) struct SuiteTest {
    pub(crate) results: Arc<SuiteResults>,
    /// Number of the test, starting with 0.
    pub(crate) number: usize,
    /// The name of the variant, the description of the interaction, and the variant. `None` for the example.
    pub(crate) variant: Option<(String, String, Variant)>,
}

impl SuiteTest {
    pub(crate) fn record(&self, passed: Vec<bool>) -> Vec<bool> {
        self.results.record(self.number, passed)
    }

    /// Returns the report if the test received a variant and failed, otherwise `None`.
    pub(crate) fn report(&self, end: &RunEnd) -> Option<VariantReport> {
        let (name, description, variant) = self.variant.as_ref()?;
        (*end != RunEnd::Passed).then(|| single_report(name, description, variant, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interaction_passes_once_all_tests_have_passed() {
        let results = SuiteResults::new(2);
        assert_eq!(results.record(0, vec![true, true]), [false, false]);
        assert_eq!(results.record(1, vec![true, false]), [true, false]);
        // A test that is repeated replaces its result.
        assert_eq!(results.record(1, vec![true, true]), [true, true]);
    }
}
