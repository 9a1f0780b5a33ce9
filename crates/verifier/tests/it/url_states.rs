//! Tests provider state changes over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contract_verifier::{ErrorCode, StateForm, States, UrlStateHandler};
use contract_wire::Client;

use crate::support::{Provider, SHORT, answer, assert_error, assert_passed, contract, json, options, raw, verify_one};

fn interaction() -> contract_verifier::NamedContract {
    contract(
        r#"[{"description": "x", "providerStates": [{"name": "an order", "params": {"id": 1, "name": "a b", "tags": ["x"]}}],
             "request": {"path": "/orders/1", "generators": {"path": {"type": "ProviderState", "expression": "/orders/${id}"}}},
             "response": {}}]"#,
    )
}

async fn run(provider: &Provider, handler: UrlStateHandler) -> contract_verifier::InteractionReport {
    let mut options = options(&provider.url);
    options.states = Some(States {
        teardown: true,
        ..States::new(Arc::new(handler))
    });
    verify_one(options, interaction()).await
}

fn handler(provider: &Provider, form: StateForm) -> UrlStateHandler {
    UrlStateHandler::new(&format!("{}/_states?own=1", provider.url), form, Client::default())
        .unwrap()
        .with_retries(2, Duration::from_millis(1))
        .with_timeout(Duration::from_secs(5))
}

#[tokio::test]
async fn in_the_body() {
    let provider = Provider::start(|_| answer(200, r#"{"id": 42}"#)).await;
    let handler = handler(&provider, StateForm::Body).with_header("X-Token", "t").unwrap();
    assert_passed(&run(&provider, handler).await);
    let requests = provider.requests();
    let lines: Vec<_> = requests
        .iter()
        .map(|request| format!("{} {}", request.method(), request.uri()))
        .collect();
    assert_eq!(lines, ["POST /_states?own=1", "GET /orders/42", "POST /_states?own=1"]);
    assert_eq!(requests[0].headers()["content-type"], "application/json");
    assert_eq!(requests[0].headers()["x-token"], "t");
    assert_eq!(
        json(std::str::from_utf8(requests[0].body()).unwrap()),
        json(r#"{"state": "an order", "params": {"id": 1, "name": "a b", "tags": ["x"]}, "action": "setup"}"#)
    );
    assert!(
        std::str::from_utf8(requests[2].body())
            .unwrap()
            .contains("\"action\":\"teardown\"")
    );
}

#[tokio::test]
async fn in_the_query() {
    let provider = Provider::start(|_| answer(200, "not JSON")).await;
    assert_passed(&run(&provider, handler(&provider, StateForm::Query)).await);
    let request = provider.requests().remove(0);
    assert_eq!(
        request.uri().to_string(),
        "/_states?own=1&state=an+order&action=setup&id=1&name=a+b&tags=%5B%22x%22%5D"
    );
    assert!(request.body().is_empty());
    let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("contract-state"), "an%20order");
    assert_eq!(header("contract-state-action"), "setup");
    assert_eq!(header("contract-state-params"), r#"{"id":1,"name":"a b","tags":["x"]}"#);
}

#[tokio::test]
async fn headers_of_states_in_any_language() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    let handler = handler(&provider, StateForm::Query)
        .with_header("Contract-State-Action", "mine")
        .unwrap();
    options.states = Some(States::new(Arc::new(handler)));
    let state = r#"[{"description": "x", "providerStates": [{"name": "50 % größer\n+", "params": {"ort": "Köln 😀"}}],
        "request": {"path": "/"}, "response": {}}]"#;
    assert_passed(&verify_one(options, contract(state)).await);
    let request = provider.requests().remove(0);
    let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("contract-state"), "50%20%25%20gr%C3%B6%C3%9Fer%0A%2B");
    assert_eq!(header("contract-state-action"), "mine");
    assert_eq!(json(&header("contract-state-params")), json(r#"{"ort": "Köln 😀"}"#));
}

#[tokio::test]
async fn retries_busy_providers() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let provider = Provider::start(move |_| match seen.fetch_add(1, Ordering::SeqCst) {
        0 => answer(503, ""),
        1 => answer(429, ""),
        _ => answer(200, ""),
    })
    .await;
    assert_passed(&run(&provider, handler(&provider, StateForm::Body)).await);

    let provider = Provider::start(|_| answer(500, "boom")).await;
    let report = run(&provider, handler(&provider, StateForm::Body)).await;
    assert_error(
        &report,
        ErrorCode::StateHandler,
        &["returned status 500 after 2 retries: boom", "\"an order\""],
    );
    assert_eq!(
        provider.requests().len(),
        6,
        "three for the setup, three for the teardown"
    );
}

#[tokio::test]
async fn endpoints_that_reject_hang_or_are_down() {
    let provider = Provider::start(|_| answer(400, "which state?")).await;
    let report = run(&provider, handler(&provider, StateForm::Body)).await;
    assert_error(&report, ErrorCode::StateHandler, &["status 400: which state?"]);
    assert_eq!(provider.requests().len(), 2);

    let hanging = raw(|stream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let handler = UrlStateHandler::new(&hanging, StateForm::Body, Client::default())
        .unwrap()
        .with_timeout(SHORT);
    assert_error(
        &run(&provider, handler).await,
        ErrorCode::StateHandler,
        &["within 80 ms"],
    );

    let handler = UrlStateHandler::new("http://127.0.0.1:1", StateForm::Body, Client::default()).unwrap();
    assert_error(
        &run(&provider, handler).await,
        ErrorCode::StateHandler,
        &["connection refused"],
    );
}
