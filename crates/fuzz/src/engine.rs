//! Target for the engine that is compiled to WebAssembly.

use contract_wasm::{Engine, call};
use serde_json::{Value, json};

use crate::pieces::pieces;

/// Input: a contract, a call such as a request, and a body. Checks that the engine responds to all calls and remains
/// usable.
pub(crate) fn calls(input: &[u8]) {
    let [contract, document, body] = pieces(input);
    let mut engine = None;
    let contracts = json!([{"text": String::from_utf8_lossy(contract)}]);
    let open = json!({"open": {"contracts": contracts, "options": {"ignorePlugins": true, "seed": 1}}});
    let opened = outcome(&mut engine, open.to_string().as_bytes(), &[]);
    assert_eq!(opened.get("opened").is_some(), engine.is_some(), "{opened}");
    let first = outcome(&mut engine, document, body);
    let restarted = outcome(&mut engine, br#"{"restart": {}}"#, &[]);
    assert_eq!(restarted.get("restarted").is_some(), engine.is_some(), "{restarted}");
    if engine.is_some() && first.get("opened").is_none() {
        assert_eq!(
            outcome(&mut engine, document, body),
            first,
            "the same call after a restart"
        );
    }
}

/// Makes a call and returns its outcome. Checks that the outcome is an object with one member, and that errors have a
/// code and a message.
fn outcome(engine: &mut Option<Engine>, document: &[u8], body: &[u8]) -> Value {
    let (text, sent) = call(engine, document, body.to_vec());
    let outcome: Value = serde_json::from_slice(&text).unwrap_or_default();
    assert_eq!(
        outcome.as_object().map(serde_json::Map::len),
        Some(1),
        "{}",
        String::from_utf8_lossy(&text)
    );
    assert!(sent.is_empty() || outcome.get("matched").is_some(), "{outcome}");
    if let Some(failed) = outcome.get("failed") {
        let is_text = |name: &str| {
            failed
                .get(name)
                .and_then(Value::as_str)
                .is_some_and(|text| !text.is_empty())
        };
        assert!(is_text("code") && is_text("message"), "{failed}");
    }
    outcome
}
