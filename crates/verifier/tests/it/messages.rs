//! Messages, in process and over HTTP.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_model::Json;
use contract_verifier::{
    BoxFuture, CallbackError, ErrorCode, MessageRequest, MessageSource, NamedContract, Options, ProducedMessage,
    Transport,
};
use http::Response;

use crate::support::{Provider, SHORT, answer, assert_error, assert_passed, contract, json, texts, values, verify_one};

fn event() -> NamedContract {
    contract(
        r#"[{"type": "Asynchronous/Messages", "description": "an order event", "providerStates": [{"name": "s", "params": {"a": 1}}],
             "contents": {"content": {"id": 1}, "contentType": "application/json", "encoded": false},
             "metadata": {"contentType": "application/json", "topic": "orders"},
             "matchingRules": {"body": {"$.id": {"matchers": [{"match": "integer"}]}}}}]"#,
    )
}

fn question() -> NamedContract {
    contract(
        r#"[{"type": "Synchronous/Messages", "description": "a question",
             "request": {"contents": {"content": {"ask": 1}, "contentType": "application/json", "encoded": false}, "metadata": {"q": "x"}},
             "response": [{"contents": {"content": {"answer": true}, "contentType": "application/json", "encoded": false}}]}]"#,
    )
}

type Produce = dyn Fn(MessageRequest) -> Result<Vec<ProducedMessage>, CallbackError> + Send + Sync;

struct Source {
    known: Option<Vec<String>>,
    produce: Box<Produce>,
}

impl MessageSource for Source {
    fn produce(&self, request: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>> {
        let hangs = request.interaction.description == "hangs";
        let produced = (self.produce)(request);
        Box::pin(async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            produced
        })
    }

    fn knows(&self, description: &str) -> Option<bool> {
        self.known
            .as_ref()
            .map(|known| known.iter().any(|known| known == description))
    }

    fn known_names(&self) -> Vec<String> {
        self.known.clone().unwrap_or_default()
    }
}

fn in_process(
    produce: impl Fn(MessageRequest) -> Result<Vec<ProducedMessage>, CallbackError> + Send + Sync + 'static,
) -> Options {
    let mut options = Options::new("orders");
    options.messages = Some(Arc::new(Source {
        known: None,
        produce: Box::new(produce),
    }));
    options
}

fn message(contents: &'static str, content_type: &str, metadata: &[(&str, Json)]) -> ProducedMessage {
    ProducedMessage {
        contents: Bytes::from_static(contents.as_bytes()),
        content_type: Some(content_type.to_owned()),
        metadata: values(metadata),
    }
}

#[tokio::test]
async fn a_message_from_the_same_process() {
    let options = in_process(|request| {
        assert_eq!(request.interaction.states[0].name, "s");
        assert_eq!(request.state_values.get("a"), Some(&json("1")));
        assert!(request.request.is_none());
        Ok(vec![message(
            r#"{"id": 7}"#,
            "application/json",
            &[("topic", "orders".into())],
        )])
    });
    assert_passed(&verify_one(options, event()).await);
}

#[tokio::test]
async fn contents_and_metadata_that_differ() {
    let options = in_process(|_| {
        Ok(vec![message(
            r#"{"id": "7"}"#,
            "application/json",
            &[("topic", "bills".into())],
        )])
    });
    let report = verify_one(options, event()).await;
    assert_eq!(
        texts(&report),
        [
            "Expected '7' (String) to be an integer",
            "Expected metadata key 'topic' to have value 'orders' but was 'bills'"
        ]
    );
}

#[tokio::test]
async fn a_question_and_its_answer() {
    let options = in_process(|request| {
        let asked = request.request.unwrap();
        assert_eq!(asked.contents, r#"{"ask":1}"#);
        assert_eq!(asked.metadata.get("q"), Some(&"x".into()));
        Ok(vec![message(r#"{"answer": true}"#, "application/json", &[])])
    });
    assert_passed(&verify_one(options, question()).await);
    let report = verify_one(in_process(|_| Ok(vec![])), question()).await;
    assert_error(
        &report,
        ErrorCode::MessageHandler,
        &["the contract expects 1 message, but none came"],
    );
}

#[tokio::test]
async fn handlers_that_fail_hang_or_are_missing() {
    let report = verify_one(in_process(|_| Err(CallbackError::new("no").with_token(4))), event()).await;
    assert_error(
        &report,
        ErrorCode::MessageHandler,
        &["the message handler for \"an order event\" failed: no"],
    );
    assert_eq!(report.error.unwrap().token, Some(4));

    let mut hanging = in_process(|_| Ok(vec![]));
    hanging.callback_timeout = SHORT;
    let hangs = contract(r#"[{"type": "Asynchronous/Messages", "description": "hangs"}]"#);
    assert_error(
        &verify_one(hanging, hangs).await,
        ErrorCode::MessageTimeout,
        &["\"hangs\"", "80 ms"],
    );

    let mut options = Options::new("orders");
    options.messages = Some(Arc::new(Source {
        known: Some(vec!["an order events".into()]),
        produce: Box::new(|_| Ok(vec![])),
    }));
    let report = verify_one(options, event()).await;
    assert_error(
        &report,
        ErrorCode::MessageUnknown,
        &["did you mean \"an order events\""],
    );

    let http_only = crate::support::options("http://127.0.0.1:1");
    assert_error(
        &verify_one(http_only, event()).await,
        ErrorCode::Transport,
        &["add message handlers"],
    );
}

fn over_http(url: &str) -> Options {
    let mut options = Options::new("orders");
    options
        .transports
        .push(Transport::new("message", &format!("{url}/_messages")).unwrap());
    options
}

#[tokio::test]
async fn a_message_over_http() {
    let provider = Provider::start(|_| {
        Response::builder()
            .header("Content-Type", "application/json; charset=utf-8")
            .header(
                "Pact-Message-Metadata",
                BASE64_STANDARD.encode(r#"{"topic": "orders"}"#),
            )
            .body(Bytes::from_static(br#"{"id": 7}"#))
            .unwrap()
    })
    .await;
    assert_passed(&verify_one(over_http(&provider.url), event()).await);
    let request = provider.requests().remove(0);
    assert_eq!(
        (request.method().as_str(), request.uri().path()),
        ("POST", "/_messages")
    );
    assert_eq!(request.headers()["content-type"], "application/json");
    assert_eq!(
        request.body(),
        r#"{"description":"an order event","providerStates":[{"name":"s","params":{"a":1}}]}"#
    );
}

#[tokio::test]
async fn a_question_over_http() {
    let provider = Provider::start(|_| answer(200, r#"{"answer": true}"#)).await;
    assert_passed(&verify_one(over_http(&provider.url), question()).await);
    let body = json(std::str::from_utf8(provider.requests()[0].body()).unwrap());
    assert_eq!(body.pointer("/request/contents/content/ask"), Some(&json("1")));
    assert_eq!(body.pointer("/request/metadata/q"), Some(&json("\"x\"")));
}

#[tokio::test]
async fn endpoints_that_fail() {
    let provider = Provider::start(|_| answer(404, "no such message")).await;
    let report = verify_one(over_http(&provider.url), event()).await;
    assert_error(
        &report,
        ErrorCode::MessageHandler,
        &["/_messages answered with status 404", "no such message"],
    );
    let provider = Provider::start(|_| {
        Response::builder()
            .header("Pact-Message-Metadata", "%%%")
            .body(Bytes::new())
            .unwrap()
    })
    .await;
    let report = verify_one(over_http(&provider.url), event()).await;
    assert_error(&report, ErrorCode::ResponseInvalid, &["Pact-Message-Metadata"]);
}
