//! What a test file that ran to its end no longer stands for.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

/// That a test file wrote an interaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The test file.
    pub(super) file: String,
    /// The test, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) test: Option<String>,
    /// The run in which it did so last.
    pub(super) run: String,
    /// Which interaction: what makes it the same as another.
    pub(super) identity: String,
    /// As what: its text in the file.
    pub(super) content: String,
}

/// How a test went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TestStatus {
    /// It ran to its end.
    Passed,
    /// It did not run, for whatever reason.
    Skipped,
    /// It broke off, somewhere.
    Failed,
}

/// A test, and how it went.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndedTest {
    /// Its full name, as when it wrote.
    pub name: String,
    /// How it went, all its attempts together.
    pub status: TestStatus,
}

/// What a runner tells of a test file that ran to its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended<'a> {
    pub(super) file: &'a str,
    pub(super) run: &'a str,
    /// Whether somebody chose some of the tests, or stopped them: then nothing is known of the others.
    pub(super) is_partial: bool,
    /// By name; the worst of those with one name.
    pub(super) tests: HashMap<&'a str, TestStatus>,
    /// Whether these are all the tests that the file has: then others are gone.
    pub(super) is_complete: bool,
}

/// What becomes of the interactions of one contract file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Records that still hold.
    pub(super) kept: Vec<Record>,
    /// Interactions that nobody stands for any more: identity and content.
    pub(super) obsolete: BTreeSet<(String, String)>,
}

/// Decides which interactions go: those whose test file has ended, or is not there any more, without having written them
/// again; unless another test file stands for them too. `records` holds the latest of each file and interaction.
pub(super) fn decide(records: Vec<Record>, ended: &Ended<'_>, exists: impl Fn(&str) -> bool) -> Verdict {
    let (gone, kept): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| {
        !ended.is_partial
            && record.run != ended.run
            && if record.file == ended.file {
                ended.is_gone(record.test.as_deref())
            } else {
                !exists(&record.file)
            }
    });
    let owned: HashSet<&str> = kept.iter().map(|record| record.identity.as_str()).collect();
    let obsolete = gone
        .into_iter()
        .filter(|record| !owned.contains(record.identity.as_str()));
    Verdict {
        obsolete: obsolete.map(|record| (record.identity, record.content)).collect(),
        kept,
    }
}

impl Ended<'_> {
    /// Whether what a test of this file wrote in an earlier run, and not in this one, is obsolete: the test passed without
    /// it, or is not there any more. A test that was skipped or failed keeps what it wrote.
    fn is_gone(&self, test: Option<&str>) -> bool {
        let all_passed = || self.tests.values().all(|status| *status == TestStatus::Passed);
        match test {
            Some(name) => match self.tests.get(name) {
                Some(status) => *status == TestStatus::Passed,
                None => self.is_complete,
            },
            // Written outside of tests, or by one whose name nobody knew: by any of them.
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

    /// The end of `a`, in run 2.
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
    fn a_test_that_passed_without_writing_again_gives_it_up() {
        let records = [record("a", "t", "1", "old"), record("a", "t", "2", "new")];
        check(&records, &ended(&[("t", PASSED)], true), &["old"]);
        check(&records, &ended(&[("t", PASSED)], false), &["old"]);
    }

    #[test]
    fn a_test_that_is_not_there_any_more_gives_it_up_where_all_tests_are_known() {
        let records = [record("a", "renamed", "1", "old")];
        check(&records, &ended(&[("t", PASSED)], true), &["old"]);
        check(&records, &ended(&[("t", PASSED)], false), &[]);
        check(&records, &ended(&[("t", FAILED)], true), &["old"]);
    }

    #[test]
    fn a_test_that_was_skipped_or_failed_keeps_it() {
        for status in [SKIPPED, FAILED] {
            check(&[record("a", "t", "1", "old")], &ended(&[("t", status)], true), &[]);
        }
    }

    #[test]
    fn what_no_test_is_known_for_goes_when_all_passed() {
        let records = [record("a", "", "1", "old")];
        check(&records, &ended(&[("t", PASSED), ("u", PASSED)], true), &["old"]);
        check(&records, &ended(&[("t", PASSED), ("u", SKIPPED)], true), &[]);
        check(&records, &ended(&[("t", PASSED), ("u", FAILED)], true), &[]);
        check(&records, &ended(&[("t", PASSED)], false), &[]);
    }

    #[test]
    fn nothing_goes_in_a_run_of_some_tests() {
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
    fn what_another_file_stands_for_stays() {
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
    fn a_file_that_was_deleted_stands_for_nothing() {
        let records = [
            record("deleted", "t", "1", "old"),
            record("deleted", "t", "2", "of this run"),
        ];
        check(&records, &ended(&[], false), &["old"]);
        let moved = [record("deleted", "t", "1", "moved"), record("a", "t", "2", "moved")];
        check(&moved, &ended(&[("t", PASSED)], true), &[]);
    }
}
