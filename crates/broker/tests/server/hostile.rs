//! Limits for abusive clients: unfinished requests, unread responses, too many connections, and malformed requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{self, Running};
use contract_broker::{Credentials, Database, HttpLimits, Options, Permissions};
use serde_json::{Value, json};

const MIB: usize = 1024 * 1024;
const PACT: &str = "/pacts/provider/Bar/consumer/Foo/version/1";

fn start(http: HttpLimits) -> Running {
    support::start_as(Options {
        http,
        ..support::options(Database::Memory)
    })
}

/// Opens a connection and sends text.
fn begin(broker: &Running, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(broker.address).expect("a connection");
    stream.write_all(text.as_bytes()).expect("a sent request");
    stream
}

fn line(stream: &TcpStream) -> String {
    let mut line = String::new();
    let mut byte = [0];
    while !line.ends_with('\n') && (&*stream).read(&mut byte).expect("the connection is open") == 1 {
        line.push(char::from(byte[0]));
    }
    line
}

fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection reset ends the response.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads one response and returns its status line and headers.
fn response(stream: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).expect("a response") > 0 {}
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a length"))];
    stream.read_exact(&mut body).expect("a body");
    head
}

fn pact(size: usize) -> Vec<u8> {
    json!({ "interactions": [{ "description": "x".repeat(size) }] })
        .to_string()
        .into_bytes()
}

fn put(broker: &Running, body: &[u8]) -> support::Answer {
    broker.send("PUT", PACT, &[("content-type", "application/json")], Some(body))
}

/// Starts a request whose body is not sent. When this returns, the broker has reserved memory for the body.
fn unfinished(broker: &Running, size: usize) -> TcpStream {
    let head = format!(
        "PUT {PACT} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
    );
    let stream = begin(broker, &head);
    assert_eq!(line(&stream), "HTTP/1.1 100 Continue\r\n");
    assert_eq!(line(&stream), "\r\n");
    stream
}

#[test]
fn credentials_are_checked_before_the_body_is_read() {
    let broker = support::start_with(
        Database::Memory,
        Permissions {
            read_write: Some(Credentials {
                username: "a".to_owned(),
                password: "b".to_owned(),
            }),
            ..Permissions::default()
        },
    );
    let head = format!("PUT {PACT} HTTP/1.1\r\nhost: a\r\ncontent-length: 33554432\r\n\r\n");
    let refused = rest(begin(&broker, &head));
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    assert!(refused.contains("\r\nconnection: close\r\n"), "{refused}");
}

#[test]
fn request_bodies_share_a_memory_limit() {
    let broker = start(HttpLimits {
        request_memory: 8 * MIB,
        memory_wait: Duration::ZERO,
        ..HttpLimits::default()
    });
    // One address can use half of the memory.
    let mut first = unfinished(&broker, 3 * MIB);
    let refused = put(&broker, &pact(2 * MIB));
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert!(
        refused.text.contains("not have enough memory for this request body"),
        "{refused:?}"
    );
    assert_eq!(
        broker.json("PUT", "/pacticipants/Foo", &json!({})).status,
        201,
        "small bodies need no reservation"
    );
    let chunks = format!("100000\r\n{}\r\n0\r\n\r\n", " ".repeat(MIB));
    let chunked = format!(
        "PUT {PACT} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"
    );
    let chunked = rest(begin(&broker, &chunked));
    assert!(chunked.starts_with("HTTP/1.1 503 "), "{chunked}");
    first.write_all(&vec![b' '; 3 * MIB]).expect("the broker reads");
    assert!(line(&first).starts_with("HTTP/1.1 400 "));
    let mut again = put(&broker, &pact(2 * MIB));
    while again.status == 503 {
        again = put(&broker, &pact(2 * MIB));
    }
    assert_eq!(again.status, 201, "{again:?}");
}

#[test]
fn a_stalled_body_times_out_and_frees_its_memory() {
    let broker = start(HttpLimits {
        request_memory: 8 * MIB,
        stall: Duration::from_millis(300),
        memory_wait: Duration::from_secs(3_600),
        ..HttpLimits::default()
    });
    let mut stalled = unfinished(&broker, 3 * MIB);
    stalled.write_all(&vec![b' '; MIB]).expect("the broker reads");
    // This request waits for the memory.
    assert_eq!(put(&broker, &pact(2 * MIB)).status, 201);
    let text = rest(stalled);
    assert!(text.starts_with("HTTP/1.1 408 "), "{text}");
}

#[test]
fn an_unread_response_times_out_and_frees_its_memory() {
    const SIZE: usize = 20 * MIB;
    let broker = start(HttpLimits {
        response_memory: 48 * MIB,
        memory_wait: Duration::ZERO,
        stall: Duration::from_secs(2),
        ..HttpLimits::default()
    });
    assert_eq!(put(&broker, &pact(SIZE)).status, 201);
    let unread = begin(&broker, &format!("GET {PACT} HTTP/1.1\r\nhost: a\r\n\r\n"));
    assert!(line(&unread).starts_with("HTTP/1.1 200 "));
    let refused = broker.get(PACT);
    assert_eq!(refused.status, 503, "{:.200}", refused.text);
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(
        broker.get("/pacticipants").status,
        200,
        "small responses need no reservation"
    );
    while broker.get(PACT).status == 503 {}
    assert!(rest(unread).len() < SIZE, "the connection was closed before the end");
    assert_eq!(broker.get(PACT).text.len() / SIZE, 1);
}

