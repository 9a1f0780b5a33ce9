//! Identifies the test run to which a process belongs. If several workers of a run write a contract file that is to be
//! overwritten, only the first write overwrites it.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use super::cache;

/// Environment variables that identify a test run or a worker of a test runner.
pub const RUN_VARIABLES: [&str; 8] = [
    "CONTRACT_RUN_ID",
    ROUND,
    "JEST_WORKER_ID",
    "VITEST_POOL_ID",
    "VITEST_WORKER_ID",
    "MOCHA_WORKER_ID",
    // Set by Playwright.
    "TEST_WORKER_INDEX",
    "NODE_TEST_CONTEXT",
];

/// The variable in which the test runner's adapter stores the number of the round in watch mode.
const ROUND: &str = "CONTRACT_RUN_ROUND";

/// Information about a process that identifies its test run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RunFacts {
    /// The names and values of the variables in [`RUN_VARIABLES`] that are set.
    pub variables: BTreeMap<String, String>,
    /// True if the process has an IPC channel to its parent, as workers of test runners have.
    pub channel: bool,
    /// Process ID of the parent, or `None` if it is unknown.
    pub parent: Option<u32>,
}

/// The paths and runs for which this process has already decided whether to overwrite the file.
static BEGUN: LazyLock<Mutex<HashSet<(PathBuf, String)>>> = LazyLock::new(Mutex::default);

/// Time for which a process ID identifies a run. Later, the operating system may have reused it.
const PROCESS_ID_LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

impl RunFacts {
    /// Returns a name that all processes of the run share, and that differs between runs. It is `CONTRACT_RUN_ID` if
    /// that variable is set. Otherwise, it is the process ID and start time of the parent for a worker of a test
    /// runner, and of this process in all other cases.
    pub(crate) fn name(&self) -> String {
        match self.get("CONTRACT_RUN_ID") {
            Some(id) => format!("id {id}"),
            None => process(
                self.parent
                    .filter(|_| self.is_worker())
                    .unwrap_or_else(std::process::id),
            ),
        }
    }

    /// Returns the name of the run and, in watch mode, the number of the round. In watch mode, the test runner keeps
    /// running and repeats its tests.
    pub(crate) fn round(&self) -> String {
        match self.get(ROUND) {
            Some(round) => format!("{}, round {round}", self.name()),
            None => self.name(),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns true if this process is a worker of a test runner. A test runner without workers sets the same
    /// variables, but only workers have a channel to the test runner. Workers of node:test use their output as the
    /// channel.
    fn is_worker(&self) -> bool {
        let has_any = |names: &[&str]| names.iter().any(|name| self.get(name).is_some());
        has_any(&["NODE_TEST_CONTEXT"]) || (self.channel && has_any(&RUN_VARIABLES[2..7]))
    }
}

/// Returns true if no process of the run has written the file yet, and records that it is now written. The caller must
/// hold the lock of the file.
pub(super) fn begins(path: &Path, facts: &RunFacts) -> bool {
    let run = facts.name();
    let is_first_here = BEGUN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert((path.to_owned(), run.clone()));
    if !is_first_here {
        return false;
    }
    // Without a cache, each process counts as a separate run.
    let Some(note) = cache::file(path, "begun") else {
        return true;
    };
    let is_recent = std::fs::metadata(&note)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|time| time.elapsed().is_ok_and(|age| age < PROCESS_ID_LIFETIME));
    let is_begun = is_recent && std::fs::read_to_string(&note).is_ok_and(|noted| noted == run);
    if !is_begun {
        let _ = cache::write(&note, run.as_bytes());
    }
    !is_begun
}

/// Caches the names of processes by process ID, because every write needs one.
static PROCESSES: LazyLock<Mutex<BTreeMap<u32, String>>> = LazyLock::new(Mutex::default);

fn process(number: u32) -> String {
    let mut names = PROCESSES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = names.entry(number).or_insert_with(|| match started(number) {
        Some(started) => format!("process {number} of {started}"),
        None => format!("process {number}"),
    });
    name.clone()
}

/// Returns the start time of a process in clock ticks since boot, or `None` if it cannot be read.
#[cfg(target_os = "linux")]
fn started(number: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name in parentheses may contain any characters. Numbers follow it.
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn started(_number: u32) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::{RunFacts, process};

    fn name(facts: &str) -> String {
        let mut facts: RunFacts = serde_json::from_str(facts).unwrap();
        facts.parent = Some(1);
        facts.name()
    }

    #[test]
    fn workers_share_the_run_of_their_parent() {
        let (own, parents) = (process(std::process::id()), process(1));
        assert_ne!(own, parents);
        for (facts, want) in [
            ("{}", own.as_str()),
            (r#"{"channel": true}"#, &own),
            (r#"{"variables": {"JEST_WORKER_ID": "1"}}"#, &own),
            (r#"{"variables": {"JEST_WORKER_ID": "1"}, "channel": true}"#, &parents),
            (r#"{"variables": {"VITEST_POOL_ID": "2"}, "channel": true}"#, &parents),
            (r#"{"variables": {"MOCHA_WORKER_ID": "0"}, "channel": true}"#, &parents),
            (r#"{"variables": {"NODE_TEST_CONTEXT": "child-v8"}}"#, &parents),
            (r#"{"variables": {"NODE_TEST_CONTEXT": ""}}"#, &own),
            (
                r#"{"variables": {"CONTRACT_RUN_ID": "7", "JEST_WORKER_ID": "1"}, "channel": true}"#,
                "id 7",
            ),
        ] {
            assert_eq!(name(facts), want, "{facts}");
        }
        assert_eq!(RunFacts::default().name(), own);
        let round: RunFacts =
            serde_json::from_str(r#"{"variables": {"CONTRACT_RUN_ID": "7", "CONTRACT_RUN_ROUND": "2"}}"#).unwrap();
        assert_eq!(
            (round.name().as_str(), round.round().as_str()),
            ("id 7", "id 7, round 2")
        );
    }
}
