//! Tests invalid input and failures: one error message with advice, its code, and the exit code.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::stub::{Reply, Stub};
use crate::support::{Ran, Setup, run_in, split_arguments};

#[track_caller]
fn check(ran: &Ran, code: i32, text: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(ran.err.contains(text), "{text:?} is missing in {ran:?}");
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("error: ")).count(),
        1,
        "{ran:?}"
    );
    assert!(!ran.err.contains("hush"), "{ran:?}");
}

/// Runs a command line without a configured broker.
fn run(line: &str) -> Ran {
    let words = split_arguments(line);
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    run_in(&std::env::temp_dir(), &arguments, &[])
}

#[test]
fn reports_invalid_and_unreachable_urls() {
    check(
        &run("list-environments"),
        2,
        "no broker URL. Pass the URL, or set CONTRACT_BROKER_BASE_URL",
    );
    check(
        &run("list-environments -b broker.example"),
        2,
        "it must start with http:// or https://",
    );
    check(
        &run("list-environments -b ftp://me:hush@broker"),
        2,
        "only http and https are supported",
    );
    check(
        &run("list-environments --retries 0 -b http://127.0.0.1:9"),
        4,
        "Is the broker running?",
    );
    check(
        &run("list-environments --retries 0 -b http://broker.invalid"),
        4,
        "Is it spelled correctly?",
    );
}

