//! Tests reports as text and as JSON. `UPDATE_GOLDEN=1` updates the golden files.

use std::sync::Arc;

use bytes::Bytes;
use contract_model::Json;
use contract_verifier::{CallbackError, CustomHeader, Filter, NamedContract, Options, Report, States, TextOptions};
use http::Response;

use crate::support::{Handlers, Provider, answer, contract, options, values, verify};

/// Compares text with a golden file. Masks addresses and times.
#[track_caller]
fn golden(name: &str, text: &str, url: &str) {
    let numbers = regex::Regex::new(r#"(\d+(\.\d+)?)( ms)|(Ms": )(\d+\.\d+)"#).unwrap();
    let dates = regex::Regex::new(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT").unwrap();
    let text = dates.replace_all(text, "DATE");
    let text = numbers
        .replace_all(&text.replace(url, "http://127.0.0.1:PORT"), "${4}N${3}")
        .into_owned();
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, want, "{name} differs; update it with UPDATE_GOLDEN=1");
}

const PLAIN: TextOptions = TextOptions {
    color: false,
    verbose: false,
};

/// Starts an order service with a response for order 7 that does not match.
async fn orders() -> Provider {
    Provider::start(|request| match request.uri().path() {
        "/orders/7" => Response::builder()
            .status(202)
            .header("Content-Type", "application/json")
            .header("Set-Cookie", "session=hush")
            .header("X-Version", "2")
            .body(Bytes::from_static(
                br#"{"id": "7", "total": 12, "customer": {"name": "Ann"}, "lines": [{"sku": "a1", "count": 1}, {"sku": 5, "count": 2}], "token": "hush"}"#,
            ))
            .unwrap(),
        _ => answer(200, r#"{"id": 1, "total": 1.5}"#),
    })
    .await
}

fn fine() -> &'static str {
    r#"{"description": "a request for all orders", "providerStates": [{"name": "some orders exist", "params": {"count": 2}}, {"name": "the user is logged in"}],
        "comments": {"testname": "orders › lists them", "text": ["The page needs only the totals.", "See the design."]},
        "request": {"method": "GET", "path": "/orders", "query": {"access_token": ["hush"], "page": ["1"]}},
        "response": {"status": 200, "headers": {"Content-Type": ["application/json"]},
            "body": {"content": {"total": 1.5}, "contentType": "application/json", "encoded": false}}}"#
}

fn wrong() -> &'static str {
    r#"{"description": "a request for order 7 (it's new)", "providerStates": [{"name": "order 7 exists"}],
        "request": {"method": "GET", "path": "/orders/7"},
        "response": {"status": 200, "headers": {"Content-Type": ["application/json"], "X-Version": ["1"], "Set-Cookie": ["session=1"]},
            "body": {"content": {"id": 7, "total": 3.5, "customer": {"name": "Bob", "email": "b@example.com"}, "lines": [{"sku": "x", "count": 1}], "token": "t"},
                "contentType": "application/json", "encoded": false},
            "matchingRules": {"body": {
                "$.id": {"combine": "AND", "matchers": [{"match": "integer"}]},
                "$.total": {"combine": "AND", "matchers": [{"match": "decimal"}]},
                "$.customer.name": {"combine": "AND", "matchers": [{"match": "type"}]},
                "$.lines": {"combine": "AND", "matchers": [{"match": "type", "min": 1}]},
                "$.lines[*].sku": {"combine": "AND", "matchers": [{"match": "regex", "regex": "[a-z]\\d*"}]},
                "$.lines[*].count": {"combine": "AND", "matchers": [{"match": "integer"}]}}}}}"#
}

fn all(parts: &[&str]) -> NamedContract {
    contract(&format!("[{}]", parts.join(",")))
}

fn with_states(url: &str) -> Options {
    let mut options = options(url);
    let handlers = Handlers::new(|change| match change.state.as_str() {
        "the shop is closed" => Err(CallbackError::new(
            "Error: no such table: shops\n    at setUp (states.js:12:11)",
        )),
        _ => Ok(values(&[("id", Json::from(7_u64))])),
    });
    options.states = Some(States::new(Arc::new(handlers)));
    options
}

async fn report(provider: &Provider, parts: &[&str]) -> Report {
    verify(with_states(&provider.url), all(parts)).await
}

#[tokio::test]
async fn passed() {
    let provider = orders().await;
    let report = report(&provider, &[fine()]).await;
    golden("passed.txt", &report.to_text(PLAIN), &provider.url);
    golden(
        "verbose.txt",
        &report.to_text(TextOptions { verbose: true, ..PLAIN }),
        &provider.url,
    );
}

