//! Tests reports in every format. One report contains all kinds of results. `UPDATE_GOLDEN=1` updates the golden files.

use std::sync::Arc;

use bytes::Bytes;
use contract_model::{Contract, Json};
use contract_verifier::{
    BoxFuture, CallbackError, MessageRequest, MessageSource, NamedContract, Options, ProducedMessage, ReadReportError,
    Report, ReportFormat, StateAction, States, TextOptions, Verifier,
};
use http::Response;

use crate::support::{Handlers, Provider, answer, json, options, values};

struct Events;

impl MessageSource for Events {
    fn produce(&self, _: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>> {
        let message = ProducedMessage {
            contents: Bytes::from_static(br#"{"id": 1}"#),
            content_type: Some("application/json".to_owned()),
            metadata: values(&[("topic", Json::from("invoices")), ("apiToken", Json::from("hush-hush"))]),
        };
        Box::pin(async { Ok(vec![message]) })
    }
}

/// Starts a provider that causes many mismatches.
async fn shop() -> Provider {
    Provider::start(|request| match request.uri().path() {
        "/orders/7" => Response::builder()
            .status(202)
            .header("Content-Type", "application/json")
            .header("Set-Cookie", "session=hush-hush")
            .header("X-Version", "2")
            .body(Bytes::from_static(
                br#"{"id": "7", "total": 12, "customer": {"name": "Ann"}, "token": "hush-hush"}"#,
            ))
            .unwrap(),
        "/long" => {
            let items: Vec<_> = (0..40).map(|number| format!("\"n{number}\"")).collect();
            let note = "All work and no play makes Jack a dull boy. ".repeat(500);
            answer(
                200,
                &format!("{{\"list\": [{}], \"note\": \"{note}\"}}", items.join(",")),
            )
        }
        "/odd" => answer(
            200,
            r#"{"name": "]]> <script>alert('x')</script> ``` | \u001b[2J ::error::x"}"#,
        ),
        "/image" => Response::builder()
            .header("Content-Type", "image/png")
            .body(Bytes::from_static(&[0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 255]))
            .unwrap(),
        _ => answer(200, r#"{"id": 1, "total": 1.5}"#),
    })
    .await
}

fn named(consumer: &str, source: &str, interactions: &str) -> NamedContract {
    let document = format!(
        r#"{{"consumer": {{"name": "{consumer}"}}, "provider": {{"name": "orders"}}, "interactions": {interactions},
             "metadata": {{"pactSpecification": {{"version": "4.0"}}}}}}"#
    );
    NamedContract::new(Contract::from_json(json(&document)).unwrap().contract, source)
}

fn web() -> NamedContract {
    named(
        "web",
        "contracts/web-orders.json",
        r#"[
        {"type": "Synchronous/HTTP", "description": "a request for all orders",
            "providerStates": [{"name": "some orders exist", "params": {"count": 2, "price": 1.0}}, {"name": "the user is logged in"}],
            "comments": {"testname": "orders › lists them", "text": ["The page needs only the totals.", "See the design."]},
            "request": {"method": "GET", "path": "/orders", "query": {"access_token": ["hush-hush"], "page": ["1"]}},
            "response": {"status": 200, "headers": {"Content-Type": ["application/json"]},
                "body": {"content": {"total": 1.5}, "contentType": "application/json", "encoded": false}}},
        {"type": "Synchronous/HTTP", "description": "a request for order 7 (it's new)", "providerStates": [{"name": "order 7 exists"}],
            "request": {"method": "GET", "path": "/orders/7", "headers": {"Authorization": ["Bearer hush-hush"], "Accept": ["application/json"]}},
            "response": {"status": 200, "headers": {"Content-Type": ["application/json"], "X-Version": ["1"], "Set-Cookie": ["session=1"]},
                "body": {"content": {"id": 7, "total": 3.5, "customer": {"name": "Bob", "email": "b@example.com"}, "token": "t"},
                    "contentType": "application/json", "encoded": false},
                "matchingRules": {"body": {
                    "$.id": {"combine": "AND", "matchers": [{"match": "integer"}]},
                    "$.total": {"combine": "AND", "matchers": [{"match": "decimal"}]},
                    "$.customer.name": {"combine": "AND", "matchers": [{"match": "type"}]}}}}},
        {"type": "Synchronous/HTTP", "description": "a request when the shop is closed", "providerStates": [{"name": "the shop is closed"}],
            "request": {"path": "/orders"}, "response": {"status": 503}},
        {"type": "Synchronous/HTTP", "description": "a request whose state cannot be left", "providerStates": [{"name": "sticky"}],
            "request": {"path": "/orders"}, "response": {"status": 200}},
        {"type": "Synchronous/HTTP", "description": "注文の一覧を要求する – ünïcode 🎉 עברית", "request": {"path": "/orders"},
            "response": {"status": 404}},
        {"type": "Synchronous/HTTP", "description": "odd characters: <b> & \"quotes\" ]]> `code` | bar, 100%: @team #1 \u001b[31m \u0000 \ufffe\nand a second line",
            "request": {"path": "/odd"},
            "response": {"status": 200, "body": {"content": {"name": "plain"}, "contentType": "application/json", "encoded": false}}},
        {"type": "Synchronous/HTTP", "description": "a long list", "request": {"path": "/long"},
            "response": {"status": 200, "body": {"content": {"list": [1], "note": "short"}, "contentType": "application/json", "encoded": false},
                "matchingRules": {"body": {"$.list": {"combine": "AND", "matchers": [{"match": "type", "min": 1}]}}}}},
        {"type": "Synchronous/HTTP", "description": "an image", "request": {"path": "/image"},
            "response": {"status": 200, "headers": {"Content-Type": ["image/jpeg"]},
                "body": {"content": "/9j/4AAQ", "contentType": "image/jpeg", "encoded": "base64"}}}
        ]"#,
    )
}

