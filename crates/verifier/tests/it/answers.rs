//! Tests valid and invalid provider responses.

use std::io::Write;

use bytes::Bytes;
use contract_verifier::{ErrorCode, Status};
use contract_wire::{Client, ClientOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{
    Provider, SHORT, answer, assert_error, assert_passed, bytes, exchange, options, raw, texts, verify_one,
};

const EXPECTED: &str = r#"{"status": 200, "headers": {"Content-Type": ["application/json"]},
    "body": {"content": {"id": 1, "tags": ["a"]}, "contentType": "application/json", "encoded": false},
    "matchingRules": {"body": {"$.id": {"matchers": [{"match": "type"}]}}}}"#;

#[tokio::test]
async fn a_matching_response_passes() {
    let provider = Provider::start(|_| answer(200, r#"{"id": 7, "tags": ["a"], "more": true}"#)).await;
    let report = verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, EXPECTED)).await;
    assert_passed(&report);
    assert_eq!(report.response.unwrap().status, Some(200));
    assert!(
        report.request.unwrap().headers.is_none(),
        "details of what passed are left out"
    );
}

#[tokio::test]
async fn reports_all_mismatches() {
    let provider = Provider::start(|_| {
        let body = Bytes::from_static(br#"{"id": "7", "tags": []}"#);
        Response::builder()
            .status(404)
            .header("Content-Type", "application/json")
            .body(body)
            .unwrap()
    })
    .await;
    let report = verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, EXPECTED)).await;
    assert_eq!(report.status, Status::Failed);
    assert_eq!(
        texts(&report),
        [
            "Expected status 200 but was 404",
            "Expected '7' (String) to be the same type as 1 (Integer)",
            "Expected a List with 1 elements but received 0 elements",
        ]
    );
    let response = report.response.unwrap();
    assert_eq!(response.body.unwrap().content, r#"{"id": "7", "tags": []}"#);
    assert!(report.diff.unwrap().contains("-  \"id\": 1,\n"));
}

#[tokio::test]
async fn compressed_bodies_are_read() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(br#"{"id": 7, "tags": ["a"]}"#).unwrap();
    let body = Bytes::from(encoder.finish().unwrap());
    let provider = Provider::start(move |_| {
        let mut response = answer(200, "");
        *response.body_mut() = body.clone();
        response
            .headers_mut()
            .insert("Content-Encoding", "gzip".parse().unwrap());
        response
    })
    .await;
    assert_passed(&verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, EXPECTED)).await);
}

#[tokio::test]
async fn reports_invalid_compression() {
    for (coding, part) in [
        ("gzip", "gzip"),
        ("br", "br"),
        ("deflate", "deflate"),
        ("zstd", "gzip, deflate, and br"),
    ] {
        let provider = Provider::start(move |_| {
            let mut response = answer(200, "{\"id\": 7, \"tags\": [\"a\"]}");
            response
                .headers_mut()
                .insert("Content-Encoding", coding.parse().unwrap());
            response
        })
        .await;
        let report = verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, EXPECTED)).await;
        assert_error(&report, ErrorCode::ResponseInvalid, &["Content-Encoding", part]);
    }
}

fn small_limit() -> Client {
    Client::new(ClientOptions {
        body_limit: 1000,
        ..ClientOptions::default()
    })
    .unwrap()
}

