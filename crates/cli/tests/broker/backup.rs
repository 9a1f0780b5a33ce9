//! Tests `contract-broker backup`, `restore`, `export`, and `migrate`.

use std::path::Path;

use crate::process::{command, send};
use crate::serve::start_with_file;

/// Returns the exit code, standard output, and standard error.
fn run(line: &str, directory: &Path) -> (Option<i32>, String, String) {
    let place = directory.display().to_string();
    let arguments: Vec<String> = line.split(' ').map(|word| word.replace("DIR", &place)).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = command(&arguments, &[]).output().expect("the executable starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "DIR");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn moves_the_data_of_a_running_broker() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    let broker = start_with_file(&directory.join("broker.sqlite"));
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    let published = send(&broker.address, "PUT", path, r#"{"interactions": []}"#).map(|(status, _)| status);
    assert_eq!(published, Some(201));
    let (code, written, _) = run("backup DIR/b.gz --db sqlite:DIR/broker.sqlite", directory);
    assert_eq!(code, Some(0));
    let counts = "2 applications, 1 version, 1 contract, 0 verification results.";
    assert!(
        written.starts_with(&format!("Wrote DIR/b.gz: {counts}\nSHA-256 of the data: ")),
        "{written}"
    );
    let (code, read, _) = run("restore DIR/b.gz --db sqlite:DIR/restored.sqlite", directory);
    assert_eq!((code, read), (Some(0), written.replace("Wrote", "Restored")));
    let (code, copied, _) = run(
        "migrate --from sqlite:DIR/restored.sqlite --to sqlite:DIR/copy.sqlite",
        directory,
    );
    assert_eq!(code, Some(0));
    assert!(
        copied.starts_with(&format!("Copied all data; both databases have the same rows: {counts}")),
        "{copied}"
    );
    let (code, exported, _) = run("export --directory DIR/out --db sqlite:DIR/copy.sqlite", directory);
    assert_eq!((code, exported), (Some(0), written.replace("b.gz", "out")));
    drop(broker);
    let copy = start_with_file(&directory.join("copy.sqlite"));
    assert_eq!(
        send(&copy.address, "GET", path, "").map(|(status, _)| status),
        Some(200)
    );
}

#[test]
fn the_database_may_be_given_by_the_variable_of_the_pact_broker() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    drop(start_with_file(&directory.join("broker.sqlite")));
    let database = format!("sqlite:{}", directory.join("broker.sqlite").display());
    for variables in [
        [
            ("PACT_BROKER_DATABASE_URL", database.as_str()),
            ("CONTRACT_BROKER_DATABASE_URL", ""),
        ],
        [
            ("PACT_BROKER_DATABASE_URL", "sqlite:/nowhere/else"),
            ("CONTRACT_BROKER_DATABASE_URL", &database),
        ],
    ] {
        let to = directory.join("backup.gz").display().to_string();
        let output = command(&["backup", &to], &variables)
            .output()
            .expect("the executable starts");
        assert!(output.status.success(), "{output:?}");
        std::fs::remove_file(&to).expect("the backup");
    }
}

#[test]
fn errors_name_the_cause_and_the_option() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    std::fs::write(directory.join("other"), "text").expect("a file");
    for (line, code, message) in [
        (
            "backup DIR/b.gz --db sqlite:DIR/none.sqlite",
            1,
            "database not found: DIR/none.sqlite does not exist. Set the broker's database with --db.",
        ),
        (
            "backup DIR/b.gz --db memory",
            2,
            "--db memory is not supported by this command, because a database in memory is lost when the command ends. Set --db sqlite:PATH or --db postgres://USER:PASSWORD@HOST/NAME.",
        ),
        (
            "restore DIR/none.gz --db sqlite:DIR/new.sqlite",
            1,
            "could not read DIR/none.gz: No such file or directory (os error 2)",
        ),
        (
            "restore DIR/other --db sqlite:DIR/new.sqlite",
            1,
            "could not restore DIR/other: the file is not a contract-broker backup",
        ),
        (
            "migrate --from sqlite:DIR/none.sqlite --to sqlite:DIR/new.sqlite",
            1,
            "Set the broker's database with --from.",
        ),
        (
            "migrate --from sqlite:DIR/new.sqlite --to mysql://x",
            2,
            "--to must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
        ),
        (
            "export --directory DIR/other --db sqlite:DIR/new.sqlite",
            1,
            "DIR/other already exists. Choose another name.",
        ),
    ] {
        let (ended, _, error) = run(line, directory);
        assert!(
            ended == Some(code) && error.contains(message),
            "{line}: {ended:?} {error}"
        );
    }
}
