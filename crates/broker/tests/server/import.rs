//! Imports from a broker with a random history, and from stubs that misbehave.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

use contract_broker::{
    Database, ImportCount, ImportError, ImportReport, ImportSource, Limits, Permissions, SourceCredentials, backup,
    import_from_broker, restore,
};
use serde_json::{Value, json};

use crate::history::{Shared, runtime};
use crate::support::{self, Running};
use crate::verdict::{self, Story};

fn import(url: &str, credentials: &SourceCredentials, database: &Database) -> Result<ImportReport, ImportError> {
    import_with(&ImportSource::new(url, credentials.clone()), database)
}

fn import_with(source: &ImportSource, database: &Database) -> Result<ImportReport, ImportError> {
    runtime().block_on(import_from_broker(source, database, &Limits::default(), &|_| ()))
}

fn import_all(source: &Running, target: &Shared) -> ImportReport {
    import(&source.base(), &SourceCredentials::None, &target.database).expect("an import")
}

pub(crate) fn count(report: &ImportReport, kind: &str) -> ImportCount {
    report.counts.get(kind).copied().unwrap_or_default()
}

/// Removes the base URL and IDs, which differ between brokers. Sorts lists, because the order of versions of different
/// applications is not imported.
fn normalize(value: &mut Value, base: &str) {
    let without = |text: &str, before: &str| {
        let mut parts = text.split(before);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            let rest = part.trim_start_matches(|character: char| character.is_ascii_alphanumeric());
            text + before + rest
        })
    };
    match value {
        Value::Array(items) => {
            for item in items.iter_mut() {
                normalize(item, base);
            }
            items.sort_by_cached_key(Value::to_string);
        }
        Value::Object(members) => members.values_mut().for_each(|member| normalize(member, base)),
        Value::String(text) => {
            *text = without(&without(&text.replace(base, ""), "/metadata/"), "verification-results/");
        }
        _ => {}
    }
}

fn answer(broker: &Running, path: &str) -> String {
    let mut value = broker.get(path).json();
    normalize(&mut value, &broker.base());
    value.to_string()
}

/// Compares the responses of two brokers. On failure, the message shows where they differ.
pub(crate) fn compare(copy: &Running, source: &Running, path: &str) {
    let (ours, theirs) = (answer(copy, path), answer(source, path));
    let same = ours
        .bytes()
        .zip(theirs.bytes())
        .take_while(|(ours, theirs)| ours == theirs)
        .count();
    let context = |text: &str| {
        text.chars()
            .skip(same.saturating_sub(100))
            .take(300)
            .collect::<String>()
    };
    assert!(ours == theirs, "{path}:\n{}\n{}", context(&ours), context(&theirs));
}

/// Compares the responses of two brokers to random questions and to requests for lists.
pub(crate) fn compare_all(copy: &Running, source: &Running, story: &mut Story<'_>, questions: usize) {
    for _ in 0..questions {
        compare(copy, source, &story.question());
    }
    for path in [
        "/pacticipants",
        "/environments",
        "/integrations",
        "/dashboard",
        "/pacts/latest",
    ] {
        compare(copy, source, path);
    }
}

/// Starts a broker with a random history of 120 steps: branches, contracts, results, deployments, and releases.
fn with_history(seed: u64) -> Running {
    let broker = support::start(Database::Memory);
    let mut story = verdict::begin(&broker, seed);
    for _ in 0..120 {
        story.step();
    }
    drop(story);
    broker
}

#[test]
fn an_imported_history_answers_random_questions_equally() {
    for seed in 0..2 {
        let source = support::start(Database::Memory);
        let mut story = verdict::begin(&source, seed);
        for _ in 0..120 {
            story.step();
        }
        let target = Shared::new(&format!("import_random_{seed}"));
        let report = import_all(&source, &target);
        assert_eq!(report.problems, Vec::<String>::new(), "{report:?}");
        assert!(count(&report, "results").added > 10, "{report:?}");
        let copy = target.start();
        compare_all(&copy, &source, &mut story, 250);
    }
}

