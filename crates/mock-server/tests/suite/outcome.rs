//! Tests the outcome and the journal as data.

use contract_mock_server::{MockServer, Received, RequestOutcome, ServedInteraction, ServerMismatch, ServerOptions};
use contract_model::Json;

use crate::common::{get, interaction, send, start, start_with};

const POST: &str = r#"{"description": "create an order", "request": {"method": "POST", "path": "/orders",
    "body": {"content": {"id": 7, "lines": [{"sku": "a"}]}, "contentType": "application/json"},
    "matchingRules": {"body": {"$": {"combine": "AND", "matchers": [{"match": "type"}]}}}},
    "response": {"status": 200}}"#;

fn post(body: &str) -> Vec<u8> {
    format!("POST /orders HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer abc\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn as_json(outcome: &contract_mock_server::Outcome) -> Json {
    Json::parse(&serde_json::to_vec(outcome).unwrap()).unwrap()
}

#[tokio::test]
async fn serializes_the_standard_names() {
    let server = start([interaction(POST), get("/never")]).await;
    send(&server, &post(r#"{"id": "x", "lines": [{"sku": "b"}], "price": 1.50}"#)).await;
    send(&server, b"GET /neverr HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    let json = as_json(&server.stop().await);
    let mismatches = json.get("mismatches").unwrap().as_array().unwrap();
    assert_eq!(
        mismatches[0].to_text(),
        r#"{"type":"request-mismatch","method":"POST","path":"/orders","interaction":{"index":0,"description":"create an order"},"mismatches":[{"type":"BodyMismatch","kind":"type","place":"$.id","path":"$.id","pointer":"/id","expected":7,"actual":"x","rule":{"match":"type"},"mismatch":"Expected 'x' (String) to be the same type as 7 (Integer)"}],"request":{"method":"POST","path":"/orders","headers":{"host":"shop","authorization":"Bearer [redacted]","content-type":"application/json","content-length":"51"},"body":{"id":"x","lines":[{"sku":"b"}],"price":1.50},"bodyLength":51},"count":1}"#
    );
    assert_eq!(mismatches[1].get("type").unwrap().as_str(), Some("request-not-found"));
    assert_eq!(
        mismatches[1].pointer("/closest/interaction/index").unwrap().as_u64(),
        Some(1)
    );
    assert_eq!(
        mismatches[2].to_text(),
        r#"{"type":"missing-request","method":"GET","path":"/never","interaction":{"index":1,"description":"a request for /never"},"request":{"method":"GET","path":"/never","headers":{}}}"#
    );
    assert_eq!(mismatches.len(), 3);
    assert_eq!(
        json.get("requests").unwrap().to_text(),
        r#"{"matched":0,"mismatched":1,"notFound":1,"preflights":0}"#
    );
    assert_eq!(
        json.get("interactions").unwrap().to_text(),
        r#"[{"matched":0,"mismatched":1},{"matched":0,"mismatched":0}]"#
    );
}

#[tokio::test]
async fn the_outcome_is_recorded_before_the_response() {
    let server = start([get("/a")]).await;
    for number in 0..200 {
        send(
            &server,
            format!("GET /b/{number} HTTP/1.1\r\nHost: shop\r\n\r\n").as_bytes(),
        )
        .await;
        assert_eq!(server.counts().not_found, number + 1);
        assert_eq!(server.outcome().requests.not_found, number + 1);
    }
}

#[tokio::test]
async fn pending_interactions_do_not_fail() {
    let pending = r#"{"description": "a", "pending": true, "request": {"method": "GET", "path": "/a", "query": {"x": ["1"]}}, "response": {"status": 200}}"#;
    let never = r#"{"description": "b", "pending": true, "request": {"method": "GET", "path": "/b"}, "response": {"status": 200}}"#;
    let server = start([interaction(pending), interaction(never)]).await;
    send(&server, b"GET /a?x=2 HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    let outcome = server.stop().await;
    assert!(outcome.matched && outcome.mismatches.is_empty());
    let [
        ServerMismatch::RequestMismatch { .. },
        ServerMismatch::MissingRequest { .. },
    ] = &outcome.pending[..]
    else {
        panic!()
    };
}

#[tokio::test]
async fn optional_interactions_may_stay_unrequested() {
    let optional = ServedInteraction::from(get("/a")).optional();
    let server = MockServer::start([optional], ServerOptions::default()).await.unwrap();
    assert!(server.outcome().matched);
    send(&server, b"GET /a?x=2 HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    assert!(!server.stop().await.matched);
}

#[tokio::test]
async fn the_journal_lists_unexpected_parts() {
    let server = start([interaction(POST)]).await;
    let body = r#"{"id": 1, "lines": [{"sku": "a", "note/1": "x"}, {"sku": "b"}], "price": 1.50}"#;
    send(&server, &post(body)).await;
    let received = server.received();
    assert_eq!(received[0].outcome, RequestOutcome::Matched { interaction: 0 });
    assert_eq!(received[0].body, body);
    assert_eq!(received[0].headers.first("authorization"), Some("Bearer abc"));
    let mut fields = received[0].unexpected_fields.clone();
    fields.sort();
    assert_eq!(fields, ["/lines/0/note~11", "/price"]);
    assert!(server.stop().await.matched);

    let strict = ServerOptions {
        strict: true,
        ..ServerOptions::default()
    };
    let server = start_with([interaction(POST)], strict).await;
    send(&server, &post(body)).await;
    assert!(!server.stop().await.matched);
    assert!(server.received()[0].unexpected_fields.is_empty());
}

#[tokio::test]
async fn the_journal_keeps_the_headers_of_each_request() {
    let server = start([get("/a")]).await;
    let sent = ["A: 1\r\nB: 2", "A: 1\r\nB: 2", "B: 2\r\nA: 1", "A: 1", "A: 1\r\nB: 2"];
    for headers in sent {
        send(
            &server,
            format!("GET /a HTTP/1.1\r\nHost: shop\r\n{headers}\r\n\r\n").as_bytes(),
        )
        .await;
    }
    let received = server.received();
    let lines = |request: &Received| -> Vec<String> {
        let lines = request.headers.lines().skip(1);
        lines
            .map(|(name, value)| format!("{}: {value}", name.to_uppercase()))
            .collect()
    };
    let kept: Vec<String> = received.iter().map(|request| lines(request).join("\r\n")).collect();
    assert_eq!(kept, sent);
}

#[tokio::test]
async fn colors_mark_expected_and_received() {
    let server = start([get("/a")]).await;
    send(&server, b"GET /b HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    let outcome = server.stop().await;
    let (plain, coloured) = (outcome.to_text(false), outcome.to_text(true));
    assert!(
        coloured.contains("expected  \u{1b}[32m/a\u{1b}[0m") && coloured.contains("received  \u{1b}[31m/b\u{1b}[0m"),
        "{coloured}"
    );
    assert!(!plain.contains('\u{1b}'));
    let mut bare = coloured;
    for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m"] {
        bare = bare.replace(code, "");
    }
    assert_eq!(bare, plain);
}

#[tokio::test]
async fn serializes_the_journal() {
    let server = start([interaction(POST)]).await;
    send(&server, &post(r#"{"id": 1, "lines": [{"sku": "a"}], "x": 1}"#)).await;
    send(
        &server,
        b"GET /?a=%20 HTTP/1.1\r\nHost: shop\r\nContent-Length: 1\r\n\r\n\xff",
    )
    .await;
    let received = server.received();
    let mut json: Vec<Json> = received
        .iter()
        .map(|request| Json::parse(&serde_json::to_vec(request).unwrap()).unwrap())
        .collect();
    for request in &mut json {
        assert!(request.as_object_mut().unwrap().remove("at").unwrap().as_u64() > Some(1_700_000_000_000));
    }
    assert_eq!(
        json[0].to_text(),
        r#"{"number":0,"method":"POST","path":"/orders","query":"","headers":{"host":"shop","authorization":"Bearer abc","content-type":"application/json","content-length":"42"},"body":"{\"id\": 1, \"lines\": [{\"sku\": \"a\"}], \"x\": 1}","bodyLength":42,"outcome":{"type":"matched","interaction":0},"unexpectedFields":["/x"]}"#
    );
    assert_eq!(
        json[1].to_text(),
        r#"{"number":1,"method":"GET","path":"/","query":"a=%20","headers":{"host":"shop","content-length":"1"},"body":"/w==","bodyEncoding":"base64","bodyLength":1,"outcome":{"type":"not-found"},"unexpectedFields":[]}"#
    );
}

#[tokio::test]
async fn lists_xml_fields() {
    let server = start([interaction(
        r#"{"description": "xml", "request": {"method": "POST", "path": "/orders",
            "body": {"content": "<order id='7'/>", "contentType": "application/xml"}}, "response": {"status": 200}}"#,
    )])
    .await;
    let body = "<order id='7' state='open'><note/></order>";
    let bytes = format!(
        "POST /orders HTTP/1.1\r\nHost: shop\r\nContent-Type: application/xml\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    send(&server, bytes.as_bytes()).await;
    assert!(server.outcome().matched, "{}", server.outcome());
    let mut fields = server.received()[0].unexpected_fields.clone();
    fields.sort();
    assert_eq!(fields, ["/order/@state", "/order/note"]);
}

#[test]
fn a_server_can_be_shared_and_awaited_anywhere() {
    fn is_send<T: Send>(_: &T) {}
    fn is_sync<T: Send + Sync + 'static>() {}
    is_sync::<MockServer>();
    is_sync::<contract_mock_server::StartError>();
    is_send(&MockServer::start(vec![get("/a")], ServerOptions::default()));
    is_send(&async |server: &MockServer| server.stop().await);
}

#[tokio::test]
async fn the_log_contains_no_terminal_escape_sequences() {
    let server = start([interaction(
        r#"{"description": "one\n::error::two \u202e\ue000\u001b[2J ##[error]", "request": {"path": "/a"}, "response": {"status": 200}}"#,
    )])
    .await;
    send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    send(&server, b"GET /a?b=%0A::error::x HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    let log = server.log();
    assert_eq!(log.lines().count(), 3, "{log}");
    for line in log.lines() {
        // Each line starts with the time.
        assert!(line.as_bytes()[0].is_ascii_digit(), "{log}");
    }
    let dangerous = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{e000}".contains(c);
    assert!(!log.contains(dangerous) && !log.contains("##["), "{log}");
    assert!(
        log.contains(r"one\n::error::two \u{202e}\u{e000}\u{1b}[2J #\#[error]"),
        "{log}"
    );
}

#[tokio::test]
async fn the_log_has_a_line_for_each_event_without_secrets() {
    let server = start([get("/a")]).await;
    send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    send(&server, b"GET /b?token=secret HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    send(&server, b"noise\r\n\r\n").await;
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.split_once(' ').unwrap().1);
        lines.map(|line| line.replace(server.url(), "URL")).collect()
    };
    let before = lines(&server.log());
    assert_eq!(before.len(), 4, "{before:?}");
    assert_eq!(before[0], "INFO  listening on URL for 1 interaction");
    assert_eq!(before[1], r#"INFO  GET /a matched "a request for /a""#);
    assert!(before[2].starts_with("ERROR GET /b?token=[redacted]: unexpected request"));
    assert!(before[3].starts_with("WARN  The request is not valid HTTP"));
    server.stop().await;
    assert_eq!(lines(&server.log()).last().unwrap(), "INFO  stopped");
}
