//! Records which test wrote each interaction, so that the interactions of removed tests can be removed from contract
//! files.
//!
//! For each contract file, the cache ([`super::cache`]) contains a file with one line for each interaction that a test
//! wrote. It may be accessed only while the contract file is locked. Without a cache directory, no interactions are
//! removed.

mod decide;
mod written;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use contract_model::Json;
use serde::Deserialize;

pub use decide::{EndedTest, TestStatus};

use super::run::RunFacts;
use super::stamp::FileStamp;
use super::store::{self, Mark};
use super::writing::{LOCK_TIMEOUT, Writer};
use super::{cache, link, lock};
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::files::{self, FileError};
use decide::{Ended, Record, decide};

/// The results of a test file whose tests have finished.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EndedFile {
    /// Identifies the test run.
    pub run: RunFacts,
    /// Path of the test file, as in [`Writer::file`](crate::Writer).
    pub file: String,
    /// The tests whose results are known.
    pub tests: Vec<EndedTest>,
    /// True if `tests` contains all tests of the file. In this case, other tests count as removed.
    pub complete: bool,
    /// True if only some tests were selected or the run was stopped early. In this case, no interactions are removed.
    pub partial: bool,
}

/// A run of all test files that has finished.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EndedRun {
    /// Identifies the test run.
    pub run: RunFacts,
    /// Path of the project directory.
    pub folder: String,
}

/// An interaction that was removed from a contract file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Path of the contract file.
    pub path: PathBuf,
    /// Description of the interaction.
    pub description: String,
}

/// Size of a file of records, in bytes, above which outdated records are removed.
const COMPACT_ABOVE: u64 = 1 << 20;

/// Maximum size of a cache file in bytes. Larger files are ignored.
const MAX_SIZE: u64 = 64 << 20;

impl EndedRun {
    /// Reads the run from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text).map_err(|error| ArgumentError::new(OPTIONS, format!("invalid run: {error}")))
    }
}

impl EndedFile {
    /// Reads the results from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text).map_err(|error| ArgumentError::new(OPTIONS, format!("invalid test file: {error}")))
    }
}

/// Returns true if a test of this run has written an interaction with this identity. The caller must hold the lock of
/// the contract file.
pub(super) fn is_written_in_run(path: &Path, writer: &Writer, identity: &str) -> bool {
    let Some(list) = writer.file.as_ref().and_then(|_| cache::file(path, "wrote")) else {
        return false;
    };
    written::contains(&list, &writer.run.round(), identity)
}

/// Records that this writer wrote these interactions. The caller must hold the lock of the contract file. Errors are
/// ignored.
pub(super) fn remember(path: &Path, writer: &Writer, marks: Vec<Mark>) {
    let Some(file) = &writer.file else { return };
    let (Some(list), Some(index)) = (cache::file(path, "wrote"), cache::file(Path::new(file), "tests")) else {
        return;
    };
    let run = writer.run.round();
    let records = marks.into_iter().map(|mark| Record {
        file: file.clone(),
        test: writer.test.clone(),
        run: run.clone(),
        identity: mark.identity,
        content: mark.content,
    });
    let is_new = !is_indexed(index.clone(), path);
    let remembered = append(&list, &lines(records)).and_then(|length| {
        if length > COMPACT_ABOVE {
            cache::write(&list, lines(read(&list).into_iter()).as_bytes())?;
        }
        match path.to_str().filter(|_| is_new) {
            Some(path) => append(&index, &format!("{path}\n")).map(drop),
            None => Ok(()),
        }
    });
    if let Err(error) = remembered {
        tracing::debug!(target: "contract::file", "cannot record the writer of {}: {error}", path.display());
    }
}

/// Caches which index files contain which contracts, so that most writes do not read an index file. The stamps reveal
/// changes to the index files, for example if the cache is deleted in watch mode.
static INDEXED: LazyLock<Mutex<HashMap<(PathBuf, PathBuf), FileStamp>>> = LazyLock::new(Mutex::default);

/// Maximum number of entries in [`INDEXED`]. When it is exceeded, the map is cleared.
const MAX_INDEXED: usize = 1024;

/// Returns true if the index file of a test file lists this contract.
fn is_indexed(index: PathBuf, contract: &Path) -> bool {
    // Read the metadata before the content, so that later changes are detected.
    let Ok(metadata) = std::fs::metadata(&index) else {
        return false;
    };
    let stamp = FileStamp::from_metadata(&metadata);
    let key = (index, contract.to_owned());
    let known = || INDEXED.lock().unwrap_or_else(PoisonError::into_inner);
    if known().get(&key) == Some(&stamp) {
        return true;
    }
    let is_indexed = contracts_of(&key.0).iter().any(|known| known == contract);
    if is_indexed {
        let mut known = known();
        if known.len() >= MAX_INDEXED {
            known.clear();
        }
        known.insert(key, stamp);
    }
    is_indexed
}

