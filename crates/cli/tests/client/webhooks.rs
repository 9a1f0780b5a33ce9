//! Tests the requests and responses of webhook commands.

use crate::support::stub::{Asked, Reply, Stub};
use crate::support::{Ran, run_in};

/// A broker with one webhook.
fn answer(asked: &Asked) -> Reply {
    let known = asked.target.starts_with("/webhooks/known");
    match (asked.method.as_str(), known) {
        ("GET", false) if asked.target == "/" => Reply::json(200, "{\"_links\": {}}"),
        ("PUT", _) => Reply::json(201, "{\"uuid\": \"known\", \"description\": \"x\"}"),
        ("POST", true) => Reply::json(
            200,
            "{\"request\": {\"method\": \"POST\"}, \"response\": {\"status\": 200}, \"logs\": \"one\\ntwo\", \"success\": true}",
        ),
        ("DELETE", true) => Reply::Answer(204, Vec::new(), String::new()),
        _ => Reply::json(
            404,
            "{\"error\": \"The requested document was not found on this server.\"}",
        ),
    }
}

async fn run(arguments: &[&str]) -> (Ran, Vec<Asked>) {
    let stub = Stub::start(|asked, _| answer(asked)).await;
    let directory = tempfile::tempdir().expect("a directory");
    let url = stub.url.clone();
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let ran = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run_in(directory.path(), &arguments, &[("CONTRACT_BROKER_BASE_URL", &url)])
    })
    .await
    .expect("no panic");
    let asked = stub.asked().into_iter().filter(|asked| asked.target != "/").collect();
    (ran, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_a_webhook() {
    let words =
        "create-or-update-webhook https://ci.example.com/x --uuid known --contract-published --provider orders -d {}";
    let arguments: Vec<&str> = words.split(' ').collect();
    let (ran, asked) = run(&arguments).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("known"), "{ran:?}");
    let [put] = asked.as_slice() else {
        panic!("expected one request, received {asked:?}")
    };
    assert_eq!((put.method.as_str(), put.target.as_str()), ("PUT", "/webhooks/known"));
    for part in ["\"contract_published\"", "\"https://ci.example.com/x\"", "\"orders\""] {
        assert!(put.body.contains(part), "{part} is missing in {}", put.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn triggers_a_webhook() {
    let (ran, asked) = run(&["test-webhook", "--uuid", "known"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("The request succeeded"), "{ran:?}");
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].target, "/webhooks/known/execute");

    let (ran, _) = run(&["test-webhook", "--uuid", "nope"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("webhook with UUID \"nope\" not found"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_test_fails_the_command() {
    let body = r#"{"error": {"message": "refused"}, "logs": "[1] one\n[2] two", "success": false}"#;
    let stub = Stub::start(move |_, _| Reply::json(200, body)).await;
    let directory = tempfile::tempdir().expect("a directory");
    let url = stub.url.clone();
    let ran = tokio::task::spawn_blocking(move || {
        let variables = [("CONTRACT_BROKER_BASE_URL", url.as_str())];
        run_in(directory.path(), &["test-webhook", "--uuid", "known"], &variables)
    });
    let ran = ran.await.expect("no panic");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.out, "The request failed: refused\n  [1] one\n  [2] two\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn presets_fill_in_the_request() {
    let words = "create-or-update-webhook --uuid known --preset github-workflow --repository acme/orders --workflow verify.yml \
                 --webhook-token t0ken --provider orders -H accept:*/* --signing-secret whsec_abc";
    let arguments: Vec<&str> = words.split_whitespace().collect();
    let (ran, asked) = run(&arguments).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let body = &asked[0].body;
    for part in [
        "\"https://api.github.com/repos/acme/orders/actions/workflows/verify.yml/dispatches\"",
        "\"Bearer t0ken\"",
        "\"contract_requiring_verification_published\"",
        "\"${pactbroker.pactUrl}\"",
        "\"signingSecret\"",
        "\"*/*\"",
    ] {
        assert!(body.contains(part), "{part} is missing in {body}");
    }
    assert!(!body.contains("vnd.github"), "{body}");
    let (ran, asked) = run(&[
        "create-webhook",
        "--preset",
        "github-commit-status",
        "--webhook-token",
        "t",
    ])
    .await;
    assert_eq!((ran.code, asked.len()), (2, 0), "{ran:?}");
    assert!(ran.err.contains("--repository"), "{ran:?}");
    let (ran, _) = run(&["create-webhook", "--contract-published"]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn deletes_a_webhook() {
    let (ran, asked) = run(&["delete-webhook", "--uuid", "known"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("Deleted webhook known."), "{ran:?}");
    assert_eq!(asked[0].method, "DELETE", "{asked:?}");

    let (ran, _) = run(&["delete-webhook", "--uuid", "nope"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.out, "", "{ran:?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
}
