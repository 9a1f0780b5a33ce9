//! Decides which interactions are obsolete after a test file has finished.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

/// A record that a test wrote an interaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) file: String,
    /// The full name of the test that wrote it. `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) test: Option<String>,
    /// The last run in which the interaction was written.
    pub(super) run: String,
    /// Hash that identifies the interaction. An interaction replaces another one with the same identity.
    pub(super) identity: String,
    /// Hash of the interaction's JSON text.
    pub(super) content: String,
}

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TestStatus {
    /// The test passed.
    Passed,
    /// The test was skipped or not selected.
    Skipped,
    /// The test failed.
    Failed,
}

/// The result of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndedTest {
    /// The full name of the test, as in [`Writer::test`](crate::Writer).
    pub name: String,
    /// The result of the test. If it was repeated, the worst result of all attempts.
    pub status: TestStatus,
}

/// The results of a test file.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended<'a> {
    pub(super) file: &'a str,
    pub(super) run: &'a str,
    /// True if the results of other tests are unknown, because only some tests were selected or the run was stopped.
    pub(super) is_partial: bool,
    /// The results by test name. If several tests share a name, this is the worst result.
    pub(super) tests: HashMap<&'a str, TestStatus>,
    /// True if `tests` contains every test of the file. In this case, tests that are not in `tests` were removed from
    /// the file.
    pub(super) is_complete: bool,
}

/// The decision for one contract file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) kept: Vec<Record>,
    /// Identity and content hash of the interactions to remove.
    pub(super) obsolete: BTreeSet<(String, String)>,
}

/// Finds obsolete interactions. An interaction is obsolete if the tests that wrote it in earlier runs were deleted, or
/// passed without writing it again, and no other test defines it. `records` contains the latest record of each test and
/// interaction.
pub(super) fn decide(records: Vec<Record>, ended: &Ended<'_>, exists: impl Fn(&str) -> bool) -> Verdict {
    let (removed, kept): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| {
        !ended.is_partial
            && record.run != ended.run
            && if record.file == ended.file {
                ended.is_gone(record.test.as_deref())
            } else {
                !exists(&record.file)
            }
    });
    let owned: HashSet<&str> = kept.iter().map(|record| record.identity.as_str()).collect();
    let obsolete = removed
        .into_iter()
        .filter(|record| !owned.contains(record.identity.as_str()));
    Verdict {
        obsolete: obsolete.map(|record| (record.identity, record.content)).collect(),
        kept,
    }
}

impl Ended<'_> {
    /// Returns true if this test no longer defines an interaction that it wrote only in an earlier run, because the
    /// test passed without writing it or was removed. Skipped and failed tests keep their interactions.
    fn is_gone(&self, test: Option<&str>) -> bool {
        let all_passed = || self.tests.values().all(|status| *status == TestStatus::Passed);
        match test {
            Some(name) => match self.tests.get(name) {
                Some(status) => *status == TestStatus::Passed,
                None => self.is_complete,
            },
            // Any test of the file may have written it, because it was written outside of tests or by an unknown test.
            None => self.is_complete && all_passed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, Record, TestStatus, decide};

    fn record(file: &str, test: &str, run: &str, identity: &str) -> Record {
        Record {
            file: file.to_owned(),
            test: (!test.is_empty()).then(|| test.to_owned()),
            run: run.to_owned(),
            identity: identity.to_owned(),
            content: format!("content of {identity}"),
        }
    }

    /// Returns the result of test file `a` in run 2.
    fn ended(tests: &[(&'static str, TestStatus)], is_complete: bool) -> Ended<'static> {
        Ended {
            file: "a",
            run: "2",
            tests: tests.iter().copied().collect(),
            is_complete,
            ..Ended::default()
        }
    }

    #[track_caller]
    fn check(records: &[Record], ended: &Ended<'_>, obsolete: &[&str]) {
        let verdict = decide(records.to_vec(), ended, |file| file != "deleted");
        let found: Vec<_> = verdict.obsolete.iter().map(|(identity, _)| identity.as_str()).collect();
        assert_eq!(found, obsolete);
        for (identity, content) in &verdict.obsolete {
            assert_eq!(*content, format!("content of {identity}"));
        }
    }

    const PASSED: TestStatus = TestStatus::Passed;
    const SKIPPED: TestStatus = TestStatus::Skipped;
    const FAILED: TestStatus = TestStatus::Failed;

    #[test]
    fn interactions_that_a_passed_test_did_not_write_again_are_obsolete() {
        let records = [record("a", "t", "1", "old"), record("a", "t", "2", "new")];
        check(&records, &ended(&[("t", PASSED)], true), &["old"]);
        check(&records, &ended(&[("t", PASSED)], false), &["old"]);
    }

    #[test]
    fn interactions_of_removed_tests_are_obsolete_if_all_tests_are_known() {
        let records = [record("a", "renamed", "1", "old")];
        check(&records, &ended(&[("t", PASSED)], true), &["old"]);
        check(&records, &ended(&[("t", PASSED)], false), &[]);
        check(&records, &ended(&[("t", FAILED)], true), &["old"]);
    }

    #[test]
    fn skipped_and_failed_tests_keep_interactions() {
        for status in [SKIPPED, FAILED] {
            check(&[record("a", "t", "1", "old")], &ended(&[("t", status)], true), &[]);
        }
    }

    #[test]
    fn interactions_of_unknown_tests_are_obsolete_if_all_tests_passed() {
        let records = [record("a", "", "1", "old")];
        check(&records, &ended(&[("t", PASSED), ("u", PASSED)], true), &["old"]);
        check(&records, &ended(&[("t", PASSED), ("u", SKIPPED)], true), &[]);
        check(&records, &ended(&[("t", PASSED), ("u", FAILED)], true), &[]);
        check(&records, &ended(&[("t", PASSED)], false), &[]);
    }

    #[test]
    fn partial_runs_remove_nothing() {
        let partial = Ended {
            is_partial: true,
            ..ended(&[("t", PASSED)], true)
        };
        check(
            &[record("a", "t", "1", "old"), record("deleted", "t", "1", "b")],
            &partial,
            &[],
        );
    }

    #[test]
    fn keeps_interactions_of_other_test_files() {
        for run in ["1", "2"] {
            let records = [record("a", "t", "1", "shared"), record("b", "u", run, "shared")];
            check(&records, &ended(&[("t", PASSED)], true), &[]);
            assert_eq!(
                decide(records.to_vec(), &ended(&[("t", PASSED)], true), |_| true).kept,
                records[1..]
            );
        }
        check(&[record("b", "t", "1", "other")], &ended(&[("t", PASSED)], true), &[]);
    }

    #[test]
    fn interactions_of_deleted_test_files_are_obsolete() {
        let records = [
            record("deleted", "t", "1", "old"),
            record("deleted", "t", "2", "of this run"),
        ];
        check(&records, &ended(&[], false), &["old"]);
        let moved = [record("deleted", "t", "1", "moved"), record("a", "t", "2", "moved")];
        check(&moved, &ended(&[("t", PASSED)], true), &[]);
    }
}
