//! Tests messages in the same process and over HTTP.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_model::Json;
use contract_verifier::{
    BoxFuture, CallbackError, ErrorCode, MESSAGE_LIST, MessageRequest, MessageSource, NamedContract, Options,
    ProducedMessage, Transport, compare_messages,
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
async fn a_synchronous_message() {
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
        &["expected 1 message, but received none"],
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
        &["Did you mean \"an order events\""],
    );

    let http_only = crate::support::options("http://127.0.0.1:1");
    assert_error(
        &verify_one(http_only, event()).await,
        ErrorCode::Transport,
        &["Add message handlers"],
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
async fn a_synchronous_message_over_http() {
    let provider = Provider::start(|_| answer(200, r#"{"answer": true}"#)).await;
    assert_passed(&verify_one(over_http(&provider.url), question()).await);
    let body = json(std::str::from_utf8(provider.requests()[0].body()).unwrap());
    assert_eq!(body.pointer("/request/contents/content/ask"), Some(&json("1")));
    assert_eq!(body.pointer("/request/metadata/q"), Some(&json("\"x\"")));
}

fn two_answers() -> NamedContract {
    contract(
        r#"[{"type": "Synchronous/Messages", "description": "a question",
             "request": {"contents": {"content": {"ask": 1}, "contentType": "application/json", "encoded": false}},
             "response": [{"contents": {"content": {"eta": 4}, "contentType": "application/json", "encoded": false}},
                          {"contents": {"content": "done", "contentType": "text/plain", "encoded": false}, "metadata": {"last": true}}]}]"#,
    )
}

#[tokio::test]
async fn several_responses_from_the_same_process() {
    let done = |last: bool| message("done", "text/plain", &[("last", last.into())]);
    let eta = || message(r#"{"eta": 4}"#, "application/json", &[]);
    let all = in_process(move |request| {
        assert_eq!(request.answers, 2);
        Ok(vec![eta(), done(true)])
    });
    assert_passed(&verify_one(all, two_answers()).await);

    let report = verify_one(in_process(move |_| Ok(vec![eta(), done(false)])), two_answers()).await;
    assert_eq!(
        texts(&report),
        ["Expected metadata key 'last' to have value true but was false"]
    );
    assert_eq!(report.mismatches[0].explanation.as_deref(), Some("in message 2 of 2"));

    for (count, received) in [(1, "1 message"), (3, "3 messages")] {
        let report = verify_one(in_process(move |_| Ok(vec![eta(); count])), two_answers()).await;
        let expected = format!("expected 2 messages, but received {received}");
        assert_error(&report, ErrorCode::MessageHandler, &[&expected]);
    }
}

#[tokio::test]
async fn several_responses_over_http() {
    let list = |content_type: &'static str, body: &'static str| {
        move |_: &http::Request<Bytes>| {
            Response::builder()
                .header("Content-Type", content_type)
                .body(Bytes::from_static(body.as_bytes()))
                .unwrap()
        }
    };
    let both = r#"{"messages": [{"contents": {"content": {"eta": 4}, "contentType": "application/json"}},
        {"contents": {"content": "done", "contentType": "text/plain"}, "metadata": {"last": true}}]}"#;
    let provider = Provider::start(list(MESSAGE_LIST, both)).await;
    assert_passed(&verify_one(over_http(&provider.url), two_answers()).await);
    assert_eq!(provider.requests()[0].headers()["accept"], MESSAGE_LIST);

    for (content_type, body, problem) in [
        (
            "application/json",
            r#"{"eta": 4}"#,
            "the contract expects 2 responses, but the endpoint returned only one",
        ),
        (MESSAGE_LIST, "[", "it is not JSON"),
        (MESSAGE_LIST, "{}", "it has no \"messages\" array"),
        (MESSAGE_LIST, r#"{"messages": [1]}"#, "for the message \"a question\""),
    ] {
        let provider = Provider::start(list(content_type, body)).await;
        let report = verify_one(over_http(&provider.url), two_answers()).await;
        assert_error(&report, ErrorCode::ResponseInvalid, &[problem]);
    }
}

#[tokio::test]
async fn a_handler_with_its_own_timeout() {
    struct Slow;
    impl MessageSource for Slow {
        fn produce(&self, _: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>> {
            Box::pin(std::future::pending())
        }
        fn timeout(&self) -> Option<std::time::Duration> {
            Some(SHORT)
        }
    }
    let mut options = Options::new("orders");
    options.messages = Some(Arc::new(Slow));
    let report = verify_one(options, event()).await;
    assert_error(&report, ErrorCode::MessageTimeout, &["\"an order event\"", "80 ms"]);
}

#[test]
fn messages_compared_without_a_run() {
    let expected = |text: &str| contract_model::Message {
        metadata: values(&[("token", text.into())]),
        ..contract_model::Message::default()
    };
    let came = message("", "", &[("token", "abc".into())]);
    let version = contract_model::SpecificationVersion::V4;
    assert_eq!(
        compare_messages(&[expected("abc")], vec![came.clone()], version, |_, _, found| Ok(found)),
        Ok(vec![])
    );
    let mismatches = compare_messages(&[expected("xyz")], vec![came], version, |_, _, found| Ok(found)).unwrap();
    assert!(!mismatches[0].to_string().contains("xyz"), "{}", mismatches[0]);
}

#[tokio::test]
async fn endpoints_that_fail() {
    let provider = Provider::start(|_| answer(404, "no such message")).await;
    let report = verify_one(over_http(&provider.url), event()).await;
    assert_error(
        &report,
        ErrorCode::MessageHandler,
        &["/_messages returned status 404", "no such message"],
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