#[test]
fn reports_conflicting_credentials() {
    let url = "-b http://127.0.0.1:9";
    let ran = run(&format!("list-environments {url} -u me -p hush -k hush"));
    assert_eq!(ran.code, 2);
    check(
        &run("list-environments -b http://me:hush@127.0.0.1:9 -k hush"),
        2,
        "Use one of them",
    );
    check(
        &run(&format!("list-environments {url} -p hush")),
        2,
        "Add the user name",
    );
    check(
        &run(&format!("list-environments {url} -c /nowhere.pem")),
        2,
        "could not read the certificate",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_servers_that_are_not_brokers() {
    let html = Reply::Answer(200, vec!["content-type: text/html".to_owned()], "<html>".to_owned());
    for (reply, code, text) in [
        (
            html,
            4,
            "it sent text/html instead of JSON. Check the broker's base URL",
        ),
        (Reply::json(200, "[1]"), 4, "it sent JSON that is not an object"),
        (Reply::json(200, "{}"), 4, "the index has no links"),
        (Reply::json(200, "{\"a\""), 4, "it sent invalid JSON"),
        (Reply::Raw(b"\x16\x03garbage".to_vec()), 4, "is not HTTP"),
        (Reply::json(404, "{}"), 1, "status 404"),
        (Reply::json(401, "{}"), 5, "Pass a user name and password, or a token"),
        (
            Reply::json(403, "{}"),
            5,
            "Use credentials with the required permission",
        ),
        (Reply::json(500, r#"{"error":{"message":"oh"}}"#), 4, "status 500: oh"),
    ] {
        let stub = Stub::start(move |_, _| reply.clone()).await;
        check(
            &run(&format!("list-environments --retries 0 -b {}", stub.url)),
            code,
            text,
        );
    }
    let silent = Stub::start(|_, _| Reply::Never).await;
    let line = format!("list-environments --request-timeout 50 -b {}", silent.url);
    check(
        &run(&line),
        4,
        "within 50 ms. If the broker needs longer, increase the request timeout",
    );
    let cut = Stub::start(|_, _| Reply::Cut).await;
    check(
        &run(&format!("list-environments --retries 1 -b {}", cut.url)),
        4,
        "closed the connection",
    );
    assert_eq!(cut.asked().len(), 2);
    let agent = cut.asked()[0].headers.get("user-agent").cloned();
    assert!(agent.is_some_and(|agent| agent.starts_with("contract/")));
}

#[test]
fn reports_missing_permissions() {
    let setup = Setup::with(&[
        ("CONTRACT_BROKER_BASIC_AUTH_USERNAME", "ci"),
        ("CONTRACT_BROKER_BASIC_AUTH_PASSWORD", "hush"),
        ("CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME", "dev"),
        ("CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD", "hush2"),
    ]);
    setup.contract("web", "orders", &["/a"]);
    check(
        &setup.run("publish contracts -a 1"),
        5,
        "Credentials are required: an API token",
    );
    check(
        &setup.run("publish contracts -a 1 -u ci -p hash"),
        5,
        "The user name or the password is wrong",
    );
    let reader = setup.run("publish contracts -a 1 -u dev -p hush2");
    assert_eq!(reader.code, 5, "{reader:?}");
    setup.check("list-environments -u dev -p hush2", 0, "No environments found.");
    let ran = setup.check("doctor -u dev -p hush2", 5, "read         ok");
    assert!(
        ran.out.contains("write        FAILED") && ran.out.contains("a user name and a password"),
        "{ran:?}"
    );
    let ran = setup.check("doctor", 5, "read         FAILED");
    assert!(ran.out.contains("no credentials"), "{ran:?}");
    let environment = [("PACT_BROKER_USERNAME", "ci"), ("PACT_BROKER_PASSWORD", "hush")];
    assert_eq!(setup.run_with("publish contracts -a 1", &environment).code, 0);
    // A token on the command line overrides the user name of the environment.
    assert_eq!(setup.run_with("publish contracts -a 1 -k token", &environment).code, 5);
    let ran = setup.run("publish contracts -a 2 -u ci -p hush --verbose");
    assert!(
        ran.code == 0 && ran.err.contains("POST ") && !ran.err.contains("hush"),
        "{ran:?}"
    );
}

#[test]
fn reports_files_that_are_not_contracts() {
    let setup = Setup::new();
    let write = |name: &str, text: &str| std::fs::write(setup.directory.path().join(name), text).expect("a file");
    write("package.json", r#"{"name": "web"}"#);
    write("broken.json", "{");
    check(&setup.run("publish package.json -a 1"), 2, "package.json");
    check(&setup.run("publish broken.json -a 1"), 2, "broken.json");
    check(&setup.run("publish nowhere.json -a 1"), 2, "nowhere.json");
    check(&setup.run("publish none/*.json -a 1"), 2, "none");
    check(
        &setup.run("publish http://a/b.json -a 1"),
        2,
        "is a URL, but only local files can be published",
    );
    check(&setup.run("publish package.json"), 2, "--consumer-app-version");
    let large = std::fs::File::create(setup.directory.path().join("large.json")).expect("a file");
    large.set_len(65 * 1024 * 1024).expect("a length");
    let ran = setup.run("publish large.json -a 1");
    check(&ran, 2, "split a contract of this size");
    assert!(
        !ran.err.contains("--source-limit"),
        "an option of `contract verify`: {ran:?}"
    );
    setup.contract("web", "orders", &["/a"]);
    check(&setup.run("publish contracts"), 2, "--auto-detect-version-properties");
    std::fs::create_dir(setup.directory.path().join("more")).expect("a directory");
    std::fs::copy(
        setup.directory.path().join("contracts/web-orders.json"),
        setup.directory.path().join("more/copy.json"),
    )
    .expect("a copy");
    setup.contract("web", "orders", &["/b"]);
    check(
        &setup.run("publish contracts more -a 1"),
        2,
        "pass only one of them, or merge them with --merge",
    );
    setup.check(
        "publish contracts more -a 1 --merge",
        0,
        "orders: published (contracts/web-orders.json, more/copy.json)",
    );
    setup.check("list-pacticipants", 0, "orders");
}

#[test]
fn validates_contract_files() {
    let setup = Setup::new();
    setup.contract("web", "orders", &["/a"]);
    let odd = |interaction: &str| {
        let text = format!(
            r#"{{"consumer": {{"name": "odd"}}, "provider": {{"name": "orders"}}, "interactions": [{interaction}], "metadata": {{"pactSpecification": {{"version": "2.0.0"}}}}}}"#
        );
        std::fs::write(setup.directory.path().join("contracts/odd.json"), text).expect("a file");
    };
    let check_nothing_published = || setup.check("list-pacticipants", 0, "No applications found.");

    // An unknown matching rule causes a warning and is published unchanged.
    odd(
        r#"{"description": "d", "request": {"path": "/", "matchingRules": {"$.path": {"match": "soundex"}}}, "response": {"status": 200}}"#,
    );
    let strict = setup.run("publish contracts -a 1 --strict");
    check(&strict, 2, "soundex");
    assert!(
        strict.err.contains("nothing was published because of --strict"),
        "{strict:?}"
    );
    check_nothing_published();
    let dry = setup.run("publish contracts -a 1 --validate --dry-run");
    assert!(dry.code == 0 && dry.err.contains("soundex"), "{dry:?}");
    check_nothing_published();

    // Both options reject an unreadable interaction, and with it the valid file in the same directory.
    odd(r#"{"description": "d", "request": "GET /", "response": {"status": 200}}"#);
    for option in ["--validate", "--strict"] {
        let ran = setup.run(&format!("publish contracts -a 1 {option}"));
        check(&ran, 2, "contracts/odd.json");
        check_nothing_published();
    }
    setup.check(
        "publish contracts/web-orders.json -a 1 --validate --strict",
        0,
        "published",
    );
    setup.check("list-pacticipants", 0, "web");
}

#[test]
fn lists_contracts_published_before_a_failure() {
    let setup = Setup::new();
    setup.contract("b", "orders", &["/a"]);
    setup.check("publish contracts -a 1", 0, "published");
    setup.contract("b", "orders", &["/b"]);
    setup.contract("a", "orders", &["/a"]);
    setup.contract("c", "orders", &["/a"]);
    let ran = setup.run("publish contracts -a 1");
    check(&ran, 1, "version 1 of b was already published with different content");
    assert!(ran.err.contains("; already published: a 1 → orders"), "{ran:?}");
    setup.check("describe-version -a a -e 1", 0, "number       1");
    setup.check("describe-version -a c -e 1", 1, "pacticipant \"c\" not found");
}

/// Writes a `git` script that prints this branch, and returns a `PATH` with it.
fn git(directory: &Path, branch: &str) -> String {
    let bin = directory.join("bin");
    std::fs::create_dir_all(&bin).expect("a directory");
    let path = bin.join("git");
    let script = format!("#!/bin/sh\ncase \"$2\" in HEAD) echo abc;; *) echo '{branch}';; esac\n");
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable file");
    format!("{}:/usr/bin:/bin", bin.display())
}

#[test]
fn reports_missing_and_ambiguous_versions() {
    let setup = Setup::new();
    setup.contract("web", "orders", &["/a"]);
    let path = git(setup.directory.path(), "feat/x");
    let ran = setup.run_with("publish contracts -r", &[("PATH", &path)]);
    assert!(
        ran.code == 0 && ran.out.starts_with("web abc, branch feat/x\n"),
        "{ran:?}"
    );
    let path = git(setup.directory.path(), "HEAD");
    let detached = [("PATH", path.as_str())];
    check(
        &setup.run_with("publish contracts -r", &detached),
        2,
        "the checkout is detached and has no branch; set --branch",
    );
    assert_eq!(setup.run_with("publish contracts -r --branch main", &detached).code, 0);
    let tag = [("GITHUB_SHA", "abc"), ("GITHUB_REF", "refs/tags/v1")];
    let ran = setup.run_with("publish contracts -r", &tag);
    assert!(ran.code == 0 && ran.err.contains("without a branch"), "{ran:?}");
    let empty = setup.directory.path().join("empty");
    std::fs::create_dir(&empty).expect("a directory");
    let nothing = [("PATH", empty.to_str().expect("UTF-8"))];
    check(
        &setup.run_with("publish contracts -r", &nothing),
        2,
        "cannot detect the version: git is not installed",
    );
    let two = [
        ("GITHUB_SHA", "abc"),
        ("GITHUB_REF", "refs/heads/main"),
        ("BUILDKITE_COMMIT", "def"),
        ("BUILDKITE_BRANCH", "main"),
    ];
    check(
        &setup.run_with("publish contracts -r", &two),
        2,
        "GitHub Actions and Buildkite report different values for the version",
    );
    assert_eq!(setup.run_with("publish contracts -r -a 5", &two).code, 0);
}

#[test]
fn reports_invalid_webhooks() {
    check(
        &run("create-webhook http://x -b http://127.0.0.1:9"),
        2,
        "no event selected. Pass at least one event option, such as --contract-content-changed. [ERR_CONTRACT_OPTIONS]",
    );
    check(
        &run("create-webhook http://x --contract-published -H nonsense -b http://h"),
        2,
        "must be a name and a value",
    );
    check(
        &run("create-webhook http://x --contract-published -d @/nowhere -b http://h"),
        2,
        "could not read the request body from",
    );
}

#[test]
fn usage_errors_do_not_repeat_secrets() {
    let url = "-b http://127.0.0.1:9";
    for line in [
        "list-environments --custom-header hush",
        "list-environments --custom-header =hush",
        "create-webhook http://x --contract-published -H hush",
    ] {
        check(&run(&format!("{line} {url}")), 2, "must be a name and a value");
    }
    // An argument that may be part of a secret but would be parsed as something else.
    for (line, text) in [
        (
            "publish -a 1 -k Bearer hush",
            "the argument after the value of -k is not a file or a directory",
        ),
        (
            "publish -a 1 --custom-header X-Key: hush",
            "the argument after the value of --custom-header is not a file",
        ),
        (
            "create-webhook --contract-published -H X-Key: hush",
            "the argument after the value of -H is not the URL of",
        ),
        ("list-environments -p my hush", "unexpected argument '[redacted]' found"),
        (
            "serve --db memory --listen me:hush@h",
            "--listen [redacted]@h is not an address",
        ),
        (
            "serve --db memory --base-url ftp://me:hush@h",
            "--base-url ftp://[redacted]@h must start with",
        ),
    ] {
        check(
            &run(&format!("{line} {}", if line.starts_with("serve") { "" } else { url })),
            2,
            text,
        );
    }
    check(&run(&format!("publish ./nowhere -a 1 -k a {url}")), 2, "nowhere");
    check(&run(&format!("publish -a 1 -k a ./nowhere {url}")), 2, "nowhere");
    let many: Vec<String> = (0..2_000).map(|at| format!("--custom-header X-{at}:hush")).collect();
    let ran = run(&format!("list-environments {url} {}", many.join(" ")));
    check(&ran, 2, "2000 custom headers; the maximum is 1000");
}

#[test]
fn rejects_pipes_and_devices() {
    let setup = Setup::new();
    let pipe = setup.directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    for file in [pipe.to_str().expect("UTF-8"), "/dev/zero"] {
        let ran = setup.run(&format!("list-environments -c {file}"));
        check(&ran, 2, "not a regular file");
        let summary = [("GITHUB_STEP_SUMMARY", file)];
        let ran = setup.run_with("list-environments -o github", &summary);
        check(&ran, 2, "could not write the job summary to");
    }
}

/// Runs the executable with a limit of one process. The limit does not apply to root, so root runs it as another user.
#[cfg(target_os = "linux")]
fn without_threads(name: &str, arguments: &[&str]) -> Ran {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    // A directory that the other user can access.
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).expect("new permissions");
    let executable = directory.path().join("contract");
    std::fs::copy(env!("CARGO_BIN_EXE_contract"), &executable).expect("a copy");
    let mut command = std::process::Command::new("bash");
    command
        .args(["-c", "ulimit -u 1; name=$1; shift; exec -a \"$name\" \"$0\" \"$@\""])
        .arg(&executable)
        .arg(name)
        .args(arguments)
        .current_dir("/");
    if std::fs::metadata("/proc/self").expect("a process").uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().expect("bash starts");
    Ran {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn reports_that_its_output_cannot_be_written() {
    let setup = Setup::new();
    let full = std::fs::File::create("/dev/full").expect("the device");
    let output = crate::process::command(&["list-environments", "-b", &setup.url], &[])
        .stdout(full)
        .output()
        .expect("the executable starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(
        error,
        "error: could not write to standard output: No space left on device (os error 28)\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn reports_that_no_threads_can_be_started() {
    for (name, line) in [
        ("contract", "verify -n orders -d /nowhere"),
        ("contract-broker", "list-environments -b http://127.0.0.1:9"),
        ("contract-broker", "serve --db memory --listen 127.0.0.1:0"),
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let ran = without_threads(name, &arguments);
        assert!(ran.code == 1 || ran.code == 4, "{line}: {ran:?}");
        let message = "error: could not start threads: ";
        assert!(
            ran.err.starts_with(message) && !ran.err.contains("panicked"),
            "{line}: {ran:?}"
        );
    }
}
