//! Reads and writes contract files. Several threads and processes can write to the same file without losing
//! interactions.
//!
//! A write acquires a lock, reads the interactions that other processes have written, merges by identity, sorts, and
//! replaces the file atomically. Parsed and serialized content is cached, so adding an interaction takes little more
//! time than writing the bytes.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod cache;
mod error;
mod link;
mod lock;
mod provenance;
mod replace;
mod run;
mod stamp;
mod store;
mod texts;
mod writing;

use std::path::PathBuf;

pub use error::WritingError;
pub use provenance::{EndedFile, EndedRun, EndedTest, Removed, TestStatus, end_test_file, end_test_run, removed_text};
pub use run::{RUN_VARIABLES, RunFacts};
pub use writing::{LOCK_TIMEOUT, Writer, Writing};

use contract_call::files::{self, FileError};
use contract_definition::{ClaimedInteraction, WriteMode};

/// Returns the file name of a contract: `<consumer>-<provider>.json`. Characters that are invalid in file names are
/// replaced by `_`.
pub fn file_name(consumer: &str, provider: &str) -> String {
    let safe = |name: &str| -> String {
        name.chars()
            .map(|c| {
                if c.is_control() || r#"/\:*?"<>|"#.contains(c) {
                    '_'
                } else {
                    c
                }
            })
            .collect()
    };
    format!("{}-{}.json", safe(consumer), safe(provider))
}

