//! One line that says what and what to do, and an exit code that tells which kind it is.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::stub::{Reply, Stub};
use crate::support::{Place, Ran, run_in, words};

#[track_caller]
fn check(ran: &Ran, code: i32, told: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(ran.err.contains(told), "{told:?} is missing in {ran:?}");
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("error: ")).count(),
        1,
        "{ran:?}"
    );
    assert!(!ran.err.contains("hush"), "{ran:?}");
}

/// Runs a line where there is no broker.
fn run(line: &str) -> Ran {
    let words = words(line);
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    run_in(&std::env::temp_dir(), &arguments, &[])
}

#[test]
fn urls_that_lead_nowhere() {
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
fn credentials_that_contradict_each_other() {
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
async fn what_answers_is_no_broker() {
    let html = Reply::Answer(200, vec!["content-type: text/html".to_owned()], "<html>".to_owned());
    for (reply, code, told) in [
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
            told,
        );
    }
    let silent = Stub::start(|_, _| Reply::Never).await;
    let line = format!("list-environments --request-timeout 50 -b {}", silent.url);
    check(
        &run(&line),
        4,
        "within 50 ms. If the broker needs longer, raise the request timeout",
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
fn who_may_do_what() {
    let place = Place::with(&[
        ("CONTRACT_BROKER_BASIC_AUTH_USERNAME", "ci"),
        ("CONTRACT_BROKER_BASIC_AUTH_PASSWORD", "hush"),
        ("CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME", "dev"),
        ("CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD", "hush2"),
    ]);
    place.contract("web", "orders", &["/a"]);
    check(&place.run("publish contracts -a 1"), 5, "Pass a user name and password");
    check(
        &place.run("publish contracts -a 1 -u ci -p wrong"),
        5,
        "Check the user name and password",
    );
    let reader = place.run("publish contracts -a 1 -u dev -p hush2");
    assert_eq!(reader.code, 5, "{reader:?}");
    place.check("list-environments -u dev -p hush2", 0, "There is no environment.");
    let ran = place.check("doctor -u dev -p hush2", 5, "read         ok");
    assert!(
        ran.out.contains("write        NO") && ran.out.contains("a user name and a password"),
        "{ran:?}"
    );
    let ran = place.check("doctor", 5, "read         NO");
    assert!(ran.out.contains("no credentials"), "{ran:?}");
    let environment = [("PACT_BROKER_USERNAME", "ci"), ("PACT_BROKER_PASSWORD", "hush")];
    assert_eq!(place.run_with("publish contracts -a 1", &environment).code, 0);
    // A token that is said silences the name of the environment.
    assert_eq!(place.run_with("publish contracts -a 1 -k token", &environment).code, 5);
    let ran = place.run("publish contracts -a 2 -u ci -p hush --verbose");
    assert!(
        ran.code == 0 && ran.err.contains("POST ") && !ran.err.contains("hush"),
        "{ran:?}"
    );
}

#[test]
fn files_that_are_no_contracts() {
    let place = Place::new();
    let write = |name: &str, text: &str| std::fs::write(place.directory.path().join(name), text).expect("a file");
    write("package.json", r#"{"name": "web"}"#);
    write("broken.json", "{");
    check(&place.run("publish package.json -a 1"), 2, "package.json");
    check(&place.run("publish broken.json -a 1"), 2, "broken.json");
    check(&place.run("publish nowhere.json -a 1"), 2, "nowhere.json");
    check(&place.run("publish none/*.json -a 1"), 2, "none");
    check(
        &place.run("publish http://a/b.json -a 1"),
        2,
        "contract files on this machine are published",
    );
    check(&place.run("publish package.json"), 2, "--consumer-app-version");
    let large = std::fs::File::create(place.directory.path().join("large.json")).expect("a file");
    large.set_len(65 * 1024 * 1024).expect("a length");
    let ran = place.run("publish large.json -a 1");
    check(&ran, 2, "if it is one, split it");
    assert!(
        !ran.err.contains("--source-limit"),
        "an option of another program: {ran:?}"
    );
    place.contract("web", "orders", &["/a"]);
    check(&place.run("publish contracts"), 2, "--auto-detect-version-properties");
    std::fs::create_dir(place.directory.path().join("more")).expect("a folder");
    std::fs::copy(
        place.directory.path().join("contracts/web-orders.json"),
        place.directory.path().join("more/copy.json"),
    )
    .expect("a copy");
    place.contract("web", "orders", &["/b"]);
    check(
        &place.run("publish contracts more -a 1"),
        2,
        "and differ; name one of them, or unite them with --merge",
    );
    place.check(
        "publish contracts more -a 1 --merge",
        0,
        "orders: published (contracts/web-orders.json, more/copy.json)",
    );
    place.check("list-pacticipants", 0, "orders");
}

#[test]
fn files_with_something_odd_in_them() {
    let place = Place::new();
    place.contract("web", "orders", &["/a"]);
    let odd = |interaction: &str| {
        let text = format!(
            r#"{{"consumer": {{"name": "odd"}}, "provider": {{"name": "orders"}}, "interactions": [{interaction}], "metadata": {{"pactSpecification": {{"version": "2.0.0"}}}}}}"#
        );
        std::fs::write(place.directory.path().join("contracts/odd.json"), text).expect("a file");
    };
    let nothing_there = || place.check("list-pacticipants", 0, "There is no pacticipant");

    // A rule that no version of the specification has is worth a word, and published as it stands.
    odd(
        r#"{"description": "d", "request": {"path": "/", "matchingRules": {"$.path": {"match": "soundex"}}}, "response": {"status": 200}}"#,
    );
    let strict = place.run("publish contracts -a 1 --strict");
    check(&strict, 2, "soundex");
    assert!(
        strict.err.contains("nothing was published, for --strict is set"),
        "{strict:?}"
    );
    nothing_there();
    let dry = place.run("publish contracts -a 1 --validate --dry-run");
    assert!(dry.code == 0 && dry.err.contains("soundex"), "{dry:?}");
    nothing_there();

    // An interaction that cannot be read is refused with either, and with it the good file beside.
    odd(r#"{"description": "d", "request": "GET /", "response": {"status": 200}}"#);
    for option in ["--validate", "--strict"] {
        let ran = place.run(&format!("publish contracts -a 1 {option}"));
        check(&ran, 2, "contracts/odd.json");
        nothing_there();
    }
    place.check(
        "publish contracts/web-orders.json -a 1 --validate --strict",
        0,
        "published",
    );
    place.check("list-pacticipants", 0, "web");
}

#[test]
fn what_was_published_before_a_failure_is_told() {
    let place = Place::new();
    place.contract("b", "orders", &["/a"]);
    place.check("publish contracts -a 1", 0, "published");
    place.contract("b", "orders", &["/b"]);
    place.contract("a", "orders", &["/a"]);
    place.contract("c", "orders", &["/a"]);
    let ran = place.run("publish contracts -a 1");
    check(&ran, 1, "version 1 of b is already published with different content");
    assert!(ran.err.contains("; already published: a 1 → orders"), "{ran:?}");
    place.check("describe-version -a a -e 1", 0, "number       1");
    place.check("describe-version -a c -e 1", 1, "pacticipant \"c\" not found");
}

/// A git that answers as it would in such a checkout.
fn git(directory: &Path, branch: &str) -> String {
    let folder = directory.join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("git");
    let script = format!("#!/bin/sh\ncase \"$2\" in HEAD) echo abc;; *) echo '{branch}';; esac\n");
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    format!("{}:/usr/bin:/bin", folder.display())
}

#[test]
fn checkouts_and_pipelines_that_say_too_little_or_too_much() {
    let place = Place::new();
    place.contract("web", "orders", &["/a"]);
    let path = git(place.directory.path(), "feat/x");
    let ran = place.run_with("publish contracts -r", &[("PATH", &path)]);
    assert!(ran.code == 0 && ran.out.starts_with("web abc on feat/x\n"), "{ran:?}");
    let path = git(place.directory.path(), "HEAD");
    let detached = [("PATH", path.as_str())];
    check(
        &place.run_with("publish contracts -r", &detached),
        2,
        "the checkout is detached and has no branch; set --branch",
    );
    assert_eq!(place.run_with("publish contracts -r --branch main", &detached).code, 0);
    let tag = [("GITHUB_SHA", "abc"), ("GITHUB_REF", "refs/tags/v1")];
    let ran = place.run_with("publish contracts -r", &tag);
    assert!(ran.code == 0 && ran.err.contains("without a branch"), "{ran:?}");
    let empty = place.directory.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let nothing = [("PATH", empty.to_str().expect("UTF-8"))];
    check(
        &place.run_with("publish contracts -r", &nothing),
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
        &place.run_with("publish contracts -r", &two),
        2,
        "GitHub Actions and Buildkite report a different version",
    );
    assert_eq!(place.run_with("publish contracts -r -a 5", &two).code, 0);
}

#[test]
fn arguments_of_webhooks() {
    check(
        &run("create-webhook http://x -b http://127.0.0.1:9"),
        2,
        "say when it is to go",
    );
    check(
        &run("create-webhook http://x --contract-published -H nonsense -b http://h"),
        2,
        "give a name and a value",
    );
    check(
        &run("create-webhook http://x --contract-published -d @/nowhere -b http://h"),
        2,
        "could not read the body",
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
        check(&run(&format!("{line} {url}")), 2, "give a name and a value");
    }
    let many: Vec<String> = (0..2_000).map(|at| format!("--custom-header X-{at}:hush")).collect();
    let ran = run(&format!("list-environments {url} {}", many.join(" ")));
    check(&ran, 2, "2000 custom headers; the maximum is 1000");
}

#[test]
fn files_that_are_none_are_not_read_or_written() {
    let place = Place::new();
    let pipe = place.directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    for file in [pipe.to_str().expect("UTF-8"), "/dev/zero"] {
        let ran = place.run(&format!("list-environments -c {file}"));
        check(&ran, 2, "not a regular file");
        let summary = [("GITHUB_STEP_SUMMARY", file)];
        let ran = place.run_with("list-environments -o github", &summary);
        check(&ran, 0, "add to the summary");
    }
}

/// Runs the executable where the system refuses threads. The limit does not hold for root, so then as somebody else.
#[cfg(target_os = "linux")]
fn without_threads(name: &str, arguments: &[&str]) -> Ran {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    // Where others may run it.
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("others may enter");
    let executable = folder.path().join("contract");
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
fn without_threads_there_is_a_message_and_no_panic() {
    for (name, line) in [
        ("contract", "verify -n orders -d /nowhere"),
        ("contract-broker", "list-environments -b http://127.0.0.1:9"),
        ("contract-broker", "serve --db memory --listen 127.0.0.1:0"),
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let ran = without_threads(name, &arguments);
        assert!(ran.code == 1 || ran.code == 4, "{line}: {ran:?}");
        let told = "error: the operating system refuses to start threads: ";
        assert!(
            ran.err.starts_with(told) && !ran.err.contains("panicked"),
            "{line}: {ran:?}"
        );
    }
}