#[test]
fn requests_run_at_the_same_time_up_to_the_maximum() {
    const MAX: u16 = 3;
    let source = with_history(6);
    let stub = Stub::in_front_of(&source);
    // Requests that follow one after the other would wait forever.
    stub.hold_matrix_until(usize::from(MAX));
    let parallel = Shared::new("import_parallel");
    let from = ImportSource {
        max_requests: MAX,
        ..ImportSource::new(stub.url.as_str(), SourceCredentials::None)
    };
    let report = import_with(&from, &parallel.database).expect("an import");
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(stub.most_requests(), usize::from(MAX));
    // One request after the other yields the same data.
    let sequential = Shared::new("import_sequential");
    let from = ImportSource {
        max_requests: 1,
        ..ImportSource::new(source.base(), SourceCredentials::None)
    };
    assert_eq!(import_with(&from, &sequential.database).expect("an import"), report);
    let (parallel, sequential) = (parallel.start(), sequential.start());
    for path in ["/pacticipants", "/integrations", "/dashboard", "/pacts/latest"] {
        compare(&parallel, &sequential, path);
    }
    compare(&parallel, &sequential, "/matrix?q[][pacticipant]=a&q[][pacticipant]=b");
}

#[test]
fn a_content_of_several_versions_is_read_once() {
    let source = support::start(Database::Memory);
    let publish = |version: usize, path: &str| {
        let document = json!({
            "consumer": { "name": "web" }, "provider": { "name": "users" },
            "interactions": [{ "description": "a", "request": { "method": "GET", "path": path }, "response": { "status": 200 } }],
        });
        let published = source.json(
            "PUT",
            &format!("/pacts/provider/users/consumer/web/version/{version}"),
            &document,
        );
        assert_eq!(published.status, 201, "{published:?}");
        published.json()["_links"]["pb:publish-verification-results"]["href"]
            .as_str()
            .expect("a link")
            .trim_start_matches(&source.base())
            .to_owned()
    };
    let verify = |url: &str| {
        let result = json!({ "success": true, "providerApplicationVersion": "1" });
        assert_eq!(source.json("POST", url, &result).status, 201);
    };
    for version in 1..6 {
        let results = publish(version, "/same");
        if version == 1 {
            verify(&results);
        }
    }
    verify(&publish(6, "/other"));
    // Without a result, the matrix does not contain the hash.
    publish(7, "/unverified");
    let stub = Stub::in_front_of(&source);
    let target = Shared::new("import_same_content");
    let report = import(&stub.url, &SourceCredentials::None, &target.database).expect("an import");
    assert_eq!(
        (count(&report, "contracts").added, count(&report, "results").added),
        (7, 2),
        "{report:?}"
    );
    let reads = stub.targets(|target| target.starts_with("/pacts/provider/users/consumer/web/version/"));
    assert_eq!(
        reads,
        [1, 6, 7].map(|version| format!("/pacts/provider/users/consumer/web/version/{version}"))
    );
    let copy = target.start();
    for version in 1..8 {
        compare(
            &copy,
            &source,
            &format!("/pacts/provider/users/consumer/web/version/{version}"),
        );
    }
    compare(&copy, &source, "/pacts/provider/users/consumer/web/versions");
}