/// Returns a JSON array with one message for each removed interaction.
pub fn removed_text(removed: &[Removed]) -> String {
    let line = |Removed { path, description }: &Removed| {
        let description = Json::from(description.as_str()).to_text();
        format!(
            "contract: removed {description} from {}: no test defines it anymore",
            path.display()
        )
    };
    contract_call::json::to_text(&removed.iter().map(line).collect::<Vec<_>>())
}

/// Removes the interactions that the test file wrote in earlier runs but no longer defines, and, from the same contract
/// files, the interactions of deleted test files. Returns the removed interactions.
pub fn end_test_file(ended: &EndedFile) -> Result<Vec<Removed>, FileError> {
    contract_runtime::block_in_place(|| end(ended))
}

fn end(ended: &EndedFile) -> Result<Vec<Removed>, FileError> {
    let mut removed = Vec::new();
    let Some(index) = cache::file(Path::new(&ended.file), "tests") else {
        return Ok(removed);
    };
    let mut tests: HashMap<&str, TestStatus> = HashMap::new();
    for test in &ended.tests {
        let worst = tests.entry(&test.name).or_insert(test.status);
        *worst = test.status.max(*worst);
    }
    let run = ended.run.round();
    let ended = Ended {
        file: &ended.file,
        run: &run,
        is_partial: ended.partial,
        tests,
        is_complete: ended.complete,
    };
    for path in contracts_of(&index) {
        removed.extend(settle(&path, &ended)?);
    }
    Ok(removed)
}

/// Removes the interactions of deleted test files from all contract files of the project. Returns the removed
/// interactions. Call it only after runs of all test files.
pub fn end_test_run(ended: &EndedRun) -> Result<Vec<Removed>, FileError> {
    contract_runtime::block_in_place(|| sweep(ended))
}

fn sweep(ended: &EndedRun) -> Result<Vec<Removed>, FileError> {
    let run = ended.run.round();
    // Interactions of existing test files are not affected.
    let nothing = Ended {
        run: &run,
        ..Ended::default()
    };
    let manifest = Path::new(&ended.folder).join("package.json");
    let mut contracts: Vec<PathBuf> = cache::files(&manifest, "tests")
        .iter()
        .flat_map(|index| contracts_of(index))
        .collect();
    contracts.sort();
    contracts.dedup();
    let mut removed = Vec::new();
    for path in contracts {
        removed.extend(settle(&path, &nothing)?);
    }
    Ok(removed)
}

fn settle(path: &Path, ended: &Ended<'_>) -> Result<Vec<Removed>, FileError> {
    let Some(list) = cache::file(path, "wrote") else {
        return Ok(Vec::new());
    };
    // The contract file was deleted.
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let target = link::target(path).map_err(|error| FileError::io(path, "follow the link", error))?;
    let _lock = lock::Lock::take(&target, LOCK_TIMEOUT)?;
    let records = read(&list);
    let count = records.len();
    let verdict = decide(records, ended, |file| Path::new(file).exists());
    if verdict.kept.len() == count {
        return Ok(Vec::new());
    }
    let removed = if verdict.obsolete.is_empty() {
        Vec::new()
    } else {
        store::remove(&target, &verdict.obsolete)?
    };
    if let Err(error) = cache::write(&list, lines(verdict.kept.into_iter()).as_bytes()) {
        tracing::debug!(target: "contract::file", "cannot write {}: {error}", list.display());
    }
    Ok(removed
        .into_iter()
        .map(|description| Removed {
            path: path.to_owned(),
            description,
        })
        .collect())
}

/// Returns the latest record of each test and interaction, in the order of their first records.
fn read(list: &Path) -> Vec<Record> {
    let text = files::read(list, MAX_SIZE, "").unwrap_or_default();
    let mut places: HashMap<(String, Option<String>, String), usize> = HashMap::new();
    let mut records: Vec<Record> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        // If a process was killed, its last line may be incomplete.
        let Ok(record) = serde_json::from_slice::<Record>(line) else {
            continue;
        };
        match places.entry((record.file.clone(), record.test.clone(), record.identity.clone())) {
            std::collections::hash_map::Entry::Occupied(place) => records[*place.get()] = record,
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(records.len());
                records.push(record);
            }
        }
    }
    records
}

