//! Options by arguments and variables, ours and the field's; limits of the system; the end.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::process::{Broker, ask, command, running, send, start};

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
        text.contains("cannot connect to the database") && text.contains("refused") && !text.contains("cret"),
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
    let (kept, lost) = written(&limited, 40);
    assert!(!kept.is_empty() && !lost.is_empty(), "{kept:?} {lost:?}");
    assert!(is_right(&limited, &kept, &lost), "it still reads");
    drop(limited);
    let free = start(&folder.file(), &[]);
    assert!(is_right(&free, &kept, &lost), "nothing is written by halves");
    assert_eq!(written(&free, 40).1, [], "there is room");
}

/// A file system with little room, which `CONTRACT_BROKER_SMALL_DISK` names; it is filled by somebody else's file, too.
#[test]
fn a_disk_that_is_full_loses_nothing_and_is_written_again_when_there_is_room() {
    let Ok(disk) = std::env::var("CONTRACT_BROKER_SMALL_DISK") else {
        return;
    };
    let file = PathBuf::from(&disk).join("broker.sqlite");
    let other = PathBuf::from(&disk).join("other");
    std::fs::write(&other, vec![1; 4_000_000]).expect("there is room for it");
    let broker = start(&file, &[]);
    let (kept, lost) = written(&broker, 200);
    assert!(!kept.is_empty() && !lost.is_empty(), "{kept:?} {lost:?}");
    assert!(is_right(&broker, &kept, &lost), "it still reads");
    // Killed while it is full, and started.
    drop(broker);
    let full = start(&file, &[]);
    assert!(
        is_right(&full, &kept, &lost),
        "what was acknowledged is there, and nothing else"
    );
    std::fs::remove_file(&other).expect("it goes");
    let (more, none) = written(&full, 60);
    assert_eq!(none, [], "the same broker goes on");
    drop(full);
    let again = start(&file, &[]);
    assert!(is_right(&again, &kept, &[]) && is_right(&again, &more, &[]));
}

fn path(at: usize) -> String {
    format!("/pacts/provider/Bar/consumer/Foo/version/{at}")
}

/// Publishes so many contracts of 40 kB, some at a time; which were acknowledged, and which were refused for want of room.
fn written(broker: &Broker, count: usize) -> (Vec<usize>, Vec<usize>) {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new((Vec::new(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let contract = format!(
                        r#"{{"interactions": [{{"description": "{at}{}"}}]}}"#,
                        "x".repeat(40_000)
                    );
                    let (status, body) = send(&broker.address, "PUT", &path(at), &contract).expect("an answer");
                    let mut outcomes = outcomes.lock().expect("no panic");
                    match status {
                        200 | 201 => outcomes.0.push(at),
                        507 => {
                            assert!(body.contains("Nothing was written"), "{body}");
                            outcomes.1.push(at);
                        }
                        status => panic!("{status}: {body}"),
                    }
                }
            });
        }
    });
    outcomes.into_inner().expect("no panic")
}

fn is_right(broker: &Broker, kept: &[usize], lost: &[usize]) -> bool {
    let there = |at: &usize| ask(&broker.address, "GET", &path(*at));
    kept.iter().all(|at| there(at) == Some(200)) && lost.iter().all(|at| there(at) == Some(404))
}

#[test]
fn limits_of_the_http_server_are_options() {
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--stop-with-stdin",
        "--db",
        "memory",
        "--log-level",
        "error",
        "--max-body-size",
        "1",
    ];
    let broker = running(command(&arguments, &[("CONTRACT_BROKER_REQUEST_MEMORY", "2")]));
    let large = format!(
        r#"{{"interactions": [{{"description": "{}"}}]}}"#,
        "x".repeat(1_100_000)
    );
    let (status, body) = send(&broker.address, "PUT", &path(1), &large).expect("an answer");
    assert_eq!(status, 413, "{body}");
    assert!(body.contains("larger than 1 MiB"), "{body}");
    let (code, text) = refused(&["--max-body-size", "200"], &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("--max-body-size 200") && text.contains("Raise --request-memory to at least 400"),
        "{text}"
    );
}

#[test]
fn a_signal_that_comes_with_the_address_ends_it_cleanly() {
    for _ in 0..20 {
        let arguments = ["--listen", "127.0.0.1:0", "--db", "memory", "--log-level", "error"];
        let mut broker = running(command(&arguments, &[]));
        let killed = Command::new("kill").arg(broker.process.id().to_string()).status();
        assert!(killed.expect("kill").success());
        let ended = broker.process.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
    }
}

/// The address is printed into a pipe that is full, so the broker goes no further.
#[cfg(target_os = "linux")]
#[test]
fn signals_are_handled_before_the_address_is_printed() {
    use std::io::{Read, Write};
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    (&writer)
        .write_all(&vec![b'\n'; 64 * 1024])
        .expect("as much as a pipe takes");
    let arguments = ["--listen", "127.0.0.1:0", "--db", "memory", "--log-level", "error"];
    let mut command = command(&arguments, &[]);
    let mut process = command.stdout(writer).spawn().expect("the executable starts");
    drop(command);
    let status = format!("/proc/{}/status", process.id());
    let handled = || {
        let text = std::fs::read_to_string(&status).expect("a process");
        let mask = text
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .expect("a mask");
        u64::from_str_radix(mask.trim(), 16).expect("a number") & (1 << 14) != 0
    };
    while !handled() {
        std::thread::yield_now();
    }
    let killed = Command::new("kill").arg(process.id().to_string()).status();
    assert!(killed.expect("kill").success());
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("it ends");
    let ended = process.wait().expect("it ends");
    assert!(ended.success(), "{ended}");
}