#[tokio::test]
async fn bodies_have_a_limit() {
    // The size is declared, the body is endless, or the decompressed body is too large.
    let declared = bytes("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n").await;
    let endless = raw(|mut stream| async move {
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            .await;
        while stream.write_all(b"a\r\n0123456789\r\n").await.is_ok() {}
    })
    .await;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&vec![b' '; 100_000]).unwrap();
    let body = Bytes::from(encoder.finish().unwrap());
    let bomb = Provider::start(move |_| {
        Response::builder()
            .header("Content-Encoding", "gzip")
            .body(body.clone())
            .unwrap()
    })
    .await;
    for (url, part) in [
        (declared, "larger than 1000 bytes"),
        (endless, "larger than 1000 bytes"),
        (bomb.url, "after decompression"),
    ] {
        let mut options = options(&url);
        options.client = small_limit();
        let report = verify_one(options, exchange(r#"{"path": "/"}"#, EXPECTED)).await;
        assert_error(&report, ErrorCode::ResponseTooLarge, &[part, "raise the body limit"]);
    }
}

#[tokio::test]
async fn a_provider_that_is_down() {
    let report = verify_one(options("http://127.0.0.1:1/api"), exchange(r#"{"path": "/x"}"#, "{}")).await;
    assert_error(
        &report,
        ErrorCode::RequestConnect,
        &["could not connect to http://127.0.0.1:1: connection refused. Is the provider running?"],
    );
    assert_eq!(report.request.unwrap().url, "http://127.0.0.1:1/api/x");
    let report = verify_one(
        options("http://no-such-host.invalid"),
        exchange(r#"{"path": "/x"}"#, "{}"),
    )
    .await;
    assert_error(
        &report,
        ErrorCode::RequestConnect,
        &["\"no-such-host.invalid\"", "spelled"],
    );
}

#[tokio::test]
async fn a_provider_that_hangs() {
    let silent = raw(|mut stream| async move {
        let _ = stream.read(&mut [0]).await;
    })
    .await;
    let half = raw(|mut stream| async move {
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            .await;
        let _ = stream.read(&mut [0]).await;
    })
    .await;
    for url in [silent, half] {
        let mut options = options(&url);
        options.request_timeout = SHORT;
        let report = verify_one(options, exchange(r#"{"path": "/x"}"#, "{}")).await;
        assert_error(
            &report,
            ErrorCode::RequestTimeout,
            &["/x within 80 ms", "increase the request timeout"],
        );
    }
}

#[tokio::test]
async fn a_provider_that_closes_the_connection() {
    let closing = raw(|stream| async move { drop(stream) }).await;
    let report = verify_one(options(&closing), exchange(r#"{"path": "/x"}"#, "{}")).await;
    assert_error(
        &report,
        ErrorCode::RequestClosed,
        &["closed the connection without a response"],
    );
    let resetting = raw(|stream| async move { stream.set_zero_linger().unwrap() }).await;
    let report = verify_one(options(&resetting), exchange(r#"{"path": "/x"}"#, "{}")).await;
    assert_error(
        &report,
        ErrorCode::RequestClosed,
        &["closed the connection without a response"],
    );
    let half = bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc").await;
    let report = verify_one(options(&half), exchange(r#"{"path": "/x"}"#, "{}")).await;
    assert_error(&report, ErrorCode::RequestClosed, &["before the response was complete"]);
}

#[tokio::test]
async fn a_provider_that_sends_invalid_responses() {
    let flood = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(2_000_000));
    for garbage in [
        flood.as_str(),
        "\0\u{1}\u{2}garbage\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "HTTP/1.1 abc\r\n\r\n",
    ] {
        let url = bytes(garbage).await;
        let report = verify_one(options(&url), exchange(r#"{"path": "/x"}"#, "{}")).await;
        assert_error(
            &report,
            ErrorCode::ResponseInvalid,
            &["is not HTTP", "Does the provider listen on this port"],
        );
    }
    let url = bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n").await;
    let report = verify_one(options(&url), exchange(r#"{"path": "/x"}"#, "{}")).await;
    assert_error(
        &report,
        ErrorCode::ResponseInvalid,
        &["before the response was complete"],
    );
}

#[tokio::test]
async fn invalid_json() {
    let provider = Provider::start(|_| answer(200, "{\"id\": ")).await;
    let report = verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, EXPECTED)).await;
    assert!(
        texts(&report)[0].starts_with("Failed to parse the actual body as JSON"),
        "{:?}",
        texts(&report)
    );
}

#[tokio::test]
async fn a_connection_that_was_closed_in_the_meantime() {
    // Responds to the first request on each connection, then closes the connection without a `Connection: close`
    // header.
    let url = raw(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        let _ = stream.read(&mut [0; 1]).await;
    })
    .await;
    let one = r#"{"description": "a", "request": {"method": "GET", "path": "/"}, "response": {}}"#;
    let two = crate::support::contract(&format!("[{one}, {}]", one.replace("\"a\"", "\"b\"")));
    let report = crate::support::verify(options(&url), two).await;
    assert_eq!(
        report.summary.passed, 2,
        "{:?}",
        report.contracts[0].interactions[1].error
    );
}

#[tokio::test]
async fn a_rule_that_cannot_be_used() {
    let provider = Provider::start(|_| answer(200, "{}")).await;
    let expected = r#"{"status": 200, "headers": {"X": ["1"]},
        "matchingRules": {"header": {"X": {"combine": "AND", "matchers": [{"match": "regex", "regex": "("}]}}}}"#;
    let report = verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, expected)).await;
    assert_error(
        &report,
        ErrorCode::Rule,
        &["header X", "regular expression", "Fix the contract in the consumer"],
    );
    assert!(provider.requests().is_empty());
}
