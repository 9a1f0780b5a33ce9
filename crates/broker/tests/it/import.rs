//! Imports from a broker with a random history, and from stubs that misbehave.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use contract_broker::{
    Database, ImportCount, ImportError, ImportReport, Limits, Permissions, SourceCredentials, import_from_broker,
};
use serde_json::{Value, json};

use crate::history::{Shared, runtime};
use crate::support::{self, Running};
use crate::verdict;

fn import(url: &str, credentials: &SourceCredentials, database: &Database) -> Result<ImportReport, ImportError> {
    runtime().block_on(import_from_broker(
        url,
        credentials,
        database,
        &Limits::default(),
        &|_| (),
    ))
}

fn import_all(source: &Running, target: &Shared) -> ImportReport {
    import(&source.base(), &SourceCredentials::None, &target.database).expect("an import")
}

pub(crate) fn count(report: &ImportReport, kind: &str) -> ImportCount {
    report.counts.get(kind).copied().unwrap_or_default()
}

/// Removes the address and IDs, which depend on the broker. Sorts lists, because the order of versions of different
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
        for _ in 0..250 {
            let path = story.question();
            compare(&copy, &source, &path);
        }
        for path in [
            "/pacticipants",
            "/environments",
            "/integrations",
            "/dashboard",
            "/pacts/latest",
        ] {
            compare(&copy, &source, path);
        }
    }
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

/// The responses of a stub, by request target.
type Responses = Arc<Mutex<HashMap<String, String>>>;

/// A server that responds with fixed documents, or passes requests on to a broker.
struct Stub {
    url: String,
    responses: Responses,
    /// The number of requests, and the number after which they fail.
    counts: Arc<Mutex<(usize, usize)>>,
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

    fn start(broker: Option<std::net::SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let responses = Responses::default();
        let counts = Arc::new(Mutex::new((0, usize::MAX)));
        let (shared, counted, own) = (Arc::clone(&responses), Arc::clone(&counts), url.clone());
        // The thread ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !request.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                        _ => break,
                    }
                }
                let request = String::from_utf8_lossy(&request).into_owned();
                let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let is_allowed = {
                    let mut counts = counted.lock().expect("counts");
                    counts.0 += 1;
                    counts.0 <= counts.1
                };
                let known = shared.lock().expect("responses").get(&target).cloned();
                let (status, body) = match (is_allowed, known, broker) {
                    // Requests are not retried after this status.
                    (false, ..) => (410, String::new()),
                    (true, Some(body), _) => (200, body),
                    (true, None, Some(broker)) => {
                        let answer = support::send(broker, "GET", &target, &[("accept", "application/hal+json")], None);
                        (answer.status, answer.text.replace(&format!("http://{broker}"), &own))
                    }
                    (true, None, None) => (404, String::new()),
                };
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/hal+json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { url, responses, counts }
    }

    fn respond(&self, target: &str, body: &str) {
        self.responses
            .lock()
            .expect("responses")
            .insert(target.to_owned(), body.to_owned());
    }

    fn requests(&self) -> usize {
        self.counts.lock().expect("counts").0
    }

    fn reject_after(&self, requests: usize) {
        self.counts.lock().expect("counts").1 = requests;
    }
}
