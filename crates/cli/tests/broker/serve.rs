//! Options by arguments and variables, ours and the field's; limits of the system; the end.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{ask, command, running, send, start};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("contract-broker-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("broker.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left of it disturbs nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What it says before it gives up, and with which code.
fn refused(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let output = command(arguments, variables).output().expect("it starts");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn rules_are_known_by_the_field_s_names_too() {
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    let contract = |at: u8| format!(r#"{{"interactions": [{{"description": "{at}"}}]}}"#);
    for (name, value, status) in [
        ("CONTRACT_BROKER_LOG_LEVEL", "error", 409),
        ("CONTRACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION", "true", 200),
        ("PACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION", "true", 200),
        ("PACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION", "", 409),
    ] {
        let arguments = [
            "--listen",
            "127.0.0.1:0",
            "--stop-with-stdin",
            "--db",
            "memory",
            "--log-level",
            "error",
        ];
        let broker = running(command(&arguments, &[(name, value)]));
        let put = |at| send(&broker.address, "PUT", path, &contract(at)).map(|(status, _)| status);
        assert_eq!((put(1), put(2)), (Some(201), Some(status)), "{name}={value}");
    }
}

#[test]
fn a_database_in_parts_as_containers_of_the_field_have_it() {
    let folder = Folder::new("parts");
    let file = folder.file();
    let variables = [
        ("PACT_BROKER_DATABASE_ADAPTER", "sqlite"),
        ("PACT_BROKER_DATABASE_NAME", file.to_str().expect("a path")),
        ("PACT_BROKER_PORT", "0"),
        ("PACT_BROKER_MAIN_BRANCH_CANDIDATES", "trunk, stem"),
        ("CONTRACT_BROKER_LOG_LEVEL", "error"),
    ];
    let broker = running(command(&["--stop-with-stdin"], &variables));
    assert_eq!(
        ask(&broker.address, "PUT", "/pacticipants/A/branches/stem/versions/1"),
        Some(201)
    );
    let (_, body) = send(&broker.address, "GET", "/pacticipants/A", "").expect("an answer");
    assert!(body.contains(r#""mainBranch":"stem""#), "{body}");
    assert!(file.exists());
    // A server that is not there, under a name that needs to be encoded; the password is not told.
    let variables = [
        ("PACT_BROKER_DATABASE_HOST", "127.0.0.1"),
        ("PACT_BROKER_DATABASE_PORT", "1"),
        ("PACT_BROKER_DATABASE_USERNAME", "a@b"),
        ("PACT_BROKER_DATABASE_PASSWORD", "se/cret"),
        ("PACT_BROKER_DATABASE_SSLMODE", "require"),
    ];
    let (code, text) = refused(&["--listen", "127.0.0.1:0"], &variables);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("no connection to the database") && !text.contains("cret"),
        "{text}"
    );
    let (code, text) = refused(
        &["--listen", "127.0.0.1:0"],
        &[("PACT_BROKER_DATABASE_ADAPTER", "mysql")],
    );
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--db must be"), "{text}");
}

#[test]
fn nobody_beyond_this_machine_is_let_in_without_a_password() {
    let (code, text) = refused(&["--listen", "0.0.0.0:0", "--db", "memory"], &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--allow-anonymous"), "{text}");
    let arguments = [
        "--listen",
        "0.0.0.0:0",
        "--db",
        "memory",
        "--stop-with-stdin",
        "--log-level",
        "error",
    ];
    let names = [
        ("PACT_BROKER_BASIC_AUTH_USERNAME", "a"),
        ("PACT_BROKER_BASIC_AUTH_PASSWORD", "b"),
    ];
    let broker = running(command(&arguments, &names));
    let port = broker.address.rsplit(':').next().expect("a port");
    assert_eq!(ask(&format!("127.0.0.1:{port}"), "GET", "/"), Some(401));
}

#[test]
fn a_signal_ends_it_with_its_data_in_one_file() {
    let folder = Folder::new("signal");
    let mut broker = start(&folder.file(), &[]);
    assert_eq!(ask(&broker.address, "PUT", "/pacticipants/A"), Some(201));
    let killed = Command::new("kill")
        .arg(broker.process.id().to_string())
        .status()
        .expect("kill");
    assert!(killed.success());
    let ended = broker.process.wait().expect("it ends");
    assert!(ended.success(), "{ended}");
    let names: Vec<_> = std::fs::read_dir(&folder.0)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["broker.sqlite"]);
}

/// Files may not grow beyond a limit of the system, as on a disk that is full.
#[test]
fn what_cannot_be_written_is_refused_and_can_be_written_later() {
    let folder = Folder::new("full");
    drop(start(&folder.file(), &[]));
    let mut shell = Command::new("sh");
    // Blocks of 512 bytes: half a megabyte. Without the trap the signal would end it. The name of a process is its own to give.
    shell
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\"")
        .arg(folder.0.join("contract-broker"));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_contract"), folder.0.join("contract-broker")).expect("a link");
    let database = format!("sqlite:{}", folder.file().display());
    shell.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--log-level",
        "error",
        "--stop-with-stdin",
        "--db",
        &database,
    ]);
    let limited = running(shell);
    let path = |at: usize| format!("/pacts/provider/Bar/consumer/Foo/version/{at}");
    let contract =
        |at: usize, size: usize| format!(r#"{{"interactions": [{{"description": "{at}{}"}}]}}"#, "x".repeat(size));
    let mut kept = Vec::new();
    let mut lost = Vec::new();
    for at in 0..40 {
        let (status, body) = send(&limited.address, "PUT", &path(at), &contract(at, 40_000)).expect("an answer");
        match status {
            201 => kept.push(at),
            507 => {
                assert!(body.contains("nothing was written"), "{body}");
                lost.push(at);
            }
            status => panic!("{status}: {body}"),
        }
    }
    assert!(!kept.is_empty() && !lost.is_empty(), "{kept:?} {lost:?}");
    let there = |address: &str, at: usize| ask(address, "GET", &path(at));
    let right = |address: &str| {
        kept.iter().all(|at| there(address, *at) == Some(200)) && lost.iter().all(|at| there(address, *at) == Some(404))
    };
    assert!(right(&limited.address), "it still reads");
    drop(limited);
    let free = start(&folder.file(), &[]);
    assert!(right(&free.address), "nothing is written by halves");
    for at in &lost {
        assert_eq!(
            send(&free.address, "PUT", &path(*at), &contract(*at, 40_000)).map(|(status, _)| status),
            Some(201)
        );
    }
}
