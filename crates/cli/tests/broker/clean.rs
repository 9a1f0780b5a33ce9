//! Tests `contract-broker clean`.

use crate::process::{command, send};
use crate::serve::start_with_file;

/// Returns the exit code, standard output, and standard error.
fn clean(database: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let arguments: Vec<&str> = ["clean", "--db", database]
        .into_iter()
        .chain(options.iter().copied())
        .collect();
    let output = command(&arguments, &[]).output().expect("the executable starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn deletes_old_versions_of_a_running_broker() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("broker.sqlite");
    let database = format!("sqlite:{}", file.display());
    let broker = start_with_file(&file);
    for version in ["1", "2", "3"] {
        let body = format!(r#"{{"interactions": [{{"description": "{version}"}}]}}"#);
        let path = format!("/pacts/provider/Bar/consumer/Foo/version/{version}");
        let published = send(&broker.address, "PUT", &path, &body).map(|(status, _)| status);
        assert_eq!(published, Some(201));
    }
    let (code, shown, _) = clean(&database, &["--retention-days", "0", "--dry-run"]);
    assert_eq!(
        (code, shown.as_str()),
        (
            Some(0),
            "APPLICATION  DELETE  OLDEST TO NEWEST  KEEP\n\
             Foo          2       1 to 2            1\n\
             \n\
             VERSIONS  ACTION  REASON\n\
             0         keep    younger than 0 days, or with a younger contract or result\n\
             1         keep    latest version of the application\n\
             2         delete  older, and not kept by any rule\n\
             \n\
             Also to delete: 2 contract contents that no kept version uses.\n\
             Dry run: nothing was deleted.\n"
        )
    );
    let (code, deleted, _) = clean(&database, &["--retention-days", "0", "--json"]);
    assert_eq!(code, Some(0));
    let expected = r#"{"deleted":{"branches":0,"contents":2,"results":0,"revisions":0,"versions":2}}"#;
    assert_eq!(deleted.replace(['\n', ' '], ""), expected);
    let (_, nothing, _) = clean(&database, &["--retention-days", "0"]);
    assert_eq!(nothing, "Nothing to delete.\n");
    let versions = send(&broker.address, "GET", "/pacticipants/Foo/versions/2", "").map(|(status, _)| status);
    assert_eq!(versions, Some(404));
}

#[test]
fn a_database_that_does_not_exist_is_not_created() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("other.sqlite");
    let (code, _, error) = clean(&format!("sqlite:{}", file.display()), &[]);
    assert_eq!(code, Some(1));
    assert!(error.contains("database not found: "), "{error}");
    assert!(!file.exists());
    let (code, _, error) = clean("memory", &["--dry-run"]);
    assert_eq!(code, Some(2), "{error}");
}
