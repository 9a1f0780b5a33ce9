//! Tests `contract-broker import`.

use std::path::Path;

use crate::process::{command, send};
use crate::serve::start_with_file;

/// Returns the exit code, standard output, and standard error.
fn import(arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let arguments = [&["import"][..], arguments].concat();
    let output = command(&arguments, environment)
        .output()
        .expect("the executable starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn database(directory: &Path, name: &str) -> String {
    format!("sqlite:{}", directory.join(name).display())
}

#[test]
fn imports_a_broker_and_reports_what_it_added() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = start_with_file(&directory.path().join("source.sqlite"));
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    let published = send(&source.address, "PUT", path, r#"{"interactions": []}"#).map(|(status, _)| status);
    assert_eq!(published, Some(201));
    let (url, target) = (
        format!("http://{}", source.address),
        database(directory.path(), "copy.sqlite"),
    );
    let all = ["--from-broker", &url, "--db", &target];
    let (code, report, progress) = import(&all, &[]);
    assert_eq!(code, Some(0), "{progress}");
    let expected = "\
RECORDS                   ADDED  UNCHANGED  FAILED
applications              2      0          0
environments              0      0          0
versions                  1      0          0
branch heads              0      0          0
contracts                 1      0          0
verification results      0      0          0
deployments and releases  0      0          0
webhooks                  0      0          0
";
    assert_eq!(report, expected);
    assert!(progress.contains("[1/1] contracts between Foo and Bar"), "{progress}");
    let (code, report, _) = import(&[&all[..], &["--json"]].concat(), &[]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(code, Some(0));
    let contracts = serde_json::json!({ "added": 0, "unchanged": 1, "failed": 0 });
    assert_eq!(report["counts"]["contracts"], contracts);
    assert_eq!(report["problems"], serde_json::json!([]));
}

#[test]
fn wrong_input_is_rejected_without_credentials_in_the_message() {
    let directory = tempfile::tempdir().expect("a directory");
    let target = database(directory.path(), "copy.sqlite");
    let (code, _, error) = import(&["--from-broker", "http://ci:secret@127.0.0.1:1", "--db", &target], &[]);
    assert_eq!(code, Some(2), "{error}");
    assert!(
        error.contains("--from-broker: the URL must not contain credentials") && !error.contains("secret"),
        "{error}"
    );
    let both = [
        "--from-broker",
        "http://127.0.0.1:1",
        "--from-database",
        "postgres://a/b",
        "--db",
        &target,
    ];
    let (code, _, error) = import(&both, &[]);
    assert_eq!(code, Some(2), "{error}");
    let (code, _, error) = import(&["--db", &target], &[]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("--from-broker"), "{error}");
    let database = [("CONTRACT_BROKER_FROM_DATABASE", "mysql://ci:secret@127.0.0.1/broker")];
    let (code, _, error) = import(&["--db", &target], &database);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("postgres://") && !error.contains("secret"), "{error}");
    let database = [(
        "CONTRACT_BROKER_FROM_DATABASE",
        "postgres://ci:secret@127.0.0.1:1/broker",
    )];
    let (code, _, error) = import(&["--db", &target], &database);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains("the database to import: cannot connect") && !error.contains("secret"),
        "{error}"
    );
    let only_name = [
        "--from-broker",
        "http://127.0.0.1:1",
        "--from-username",
        "ci",
        "--db",
        &target,
    ];
    let (code, _, error) = import(&only_name, &[]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("--from-password"), "{error}");
    let token = [("CONTRACT_BROKER_FROM_TOKEN", "line\nbreak")];
    let (code, _, error) = import(&["--from-broker", "http://127.0.0.1:1", "--db", &target], &token);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains("credentials contain characters") && !error.contains("line"),
        "{error}"
    );
}