#[test]
fn one_address_has_a_limited_number_of_connections() {
    let broker = start(HttpLimits {
        connections_per_address: 2,
        ..HttpLimits::default()
    });
    let request = "GET /diagnostic/status/heartbeat HTTP/1.1\r\nhost: a\r\n\r\n";
    let mut open: Vec<_> = (0..2).map(|_| BufReader::new(begin(&broker, request))).collect();
    for stream in &mut open {
        assert!(response(stream).starts_with("HTTP/1.1 200 "));
    }
    let refused = rest(TcpStream::connect(broker.address).expect("a connection"));
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after"),
        "{refused}"
    );
    open.pop();
    let mut again = TcpStream::connect(broker.address).expect("a connection");
    loop {
        // Writing to a connection that is being closed can fail.
        let _ = again.write_all(request.replace("host: a", "host: a\r\nconnection: close").as_bytes());
        if rest(again).starts_with("HTTP/1.1 200 ") {
            break;
        }
        again = TcpStream::connect(broker.address).expect("a connection");
    }
    let head = "GET /metrics/prometheus HTTP/1.1\r\nhost: a\r\n\r\n";
    let stream = open.first_mut().expect("the other one").get_mut();
    stream.write_all(head.as_bytes()).expect("an open connection");
}

#[test]
fn a_connection_closes_after_an_unread_body() {
    let broker = support::start(Database::Memory);
    // More than the socket buffers hold, so the broker must read it before the client can read the response.
    let body = vec![b' '; 30 * MIB];
    for (method, path, status) in [("PATCH", "/environments", 405), ("POST", "/nothing", 404)] {
        let refused = broker.send(method, path, &[], Some(&body));
        assert_eq!(refused.status, status, "{refused:?}");
        assert_eq!(refused.header("connection"), Some("close"), "{refused:?}");
    }
    // After a body that was read, the connection stays open.
    let request =
        "POST /environments HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n{";
    let mut stream = BufReader::new(begin(&broker, request));
    for _ in 0..2 {
        let head = response(&mut stream);
        assert!(
            head.starts_with("HTTP/1.1 400 ") && !head.contains("connection: close"),
            "{head}"
        );
        stream
            .get_mut()
            .write_all(request.as_bytes())
            .expect("an open connection");
    }
}

#[test]
fn a_request_requires_one_valid_host_header() {
    let broker = support::start(Database::Memory);
    for (version, hosts, status) in [
        ("1.1", "", 400),
        ("1.1", "host: a\r\nhost: a\r\n", 400),
        ("1.1", "host: a@b\r\n", 400),
        ("1.1", "host: a b\r\n", 400),
        ("1.1", "host: a/b\r\n", 400),
        ("1.0", "host: a\r\nhost: b\r\n", 400),
        ("1.0", "", 200),
        ("1.1", "host:\r\n", 200),
        ("1.1", "host: [::1]:80\r\n", 200),
    ] {
        for path in ["/", "/metrics/prometheus"] {
            let head = format!("GET {path} HTTP/{version}\r\n{hosts}connection: close\r\n\r\n");
            let answer = rest(begin(&broker, &head));
            assert!(
                answer.starts_with(&format!("HTTP/{version} {status} ")),
                "{hosts:?}: {answer}"
            );
            assert_eq!(answer.contains("Host header"), status == 400, "{hosts:?}: {answer}");
        }
    }
}

#[test]
fn the_number_of_notices_is_limited() {
    let broker = support::start(Database::Memory);
    let contract = |at: usize| {
        let provider = format!("provider{at}");
        json!({
            "consumerName": "Foo", "providerName": provider, "specification": "pact", "contentType": "application/json",
            "content": "e30=",
        })
    };
    let contracts: Vec<Value> = (0..100).map(contract).collect();
    for version in 0..30 {
        let publishing = json!({
            "pacticipantName": "Foo", "pacticipantVersionNumber": version.to_string(), "branch": format!("b{version}"),
            "contracts": contracts,
        });
        let published = broker.json("POST", "/contracts/publish", &publishing);
        let notices = published.json()["notices"].as_array().expect("a list").clone();
        assert_eq!(notices.len(), 201, "version {version}");
        assert!(
            notices[200]["text"]
                .as_str()
                .is_some_and(|text| text.ends_with("more notices are omitted.")),
            "{}",
            notices[200]
        );
    }
    let selectors: Vec<Value> = (0..30).map(|at| json!({ "branch": format!("b{at}") })).collect();
    let path = "/pacts/provider/provider1/for-verification";
    let chosen = broker
        .json("POST", path, &json!({ "consumerVersionSelectors": selectors }))
        .json();
    let text = chosen["_embedded"]["pacts"][0]["verificationProperties"]["notices"][0]["text"].to_string();
    assert_eq!(text.matches("\\n    * ").count(), 21, "{text}");
    assert!(text.contains("and 10 more versions"), "{text}");
}
