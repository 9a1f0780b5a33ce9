//! Tests misbehaving plugins: each failure is reported quickly, and no process continues to run.

use std::time::Duration;

use contract_model::Body;
use contract_plugins::{Comparison, Configuration, PluginError};

use crate::support::{LONG, Place, object, wait_for_end};

/// Starts the test plugin, which must fail, and returns the error.
async fn start(begin: &str, limit: Duration) -> PluginError {
    let place = Place::new();
    let folder = place.install("pairs", "1.0.0", begin, 1);
    let error = place.load_within("pairs", limit).await.unwrap_err();
    wait_for_end(&folder.join("process.txt"));
    assert!(error.is_start(), "{error}");
    error
}

#[tokio::test]
async fn reports_a_plugin_without_a_handshake() {
    let error = start("silent", Duration::from_millis(300)).await;
    assert_eq!(
        error.to_string(),
        "the plugin pairs 1.0.0 did not start: it did not write the line {\"port\": …, \"serverKey\": …} to \
         standard output within 0.3 seconds. If it needs longer, raise the plugin start timeout\n\
         Last output of the plugin:\n  fixture begins: silent"
    );
}

#[tokio::test]
async fn reports_a_plugin_that_exits() {
    let error = start("exit", LONG).await;
    assert_eq!(
        error.message(),
        "the plugin pairs 1.0.0 did not start: its process ended (exit code 3) without writing its port"
    );
    assert!(error.last_output().contains("no licence found"), "{error}");
    let error = start("closed", LONG).await;
    assert!(error.message().contains("its process ended (exit code 0)"), "{error}");
}

#[tokio::test]
async fn reports_a_port_without_a_server() {
    let error = start("deaf", Duration::from_secs(2)).await;
    assert!(
        error
            .message()
            .starts_with("the plugin pairs 1.0.0 did not start: it reported port 1, but "),
        "{error}"
    );
    assert!(!error.to_string().contains("fixture-secret-key"), "{error}");
}

#[tokio::test]
async fn ignores_output_before_the_handshake() {
    let place = Place::new();
    place.install("pairs", "1.0.0", "noise", 1);
    let plugin = place.load("pairs").await.unwrap();
    let words = plugin.last_output();
    assert!(
        words.contains("JSON log") && !words.contains("fixture-secret-key"),
        "{words}"
    );
}

/// Returns the error for contents that make the plugin misbehave. Checks that the plugin, or a new process, works
/// afterwards.
async fn configure(wish: &str, limit: Duration) -> PluginError {
    let (place, plugin) = Place::pairs(1).await;
    let contents = object(&format!(r#"{{"do": "{wish}", "a": "1"}}"#));
    let error = plugin
        .configure("application/x-pairs", &contents, &object("{}"), limit)
        .await;
    let next = place.load("pairs").await.unwrap();
    let made = next
        .configure("application/x-pairs", &object(r#"{"a": "1"}"#), &object("{}"), LONG)
        .await;
    assert_eq!(made.unwrap().parts[0].body.bytes(), "a=1\n");
    error.unwrap_err()
}

#[tokio::test]
async fn reports_errors_and_invalid_responses() {
    for (wish, want) in [
        (
            "refuse",
            "the plugin pairs 1.0.0 could not configure the contents: a value is missing",
        ),
        (
            "nothing",
            "the plugin pairs 1.0.0 returned no contents for the interaction",
        ),
        (
            "status",
            "the call ConfigureInteraction to the plugin pairs 1.0.0 failed: the moon is full (FailedPrecondition)",
        ),
        (
            "odd-rule",
            "the plugin pairs 1.0.0 returned an invalid matching rule: the rule \"regex\" requires the attribute \"regex\" (a \
             pattern string) at \"a\"",
        ),
        (
            "odd-type",
            "the plugin pairs 1.0.0 returned contents with an invalid content type: \"not a type\" is not a valid content type; \
             use a type such as application/json",
        ),
        (
            "huge",
            "the response of the plugin pairs 1.0.0 to ConfigureInteraction exceeds 64 MiB",
        ),
    ] {
        assert_eq!(configure(wish, LONG).await.message(), want);
    }
}

#[tokio::test]
async fn reports_a_timeout() {
    let error = configure("never", Duration::from_millis(200)).await;
    assert!(error.is_timeout());
    assert_eq!(
        error.message(),
        "the plugin pairs 1.0.0 did not respond to ConfigureInteraction within 0.2 seconds"
    );
}

#[tokio::test]
async fn reports_a_process_that_ends_during_a_call() {
    let (_place, plugin) = Place::pairs(2).await;
    let (rules, configuration, context) = Default::default();
    let expected = Body::from_bytes("a=1\n", Some("application/x-pairs".parse().unwrap()));
    let actual = "do=die\n".into();
    let comparison = Comparison {
        expected: &expected,
        actual: &actual,
        actual_type: expected.content_type(),
        allow_unexpected: true,
        rules: &rules,
        configuration: &Configuration::clone(&configuration),
        context: &context,
    };
    let error = plugin.compare(comparison, LONG).await.unwrap_err();
    assert!(error.has_died(), "{error}");
    assert!(error.last_output().ends_with("pairs: out of memory"), "{error}");
}
