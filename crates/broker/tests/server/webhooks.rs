//! Webhooks: their resources, their events, and the requests that they send.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract_broker::{Database, HostPattern, Network, Options, Rules, WebhookOptions, WebhookRules};
use serde_json::{Value, json};

use crate::support::{self, Running};

/// Maximum time to wait for a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request that the receiver has received.
#[derive(Debug)]
pub(crate) struct Received {
    target: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("invalid JSON ({error}): {self:?}"))
    }
}

/// A server that receives webhook requests.
pub(crate) struct HookReceiver {
    address: SocketAddr,
    received: Receiver<Received>,
}

impl HookReceiver {
    /// Starts the server. `answer` gets the number of a request, from 0, and writes the response.
    fn start(answer: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (sender, received) = channel();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.expect("a connection");
                serve(&mut stream, number, &sender, &answer);
            }
        });
        Self { address, received }
    }

    pub(crate) fn ok() -> Self {
        Self::start(|_, stream| respond(stream, "200 OK", "fine"))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn next(&self) -> Received {
        self.received.recv_timeout(PATIENCE).expect("a request")
    }

    fn assert_idle(&self) {
        let next = self.received.recv_timeout(Duration::from_millis(200));
        assert!(next.is_err(), "{next:?}");
    }
}

fn serve(stream: &mut TcpStream, number: usize, received: &Sender<Received>, answer: &impl Fn(usize, &mut TcpStream)) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut lines = head.lines();
            let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
            let headers: Vec<(String, String)> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length: usize = length.map_or(0, |(_, value)| value.parse().expect("a length"));
            if body.len() >= length {
                let request = Received {
                    target: target.to_owned(),
                    headers,
                    body: body.to_owned(),
                };
                let _ = received.send(request);
                answer(number, stream);
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

type Answer = fn(usize, &mut TcpStream);

fn respond(stream: &mut TcpStream, status: &str, body: &str) {
    let length = body.len();
    let _ = stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes());
}

/// Options that allow webhooks to reach receivers on this machine, and retry at once.
pub(crate) fn options(database: Database) -> Options {
    let options = support::options(database);
    Options {
        rules: Rules {
            webhooks: WebhookRules {
                schemes: vec!["http".to_owned(), "https".to_owned()],
                hosts: vec![HostPattern::parse("127.0.0.1").expect("a host")],
                networks: vec![Network::parse("127.0.0.1").expect("a network")],
                ..WebhookRules::default()
            },
            ..Rules::default()
        },
        webhooks: WebhookOptions {
            retry_schedule: vec![Duration::ZERO; 2],
            timeout: Duration::from_secs(2),
            ..options.webhooks
        },
        ..options
    }
}

fn start() -> Running {
    support::start_as(options(Database::Memory))
}

fn publish(broker: &Running, version: &str, description: &str) {
    let path = format!("/pacts/provider/Bar/consumer/Foo/version/{version}");
    let contract = json!({ "interactions": [{ "description": description, "request": { "path": "/" } }] });
    let answer = broker.json("PUT", &path, &contract);
    assert!(matches!(answer.status, 200 | 201), "{answer:?}");
}

fn verify(broker: &Running, number: &str, success: bool) -> Value {
    let pact = broker.get("/pacts/provider/Bar/consumer/Foo/latest").json();
    let url = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a URL");
    let path = url.split_once(&broker.base()).expect("a path").1;
    let answer = broker.json(
        "POST",
        path,
        &json!({ "success": success, "providerApplicationVersion": number, "buildUrl": "http://ci/7" }),
    );
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

fn create(broker: &Running, events: &[&str], request: &Value) -> Value {
    let events: Vec<Value> = events.iter().map(|name| json!({ "name": name })).collect();
    let answer = broker.json("POST", "/webhooks", &json!({ "events": events, "request": request }));
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

fn path<'a>(broker: &Running, link: &'a Value) -> &'a str {
    let href = link["href"].as_str().unwrap_or_else(|| panic!("no link: {link}"));
    href.strip_prefix(&broker.base()).expect("a link to the broker")
}