#[tokio::test]
async fn failed() {
    let provider = orders().await;
    let closed = r#"{"description": "a request when the shop is closed", "providerStates": [{"name": "the shop is closed"}],
        "request": {"path": "/orders"}, "response": {"status": 503}}"#;
    let report = report(&provider, &[fine(), wrong(), closed]).await;
    let text = report.to_text(PLAIN);
    assert!(!text.contains("hush"), "{text}");
    golden("failed.txt", &text, &provider.url);
    golden(
        "failed-verbose.txt",
        &report.to_text(TextOptions { verbose: true, ..PLAIN }),
        &provider.url,
    );
    let coloured = report.to_text(TextOptions { color: true, ..PLAIN });
    golden("coloured.txt", &coloured, &provider.url);
    golden("error.txt", &report.failures_to_text(PLAIN), &provider.url);
    let json = serde_json::to_string_pretty(&report).unwrap();
    assert!(!json.contains("hush"), "{json}");
    golden("failed.json", &json, &provider.url);
}

#[tokio::test]
async fn pending_only() {
    let provider = orders().await;
    let pending = wrong().replacen('{', r#"{"pending": true, "#, 1);
    let report = report(&provider, &[fine(), &pending]).await;
    golden("pending.txt", &report.to_text(PLAIN), &provider.url);
}

#[tokio::test]
async fn skipped_and_warned() {
    let mut options = options("http://127.0.0.1:1");
    options.exit_first = true;
    options.filter = Filter::new(Some("order"), None).unwrap();
    options
        .headers
        .push(CustomHeader::fixed("Authorization", "Bearer hush"));
    let other = r#"{"description": "something else", "request": {"path": "/"}, "response": {}}"#;
    let report = verify(options, all(&[fine(), wrong(), other])).await;
    golden("skipped.txt", &report.to_text(PLAIN), "http://127.0.0.1:1");
}

#[tokio::test]
async fn many_mismatches_are_counted() {
    let provider = Provider::start(|_| {
        let items: Vec<_> = (0..200).map(|number| format!("\"n{number}\"")).collect();
        answer(200, &format!("{{\"list\": [{}]}}", items.join(",")))
    })
    .await;
    let list = contract(
        r#"[{"description": "a list", "request": {"path": "/"}, "response": {"status": 200,
             "body": {"content": {"list": [1]}, "contentType": "application/json", "encoded": false},
             "matchingRules": {"body": {"$.list": {"combine": "AND", "matchers": [{"match": "type", "min": 1}]}}}}}]"#,
    );
    let report = verify(options(&provider.url), list).await;
    assert_eq!(report.contracts[0].interactions[0].mismatches.len(), 200);
    let text = report.to_text(PLAIN);
    assert!(text.contains("… and 180 more"), "{text}");
    assert!(text.lines().count() < 270, "{}", text.lines().count());
}

#[tokio::test]
async fn errors_are_limited_and_omit_passed_interactions() {
    let provider = Provider::start(|request| {
        let status = if request.uri().path() == "/fine" { 200 } else { 500 };
        answer(status, "{}")
    })
    .await;
    let asked = |number: usize| {
        let path = if number < 400 {
            format!("/{number}")
        } else {
            "/fine".to_owned()
        };
        format!(
            r#"{{"description": "interaction {number}", "request": {{"path": "{path}"}}, "response": {{"status": 200}}}}"#
        )
    };
    let list: Vec<_> = (0..800).map(asked).collect();
    let report = verify(options(&provider.url), contract(&format!("[{}]", list.join(",")))).await;

    let text = report.failures_to_text(PLAIN);

    assert!(
        text.starts_with("400 of 800 interactions failed for provider "),
        "{text}"
    );
    assert!(text.contains("1) Verifying a contract between ") && text.contains("Expected status 200 but was 500"));
    assert!(text.contains("more (see the full output or the report)"), "{text}");
    assert!(text.ends_with("There were 400 failures\n"), "{text}");
    assert!(
        !text.contains("interaction 400") && text.len() < 20_000,
        "{}",
        text.len()
    );
}

#[tokio::test]
async fn removes_terminal_escape_sequences() {
    let provider = Provider::start(|_| answer(200, "{\"a\": \"\\u001b[2Jgone\"}")).await;
    let list = contract(
        r#"[{"description": "clear \u001b[2J it", "request": {"path": "/"}, "response": {"status": 200,
             "body": {"content": {"a": "b"}, "contentType": "application/json", "encoded": false}}}]"#,
    );
    let text = verify(options(&provider.url), list).await.to_text(PLAIN);
    assert!(text.contains("clear ␛[2J it") && !text.contains('\u{1b}'), "{text}");
}