fn lines(records: impl Iterator<Item = Record>) -> String {
    let mut text = String::new();
    for record in records {
        if let Ok(line) = serde_json::to_string(&record) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn contracts_of(index: &Path) -> Vec<PathBuf> {
    let text = files::read(index, MAX_SIZE, "").unwrap_or_default();
    let mut paths: Vec<PathBuf> = String::from_utf8_lossy(&text).lines().map(PathBuf::from).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Appends the lines with a single write, so that lines of several processes do not mix. Returns the new size of the
/// file in bytes.
fn append(path: &Path, lines: &str) -> std::io::Result<u64> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    let (mut file, metadata) = files::open(path, options.create(true).append(true), files::Advice::Generated)?;
    file.write_all(lines.as_bytes())?;
    Ok(metadata.len() + lines.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use contract_model::{Contract, Json, Object, SpecificationVersion};

    use super::{EndedFile, EndedRun, Writer, end, sweep};
    use crate::{WriteMode, Writing, write};
    use contract_definition::{ContractBuilder, Kind};

    /// A project with a cache and a contract file.
    struct Project(tempfile::TempDir);

    impl Project {
        fn new() -> Self {
            let place = tempfile::tempdir().unwrap();
            std::fs::create_dir(place.path().join("node_modules")).unwrap();
            Self(place)
        }

        fn file(&self, name: &str) -> String {
            let path = self.0.path().canonicalize().unwrap().join(name);
            std::fs::write(&path, "").unwrap();
            path.display().to_string()
        }

        /// Writes interactions as a test of this file and run.
        fn write(&self, run: &str, file: &str, test: &str, descriptions: &[&str]) {
            self.write_as(WriteMode::Merge, run, file, test, descriptions);
        }

        fn write_as(&self, mode: WriteMode, run: &str, file: &str, test: &str, descriptions: &[&str]) {
            let run = serde_json::json!({ "variables": { "CONTRACT_RUN_ID": run } });
            self.write_in(&run, mode, file, test, descriptions);
        }

        fn write_in(&self, run: &serde_json::Value, mode: WriteMode, file: &str, test: &str, descriptions: &[&str]) {
            let contract = ContractBuilder::new("web", "orders").unwrap();
            for description in descriptions {
                let interaction = contract.upon_receiving(description, Kind::Http, "").unwrap();
                interaction.with_request("GET", Json::from("/")).unwrap();
            }
            let writer = serde_json::json!({ "run": run, "file": file, "test": test });
            let writing = Writing {
                mode,
                ..self.writing(&writer)
            };
            write(&writing, &contract.writable().unwrap()).unwrap();
        }

        fn writing(&self, writer: &serde_json::Value) -> Writing {
            Writing {
                directory: self.0.path().join("contracts"),
                consumer: "web".into(),
                provider: "orders".into(),
                specification: SpecificationVersion::V4,
                metadata: Object::new(),
                mode: WriteMode::Merge,
                writer: Writer::from_text(&writer.to_string()).unwrap(),
                lock_timeout: crate::LOCK_TIMEOUT,
            }
        }

        /// Ends the test file with these results. Returns the descriptions of the interactions that remain in the
        /// contract file.
        fn end(&self, run: &str, file: &str, tests: &[(&str, &str)]) -> Vec<String> {
            let tests: Vec<_> = tests
                .iter()
                .map(|(name, status)| serde_json::json!({ "name": name, "status": status }))
                .collect();
            let ended = serde_json::json!({ "run": { "variables": { "CONTRACT_RUN_ID": run } }, "file": file, "tests": tests, "complete": true });
            end(&EndedFile::from_text(&ended.to_string()).unwrap()).unwrap();
            self.descriptions()
        }

        fn path(&self) -> std::path::PathBuf {
            self.0.path().join("contracts/web-orders.json")
        }

        fn descriptions(&self) -> Vec<String> {
            let contract = Contract::read(&std::fs::read(self.path()).unwrap()).unwrap().contract;
            let list = contract.interactions.iter();
            list.map(|interaction| interaction.description.to_string()).collect()
        }
    }

    const PASSED: &[(&str, &str)] = &[("t", "passed")];

    #[test]
    fn removes_renamed_interactions() {
        let project = Project::new();
        let (a, b) = (project.file("a.test.ts"), project.file("b.test.ts"));
        project.write("1", &a, "t", &["old", "both", "stays"]);
        project.write("1", &b, "t", &["both", "of b"]);
        assert_eq!(project.end("1", &a, PASSED), ["both", "of b", "old", "stays"]);
        project.write("2", &a, "t", &["new", "stays"]);
        assert_eq!(project.end("2", &a, PASSED), ["both", "new", "of b", "stays"]);
        // Ending the run again removes nothing and has the same result.
        assert_eq!(
            project.end("3", &a, &[("t", "skipped")]),
            ["both", "new", "of b", "stays"]
        );
        assert_eq!(project.end("3", &b, &[]), ["new", "stays"]);
    }

    #[test]
    fn keeps_interactions_that_another_program_changed() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        project.write("1", &a, "t", &["changed", "ours"]);
        let text = std::fs::read_to_string(project.path()).unwrap();
        std::fs::write(project.path(), text.replacen("\"/\"", "\"/changed\"", 1)).unwrap();
        assert_eq!(project.end("2", &a, PASSED), ["changed"]);
    }

    #[test]
    fn removes_interactions_of_deleted_test_files() {
        let project = Project::new();
        let (a, b) = (project.file("a.test.ts"), project.file("b.test.ts"));
        project.write("1", &a, "t", &["of a"]);
        project.write("1", &b, "t", &["of b"]);
        std::fs::remove_file(&b).unwrap();
        project.write("2", &a, "t", &["of a"]);
        assert_eq!(project.end("2", &a, PASSED), ["of a"]);
    }

    #[test]
    fn ending_a_run_removes_interactions_of_deleted_test_files() {
        let project = Project::new();
        let (a, b) = (project.file("a.test.ts"), project.file("b.test.ts"));
        project.write("1", &a, "t", &["of a", "of both"]);
        project.write("1", &b, "t", &["of b", "of both"]);
        let end_of = |run: &str| {
            let folder = project.0.path().canonicalize().unwrap();
            let ended = serde_json::json!({ "run": { "variables": { "CONTRACT_RUN_ID": run } }, "folder": folder });
            sweep(&EndedRun::from_text(&ended.to_string()).unwrap()).unwrap()
        };
        assert_eq!(end_of("2"), []);
        std::fs::remove_file(&a).unwrap();
        let removed: Vec<_> = end_of("2").into_iter().map(|removed| removed.description).collect();
        assert_eq!(
            (removed, project.descriptions()),
            (vec!["of a".to_owned()], vec!["of b".to_owned(), "of both".to_owned()])
        );
        std::fs::remove_file(&b).unwrap();
        assert_eq!((end_of("3").len(), project.descriptions().len()), (2, 0));
        assert_eq!(end_of("4"), []);
    }

    #[test]
    fn keeps_an_interaction_that_a_skipped_test_of_the_same_file_also_defines() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        project.write("1", &a, "one", &["of both"]);
        project.write("1", &a, "two", &["of both"]);
        let kept = project.end("2", &a, &[("one", "skipped"), ("two", "passed")]);
        assert_eq!(kept, ["of both"]);
        assert_eq!(project.end("3", &a, &[("one", "passed"), ("two", "passed")]), [""; 0]);
    }

    #[test]
    fn names_the_first_test_of_a_run_in_any_order() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        let write = |run: &str, test: &str| {
            let contract = ContractBuilder::new("web", "orders").unwrap();
            let interaction = contract.upon_receiving("shared", Kind::Http, test).unwrap();
            interaction.with_request("GET", Json::from("/")).unwrap();
            let named = format!(r#"{{"test_name":{{"name":"{test}"}}}}"#);
            interaction.apply_text(&named).unwrap();
            let run = serde_json::json!({ "variables": { "CONTRACT_RUN_ID": run } });
            let writer = serde_json::json!({ "run": run, "file": a, "test": test });
            write(&project.writing(&writer), &contract.writable().unwrap()).unwrap();
            let text = std::fs::read_to_string(project.path()).unwrap();
            let document = Json::parse(text.as_bytes()).unwrap();
            let name = document.get("interactions").and_then(Json::as_array).and_then(|all| {
                assert_eq!(all.len(), 1);
                all[0].get("comments")?.get("testname")?.as_str().map(str::to_owned)
            });
            name.unwrap()
        };
        assert_eq!([write("1", "b"), write("1", "a"), write("1", "c")], ["b", "a", "a"]);
        assert_eq!([write("2", "c"), write("2", "b"), write("2", "d")], ["c", "b", "b"]);
    }

    #[test]
    fn repetitions_in_watch_mode_count_as_runs() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        let end_of = |round: &str, descriptions: &[&str]| {
            let run = serde_json::json!({ "variables": { "CONTRACT_RUN_ID": "1", "CONTRACT_RUN_ROUND": round } });
            project.write_in(&run, WriteMode::Overwrite, &a, "t", descriptions);
            let tests = serde_json::json!([{ "name": "t", "status": "passed" }]);
            let ended = serde_json::json!({ "run": run, "file": a, "tests": tests, "complete": true });
            end(&EndedFile::from_text(&ended.to_string()).unwrap()).unwrap();
            project.descriptions()
        };
        assert_eq!(end_of("1", &["old"]), ["old"]);
        assert_eq!(end_of("1", &["more"]), ["more", "old"]);
        assert_eq!(end_of("2", &["new"]), ["new"]);
    }

    #[test]
    fn overwrites_a_file_once_per_run() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        project.write("1", &a, "t", &["old"]);
        for description in ["first", "second"] {
            project.write_as(WriteMode::Overwrite, "2", &a, "t", &[description]);
        }
        assert_eq!(project.descriptions(), ["first", "second"]);
        project.write_as(WriteMode::Overwrite, "3", &a, "t", &["third"]);
        assert_eq!(project.descriptions(), ["third"]);
    }

    #[test]
    fn finds_the_interactions_of_a_run_in_a_list_that_grows_or_is_replaced() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        project.write("1", &a, "t", &["first"]);
        let path = project.path().canonicalize().unwrap();
        let list = crate::cache::file(&path, "wrote").unwrap();
        let text = std::fs::read_to_string(&list).unwrap();
        let record = |run: &str, identity: &str| {
            let first: serde_json::Value = serde_json::from_str(&text).unwrap();
            let run = first["run"].as_str().unwrap().replace('1', run);
            let record = serde_json::json!({ "file": a, "test": "t", "run": run, "identity": identity, "content": "" });
            format!("{record}\n")
        };
        let contains = |run: &str, identity: &str| super::written::contains(&list, &format!("id {run}"), identity);
        std::fs::write(&list, record("1", "x")).unwrap();
        assert_eq!((contains("1", "x"), contains("1", "y")), (true, false));
        // Another process appends a record in two parts.
        let more = record("1", "y");
        let (start, end) = more.split_at(20);
        let append = |text: &str| super::append(&list, text).unwrap();
        append(start);
        assert!(!contains("1", "y"));
        append(end);
        assert!(contains("1", "x") && contains("1", "y"));
        append(&record("2", "z"));
        assert_eq!(
            (contains("1", "z"), contains("2", "z"), contains("2", "x")),
            (false, true, false)
        );
        crate::cache::write(&list, (record("2", "w") + &"\n".repeat(10_000)).as_bytes()).unwrap();
        assert_eq!((contains("2", "z"), contains("2", "w")), (false, true));
        std::fs::remove_file(&list).unwrap();
        assert!(!contains("2", "w"));
    }

    #[test]
    fn records_the_contract_again_after_the_cache_is_deleted() {
        let project = Project::new();
        let (a, b) = (project.file("a.test.ts"), project.file("b.test.ts"));
        project.write("1", &a, "t", &["first"]);
        project.write("1", &a, "t", &["second"]);
        std::fs::remove_dir_all(project.0.path().join("node_modules/.cache")).unwrap();
        project.write("2", &a, "t", &["third"]);
        project.write("2", &b, "t", &["of b"]);
        assert_eq!(project.end("3", &a, PASSED), ["first", "of b", "second"]);
        project.write("4", &a, "t", &["fourth"]);
        assert_eq!(project.end("5", &a, PASSED), ["first", "of b", "second"]);
    }

    #[test]
    fn ignores_incomplete_records_and_compacts_long_files() {
        let project = Project::new();
        let a = project.file("a.test.ts");
        project.write("1", &a, "t", &["old"]);
        let path = project.path().canonicalize().unwrap();
        let list = crate::cache::file(&path, "wrote").unwrap();
        let mut text = std::fs::read_to_string(&list).unwrap();
        text.push_str("{\"file\": \"half a li");
        text.push_str(&"\n".repeat(2 << 20));
        std::fs::write(&list, text).unwrap();
        project.write("2", &a, "t", &["new"]);
        assert!(std::fs::metadata(&list).unwrap().len() < 1000);
        assert_eq!(project.end("2", &a, PASSED), ["new"]);
        std::fs::write(&list, b"\xff\x00").unwrap();
        assert_eq!(project.end("3", &a, PASSED), ["new"]);
        assert!(Path::new(&a).exists());
    }
}