/// Waits until the last triggered webhook of the publication of this version has a status. Returns it.
fn wait_for(broker: &Running, version: &str, status: &str) -> Value {
    let path = format!("/pacts/provider/Bar/consumer/Foo/version/{version}/triggered-webhooks");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let body = broker.get(&path).json();
        let all = body["_embedded"]["triggeredWebhooks"].as_array().expect("a list");
        match all.last() {
            Some(last) if last["status"] == status => return last.clone(),
            last => assert!(Instant::now() < deadline, "{last:?} instead of {status}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn log_of(broker: &Running, triggered: &Value) -> String {
    let answer = broker.send("GET", path(broker, &triggered["_links"]["pb:logs"]), &[], None);
    assert_eq!(answer.header("content-type"), Some("text/plain;charset=utf-8"));
    answer.text
}

#[test]
fn a_publication_sends_its_events_in_order() {
    let (broker, receiver) = (start(), HookReceiver::ok());
    for (name, path) in [("Foo", "main"), ("Bar", "main")] {
        let version = format!("/pacticipants/{name}/branches/{path}/versions/0");
        assert_eq!(broker.json("PUT", &version, &json!({})).status, 201);
    }
    let events = [
        "contract_content_changed",
        "contract_published",
        "contract_requiring_verification_published",
        "provider_verification_published",
        "provider_verification_succeeded",
        "provider_verification_failed",
    ];
    let body = json!({
        "event": "${pactbroker.eventName}",
        "consumer": ["${pactbroker.consumerName}", "${pactbroker.consumerVersionNumber}", "${pactbroker.consumerVersionBranch}"],
        "provider": ["${pactbroker.providerName}", "${pactbroker.providerVersionNumber}", "${pactbroker.providerVersionDescriptions}"],
        "status": "${pactbroker.githubVerificationStatus}",
        "build": "${pactbroker.buildUrl}",
        "pact": "${pactbroker.pactUrl}",
        "result": "${pactbroker.verificationResultUrl}",
    });
    create(
        &broker,
        &events,
        &json!({ "method": "POST", "url": receiver.url("/hook?c=${pactbroker.consumerName}"), "body": body }),
    );
    publish(&broker, "1", "a \"quoted\" description");
    let sent: Vec<Value> = (0..3).map(|_| receiver.next().json()).collect();
    let names: Vec<&str> = sent
        .iter()
        .map(|sent| sent["event"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        names,
        [
            "contract_published",
            "contract_requiring_verification_published",
            "contract_content_changed"
        ]
    );
    assert_eq!(sent[0]["consumer"], json!(["Foo", "1", ""]));
    assert_eq!(sent[1]["provider"], json!(["Bar", "0", "latest from main branch"]));
    assert_eq!(sent[0]["status"], "pending");
    let pact = sent[0]["pact"]
        .as_str()
        .and_then(|url| url.strip_prefix(&broker.base()))
        .expect("a URL");
    assert_eq!(broker.get(pact).status, 200);

    verify(&broker, "7", false);
    let sent: Vec<Value> = (0..2).map(|_| receiver.next().json()).collect();
    assert_eq!(sent[0]["event"], "provider_verification_published");
    assert_eq!(sent[1]["event"], "provider_verification_failed");
    assert_eq!(sent[1]["status"], "failure");
    assert_eq!(sent[1]["provider"], json!(["Bar", "7", ""]));
    assert_eq!(sent[1]["build"], "http://ci/7");
    let result = sent[1]["result"]
        .as_str()
        .and_then(|url| url.strip_prefix(&broker.base()))
        .expect("a URL");
    assert_eq!(broker.get(result).json()["success"], false);
    let triggered = format!("{result}/triggered-webhooks");
    let triggered = broker.get(&triggered).json();
    assert_eq!(
        triggered["_embedded"]["triggeredWebhooks"].as_array().map(Vec::len),
        Some(2)
    );

    // The same content for another version is no change, but the main branch of Bar has still not verified it.
    publish(&broker, "2", "a \"quoted\" description");
    let names: Vec<Value> = (0..2).map(|_| receiver.next().json()["event"].clone()).collect();
    assert_eq!(
        names,
        ["contract_published", "contract_requiring_verification_published"]
    );
    receiver.assert_idle();
    let status = broker.get("/pacts/provider/Bar/consumer/Foo/webhooks/status").json();
    assert_eq!(
        status["_embedded"]["triggeredWebhooks"].as_array().map(Vec::len),
        Some(5)
    );
}

#[test]
fn requests_have_the_configured_headers_credentials_and_signature() {
    let (broker, receiver) = (start(), HookReceiver::ok());
    let request = json!({
        "method": "POST",
        "url": receiver.url("/x"),
        "headers": { "X-Consumer": "${pactbroker.consumerName}", "X-Api-Key": "key1" },
        "username": "ci",
        "password": "hunter2",
        "signingSecret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "body": "text with ${pactbroker.consumerName}",
    });
    let webhook = create(&broker, &["contract_published"], &request);
    assert_eq!(
        webhook["request"]["headers"],
        json!({ "x-consumer": "${pactbroker.consumerName}", "x-api-key": "**********" })
    );
    assert_eq!(webhook["request"]["password"], "**********");
    assert_eq!(webhook["request"]["signingSecret"], "**********");
    publish(&broker, "1", "a");
    let sent = receiver.next();
    assert_eq!(sent.target, "/x");
    assert_eq!(sent.body, "text with Foo");
    assert_eq!(sent.header("x-consumer"), Some("Foo"));
    assert_eq!(sent.header("x-api-key"), Some("key1"));
    assert_eq!(sent.header("authorization"), Some("Basic Y2k6aHVudGVyMg=="));
    assert!(
        sent.header("user-agent")
            .is_some_and(|agent| agent.starts_with("Contract Broker"))
    );
    let signature = sent.header("webhook-signature").expect("a signature");
    assert!(signature.starts_with("v1,"), "{signature}");
    let sent_at: i64 = sent
        .header("webhook-timestamp")
        .expect("a time")
        .parse()
        .expect("a number");
    assert!(sent_at > 1_700_000_000, "{sent_at}");

    let triggered = wait_for(&broker, "1", "success");
    let log = log_of(&broker, &triggered);
    assert!(
        log.contains("HTTP/1.1 200 OK") && log.contains("Successfully executed webhook"),
        "{log}"
    );
    for secret in ["hunter2", "Y2k6aHVudGVyMg", "key1", "MfKQ9r8"] {
        assert!(!log.contains(secret), "{log}");
    }
    let log_path = path(&broker, &triggered["_links"]["pb:logs"]);
    let hal = broker.get(log_path).json();
    assert_eq!(hal["executions"][0]["success"], true);
    let id = sent.header("webhook-id").expect("an id");
    assert_eq!(hal["_embedded"]["triggeredWebhook"]["uuid"], id);

    // A masked value keeps the stored secret, but only for the same host.
    let uuid = webhook["uuid"].as_str().expect("a uuid");
    let masked = json!({ "events": webhook["events"], "request": webhook["request"] });
    assert_eq!(broker.json("PUT", &format!("/webhooks/{uuid}"), &masked).status, 200);
    publish(&broker, "2", "a");
    assert_eq!(receiver.next().header("authorization"), Some("Basic Y2k6aHVudGVyMg=="));
    let mut elsewhere = masked;
    elsewhere["request"]["url"] = "http://127.0.0.1:1/".into();
    let refused = broker.json("PUT", &format!("/webhooks/{uuid}"), &elsewhere);
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.text.contains("must be sent again"), "{refused:?}");
}

#[test]
fn failures_are_retried_and_can_be_replayed() {
    let broker = start();
    let receiver = HookReceiver::start(|number, stream| {
        let status = if number < 3 {
            "500 Internal Server Error"
        } else {
            "200 OK"
        };
        respond(stream, status, "");
    });
    create(
        &broker,
        &["contract_published"],
        &json!({ "method": "POST", "url": receiver.url("/") }),
    );
    publish(&broker, "1", "a");
    let failed = wait_for(&broker, "1", "failure");
    assert_eq!(
        (&failed["attemptsMade"], &failed["attemptsRemaining"]),
        (&json!(3), &json!(0))
    );
    let log = log_of(&broker, &failed);
    assert_eq!(log.matches("HTTP/1.1 500 Internal Server Error").count(), 3, "{log}");
    assert!(log.contains("Retrying webhook in 0 seconds"), "{log}");
    assert!(log.contains("Webhook execution failed after 3 attempts"), "{log}");
    let ids: Vec<Option<String>> = (0..3)
        .map(|_| receiver.next().header("webhook-id").map(str::to_owned))
        .collect();
    let uuid = uuid_of(&failed);
    assert_eq!(ids, vec![Some(uuid); 3]);

    // The next event is not delayed, and the failed request can be sent again.
    publish(&broker, "2", "a");
    wait_for(&broker, "2", "success");
    let retry = path(&broker, &failed["_links"]["pb:retry"]).to_owned();
    let retried = broker.json("POST", &retry, &json!({}));
    assert_eq!(retried.status, 202, "{retried:?}");
    wait_for(&broker, "1", "success");
}

#[test]
fn receivers_that_misbehave_cost_bounded_time_and_memory() {
    let broker = start();
    let receivers: [(&str, Answer, &str, &str); 5] = [
        (
            "hangs",
            |_, stream| {
                let _ = stream.read(&mut [0; 1]);
            },
            "failure",
            "timed out after 2 s",
        ),
        (
            "redirects",
            |_, stream| {
                let _ = stream.write_all(
                    b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest\r\ncontent-length: 0\r\n\r\n",
                );
            },
            "failure",
            "Redirects are not followed",
        ),
        (
            "dies",
            |_, stream| {
                let _ = stream.shutdown(std::net::Shutdown::Both);
            },
            "failure",
            "connection closed",
        ),
        (
            "talks nonsense",
            |_, stream| {
                let _ = stream.write_all(b"SSH-2.0-OpenSSH\r\n\r\n");
            },
            "failure",
            "Error executing webhook",
        ),
        (
            "never ends",
            |_, stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                let chunk = [b"10000\r\n".to_vec(), vec![b'x'; 0x10000], b"\r\n".to_vec()].concat();
                while stream.write_all(&chunk).is_ok() {}
            },
            "success",
            "200 OK",
        ),
    ];
    for (number, (name, answer, status, expected)) in receivers.into_iter().enumerate() {
        let receiver = HookReceiver::start(answer);
        let webhook = create(
            &broker,
            &["contract_published"],
            &json!({ "method": "POST", "url": receiver.url("/") }),
        );
        publish(&broker, &number.to_string(), name);
        let triggered = wait_for(&broker, &number.to_string(), status);
        let log = log_of(&broker, &triggered);
        assert!(log.contains(expected), "{name}: {log:.2000}");
        assert!(log.len() < 80_000, "{name}: {}", log.len());
        let uuid = webhook["uuid"].as_str().expect("a uuid");
        assert_eq!(
            broker.send("DELETE", &format!("/webhooks/{uuid}"), &[], None).status,
            204
        );
    }
}

#[test]
fn webhooks_reach_public_addresses_only() {
    // No hosts are exempt from the rules.
    let mut options = options(Database::Memory);
    options.rules.webhooks.networks = vec![];
    options.rules.webhooks.hosts = vec![];
    options.webhooks.retry_schedule = vec![];
    let broker = support::start_as(options);
    for url in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
    ] {
        let sent = json!({ "events": [{ "name": "contract_published" }], "request": { "method": "POST", "url": url } });
        let refused = broker.json("POST", "/webhooks", &sent);
        assert_eq!(refused.status, 400, "{url}: {refused:?}");
        assert!(refused.text.contains("not public"), "{url}: {refused:?}");
    }
    // A host name is accepted. Its address is checked before each connection.
    let port = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .port();
    create(
        &broker,
        &["contract_published"],
        &json!({ "method": "POST", "url": format!("http://localhost:{port}/") }),
    );
    publish(&broker, "1", "a");
    let log = log_of(&broker, &wait_for(&broker, "1", "failure"));
    assert!(
        log.contains("not public") && log.contains("--webhook-network-whitelist"),
        "{log}"
    );
}

