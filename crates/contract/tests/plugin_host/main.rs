//! End-to-end tests of calls from plugins to their host. A plugin compares the messages of a contract by calling the
//! host. The host compares and generates with its own rules, or passes the call on to another plugin. The host also
//! runs this program as the plugins.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test panics")]

mod plugin;

use std::path::Path;
use std::sync::Arc;

use contract::{
    BoxFuture, CallbackError, Callbacks, Json, Role, RunContext, RunOptions, UserFunction, Verification,
    VerifierOperation,
};

/// The file in which the second plugin records the end of a call that exceeded its deadline.
const NOTE: &str = "note.txt";

/// Runs the plugin if the host has started this program as a plugin. In this case, the test never returns.
#[test]
fn is_the_plugin_when_started_as_one() {
    if std::env::var_os("PACT_PLUGIN_INSTANCE_ID").is_some() {
        plugin::run();
    }
}

fn install(directory: &Path, name: &str) {
    let folder = directory.join(name);
    std::fs::create_dir(&folder).unwrap();
    let program = std::env::current_exe().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, folder.join("start")).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(program, folder.join("start")).unwrap();
    let manifest = format!(
        r#"{{"pluginInterfaceVersion": 2, "name": "{name}", "version": "1.0.0", "executableType": "exec", "entryPoint": "start",
            "args": ["--exact", "is_the_plugin_when_started_as_one", "--nocapture"]}}"#
    );
    std::fs::write(folder.join("pact-plugin.json"), manifest).unwrap();
}

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the responses that a plugin receives for these requests. The plugin sends each request while it compares a
/// message.
async fn plugin_responses(directory: &Path, timeout: u64, requests: &[&str]) -> Vec<String> {
    let messages: Vec<_> = requests
        .iter()
        .enumerate()
        .map(|(number, ask)| {
            format!(
                r#"{{"type": "Asynchronous/Messages", "description": "{number}", "pluginConfiguration": {{"asking": {{}}}},
                    "contents": {{"content": {}, "contentType": "application/x-asking", "encoded": false}}}}"#,
                Json::from(*ask).to_text()
            )
        })
        .collect();
    let contract = format!(
        r#"{{"consumer": {{"name": "web"}}, "provider": {{"name": "shop"}}, "interactions": [{}], "metadata": {{
            "pactSpecification": {{"version": "4.0"}},
            "plugins": [{{"name": "asking", "version": "1.0.0"}}, {{"name": "other", "version": "1.0.0"}}]}}}}"#,
        messages.join(",")
    );
    let place = Json::from(directory.to_str().unwrap()).to_text();
    let verification = Verification::new("shop").unwrap();
    for said in [
        format!(r#"{{"set_plugins": {{"directories": [{place}], "timeout": {timeout}}}}}"#),
        format!(r#"{{"add_source": {{"source": {{"json": {contract}, "name": "contract"}}}}}}"#),
        r#"{"message_handler": {"handlers": {"contract:value": "function", "id": 1}}}"#.to_owned(),
    ] {
        let said = VerifierOperation::from_json(json(&said)).unwrap();
        verification.apply(said).unwrap();
    }
    let verified = verification
        .verify(RunOptions::default(), &RunContext::default(), Arc::new(Anything))
        .await
        .unwrap();
    let interactions = verified
        .report
        .contracts
        .iter()
        .flat_map(|contract| &contract.interactions);
    interactions
        .map(
            |interaction| match (&interaction.error, interaction.mismatches.as_slice()) {
                (Some(error), _) => format!("failed: {}", error.message),
                (None, [plugin_responses]) => plugin_responses.sentence.clone(),
                (None, mismatches) => panic!("{mismatches:?}"),
            },
        )
        .collect()
}

/// Returns an arbitrary message, because the plugin only uses the message in the contract.
struct Anything;

impl Callbacks for Anything {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Ok(json(r#"{"contents": "x", "contentType": "application/x-asking"}"#)) })
    }
}

fn installed() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    install(directory.path(), "asking");
    install(directory.path(), "other");
    directory
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let directory = installed();
    let requests: Vec<&str> = cases.iter().map(|(ask, _)| *ask).collect();
    let found = contract::runtime::run_here(plugin_responses(directory.path(), 20_000, &requests)).unwrap();
    for ((ask, want), found) in cases.iter().zip(found) {
        assert!(found.contains(want), "{ask}\n  wanted {want}\n  found  {found}");
    }
}

#[test]
fn the_core_compares_contents() {
    check(&[
        (
            r#"{"compare": "core/content-matcher/json", "type": "application/json", "expected": "{\"a\":1}", "actual": "{\"a\":1}"}"#,
            "told: nothing differs",
        ),
        (
            r#"{"compare": "json", "type": "application/json", "expected": "{\"a\":1}", "actual": "{\"a\":2}"}"#,
            "told: $.a: ",
        ),
        (
            r#"{"compare": "json", "type": "application/json", "expected": "{\"a\":1}", "actual": "{\"a\":2}", "rules": {"$.a": "integer"}}"#,
            "told: nothing differs",
        ),
        (
            r#"{"compare": "json", "type": "application/json", "expected": "{\"a\":1}", "actual": "{\"a\":1.5}", "rules": {"$.a": "integer"}}"#,
            "told: $.a: ",
        ),
        (
            r#"{"compare": "json", "type": "application/json", "expected": "{}", "actual": "{\"more\":1}"}"#,
            "more",
        ),
        (
            r#"{"compare": "json", "type": "application/json", "expected": "{\"a\":1}", "actual": "{\"a\":1,\"more\":1}", "more": true}"#,
            "told: nothing differs",
        ),
        (
            r#"{"compare": "xml", "type": "application/xml", "expected": "<a><b/></a>", "actual": "<a><c/></a>"}"#,
            "told: $",
        ),
        (
            r#"{"compare": "text", "type": "text/plain", "expected": "one", "actual": "two"}"#,
            "told: $: ",
        ),
        (
            r#"{"compare": "core/content-matcher/csv", "type": "text/csv", "expected": "1", "actual": "1"}"#,
            "told: NotFound: unknown content-matcher \"core/content-matcher/csv\"",
        ),
        (
            r#"{"compare": "json", "type": "not a type", "expected": "1", "actual": "1"}"#,
            "told: InvalidArgument: contents with an invalid content type",
        ),
    ]);
}

#[test]
fn the_core_generates_contents_and_values() {
    check(&[
        (
            r#"{"generate": "core/content-generator/json", "type": "application/json", "contents": "{\"a\":1,\"b\":2}",
                "generators": {"$.a": {"type": "RandomInt", "min": 7, "max": 7}}}"#,
            r#"told: {"a":7,"b":2}"#,
        ),
        (
            r#"{"generate": "json", "type": "application/json", "contents": "{\"a\":1}",
                "generators": {"$.a": {"type": "ProviderState", "expression": "${id}"}}, "known": {"id": "from a state"}}"#,
            r#"told: {"a":"from a state"}"#,
        ),
        (
            r#"{"generate": "csv", "type": "text/csv", "contents": "1", "generators": {}}"#,
            "told: NotFound",
        ),
        (
            r#"{"value": "core/generator/RandomInt", "generator": {"type": "RandomInt", "min": 9, "max": 9}}"#,
            "told: 9",
        ),
        (
            r#"{"value": "RandomInt", "generator": {"type": "RandomInt", "min": "nine"}}"#,
            "told: InvalidArgument: an invalid generator",
        ),
        (
            r#"{"value": "Nobodys", "generator": {"type": "Nobodys"}}"#,
            "told: NotFound: unknown generator \"Nobodys\"",
        ),
    ]);
}