#[test]
fn contracts_keep_the_order_of_members_and_their_numbers() {
    let source = support::start(Database::Memory);
    let body = r#"{"provider":{"name":"users"},"consumer":{"name":"web"},"interactions":[{"n":100000000000000000000.10,"a":1.0}]}"#;
    let path = "/pacts/provider/users/consumer/web/version/1";
    let published = source.send(
        "PUT",
        path,
        &[("content-type", "application/json")],
        Some(body.as_bytes()),
    );
    assert_eq!(published.status, 201, "{published:?}");
    let target = Shared::new("import_text");
    import_all(&source, &target);
    let copy = target.start();
    let content = |broker: &Running| {
        let text = broker.get(path).text;
        let end = text.find(r#","createdAt""#).expect("the members of the broker follow");
        text[..end].to_owned()
    };
    assert_eq!(content(&copy), content(&source));
    assert!(
        content(&copy).contains("100000000000000000000.10"),
        "{}",
        content(&copy)
    );
}

#[test]
fn an_import_can_be_repeated_and_adds_only_what_is_new() {
    let source = with_history(3);
    let target = Shared::new("import_repeated");
    let first = import_all(&source, &target);
    let again = import_all(&source, &target);
    for (kind, of) in &first.counts {
        let expected = ImportCount {
            added: 0,
            known: of.added + of.known,
            failed: 0,
        };
        assert_eq!(count(&again, kind), expected, "{kind}: {first:?}");
    }
    // The other broker receives more data.
    let document = json!({ "consumer": { "name": "new" }, "provider": { "name": "other" }, "interactions": [] });
    let published = source.json("PUT", "/pacts/provider/other/consumer/new/version/1", &document);
    assert_eq!(published.status, 201, "{published:?}");
    let later = import_all(&source, &target);
    assert_eq!(
        (count(&later, "versions").added, count(&later, "contracts").added),
        (1, 1),
        "{later:?}"
    );
    let copy = target.start();
    let path = "/pacts/provider/other/consumer/new/latest";
    compare(&copy, &source, path);
}

/// If they were added again, they would become the latest versions.
#[test]
fn versions_that_were_deleted_from_the_target_are_not_added_again() {
    let source = with_history(3);
    let target = Shared::new("import_deleted");
    let first = import_all(&source, &target);
    let copy = target.start();
    let versions = copy.get("/pacticipants/a/versions?size=1000").json();
    let versions = versions["_embedded"]["versions"].as_array().expect("a list").clone();
    // Lists start with the newest version.
    for version in versions.iter().skip(1).take(3) {
        let number = version["number"].as_str().expect("a number");
        let path = format!("/pacticipants/a/versions/{number}");
        assert_eq!(copy.send("DELETE", &path, &[], None).status, 204, "{path}");
    }
    drop(copy);
    let again = import_all(&source, &target);
    let note = "a: 3 versions were not imported again, because they were deleted from this database";
    assert_eq!(again.problems, [note]);
    for (kind, of) in &again.counts {
        assert_eq!((of.added, of.failed), (0, 0), "{kind}: {again:?}");
    }
    assert_eq!(count(&again, "versions").known, count(&first, "versions").added - 3);
    let copy = target.start();
    compare(&copy, &source, "/pacticipants/a/latest-version");
    let left = copy.get("/pacticipants/a/versions?size=1000").json();
    assert_eq!(
        left["_embedded"]["versions"].as_array().map(Vec::len),
        Some(versions.len() - 3)
    );
}

/// The API rounds times to seconds, and a restored database contains milliseconds.
#[test]
fn results_of_a_restored_backup_are_not_added_again() {
    let (original, restored) = (Shared::new("import_original"), Shared::new("import_restored"));
    let source = original.start();
    let mut story = verdict::begin(&source, 5);
    for _ in 0..60 {
        story.step();
    }
    drop(story);
    let file = original.folder.path().join("backup.jsonl.gz");
    let limits = Limits::default();
    runtime()
        .block_on(backup(&original.database, &limits, &file))
        .expect("a backup");
    runtime()
        .block_on(restore(&restored.database, &limits, &file))
        .expect("an empty database");
    let report = import_all(&source, &restored);
    let results = count(&report, "results");
    assert!(results.known > 0 && results.added == 0, "{report:?}");
}

#[test]
fn an_interrupted_import_continues() {
    let source = with_history(4);
    let recorded = Stub::in_front_of(&source);
    let complete = Shared::new("import_complete");
    import(&recorded.url, &SourceCredentials::None, &complete.database).expect("an import");
    let requests = recorded.requests();
    let target = Shared::new("import_interrupted");
    // The other broker becomes unavailable at different times.
    for share in [10, 3, 2] {
        let stub = Stub::in_front_of(&source);
        stub.reject_after(requests / share);
        let error = import(&stub.url, &SourceCredentials::None, &target.database).expect_err("an error");
        assert!(matches!(error, ImportError::Status(..)), "{error}");
    }
    let report = import_all(&source, &target);
    assert_eq!(report.problems, Vec::<String>::new());
    let (complete, continued) = (complete.start(), target.start());
    for path in [
        "/pacticipants",
        "/integrations",
        "/dashboard",
        "/pacts/latest",
        "/environments",
    ] {
        compare(&continued, &complete, path);
    }
    let all = "/matrix?q[][pacticipant]=a&q[][pacticipant]=b";
    compare(&continued, &complete, all);
}

#[test]
fn webhooks_are_disabled_if_their_secrets_cannot_be_read() {
    let source = support::start_as(crate::webhooks::options(Database::Memory));
    let webhook = |headers: Value, extra: Value| {
        let mut request =
            json!({ "method": "POST", "url": "http://127.0.0.1/hook", "headers": headers, "body": { "a": 1 } });
        for (name, value) in extra.as_object().expect("an object") {
            request[name] = value.clone();
        }
        let body = json!({ "description": "hook", "events": [{ "name": "contract_published" }], "request": request });
        let created = source.json("POST", "/webhooks", &body);
        assert_eq!(created.status, 201, "{created:?}");
    };
    webhook(json!({ "x-kind": "plain" }), json!({}));
    webhook(
        json!({ "authorization": "Bearer secret" }),
        json!({ "username": "u", "password": "secret" }),
    );
    let target = Shared::new("import_webhooks");
    let report = import_all(&source, &target);
    assert_eq!(count(&report, "webhooks").added, 2);
    assert_eq!(report.problems.len(), 1, "{report:?}");
    let problem = &report.problems[0];
    assert!(
        problem.contains("imported as disabled") && problem.contains("header authorization, password"),
        "{problem}"
    );
    let copy = target.start();
    let links = copy.get("/webhooks").json();
    let mut states: Vec<(bool, Value)> = links["_links"]["pb:webhooks"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| {
            let href = link["href"]
                .as_str()
                .expect("a link")
                .trim_start_matches(&copy.base())
                .to_owned();
            let webhook = copy.get(&href).json();
            (webhook["enabled"] == true, webhook["request"]["headers"].clone())
        })
        .collect();
    states.sort_by_key(|(enabled, _)| *enabled);
    assert_eq!(states, [(false, Value::Null), (true, json!({ "x-kind": "plain" }))]);
}

#[test]
fn credentials_are_sent_to_the_other_broker_only() {
    let permissions = Permissions {
        read_write: Some(contract_broker::Credentials {
            username: "ci".to_owned(),
            password: "secret".to_owned(),
        }),
        ..Permissions::default()
    };
    let source = support::start_with(Database::Memory, permissions);
    let basic = |password: &str| SourceCredentials::Basic {
        username: "ci".to_owned(),
        password: password.to_owned(),
    };
    let target = Shared::new("import_credentials");
    for wrong in [
        SourceCredentials::None,
        basic("wrong"),
        SourceCredentials::Token("cbt_wrong".to_owned()),
    ] {
        let error = import(&source.base(), &wrong, &target.database).expect_err("an error");
        assert!(
            error
                .to_string()
                .ends_with("status 401 Unauthorized. Use credentials with read access to all data."),
            "{error}"
        );
    }
    import(&source.base(), &basic("secret"), &target.database).expect("an import");
    let foreign = Stub::new([
        ("/", json!({ "_links": { "pb:pacticipants": { "href": "x" } } })),
        ("/environments", json!({})),
        (
            "/pacticipants?page=1&size=100",
            json!({ "_links": { "next": { "href": "http://evil.example.com/pacticipants?page=2" } } }),
        ),
    ]);
    let error = import(&foreign.url, &basic("secret"), &target.database).expect_err("an error");
    assert!(
        error
            .to_string()
            .starts_with("the link http://evil.example.com/pacticipants?page=2 has a different host than"),
        "{error}"
    );
}

#[test]
fn a_source_that_is_no_broker_is_rejected_before_a_database_is_created() {
    let html = Stub::new([]);
    html.respond("/", "<html>");
    let other = Stub::new([("/", json!({ "hello": "world" }))]);
    let circle = Stub::new([
        ("/", json!({ "_links": { "pb:pacticipants": { "href": "x" } } })),
        ("/environments", json!({})),
        (
            "/pacticipants?page=1&size=100",
            json!({ "_links": { "next": { "href": "/pacticipants?page=1&size=100" } } }),
        ),
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new.sqlite");
    for (url, expected) in [
        ("ftp://broker", "is not a URL that starts with http:// or https://"),
        ("http://ci:secret@broker", "must not contain credentials"),
        (
            &html.url,
            "the response is not a JSON object. Is this the URL of a broker?",
        ),
        (
            &other.url,
            "is not a Pact Broker: its index has no link pb:pacticipants",
        ),
    ] {
        let error = import(url, &SourceCredentials::None, &Database::Sqlite(path.clone())).expect_err("an error");
        assert!(error.to_string().contains(expected), "{url}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(!path.exists(), "{url}");
    }
    let error = import(&circle.url, &SourceCredentials::None, &Database::Sqlite(path)).expect_err("an error");
    assert!(
        error.to_string().ends_with("the links to the next page form a cycle"),
        "{error}"
    );
}

#[test]
fn versions_that_the_other_broker_does_not_have_are_not_mixed_with_its_own() {
    let source = with_history(5);
    let target = Shared::new("import_foreign");
    let copy = target.start();
    let application = source.get("/pacticipants").json()["pacticipants"][0]["name"].clone();
    let application = application.as_str().expect("a name");
    let own = copy.json("PUT", &format!("/pacticipants/{application}/versions/own"), &json!({}));
    assert_eq!(own.status, 201, "{own:?}");
    let error = import(&source.base(), &SourceCredentials::None, &target.database).expect_err("an error");
    assert!(matches!(error, ImportError::ForeignVersion { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("has the version own, which the other broker does not have"),
        "{error}"
    );
}

/// A server that responds with fixed documents, or passes requests on to a broker.
struct Stub {
    url: String,
    state: Arc<StubState>,
}

struct StubState {
    url: String,
    broker: Option<SocketAddr>,
    /// Keys: request targets.
    responses: Mutex<HashMap<String, String>>,
    /// Number of requests after which all further requests fail.
    max_requests: AtomicUsize,
    targets: Mutex<Vec<String>>,
    /// The number of requests that are currently running, and the maximum so far.
    running: Mutex<(usize, usize)>,
    gate: OnceLock<Gate>,
}

/// Delays requests until `count` requests have arrived.
struct Gate {
    count: usize,
    arrived: Mutex<usize>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut arrived = self.arrived.lock().expect("a number");
        *arrived += 1;
        self.changed.notify_all();
        let until = Duration::from_secs(20);
        let waited = self
            .changed
            .wait_timeout_while(arrived, until, |arrived| *arrived < self.count);
        let (arrived, timeout) = waited.expect("a number");
        // Without a response, the import fails.
        assert!(!timeout.timed_out(), "{} of {} requests arrived", *arrived, self.count);
    }
}

impl Stub {
    fn new<const N: usize>(documents: [(&str, Value); N]) -> Self {
        let stub = Self::start(None);
        for (target, document) in documents {
            stub.respond(target, &document.to_string());
        }
        stub
    }

    fn in_front_of(broker: &Running) -> Self {
        Self::start(Some(broker.address))
    }

    fn start(broker: Option<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(StubState {
            broker,
            url: url.clone(),
            responses: Mutex::default(),
            max_requests: AtomicUsize::new(usize::MAX),
            targets: Mutex::default(),
            running: Mutex::default(),
            gate: OnceLock::new(),
        });
        let shared = Arc::clone(&state);
        // The threads end with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || state.answer(stream));
            }
        });
        Self { url, state }
    }

    fn respond(&self, target: &str, body: &str) {
        let mut responses = self.state.responses.lock().expect("responses");
        responses.insert(target.to_owned(), body.to_owned());
    }

    fn requests(&self) -> usize {
        self.state.targets.lock().expect("targets").len()
    }

    /// Returns the sorted targets of the requests that meet a condition.
    fn targets(&self, condition: impl Fn(&str) -> bool) -> Vec<String> {
        let targets = self.state.targets.lock().expect("targets");
        let mut found: Vec<String> = targets.iter().filter(|target| condition(target)).cloned().collect();
        found.sort();
        found
    }

    /// Returns the maximum number of requests that ran at the same time.
    fn most_requests(&self) -> usize {
        self.state.running.lock().expect("numbers").1
    }

    fn reject_after(&self, requests: usize) {
        self.state.max_requests.store(requests, Ordering::Relaxed);
    }

    /// Delays the responses to matrix requests until `count` of them have arrived.
    fn hold_matrix_until(&self, count: usize) {
        let gate = Gate {
            count,
            arrived: Mutex::default(),
            changed: Condvar::new(),
        };
        assert!(self.state.gate.set(gate).is_ok(), "one gate");
    }
}

impl StubState {
    fn answer(&self, mut stream: TcpStream) {
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        while !request.ends_with(b"\r\n\r\n") {
            match stream.read(&mut buffer) {
                Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                _ => return,
            }
        }
        let request = String::from_utf8_lossy(&request).into_owned();
        let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
        let count = {
            let mut targets = self.targets.lock().expect("targets");
            targets.push(target.clone());
            targets.len()
        };
        {
            let mut running = self.running.lock().expect("numbers");
            running.0 += 1;
            running.1 = running.1.max(running.0);
        }
        if target.starts_with("/matrix")
            && let Some(gate) = self.gate.get()
        {
            gate.pass();
        }
        let known = self.responses.lock().expect("responses").get(&target).cloned();
        let (status, body) = match (count <= self.max_requests.load(Ordering::Relaxed), known, self.broker) {
            // Requests are not retried after this status.
            (false, ..) => (410, String::new()),
            (true, Some(body), _) => (200, body),
            (true, None, Some(broker)) => {
                let answer = support::send(broker, "GET", &target, &[("accept", "application/hal+json")], None);
                (
                    answer.status,
                    answer.text.replace(&format!("http://{broker}"), &self.url),
                )
            }
            (true, None, None) => (404, String::new()),
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/hal+json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        // After the response, the client may send the next request.
        self.running.lock().expect("numbers").0 -= 1;
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
    }
}