fn mobile() -> NamedContract {
    named(
        "mobile",
        "https://broker.example.com/contracts/mobile",
        r#"[
        {"type": "Synchronous/HTTP", "description": "a pending request that fails", "pending": true,
            "request": {"path": "/orders"}, "response": {"status": 201}},
        {"type": "Synchronous/HTTP", "description": "a pending request that passes", "pending": true,
            "request": {"path": "/orders"}, "response": {"status": 200}},
        {"type": "Asynchronous/Messages", "description": "an order event",
            "contents": {"content": {"id": 1}, "contentType": "application/json", "encoded": false},
            "metadata": {"contentType": "application/json", "topic": "orders"}},
        {"type": "Synchronous/HTTP", "description": "a request that is not reached", "request": {"path": "/"}, "response": {"status": 200}}
        ]"#,
    )
}

fn publishing_options(provider: &Provider) -> Options {
    let mut options = options(&provider.url);
    let handlers = Handlers::new(|change| match (change.state.as_str(), change.action) {
        ("the shop is closed", StateAction::Setup) => Err(CallbackError::new(
            "Error: no such table: shops\n    at setUp (states.js:12:11)",
        )),
        ("sticky", StateAction::Teardown) => Err(CallbackError::new("Error: still in use")),
        _ => Ok(values(&[])),
    });
    options.states = Some(States {
        teardown: true,
        ..States::new(Arc::new(handlers))
    });
    options.messages = Some(Arc::new(Events));
    options.command = Some("npm test".to_owned());
    options
}

/// Runs verifications with results of all kinds. The second contract stops at its first failure.
async fn everything(provider: &Provider) -> Report {
    let verify = async |options, contract| Verifier::new(options).unwrap().verify(vec![contract]).await.unwrap();
    let mut report = verify(publishing_options(provider), web()).await;
    let mut options = publishing_options(provider);
    options.exit_first = true;
    let other = verify(options, mobile()).await;
    report.contracts.extend(other.contracts);
    report
        .warnings
        .push("contracts/notes.json is no contract and was left out".to_owned());
    let summary = &mut report.summary;
    summary.total += other.summary.total;
    summary.passed += other.summary.passed;
    summary.failed += other.summary.failed;
    summary.pending += other.summary.pending;
    summary.skipped += other.summary.skipped;
    summary.filtered = 3;
    summary.duration_ms = 1234.5;
    for (at, interaction) in report
        .contracts
        .iter_mut()
        .flat_map(|contract| &mut contract.interactions)
        .enumerate()
    {
        interaction.duration_ms = [0.42, 12.3, 1500.0][at % 3];
        interaction.timing = contract_verifier::Timing::default();
    }
    report
}