#[test]
fn the_core_compares_values() {
    check(&[
        (
            r#"{"match": "core/matcher/integer", "rule": {"match": "integer"}, "expected": 1, "actual": 7}"#,
            "told: nothing differs",
        ),
        (
            r#"{"match": "integer", "rule": {"match": "integer"}, "expected": 1, "actual": "x"}"#,
            "told: $.here: ",
        ),
        (
            r#"{"match": "regex", "rule": {"match": "regex", "regex": "^a+$"}, "expected": "a", "actual": "aab"}"#,
            "told: $.here: ",
        ),
        (
            r#"{"match": "regex", "rule": {"match": "regex"}, "expected": "a", "actual": "b"}"#,
            "told: InvalidArgument: ",
        ),
    ]);
}

#[test]
fn calls_reach_other_plugins() {
    check(&[
        (
            r#"{"compare": "plugin/other/content-matcher/other", "type": "application/x-other", "expected": "1", "actual": "1"}"#,
            "told: $: the other was asked",
        ),
        (
            r#"{"compare": "other", "type": "application/x-other", "expected": "1", "actual": "1"}"#,
            "told: $: the other was asked",
        ),
        (
            r#"{"compare": "plugin/nobody/content-matcher/json", "type": "application/json", "expected": "1", "actual": "1"}"#,
            "told: NotFound",
        ),
        // No call reaches a plugin that is already active in the chain, directly or indirectly.
        (
            r#"{"compare": "plugin/asking/content-matcher/asking", "type": "application/x-asking", "expected": "1", "actual": "1"}"#,
            "told: AlreadyExists: plugin/asking/content-matcher/asking is already active in this call chain",
        ),
        (
            r#"{"compare": "other", "type": "application/x-other", "expected": "back", "actual": "1"}"#,
            "AlreadyExists",
        ),
    ]);
}