#[test]
fn tests_send_the_request_at_once() {
    let (broker, receiver) = (start(), HookReceiver::ok());
    let request = json!({ "method": "POST", "url": receiver.url("/t/${pactbroker.consumerName}"), "body": { "e": "${pactbroker.eventName}" } });
    let webhook = create(&broker, &["contract_published"], &request);
    let execute = path(&broker, &webhook["_links"]["pb:execute"]).to_owned();
    let tested = broker.json("POST", &execute, &json!({}));
    assert_eq!(tested.status, 200, "{tested:?}");
    let result = tested.json();
    assert_eq!(result["success"], true, "{result}");
    assert_eq!(result["response"]["status"], 200);
    assert_eq!(result["response"]["body"], "fine");
    let sent = receiver.next();
    assert_eq!(
        (sent.target.as_str(), sent.json()),
        ("/t/consumer", json!({ "e": "test" }))
    );

    let unsaved = broker.json(
        "POST",
        "/webhooks/execute",
        &json!({ "request": { "method": "POST", "url": "http://127.0.0.1:1/" } }),
    );
    assert_eq!(
        (unsaved.status, &unsaved.json()["success"]),
        (200, &json!(false)),
        "{unsaved:?}"
    );
    assert!(unsaved.json()["error"]["message"].is_string(), "{unsaved:?}");
    let invalid = broker.json("POST", "/webhooks/execute", &json!({ "request": { "method": "GET" } }));
    assert_eq!(invalid.status, 400, "{invalid:?}");
    let metrics = broker.get("/metrics").json();
    assert_eq!(metrics["triggeredWebhooks"]["count"], 0);
}