/// Merges the interactions into the contract file, or overwrites it, and returns its path. Creates missing directories.
pub fn write(writing: &Writing, interactions: &[ClaimedInteraction]) -> Result<PathBuf, WritingError> {
    std::fs::create_dir_all(&writing.directory)
        .map_err(|error| FileError::io(&writing.directory, "create the directory", error))?;
    let directory = std::fs::canonicalize(&writing.directory)
        .map_err(|error| FileError::io(&writing.directory, "find the directory", error))?;
    let path = directory.join(file_name(&writing.consumer, &writing.provider));
    // All links to a file share its lock.
    let target = link::target(&path).map_err(|error| FileError::io(&path, "follow the link", error))?;
    if let Ok(metadata) = std::fs::metadata(&target) {
        files::check(&metadata, files::Advice::Generated).map_err(|error| FileError::io(&path, "write", error))?;
    }
    let _lock = lock::Lock::take(&target, writing.lock_timeout)?;
    let overwrite = writing.mode == WriteMode::Overwrite && run::begins(&target, &writing.writer.run);
    let marks = store::write(&target, writing, interactions, overwrite, &|identity| {
        provenance::is_written_in_run(&target, &writing.writer, identity)
    })?;
    provenance::remember(&target, &writing.writer, marks);
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use contract_model::{Contract, Json, Object, SpecificationVersion};

    use super::{WriteMode, Writer, Writing, file_name, write};
    use contract_definition::{ContractBuilder, Kind};

    #[test]
    fn replaces_invalid_characters_in_file_names() {
        assert_eq!(file_name("web", "orders"), "web-orders.json");
        assert_eq!(file_name("a/b", "c:d"), "a_b-c_d.json");
        assert_eq!(file_name("..", "Käse\u{1}"), "..-Käse_.json");
    }

    /// Defines a request for the path and writes it, like a test in that source file.
    fn define(directory: &Path, source: &str, path: &str) -> Result<String, String> {
        let contract = ContractBuilder::new("web", "orders").unwrap();
        let interaction = contract.upon_receiving("an order", Kind::Http, source).unwrap();
        interaction.with_request("GET", path).unwrap();
        written(&writing(directory), &contract)
    }

    fn writing(directory: &Path) -> Writing {
        Writing {
            directory: directory.to_owned(),
            consumer: "web".into(),
            provider: "orders".into(),
            specification: SpecificationVersion::V4,
            metadata: Object::new(),
            mode: WriteMode::Merge,
            writer: Writer::default(),
            lock_timeout: super::LOCK_TIMEOUT,
        }
    }

    fn written(writing: &Writing, contract: &ContractBuilder) -> Result<String, String> {
        let path = write(writing, &contract.writable().unwrap()).map_err(|problem| problem.to_string())?;
        Ok(std::fs::read_to_string(path).unwrap())
    }

    /// Returns a contract with one interaction.
    fn defining(description: &str) -> ContractBuilder {
        defining_as(description, Kind::Http)
    }

    fn defining_as(description: &str, kind: Kind) -> ContractBuilder {
        let contract = ContractBuilder::new("web", "orders").unwrap();
        let interaction = contract.upon_receiving(description, kind, "/a.test.ts:1:1").unwrap();
        if kind == Kind::Http {
            interaction.with_request("GET", "/").unwrap();
        } else {
            interaction.with_body("text").unwrap();
        }
        contract
    }

    fn descriptions(text: &str) -> Vec<String> {
        let contract = Contract::read(text.as_bytes()).unwrap().contract;
        contract
            .interactions
            .iter()
            .map(|interaction| interaction.description.to_string())
            .collect()
    }

    #[test]
    fn keeps_unreadable_interactions() {
        let place = tempfile::tempdir().unwrap();
        let unreadable =
            r#"{"description": "from elsewhere", "type": "Synchronous/HTTP", "x": [1.50], "response": {"status": 0}}"#;
        let file = format!(
            r#"{{"consumer": {{"name": "web"}}, "provider": {{"name": "orders"}}, "interactions": [{unreadable}], "metadata": {{"pactSpecification": {{"version": "4.0"}}}}}}"#
        );
        std::fs::write(place.path().join("web-orders.json"), file).unwrap();
        for description in ["an order", "a user"] {
            let text = written(&writing(place.path()), &defining(description)).unwrap();
            let document = Json::parse(text.as_bytes()).unwrap();
            let kept = document.get("interactions").and_then(Json::as_array).unwrap();
            let kept = kept
                .iter()
                .find(|one| one.get("description") == Some(&Json::from("from elsewhere")));
            assert_eq!(kept, Some(&Json::parse(unreadable.as_bytes()).unwrap()));
        }
        // A new definition replaces it.
        let text = written(&writing(place.path()), &defining("from elsewhere")).unwrap();
        assert_eq!(descriptions(&text), ["a user", "an order", "from elsewhere"]);
        assert!(!text.contains("\"status\": 0"), "{text}");
    }

    /// Valid files that are formatted differently than the writer formats them.
    const WRITTEN_BY_OTHERS: [(&str, &str, &[&str]); 3] = [
        (
            "2.0.0",
            "interactions",
            &[
                r#"{ "description" : "a", "provider_state": "s", "request": {"method": "get", "path": "/", "body": null}, "response": {} }"#,
                "{\r\n\t\"description\": \"b\", \"_id\": \"7\", \"request\": {\"path\": \"/\", \"method\": \"GET\", \"query\": \"a=1&&b\"},\r\n\t\"response\": {\"status\": 200, \"headers\": {\"Content-Type\": \"text/plain ;  a=b\"}, \"body\": {\"a\": 1.0}}}",
                r#"{"request": {"path": "/c"}, "response": {"status": 2e2}}"#,
            ],
        ),
        (
            "3.0.0",
            "messages",
            &[
                r#"{"description": "a", "providerState": "s", "contents": "\"t\"", "metadata": {"contentType": "x/y ; z=1"}}"#,
            ],
        ),
        (
            "4.0",
            "interactions",
            &[
                r#"{"description": "a", "request": {"path": "/", "method": "GET", "headers": {"A": "1"}}, "response": {"body": null}}"#,
                r#"{"description": "b", "type": "Asynchronous/Messages", "contents": {"contentType": "no type", "content": {"a": 1}}, "metadata": {}}"#,
                r#"{"description": "c", "type": "Synchronous/HTTP", "response": {"body": {"contentType": "text/html", "encoded": false, "content": {"a": [1.50]}}}}"#,
                r#"{"description": "d", "type": "Later/Kind", "x": {"b": 1, "a": 2}}"#,
                r#"{"description": "e", "type": "Synchronous/HTTP", "response": {"status": 0}}"#,
                r#"{"request": {"path": "/c"}, "response": {"status": 200}}"#,
            ],
        ),
    ];

    #[test]
    fn keeps_other_interactions_byte_for_byte() {
        for (number, list, interactions) in WRITTEN_BY_OTHERS {
            let place = tempfile::tempdir().unwrap();
            let all = interactions.join(" ,\n");
            let file = format!(
                r#"{{"metadata": {{"pactSpecification": {{"version": "{number}"}}}}, "{list}": [{all}], "provider": {{"name": "orders"}}, "consumer": {{"name": "web"}}}}"#
            );
            std::fs::write(place.path().join("web-orders.json"), file).unwrap();
            let writing = Writing {
                specification: SpecificationVersion::parse(number).unwrap(),
                ..writing(place.path())
            };
            let kind = if list == "messages" { Kind::Async } else { Kind::Http };
            for description in ["an order", "a user"] {
                let text = written(&writing, &defining_as(description, kind)).unwrap();
                for interaction in interactions {
                    assert!(text.contains(interaction), "{interaction} in {text}");
                }
                assert!(descriptions(&text).contains(&description.to_owned()));
            }
            let rewritten = written(&writing, &defining_as("a user", kind)).unwrap();
            assert_eq!(descriptions(&rewritten).len(), interactions.len() + 2);
        }
    }

    #[test]
    fn rewrites_interactions_that_are_defined_again() {
        let place = tempfile::tempdir().unwrap();
        let text = written(&writing(place.path()), &defining("an order")).unwrap();
        let compact = Json::parse(text.as_bytes()).unwrap().to_text();
        std::fs::write(place.path().join("web-orders.json"), &compact).unwrap();
        let merged = written(&writing(place.path()), &defining("a user")).unwrap();
        assert_eq!(descriptions(&merged), ["a user", "an order"]);
        assert!(compact.contains(merged.lines().find(|line| line.contains("an order")).unwrap().trim()));
        written(&writing(place.path()), &defining("an order")).unwrap();
        let clean = tempfile::tempdir().unwrap();
        written(&writing(clean.path()), &defining("a user")).unwrap();
        assert_eq!(
            std::fs::read_to_string(place.path().join("web-orders.json")).unwrap(),
            written(&writing(clean.path()), &defining("an order")).unwrap()
        );
    }

    #[cfg(unix)]
    fn make_pipe(path: &Path) {
        let status = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(status.success());
    }

    #[cfg(unix)]
    #[test]
    fn does_not_wait_for_pipes() {
        for name in ["web-orders.json", ".web-orders.json.lock"] {
            for mode in [WriteMode::Merge, WriteMode::Overwrite] {
                let place = tempfile::tempdir().unwrap();
                make_pipe(&place.path().join(name));
                let writing = Writing {
                    mode,
                    ..writing(place.path())
                };
                let error = written(&writing, &defining("an order")).unwrap_err();
                assert!(error.contains(name) && error.contains("it is a named pipe"), "{error}");
                std::fs::remove_file(place.path().join(name)).unwrap();
                assert_eq!(
                    descriptions(&written(&writing, &defining("an order")).unwrap()),
                    ["an order"]
                );
            }
        }
    }

    #[test]
    fn reports_the_holder_of_a_lock() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap().join(".web-orders.json.lock");
        std::fs::write(&path, "4711").unwrap();
        let held = std::fs::File::open(&path).unwrap();
        held.lock().unwrap();
        let mut writing = writing(place.path());
        writing.lock_timeout = std::time::Duration::from_millis(1);
        let error = written(&writing, &defining("an order")).unwrap_err();
        assert!(
            error.contains(&format!(
                "waited 0.001 s for the lock {} (held by process 4711)",
                path.display()
            )),
            "{error}"
        );
        held.unlock().unwrap();
        let writing = Writing { ..writing };
        assert_eq!(
            descriptions(&written(&writing, &defining("an order")).unwrap()),
            ["an order"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn follows_and_keeps_links() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let (near, far) = (place.path().join("near"), place.path().join("far"));
        std::fs::create_dir(&near).unwrap();
        std::fs::create_dir(&far).unwrap();
        symlink("again.json", near.join("web-orders.json")).unwrap();
        symlink("../far/real.json", near.join("again.json")).unwrap();
        for (description, count) in [("an order", 1), ("a user", 2)] {
            let text = written(&writing(&near), &defining(description)).unwrap();
            assert_eq!(descriptions(&text).len(), count);
            assert_eq!(std::fs::read_to_string(far.join("real.json")).unwrap(), text);
        }
        assert!(near.join("web-orders.json").is_symlink() && near.join("again.json").is_symlink());
        assert_eq!(std::fs::read_dir(&far).unwrap().count(), 1);

        symlink("b", far.join("a")).unwrap();
        symlink("a", far.join("b")).unwrap();
        std::fs::remove_file(near.join("again.json")).unwrap();
        symlink("../far/a", near.join("again.json")).unwrap();
        let error = written(&writing(&near), &defining("an order")).unwrap_err();
        assert!(
            error.contains("web-orders.json") && error.contains("circular"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn does_not_follow_links_at_temporary_names() {
        let place = tempfile::tempdir().unwrap();
        let other = place.path().join("other.txt");
        std::fs::write(&other, "not ours").unwrap();
        std::os::unix::fs::symlink(&other, place.path().join(".web-orders.json.new")).unwrap();
        let text = written(&writing(place.path()), &defining("an order")).unwrap();
        assert_eq!(descriptions(&text), ["an order"]);
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "not ours");

        std::os::unix::fs::symlink(&other, place.path().join(".web-orders.json.lock")).unwrap();
        let error = written(&writing(place.path()), &defining("an order")).unwrap_err();
        assert!(error.contains(".lock") && error.contains("symbolic link"), "{error}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "not ours");
    }

    #[test]
    fn unknown_fields_are_not_a_conflict() {
        let place = tempfile::tempdir().unwrap();
        let text = define(place.path(), "/a.test.ts:1:1", "/orders").unwrap();
        let annotated = text.replacen("\"description\"", "\"x-owner\": \"team\", \"description\"", 1);
        std::fs::write(place.path().join("web-orders.json"), annotated).unwrap();
        for source in ["/a.test.ts:1:1", "/b.test.ts:1:1"] {
            let text = define(place.path(), source, "/orders").unwrap();
            assert!(text.contains("x-owner"), "{text}");
            assert_eq!(Contract::read(text.as_bytes()).unwrap().contract.interactions.len(), 1);
        }
        let conflict = define(place.path(), "/c.test.ts:7:1", "/other").unwrap_err();
        assert_eq!(
            conflict,
            "the interaction \"an order\" is defined twice with different content:\n  first at /b.test.ts:1:1\n  then at /c.test.ts:7:1\nGive one of them another description or other provider states"
        );
    }
}