#[test]
fn only_plugins_started_by_this_host_may_call_it() {
    let ask = |who: &str| {
        format!(r#"{{"compare": "json", "type": "application/json", "expected": "1", "actual": "1", "as": "{who}"}}"#)
    };
    let (chain, instance, nobody, stranger, late) = (
        ask("chain"),
        ask("instance"),
        ask("nobody"),
        ask("stranger"),
        ask("old chain"),
    );
    check(&[
        (&chain, "told: nothing differs"),
        (&instance, "told: nothing differs"),
        (
            &nobody,
            "told: Unauthenticated: only plugins that this host started may call it",
        ),
        (
            &stranger,
            "told: Unauthenticated: only plugins that this host started may call it",
        ),
        (
            &late,
            "told: Unauthenticated: only plugins that this host started may call it",
        ),
        (r#"{"log": "a word", "as": "instance"}"#, "told: heard"),
        (
            r#"{"log": "a word", "as": "stranger"}"#,
            "told: Unauthenticated: unknown plugin instance",
        ),
        // The next call succeeds.
        (&chain, "told: nothing differs"),
    ]);
}

#[test]
fn a_call_chain_shares_one_deadline() {
    let directory = installed();
    let never = r#"{"compare": "other", "type": "application/x-other", "expected": "never", "actual": "1"}"#;
    let next = r#"{"compare": "text", "type": "text/plain", "expected": "1", "actual": "1"}"#;
    let found = contract::runtime::run_here(plugin_responses(directory.path(), 3_000, &[never, next])).unwrap();
    assert!(
        found[0].starts_with("failed: the plugin asking 1.0.0 did not respond to CompareContents within 3 seconds"),
        "{found:?}"
    );
    assert!(found[1].contains("told: nothing differs"), "{found:?}");
    // The call from the plugin ended no later than the call to the plugin.
    let note = directory.path().join("asking").join(NOTE);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let note = loop {
        match std::fs::read_to_string(&note) {
            Ok(note) if !note.is_empty() => break note,
            _ => assert!(std::time::Instant::now() < until, "the call never ended"),
        }
        std::thread::yield_now();
    };
    assert!(note.starts_with("DeadlineExceeded"), "{note}");
}
