//! Tests options and environment variables, full disks, and signals.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::process::{BrokerProcess, command, send, start};

fn serve_command(line: &str, variables: &[(&str, &str)]) -> Command {
    let arguments: Vec<&str> = std::iter::once("serve").chain(line.split_whitespace()).collect();
    command(&arguments, variables)
}

fn serve(line: &str, variables: &[(&str, &str)]) -> BrokerProcess {
    start(serve_command(line, variables))
}

/// Starts a broker with its data in a file.
pub(crate) fn start_with_file(file: &Path) -> BrokerProcess {
    let database = format!("sqlite:{}", file.display());
    let mut command = serve_command("--listen 127.0.0.1:0 --log-level error --stop-with-stdin", &[]);
    command.arg("--db").arg(database);
    start(command)
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

fn database_file(directory: &TempDir) -> PathBuf {
    directory.path().join("broker.sqlite")
}

/// Returns the exit code and standard error of a broker that fails to start.
fn fail_to_start(line: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let output = serve_command(line, variables).output().expect("the executable starts");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn status_of(broker: &BrokerProcess, method: &str, path: &str) -> Option<u16> {
    send(&broker.address, method, path, "{}").map(|(status, _)| status)
}

#[test]
fn accepts_the_variables_of_the_pact_broker() {
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    let contract = |at: u8| format!(r#"{{"interactions": [{{"description": "{at}"}}]}}"#);
    for (name, value, status) in [
        ("CONTRACT_BROKER_LOG_LEVEL", "error", 409),
        ("CONTRACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION", "true", 200),
        ("PACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION", "true", 200),
        ("PACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION", "", 409),
    ] {
        let broker = serve(IN_MEMORY, &[(name, value)]);
        let put = |at| send(&broker.address, "PUT", path, &contract(at)).map(|(status, _)| status);
        assert_eq!((put(1), put(2)), (Some(201), Some(status)), "{name}={value}");
    }
}

const IN_MEMORY: &str = "--listen 127.0.0.1:0 --stop-with-stdin --db memory --log-level error";

#[test]
fn accepts_a_database_in_several_variables() {
    let directory = directory();
    let file = database_file(&directory);
    let variables = [
        ("PACT_BROKER_DATABASE_ADAPTER", "sqlite"),
        ("PACT_BROKER_DATABASE_NAME", file.to_str().expect("a path")),
        ("PACT_BROKER_PORT", "0"),
        ("PACT_BROKER_MAIN_BRANCH_CANDIDATES", "trunk, stem"),
        ("CONTRACT_BROKER_LOG_LEVEL", "error"),
    ];
    let broker = serve("--stop-with-stdin", &variables);
    assert_eq!(
        status_of(&broker, "PUT", "/pacticipants/A/branches/stem/versions/1"),
        Some(201)
    );
    let (_, body) = send(&broker.address, "GET", "/pacticipants/A", "").expect("a response");
    assert!(body.contains(r#""mainBranch":"stem""#), "{body}");
    assert!(file.exists());
    // An unreachable server. The user name must be encoded, and the password must not be printed.
    let variables = [
        ("PACT_BROKER_DATABASE_HOST", "127.0.0.1"),
        ("PACT_BROKER_DATABASE_PORT", "1"),
        ("PACT_BROKER_DATABASE_USERNAME", "a@b"),
        ("PACT_BROKER_DATABASE_PASSWORD", "se/cret"),
        ("PACT_BROKER_DATABASE_SSLMODE", "require"),
    ];
    let (code, text) = fail_to_start("--listen 127.0.0.1:0", &variables);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("cannot connect to the database at 127.0.0.1:1: ")
            && text.contains("refused")
            && !text.contains("cret"),
        "{text}"
    );
    let adapter = [("PACT_BROKER_DATABASE_ADAPTER", "mysql")];
    let (code, text) = fail_to_start("--listen 127.0.0.1:0", &adapter);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--db must be"), "{text}");
}

#[test]
fn the_option_port_is_named_in_a_tip() {
    for line in ["--db memory --port 0", "--db memory --port=9292"] {
        let (code, text) = fail_to_start(line, &[]);
        assert_eq!(code, Some(2));
        assert!(
            text.contains("is not supported; use --listen, such as --listen 127.0.0.1:9292"),
            "{text}"
        );
    }
}

#[test]
fn requires_credentials_for_other_machines() {
    let (code, text) = fail_to_start("--listen 0.0.0.0:0 --db memory", &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.starts_with("error: refusing to listen on 0.0.0.0:0 without authentication.")
            && text.ends_with("or pass --allow-anonymous. [ERR_CONTRACT_OPTIONS]\n"),
        "{text}"
    );
    let names = [
        ("PACT_BROKER_BASIC_AUTH_USERNAME", "a"),
        ("PACT_BROKER_BASIC_AUTH_PASSWORD", "b"),
    ];
    let broker = serve(
        "--listen 0.0.0.0:0 --db memory --stop-with-stdin --log-level error",
        &names,
    );
    let port = broker.address.rsplit(':').next().expect("a port");
    let response = send(&format!("127.0.0.1:{port}"), "GET", "/", "");
    assert_eq!(response.map(|(status, _)| status), Some(401));
}

#[test]
fn a_signal_stops_the_broker_and_leaves_the_database_and_its_key() {
    let directory = directory();
    let mut broker = start_with_file(&database_file(&directory));
    assert_eq!(status_of(&broker, "PUT", "/pacticipants/A"), Some(201));
    terminate(&mut broker.child);
    let mut names: Vec<_> = std::fs::read_dir(directory.path())
        .expect("the directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["broker.sqlite", "broker.sqlite.key"]);
}

/// Opens a connection and sends `part`, an incomplete request.
fn send_partly(broker: &BrokerProcess, part: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&broker.address).expect("a connection");
    stream.write_all(part.as_bytes()).expect("the part is sent");
    // The broker reads the part before it receives a signal.
    assert_eq!(status_of(broker, "GET", "/"), Some(200));
    std::thread::sleep(Duration::from_millis(100));
    stream
}

#[test]
fn an_incomplete_head_does_not_delay_the_end() {
    let mut broker = serve(IN_MEMORY, &[]);
    let _stream = send_partly(&broker, "GET / HTTP/1.1\r\nhost: a\r\n");
    let begun = Instant::now();
    terminate(&mut broker.child);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_second_signal_ends_the_broker_at_once() {
    for (name, exit_code) in [("INT", 130), ("TERM", 143)] {
        let mut broker = serve(IN_MEMORY, &[]);
        let head =
            "PUT /pacticipants/A HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n";
        let _stream = send_partly(&broker, head);
        let begun = Instant::now();
        signal(&broker.child, "TERM");
        // This is not a second request, because a terminal and a launcher can send the same signal.
        signal(&broker.child, "TERM");
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(
            broker.child.try_wait().expect("a status"),
            None,
            "it waits for the request"
        );
        signal(&broker.child, name);
        let status = broker.child.wait().expect("the process ends");
        assert_eq!(status.code(), Some(exit_code), "{name}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}

/// Runs a program under a shell limit, such as `ulimit -n 7`. `exec` in a shell cannot set the process name, so the
/// program is run through a link with that name.
fn run_limited(shell: &str, limit: &str, program: &Path, arguments: &str) -> std::process::Output {
    let mut command = Command::new(shell);
    command
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")])
        .arg(program)
        .args(arguments.split(' '))
        .stdin(std::process::Stdio::null());
    command.output().expect("the shell starts")
}

#[track_caller]
fn assert_plain_error(output: &std::process::Output, text: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("error: ") && error.contains(text), "{error}");
    assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
}

#[test]
fn too_few_open_files_are_a_plain_error() {
    let directory = directory();
    let broker = directory.path().join("contract-broker");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_contract"), &broker).expect("a link");
    let verifier = Path::new(env!("CARGO_BIN_EXE_contract"));
    for files in 5..=8 {
        for (program, arguments) in [
            (verifier, "verify -n orders -d /nowhere --port 9"),
            (&broker, "list-environments -b http://127.0.0.1:9"),
            (&broker, "serve --listen 127.0.0.1:0 --db memory --stop-with-stdin"),
        ] {
            let output = run_limited("sh", &format!("ulimit -n {files}"), program, arguments);
            assert_plain_error(&output, "[ERR_CONTRACT_OPEN_FILES]");
        }
    }
}

/// The limit counts the threads of a user and does not apply to root. Root therefore runs the executable as another
/// user, who must be able to read it.
#[cfg(target_os = "linux")]
#[test]
fn too_few_threads_are_a_plain_error() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let directory = directory();
    let everyone = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(directory.path(), everyone).expect("access for all users");
    let broker = directory.path().join("contract-broker");
    std::fs::copy(env!("CARGO_BIN_EXE_contract"), &broker).expect("a copy");
    let is_root = std::fs::metadata("/proc/self").expect("this process").uid() == 0;
    let mut has_started = false;
    for threads in 1..=40 {
        let script =
            format!("ulimit -u {threads}; exec \"$0\" serve --listen 127.0.0.1:0 --db memory --stop-with-stdin");
        let mut command = Command::new("bash");
        command
            .arg("-c")
            .arg(script)
            .arg(&broker)
            .stdin(std::process::Stdio::null());
        if is_root {
            let user = 70_000 + std::process::id() % 10_000;
            command.uid(user).gid(user);
        }
        let output = command.output().expect("the shell starts");
        if output.status.success() {
            has_started = true;
            break;
        }
        assert_plain_error(&output, "could not start threads");
    }
    assert!(has_started || !is_root, "it starts with 40 threads");
}

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &process.id().to_string()])
        .status();
    assert!(sent.expect("kill starts").success());
}

/// Sends SIGTERM and waits for a clean exit.
fn terminate(process: &mut Child) {
    signal(process, "TERM");
    let status = process.wait().expect("the process ends");
    assert!(status.success(), "{status}");
}

/// Simulates a full disk with a maximum file size.
#[test]
fn rejects_writes_that_do_not_fit_and_accepts_them_later() {
    let directory = directory();
    let file = database_file(&directory);
    drop(start_with_file(&file));
    let mut shell = Command::new("sh");
    // The unit of the limit is 512 bytes. Without the trap, the signal would end the process. `exec` in sh cannot set
    // the process name, so the program is run through a link named `contract-broker`.
    let link = directory.path().join("contract-broker");
    shell
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"")
        .arg(&link);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_contract"), &link).expect("a link");
    let database = format!("sqlite:{}", file.display());
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
    let limited = start(shell);
    let (stored, rejected) = publish(&limited, 40);
    assert!(!stored.is_empty() && !rejected.is_empty(), "{stored:?} {rejected:?}");
    assert!(has_exactly(&limited, &stored, &rejected), "reading still works");
    drop(limited);
    let unlimited = start_with_file(&file);
    assert!(has_exactly(&unlimited, &stored, &rejected), "no partial writes");
    assert_eq!(publish(&unlimited, 40).1, [0_usize; 0], "every write succeeds");
}

/// Runs on a small file system that is mounted at `CONTRACT_BROKER_SMALL_DISK`. Another file fills most of it.
#[test]
fn a_full_disk_loses_no_data() {
    let Ok(disk) = std::env::var("CONTRACT_BROKER_SMALL_DISK") else {
        return;
    };
    let file = PathBuf::from(&disk).join("broker.sqlite");
    let other = PathBuf::from(&disk).join("other");
    std::fs::write(&other, vec![1; 4_000_000]).expect("enough space for the other file");
    let broker = start_with_file(&file);
    let (stored, rejected) = publish(&broker, 200);
    assert!(!stored.is_empty() && !rejected.is_empty(), "{stored:?} {rejected:?}");
    assert!(has_exactly(&broker, &stored, &rejected), "reading still works");
    // Kill the broker while the disk is full.
    drop(broker);
    let restarted = start_with_file(&file);
    assert!(
        has_exactly(&restarted, &stored, &rejected),
        "exactly the acknowledged writes are stored"
    );
    std::fs::remove_file(&other).expect("the other file is removed");
    let (more, none) = publish(&restarted, 30);
    assert_eq!(none, [0_usize; 0], "every write succeeds");
    drop(restarted);
    let again = start_with_file(&file);
    assert!(has_exactly(&again, &stored, &[]) && has_exactly(&again, &more, &[]));
}

fn path(at: usize) -> String {
    format!("/pacts/provider/Bar/consumer/Foo/version/{at}")
}

/// Publishes contracts of 40 kB in parallel. Returns the numbers of stored contracts, and of those rejected for lack of space.
fn publish(broker: &BrokerProcess, count: usize) -> (Vec<usize>, Vec<usize>) {
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
                    // Random letters, because the broker compresses contracts.
                    let mut random = fastrand::Rng::with_seed(at as u64);
                    let letters: String = std::iter::repeat_with(|| random.alphanumeric()).take(40_000).collect();
                    let contract = format!(r#"{{"interactions": [{{"description": "{at}{letters}"}}]}}"#);
                    let (status, body) = send(&broker.address, "PUT", &path(at), &contract).expect("a response");
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

fn has_exactly(broker: &BrokerProcess, stored: &[usize], rejected: &[usize]) -> bool {
    let status = |at: &usize| status_of(broker, "GET", &path(*at));
    stored.iter().all(|at| status(at) == Some(200)) && rejected.iter().all(|at| status(at) == Some(404))
}

#[test]
fn options_set_the_limits_of_the_http_server() {
    let broker = serve(
        &format!("{IN_MEMORY} --max-body-size 1"),
        &[("CONTRACT_BROKER_REQUEST_MEMORY", "2")],
    );
    let large = format!(
        r#"{{"interactions": [{{"description": "{}"}}]}}"#,
        "x".repeat(1_100_000)
    );
    let (status, body) = send(&broker.address, "PUT", &path(1), &large).expect("a response");
    assert_eq!(status, 413, "{body}");
    assert!(body.contains("larger than 1 MiB"), "{body}");
    let (code, text) = fail_to_start("--db memory --max-body-size 200", &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("--max-body-size 200") && text.contains("Raise --request-memory to at least 400"),
        "{text}"
    );
}

#[test]
fn a_signal_right_after_the_address_stops_the_broker() {
    for _ in 0..20 {
        let mut broker = serve("--listen 127.0.0.1:0 --db memory --log-level error", &[]);
        terminate(&mut broker.child);
    }
}

/// Standard output is a full pipe, so the broker waits until its address can be printed.
#[cfg(target_os = "linux")]
#[test]
fn signals_are_handled_before_the_address_is_printed() {
    use std::io::{Read, Write};
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    (&writer)
        .write_all(&vec![b'\n'; 64 * 1024])
        .expect("the capacity of a pipe");
    let mut command = serve_command("--listen 127.0.0.1:0 --db memory --log-level error", &[]);
    let mut process = command.stdout(writer).spawn().expect("the executable starts");
    drop(command);
    let status = format!("/proc/{}/status", process.id());
    let is_sigterm_handled = || {
        let text = std::fs::read_to_string(&status).expect("a process");
        let mask = text
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .expect("a mask");
        u64::from_str_radix(mask.trim(), 16).expect("a number") & (1 << 14) != 0
    };
    while !is_sigterm_handled() {
        std::thread::yield_now();
    }
    let killed = Command::new("kill").arg(process.id().to_string()).status();
    assert!(killed.expect("kill starts").success());
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("the end of the output");
    let status = process.wait().expect("the process ends");
    assert!(status.success(), "{status}");
}

#[test]
fn options_are_read_from_a_configuration_file() {
    let directory = directory();
    let file = directory.path().join("broker.toml");
    let start_with = |text: &str, line: &str, variables: &[(&str, &str)]| {
        std::fs::write(&file, text).expect("a file");
        let mut command = serve_command(line, variables);
        command.arg("--config").arg(&file);
        command
    };
    let settings = "listen = \"127.0.0.1:0\"\ndb = \"memory\"\nstop-with-stdin = true\nlog-level = \"error\"\n\
                    username = \"a\"\npassword = \"b\"\npublic-read = true\nmax-body-size = 1\nprotected-environments = [\"a\", \"b\"]\n";
    let broker = start(start_with(settings, "", &[]));
    assert_eq!(status_of(&broker, "GET", "/pacticipants"), Some(200));
    assert_eq!(status_of(&broker, "PUT", "/pacticipants/web"), Some(401));
    // Variables and the command line override the file.
    let broker = start(start_with(settings, "", &[("PACT_BROKER_ALLOW_PUBLIC_READ", "false")]));
    assert_eq!(status_of(&broker, "GET", "/pacticipants"), Some(401));
    let broker = start(start_with(
        "listen = \"256.0.0.1:0\"\n",
        "--listen 127.0.0.1:0 --db memory --log-level error",
        &[],
    ));
    assert_eq!(status_of(&broker, "GET", "/pacticipants"), Some(200));
    for (text, code, expected) in [
        ("liste = 1", 2, "unknown setting \"liste\""),
        ("config = \"a\"", 2, "unknown setting \"config\""),
        ("public-read = \"maybe\"", 2, "must be true or false"),
        ("max-body-size = \"many\"", 2, "--max-body-size"),
        ("a = [", 2, "broker.toml: TOML parse error"),
        ("[[issuers]]\naudience = \"a\"", 2, "issuers[0]: set issuer to"),
    ] {
        let output = start_with(text, "--db memory", &[])
            .output()
            .expect("the executable starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}: {error}");
        assert!(error.contains(expected), "{text}: {error}");
    }
    let (code, error) = fail_to_start("--config /nowhere.toml", &[]);
    assert_eq!(code, Some(1));
    assert!(error.contains("could not read /nowhere.toml"), "{error}");
}

#[test]
fn configuration_files_of_the_guide_are_valid() {
    let directory = directory();
    let file = directory.path().join("broker.toml");
    let guide = include_str!("../../../../docs/guides/access-control.md");
    let samples = guide
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default());
    let samples: Vec<&str> = samples.collect();
    assert_eq!(samples.len(), 4);
    let secret = directory.path().join("secret");
    std::fs::write(&secret, "s3cret\n").expect("a file");
    for sample in samples {
        let sample = sample.replace("/run/secrets/broker-client-secret", &secret.display().to_string());
        std::fs::write(&file, &sample).expect("a file");
        let mut command = serve_command("--listen 127.0.0.1:0 --db memory --log-level error", &[]);
        command.arg("--config").arg(&file);
        let broker = start(command);
        assert!(
            status_of(&broker, "GET", "/diagnostic/status/heartbeat").is_some(),
            "{sample}"
        );
    }
}