#[test]
fn webhooks_are_validated() {
    let broker = start();
    assert_eq!(broker.json("PUT", "/pacticipants/Foo", &json!({})).status, 201);
    let valid = json!({ "method": "POST", "url": "http://127.0.0.1/" });
    for (body, key, expected) in [
        (json!({}), "request", "is missing"),
        (json!({ "request": {} }), "request.method", "is missing"),
        (json!({ "request": {} }), "request.url", "is missing"),
        (
            json!({ "request": { "method": "FOO", "url": "http://127.0.0.1/" } }),
            "request.method",
            "recognised",
        ),
        (
            json!({ "request": { "method": "GET", "url": "http://127.0.0.1/" } }),
            "request.method",
            "must be POST",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://${pactbroker.consumerName}/" } }),
            "request.url",
            "template parameter in the host",
        ),
        (
            json!({ "request": { "method": "POST", "url": "ftp://127.0.0.1/" } }),
            "request.url",
            "scheme must be one of http, https",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://example.org/" } }),
            "request.url",
            "host must be in the whitelist \"127.0.0.1\"",
        ),
        (
            json!({ "request": valid, "events": [] }),
            "events",
            "size cannot be less than 1",
        ),
        (
            json!({ "request": valid, "events": [{ "name": "x" }] }),
            "events",
            "(at index 0)",
        ),
        (
            json!({ "request": valid, "enabled": "yes" }),
            "enabled",
            "must be boolean",
        ),
        (
            json!({ "request": valid, "consumer": { "name": "" } }),
            "consumer.name",
            "cannot be blank",
        ),
        (
            json!({ "request": valid, "provider": { "name": "Nope" } }),
            "provider.name",
            "does not match an existing pacticipant",
        ),
        (
            json!({ "request": valid, "consumer": { "name": "Foo", "label": "x" } }),
            "consumer.label",
            "name and label",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://127.0.0.1/", "headers": { "a b": "c" } } }),
            "request.headers",
            "contains the invalid name \"a b\"",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://127.0.0.1/", "headers": { "a": "b\r\nc: d" } } }),
            "request.headers",
            "contains an invalid value for \"a\"",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://127.0.0.1/", "headers": { "a": {} } } }),
            "request.headers",
            "contains a value that is not a string, a number, or a boolean: \"a\"",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://127.0.0.1/", "headers": { "Content-Length": "1" } } }),
            "request.headers",
            "cannot contain \"Content-Length\", because the broker sets it",
        ),
        (
            json!({ "request": { "method": "POST", "url": "http://127.0.0.1/", "signingSecret": "short" } }),
            "request.signingSecret",
            "whsec_",
        ),
    ] {
        let refused = broker.json("POST", "/webhooks", &body);
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        let texts = &refused.json()["errors"][key];
        assert!(
            texts[0].as_str().is_some_and(|text| text.contains(expected)),
            "{body}: {refused:?}"
        );
    }
    let short = broker.json("PUT", "/webhooks/short", &json!({ "request": valid }));
    assert_eq!(short.status, 400);
    assert!(short.json()["errors"]["uuid"][0].is_string(), "{short:?}");
    assert_eq!(broker.get("/webhooks").json()["_links"]["pb:webhooks"], json!([]));
}

