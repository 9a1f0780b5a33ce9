//! Tests `contract-broker token` and `audit`, on a database and on a running broker.

use std::io::Write as _;
use std::process::Stdio;

use contract_model::Json;

use crate::process::{command, send};
use crate::serve::start_with_file;

/// Returns the exit code, standard output, and standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(arguments, &[("USER", "ops")])
        .output()
        .expect("the executable starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn member(text: &str, pointer: &str) -> String {
    let json = Json::parse(text.as_bytes()).expect("JSON");
    let value = json
        .pointer(pointer)
        .unwrap_or_else(|| panic!("no {pointer} in {text}"));
    value.text_form().into_owned()
}

#[test]
fn tokens_are_managed_on_the_database_and_on_the_broker() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("broker.sqlite");
    let database = format!("sqlite:{}", file.display());
    // The first token is created before the broker has started.
    let create = [
        "token", "create", "--label", "admin", "--scope", "admin", "--db", &database,
    ];
    let (code, created, error) = run(&create);
    assert_eq!(code, Some(0), "{error}");
    // Scripts read only the token from standard output.
    let admin = created.trim_end();
    assert!(
        admin.starts_with("cbt_") && !admin.contains(char::is_whitespace),
        "{created}"
    );
    assert!(error.contains("cannot be shown again"), "{error}");
    let broker = start_with_file(&file);
    let url = format!("http://{}", broker.address);
    let remote = |arguments: &[&str]| {
        let access = [
            "--broker-base-url",
            url.as_str(),
            "--broker-token",
            admin,
            "--retries",
            "0",
        ];
        run(&[arguments, &access].concat())
    };
    let (code, created, error) = remote(&[
        "token",
        "create",
        "--label",
        "web",
        "--scope",
        "publish:web",
        "--days",
        "30",
        "--output",
        "json",
    ]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(member(&created, "/scopes/0"), "publish:web");
    let (web, id) = (member(&created, "/token"), member(&created, "/id"));
    let publish = |token: &str, name: &str| {
        let arguments = ["create-or-update-pacticipant", "--name", name];
        run(&[&arguments[..], &["-b", &url, "-k", token, "--retries", "0"]].concat())
    };
    assert_eq!(publish(&web, "web").0, Some(0));
    let (code, _, error) = publish(&web, "users");
    assert_eq!(code, Some(5));
    assert!(
        error.contains("Required scope: publish:users, verify:users, or write [ERR_"),
        "{error}"
    );
    // Both lists are the same and contain no secrets.
    let local = ["token", "list", "--db", &database];
    let (_, listed, _) = run(&local);
    assert!(
        listed.starts_with("ID ") && listed.contains("publish:web") && listed.contains("admin"),
        "{listed}"
    );
    assert!(!listed.contains(admin) && !listed.contains(&web), "{listed}");
    assert_eq!(remote(&["token", "list"]).1.lines().count(), listed.lines().count());
    let (_, ids, _) = remote(&["token", "list", "--output", "id"]);
    assert_eq!(ids.lines().next(), Some(id.as_str()), "{ids}");
    // These formats would lose the token, so no token is created.
    for format in ["id", "junit", "github"] {
        let (code, out, error) = run(&[&create[..], &["--output", format]].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains("does not contain the token"), "{error}");
    }
    assert_eq!(run(&local).1, listed);
    let (code, revoked, _) = remote(&["token", "revoke", &id]);
    assert_eq!((code, revoked), (Some(0), format!("Revoked token {id}.\n")));
    let (code, _, error) = publish(&web, "web");
    assert_eq!(code, Some(5));
    assert!(error.contains("was revoked. Create a new one [ERR_"), "{error}");
    for unknown in [
        &["token", "revoke", "nobody", "--db", &database][..],
        &["token", "revoke", "nobody", "-b", &url, "-k", admin],
    ] {
        let (code, _, error) = run(unknown);
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains("\"nobody\" not found"), "{error}");
    }
    // The audit log contains the changes made in both ways.
    let (code, lines, error) = remote(&["audit", "export", "--outcome", "written"]);
    assert_eq!(code, Some(0), "{error}");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(member(lines[0], "/actor/kind"), "local");
    assert_eq!(member(lines[0], "/actor/name"), "ops");
    assert_eq!(member(lines[2], "/actor/credential"), id);
    assert_eq!(member(lines[3], "/method"), "DELETE");
    let (_, local, _) = run(&["audit", "export", "--outcome", "written", "--db", &database]);
    assert_eq!(local.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn invalid_arguments_are_rejected() {
    let directory = tempfile::tempdir().expect("a directory");
    let database = format!("sqlite:{}", directory.path().join("broker.sqlite").display());
    for (arguments, code, text) in [
        (
            vec!["token", "create", "--label", "a", "--scope", "sudo", "--db", &database],
            2,
            "scopes: \"sudo\" is not a scope",
        ),
        (
            vec!["token", "create", "--label", "", "--scope", "read", "--db", &database],
            2,
            "label: must have 1 to 200 bytes",
        ),
        (vec!["token", "create", "--label", "a", "--db", &database], 2, "--scope"),
        (
            vec!["token", "create", "--label", "a", "--scope", "read", "--db", "memory"],
            2,
            "--db memory is not supported",
        ),
        (
            vec![
                "token", "create", "--label", "a", "--scope", "read", "--db", &database, "-b", "http://b",
            ],
            2,
            "cannot be used with",
        ),
        (vec!["token", "list"], 2, "broker"),
        (
            vec!["audit", "export", "--from", "yesterday", "--db", &database],
            2,
            "--from yesterday is not a date",
        ),
    ] {
        let (found, _, error) = run(&arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {error}");
        assert!(error.contains(text), "{arguments:?}: {error}");
    }
}

#[test]
fn users_are_managed_on_the_database() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("broker.sqlite");
    let database = format!("sqlite:{}", file.display());
    let with_password = |arguments: &[&str], password: &str| {
        let arguments = [arguments, &["--password-stdin", "--db", &database]].concat();
        let mut child = command(&arguments, &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the executable starts");
        let mut stdin = child.stdin.take().expect("standard input");
        stdin.write_all(password.as_bytes()).expect("a written password");
        drop(stdin);
        let output = child.wait_with_output().expect("the end");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let add = ["user", "add", "alice", "--scope", "write"];
    let (code, output, error) = with_password(&add, "correct horse\n");
    assert_eq!((code, output.as_str()), (Some(0), "Added user alice.\n"), "{error}");
    for (arguments, password, text) in [
        (&add[..], "correct horse", "the user \"alice\" already exists"),
        (
            &["user", "add", "bob", "--scope", "write"],
            "short",
            "at least 8 characters",
        ),
        (
            &["user", "add", "b:b", "--scope", "write"],
            "correct horse",
            "the user name must have 1 to",
        ),
        (
            &["user", "add", "bob", "--scope", "sudo"],
            "correct horse",
            "\"sudo\" is not a scope",
        ),
        (
            &["user", "password", "bob"],
            "correct horse",
            "the user \"bob\" does not exist",
        ),
    ] {
        let (code, _, error) = with_password(arguments, password);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(text) && !error.contains("correct horse"), "{error}");
    }
    let (code, _, error) = run(&["user", "add", "bob", "--scope", "write", "--db", &database]);
    assert_eq!(code, Some(2));
    assert!(error.contains("--password-stdin"), "{error}");
    let (_, listed, _) = run(&["user", "list", "--db", &database]);
    assert!(
        listed.starts_with("NAME ") && listed.contains("alice  write"),
        "{listed}"
    );
    assert!(!listed.contains("argon2"), "{listed}");
    // As soon as a user exists, the broker requires credentials.
    let broker = start_with_file(&file);
    let status = send(&broker.address, "GET", "/pacticipants", "").map(|(status, _)| status);
    assert_eq!(status, Some(401));
    let url = format!("http://{}", broker.address);
    let create = |password: &str| {
        run(&[
            "create-or-update-pacticipant",
            "--name",
            "web",
            "-b",
            &url,
            "-u",
            "alice",
            "-p",
            password,
            "--retries",
            "0",
        ])
        .0
    };
    assert_eq!((create("correct horse"), create("wrong horse")), (Some(0), Some(5)));
    let (code, _, error) = with_password(&["user", "password", "alice"], "another horse");
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(create("another horse"), Some(0));
    let (code, _, error) = run(&["user", "remove", "alice", "--db", &database]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(run(&["user", "list", "--db", &database]).1, "No users found.\n");
    let status = send(&broker.address, "GET", "/pacticipants", "").map(|(status, _)| status);
    assert_eq!(status, Some(401), "without users, the broker stays closed");
}