#[track_caller]
fn golden(name: &str, text: &str, provider: &Provider) {
    let dates = regex::Regex::new(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT").unwrap();
    let text = dates
        .replace_all(text, "DATE")
        .replace(&provider.url, "http://127.0.0.1:PORT");
    let path = format!("{}/tests/golden/reports/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == want,
        "{name} differs; update it with UPDATE_GOLDEN=1, and review the diff"
    );
}

#[tokio::test]
async fn every_format() {
    let provider = shop().await;
    let report = everything(&provider).await;
    for format in ReportFormat::ALL {
        let written = format.write(&report);
        assert!(!written.contains("hush-hush"), "{format} contains a secret");
        assert!(written.contains("ünïcode 🎉 עברית"), "{format}");
        assert!(!written.contains('\u{1b}'), "{format}");
    }
    for (part, descriptions) in PARTS {
        let report = about(&report, descriptions);
        let file = |ending: &str| format!("{part}.{ending}");
        golden(&file("txt"), &report.to_text(TextOptions::default()), &provider);
        golden(&file("xml"), &ReportFormat::Junit.write(&report), &provider);
        golden(&file("md"), &ReportFormat::Markdown.write(&report), &provider);
        golden(&file("github.txt"), &ReportFormat::Github.write(&report), &provider);
        let page = ReportFormat::Html.write(&report);
        let (_, body) = page.split_once("<body>").unwrap();
        let (body, _) = body.split_once("<script>").unwrap();
        golden(&file("html"), body.trim_start(), &provider);
    }
    // The report contains each member once.
    let few = about(&report, &["a request for order 7 (it's new)", "an order event"]);
    golden("report.json", &ReportFormat::Json.write(&few), &provider);
    // The script and the style are the same on all pages.
    let page = ReportFormat::Html.write(&about(&report, &[]));
    golden("page.html", &page, &provider);
}

/// The golden files. Each one contains only part of the report, so that it is easy to read.
const PARTS: [(&str, &[&str]); 5] = [
    ("differences", &["a request for order 7 (it's new)"]),
    (
        "errors",
        &[
            "a request when the shop is closed",
            "a request whose state cannot be left",
        ],
    ),
    ("large", &["a long list", "an image"]),
    ("odd", &["注文の一覧を要求する – ünïcode 🎉 עברית", "odd characters"]),
    (
        "outcomes",
        &[
            "a request for all orders",
            "a pending request that fails",
            "a pending request that passes",
            "an order event",
            "a request that is not reached",
        ],
    ),
];

/// Returns the report with only those interactions whose descriptions start with one of the strings. The totals are
/// unchanged.
fn about(report: &Report, descriptions: &[&str]) -> Report {
    let mut part = report.clone();
    for contract in &mut part.contracts {
        let is_told = |description: &str| descriptions.iter().any(|told| description.starts_with(told));
        contract.interactions.retain(|one| is_told(&one.description));
    }
    part.contracts.retain(|contract| !contract.interactions.is_empty());
    part
}

#[tokio::test]
async fn json_reports_round_trip() {
    let provider = shop().await;
    let report = everything(&provider).await;
    let written = ReportFormat::Json.write(&report);
    let read = Report::read(&written).unwrap();
    for format in ReportFormat::ALL {
        assert_eq!(format.write(&read), format.write(&report), "{format}");
    }
    let text = TextOptions::default();
    assert_eq!(read.to_text(text), report.to_text(text));
}

/// Parses XML and returns the number of elements with this name.
fn count(xml: &str, name: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut found = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                assert!(tag.attributes().all(|attribute| attribute.is_ok()));
                found += usize::from(tag.name().as_ref() == name);
            }
            quick_xml::events::Event::Eof => return found,
            _ => {}
        }
    }
}

#[tokio::test]
async fn junit_is_xml_and_its_counts_agree() {
    let provider = shop().await;
    let report = everything(&provider).await;
    let xml = ReportFormat::Junit.write(&report);
    assert_eq!(count(&xml, "testsuite"), 2);
    assert_eq!(count(&xml, "testcase"), report.summary.total);
    assert_eq!(count(&xml, "failure") + count(&xml, "error"), report.summary.failed);
    assert_eq!(count(&xml, "skipped"), report.summary.pending + report.summary.skipped);
    let of_all = format!(
        "failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        count(&xml, "failure"),
        count(&xml, "error"),
        count(&xml, "skipped")
    );
    assert!(xml.contains(&of_all), "{of_all}");
}

#[test]
fn an_empty_report() {
    let report = r#"{"formatVersion": 1, "provider": "p", "success": true, "warnings": [], "contracts": [],
        "summary": {"total": 0, "passed": 0, "failed": 0, "pending": 0, "skipped": 0, "filtered": 0, "durationMs": 0.1}}"#;
    let report = &Report::read(report).unwrap();
    for format in ReportFormat::ALL {
        let written = format.write(report);
        assert!(written.contains('p'), "{format}");
    }
    let page = ReportFormat::Html.write(report);
    assert!(page.contains("There were no interactions to verify"), "{page}");
}

#[test]
fn rejects_invalid_reports() {
    let refused = |text: &str| Report::read(text).unwrap_err();
    assert!(matches!(refused("{"), ReadReportError::Json(_)));
    assert_eq!(
        refused(r#"{"provider": "p"}"#).to_string(),
        "invalid verification report: /formatVersion must be an integer"
    );
    assert_eq!(
        refused(r#"{"formatVersion": 7}"#).to_string(),
        "the report has format version 7, but only versions up to 1 are supported; update this package"
    );
    let summary =
        r#"{"total": 1, "passed": 1, "failed": 0, "pending": 0, "skipped": 0, "filtered": 0, "durationMs": 1}"#;
    let contracts = r#"[{"consumer": "c", "provider": "p", "source": "s", "pending": false,
        "interactions": [{"description": "d", "states": [], "mismatches": [], "kind": "k", "status": "fine", "pending": false}]}]"#;
    let report = format!(
        r#"{{"formatVersion": 1, "provider": "p", "success": true, "warnings": [], "summary": {summary}, "contracts": {contracts}}}"#
    );
    assert_eq!(
        refused(&report).to_string(),
        "invalid verification report: /contracts/0/interactions/0/status must be passed, failed, pending, or skipped"
    );
}

#[test]
fn formats_by_name() {
    for format in ReportFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    assert_eq!(
        "pdf".parse::<ReportFormat>().unwrap_err().to_string(),
        "unknown report format \"pdf\"; valid formats are json, junit, markdown, html, and github"
    );
}