#[test]
fn unknown_parameters_are_rejected() {
    let broker = start();
    for (member, value) in [
        ("url", json!("http://127.0.0.1/?v=${pactbroker.x}")),
        ("body", json!({ "a": [1, "${pactbroker.pactUrl} ${pactbroker.x}"] })),
        ("body", json!("${pactbroker.x}")),
        ("headers", json!({ "a": "${pactbroker.x}" })),
        ("username", json!("${pactbroker.x}")),
        ("password", json!("${pactbroker.x}")),
    ] {
        let mut request = json!({ "method": "POST", "url": "http://127.0.0.1/" });
        request[member] = value;
        let rejected = broker.json("POST", "/webhooks", &json!({ "request": request }));
        assert_eq!(rejected.status, 400, "{member}: {rejected:?}");
        let text = &rejected.json()["errors"][format!("request.{member}")][0];
        let expected = "contains the unknown parameter ${pactbroker.x}. Known parameters: pactUrl, ";
        assert!(
            text.as_str().is_some_and(|text| text.starts_with(expected)),
            "{rejected:?}"
        );
    }
    assert_eq!(broker.get("/webhooks").json()["_links"]["pb:webhooks"], json!([]));
}

#[test]
fn webhooks_are_created_listed_replaced_and_deleted() {
    let (broker, receiver) = (start(), HookReceiver::ok());
    publish(&broker, "1", "a");
    let request = json!({ "method": "POST", "url": receiver.url("/") });
    let uuid = "0123456789abcdef";
    let at = format!("/webhooks/{uuid}");
    let created = broker.json(
        "PUT",
        &at,
        &json!({ "provider": { "label": "team-a" }, "request": request }),
    );
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(
        created.json()["events"],
        json!([{ "name": "contract_content_changed" }])
    );
    let of_pair = "/webhooks/provider/Bar/consumer/Foo";
    assert_eq!(
        broker
            .json("POST", of_pair, &json!({ "description": "both", "request": request }))
            .status,
        201
    );
    let all = broker.get("/webhooks").json();
    let all: Vec<(&Value, &Value)> = all["_links"]["pb:webhooks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|link| (&link["title"], &link["name"]))
        .collect();
    assert_eq!(all[0].0, "A webhook for all pacts with provider labeled 'team-a'");
    assert_eq!(
        all[1],
        (&json!("A webhook for the pact between Foo and Bar"), &json!("both"))
    );
    let count = |path: &str| {
        broker.get(path).json()["_links"]["pb:webhooks"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(count(of_pair), Some(1));
    assert_eq!(count("/webhooks/provider/Bar"), Some(0));
    assert_eq!(broker.get("/webhooks/provider/Nope").status, 404);

    // Until Bar has the label, only the webhook of the pair applies to it.
    publish(&broker, "2", "b");
    receiver.next();
    receiver.assert_idle();
    assert_eq!(
        broker.json("PUT", "/pacticipants/Bar/labels/team-a", &json!({})).status,
        201
    );
    publish(&broker, "3", "c");
    receiver.next();
    receiver.next();
    let disabled = broker.json("PUT", &at, &json!({ "enabled": false, "request": request }));
    assert_eq!((disabled.status, &disabled.json()["enabled"]), (200, &json!(false)));
    publish(&broker, "4", "d");
    receiver.next();
    receiver.assert_idle();
    assert_eq!(broker.send("DELETE", &at, &[], None).status, 204);
    assert_eq!(broker.get(&at).status, 404);
    assert_eq!(broker.send("DELETE", &at, &[], None).status, 404);
}

#[test]
fn deleting_a_webhook_ends_its_deliveries_and_keeps_their_logs() {
    let mut options = options(Database::Memory);
    options.webhooks.retry_schedule = vec![Duration::from_secs(3_600)];
    let broker = support::start_as(options);
    let receiver = HookReceiver::start(|_, stream| respond(stream, "503 Service Unavailable", ""));
    let webhook = create(
        &broker,
        &["contract_published"],
        &json!({ "method": "POST", "url": receiver.url("/") }),
    );
    publish(&broker, "1", "a");
    let retrying = wait_for(&broker, "1", "retrying");
    assert_eq!(retrying["attemptsRemaining"], 1);
    let busy = broker.json(
        "POST",
        &format!("/triggered-webhooks/{}/retry", uuid_of(&retrying)),
        &json!({}),
    );
    assert_eq!(busy.status, 409, "{busy:?}");
    let uuid = webhook["uuid"].as_str().expect("a uuid");
    assert_eq!(
        broker.send("DELETE", &format!("/webhooks/{uuid}"), &[], None).status,
        204
    );
    let failed = wait_for(&broker, "1", "failure");
    assert!(log_of(&broker, &failed).contains("503"));
    assert_eq!(failed["_links"].get("pb:webhook"), None);
    let gone = broker.json(
        "POST",
        &format!("/triggered-webhooks/{}/retry", uuid_of(&failed)),
        &json!({}),
    );
    assert_eq!(gone.status, 409, "{gone:?}");
}

fn uuid_of(triggered: &Value) -> String {
    let href = triggered["_links"]["pb:logs"]["href"].as_str().expect("a link");
    href.rsplit('/').nth(1).expect("a uuid").to_owned()
}

#[test]
fn verifications_become_overdue() {
    let mut options = options(Database::Memory);
    options.rules.webhooks.overdue_after = Some(Duration::ZERO);
    let (broker, receiver) = (support::start_as(options), HookReceiver::ok());
    assert_eq!(
        broker
            .json("PUT", "/pacticipants/Bar/branches/main/versions/5", &json!({}))
            .status,
        201
    );
    create(
        &broker,
        &["contract_verification_overdue"],
        &json!({ "method": "POST", "url": receiver.url("/${pactbroker.eventName}/${pactbroker.providerVersionNumber}") }),
    );
    publish(&broker, "1", "a");
    assert_eq!(receiver.next().target, "/contract_verification_overdue/5");
    receiver.assert_idle();
}

#[test]
fn a_deleted_contract_is_not_overdue_and_a_repeated_one_only_once() {
    let mut options = options(Database::Memory);
    options.rules.webhooks.overdue_after = Some(Duration::from_secs(2));
    let (broker, receiver) = (support::start_as(options), HookReceiver::ok());
    let path = "/pacticipants/Bar/branches/main/versions/5";
    assert_eq!(broker.json("PUT", path, &json!({})).status, 201);
    let url = receiver.url("/${pactbroker.consumerVersionNumber}");
    create(
        &broker,
        &["contract_verification_overdue"],
        &json!({ "method": "POST", "url": url }),
    );
    publish(&broker, "1", "a");
    publish(&broker, "2", "a");
    publish(&broker, "2", "a");
    let deleted = broker.send("DELETE", "/pacts/provider/Bar/consumer/Foo/version/1", &[], None);
    assert_eq!(deleted.status, 200, "{deleted:?}");
    assert_eq!(receiver.next().target, "/2");
    receiver.assert_idle();
}

/// Clients can send a body as text. Values must not be able to add members to it.
#[test]
fn values_are_escaped_in_json_texts() {
    let (broker, receiver) = (start(), HookReceiver::ok());
    let body = "{\"branch\": \"${pactbroker.consumerVersionBranch}\"}";
    for headers in [
        json!({ "Content-Type": "application/vnd.x+json; charset=utf-8" }),
        json!({}),
    ] {
        let request = json!({ "method": "POST", "url": receiver.url("/"), "headers": headers, "body": body });
        create(&broker, &["contract_published"], &request);
    }
    let branch = "x\",\"admin\":\"true";
    let publication = json!({
        "pacticipantName": "Foo", "pacticipantVersionNumber": "1", "branch": branch,
        "contracts": [{
            "consumerName": "Foo", "providerName": "Bar", "specification": "pact", "contentType": "application/json",
            "content": STANDARD.encode(r#"{"consumer": {"name": "Foo"}, "provider": {"name": "Bar"}, "interactions": []}"#),
        }],
    });
    assert_eq!(broker.json("POST", "/contracts/publish", &publication).status, 200);
    for _ in 0..2 {
        assert_eq!(receiver.next().json(), json!({ "branch": branch }));
    }
}

#[test]
fn a_masked_secret_without_a_stored_one_is_rejected() {
    let (broker, receiver) = (start(), HookReceiver::ok());
    let url = receiver.url("/");
    for (request, field) in [
        (json!({ "url": url, "password": "**********" }), "request.password"),
        (
            json!({ "url": url, "headers": { "Authorization": "**********" } }),
            "request.headers",
        ),
        (json!({ "url": format!("{url}**********") }), "request.url"),
    ] {
        let mut request = request;
        request["method"] = "POST".into();
        for path in ["/webhooks", "/webhooks/execute"] {
            let rejected = broker.json("POST", path, &json!({ "request": request }));
            let text = rejected.json()["errors"][field][0].clone();
            let is_explained = text
                .as_str()
                .is_some_and(|text| text.contains("is masked, but the broker has no such secret"));
            assert!(rejected.status == 400 && is_explained, "{rejected:?}");
        }
    }
    receiver.assert_idle();
}

#[test]
fn secrets_are_encrypted_in_the_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("broker.sqlite");
    let options = options(Database::Sqlite(file.clone()));
    let broker = support::start_as(options.clone());
    let receiver = HookReceiver::ok();
    let request = json!({
        "method": "POST", "url": receiver.url("/"), "headers": { "Authorization": "Bearer sesame-open" },
        "username": "u", "password": "swordfish",
    });
    create(&broker, &["contract_published"], &request);
    broker.stop();
    let bytes = std::fs::read(&file).expect("the database");
    for secret in [&b"sesame-open"[..], b"swordfish"] {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret));
    }
    // After a restart with the same key, they are sent. With another key, the log explains the problem.
    let broker = support::start_as(options.clone());
    publish(&broker, "1", "a");
    assert_eq!(receiver.next().header("authorization"), Some("Basic dTpzd29yZGZpc2g="));
    wait_for(&broker, "1", "success");
    broker.stop();
    let mut other = self::options(Database::Sqlite(file));
    other.webhooks.retry_schedule = vec![];
    let broker = support::start_as(other);
    publish(&broker, "2", "a");
    let log = log_of(&broker, &wait_for(&broker, "2", "failure"));
    assert!(log.contains("the secret was encrypted with the key"), "{log}");
    receiver.assert_idle();
}

#[test]
fn requests_that_were_not_sent_survive_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(Database::Sqlite(folder.path().join("broker.sqlite")));
    let broker = support::start_as(options.clone());
    // The connection is refused, and the next attempt happens after the restart.
    let receiver = HookReceiver::ok();
    let mut slow = options.clone();
    slow.webhooks.retry_schedule = vec![Duration::from_millis(300); 100];
    broker.stop();
    let broker = support::start_as(slow.clone());
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = closed.local_addr().expect("an address");
    drop(closed);
    let uuid = "0123456789abcdef";
    let at = format!("/webhooks/{uuid}");
    let hook = |url: String| json!({ "events": [{ "name": "contract_published" }], "request": { "method": "POST", "url": url, "body": "${pactbroker.consumerVersionNumber}" } });
    assert_eq!(broker.json("PUT", &at, &hook(format!("http://{address}/"))).status, 201);
    for version in 1..=5 {
        publish(&broker, &version.to_string(), "a");
    }
    wait_for(&broker, "1", "retrying");
    broker.stop();
    let broker = support::start_as(slow);
    assert_eq!(broker.json("PUT", &at, &hook(receiver.url("/"))).status, 200);
    let bodies: Vec<String> = (0..5).map(|_| receiver.next().body).collect();
    assert_eq!(bodies, ["1", "2", "3", "4", "5"]);
}
