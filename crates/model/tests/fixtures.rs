//! Reads contract files of every version, writes them in every compatible version, and reads the result.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::cmp::Ordering;
use std::fs;
use std::path::PathBuf;

use contract_model::{
    Body, ContentType, Contract, HttpInteraction, Interaction, InteractionKind, Json, MAX_DEPTH, Message, Object,
    ProviderState, Reading, Rules, SpecificationVersion, SyncMessage, file_order, split_body,
};

const WRITTEN: [SpecificationVersion; 3] = [
    SpecificationVersion::V2,
    SpecificationVersion::V3,
    SpecificationVersion::V4,
];

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "fixtures", "contracts"]
        .iter()
        .collect()
}

fn read(name: &str) -> Reading {
    Contract::read(&fs::read(folder().join(name)).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn in_file_order(mut contract: Contract, version: SpecificationVersion) -> Contract {
    contract.interactions.sort_by(file_order);
    // The broker's interaction IDs are never written.
    contract
        .interactions
        .iter_mut()
        .for_each(|interaction| interaction.broker_id = None);
    contract.specification = version;
    contract
}

#[test]
fn fixtures_round_trip_in_every_compatible_version() {
    let mut names: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert!(!names.is_empty());
    for name in names {
        let name = name.to_string_lossy().into_owned();
        let contract = read(&name).contract;
        for version in WRITTEN {
            let Ok(written) = contract.write(version) else { continue };
            let again = Contract::read(written.text.as_bytes()).unwrap_or_else(|e| panic!("{name} in {version}: {e}"));
            if written.warnings.is_empty() {
                assert_eq!(
                    again.contract,
                    in_file_order(contract.clone(), version),
                    "{name} in {version}"
                );
            }
            let twice = again.contract.write(version).unwrap();
            assert_eq!(twice.text, written.text, "{name} in {version}");
        }
    }
}

/// Checks that fixtures can be written in their own version without loss (V1 in V2).
#[test]
fn every_fixture_is_written_in_its_own_version_without_loss() {
    for (name, version, expected) in [
        ("v1.json", SpecificationVersion::V2, ""),
        ("v1.1.json", SpecificationVersion::V2, ""),
        (
            "v2.json",
            SpecificationVersion::V2,
            "\"a search with odd names\" in V2: request: other Pact implementations cannot parse the path $.query['a[]']; \
             most of them reject the whole contract",
        ),
        (
            "v3-http.json",
            SpecificationVersion::V3,
            "\"an upload\" in V3: request: the query parameter \"none\" without '=' is written with an empty value",
        ),
        ("v3-messages.json", SpecificationVersion::V3, ""),
        ("v4.json", SpecificationVersion::V4, ""),
    ] {
        let contract = read(name).contract;
        let written = contract.write(version).unwrap();
        let warnings: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.join("\n"), expected, "{name}");
    }
}

#[test]
fn reports_warnings() {
    let warnings = |name: &str| {
        let warnings = read(name).warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(warnings("v1.json"), "");
    assert_eq!(
        warnings("v1.1.json"),
        "/consumer/name: the value is missing; it is read as consumer"
    );
    assert_eq!(warnings("v3-http.json"), "");
    assert_eq!(
        warnings("v4.json"),
        "/interactions/8: unknown interaction type \"Streaming/Video\"; the interaction is kept, but cannot be verified"
    );
}

#[test]
fn rejects_content_that_a_version_does_not_support() {
    let refusal = |name: &str, version| read(name).contract.write(version).unwrap_err().to_string();
    assert_eq!(
        refusal("v3-messages.json", SpecificationVersion::V2),
        "the interaction \"a note\" of type Asynchronous/Messages cannot be written in V2; choose V3 or V4"
    );
    assert_eq!(
        refusal("v4.json", SpecificationVersion::V3),
        "V3 contracts cannot contain both HTTP interactions and messages, such as \"a request with everything\" and \"an event\"; use V4, or separate contracts"
    );
    assert_eq!(
        refusal("v1.json", SpecificationVersion::V1),
        "contracts cannot be written in V1: it does not support matching rules. Use V2, V3, or V4."
    );
}

#[test]
fn downgrades_report_lost_content() {
    let mut contract = read("v4.json").contract;
    contract
        .interactions
        .retain(|interaction| interaction.description == "a request with everything");
    let lost = |version| {
        let written = contract.write(version).unwrap();
        written
            .warnings
            .iter()
            .map(|warning| warning.loss.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        lost(SpecificationVersion::V3),
        [
            "key is left out",
            "pending is left out",
            "comments is left out",
            "transport is left out",
            "interactionMarkup is left out",
            "pluginConfiguration is left out",
            "request: the query parameter \"b\" without '=' is written with an empty value",
            "request: the query parameter \"d\" without '=' is written with an empty value",
            "request: the values of the header \"X-List\" are written as one string, which is read as one value",
            "plugins is left out",
        ]
    );
    let in_v2 = lost(SpecificationVersion::V2);
    for wanted in [
        "the parameters of the provider state \"a user\" are left out",
        "request: only the first of the matching rules at $.body.name is kept",
        "request: this version does not define the matching rule \"arrayContains\"; it is written, but older tools do not support it",
        "request: the generators are left out",
    ] {
        assert!(in_v2.iter().any(|loss| loss == wanted), "{wanted} in {in_v2:#?}");
    }
}

#[test]
fn unknown_members_survive_reading_merging_and_writing() {
    let mut contract = read("v4.json").contract;
    contract.merge(read("v4.json").contract).unwrap();
    let text = contract.write(SpecificationVersion::V4).unwrap().text;
    for kept in [
        "\"x-team\": \"web\"",
        "\"x-owner\": {",
        "\"x-request\": true",
        "\"x-response\": [",
        "\"x-unknown\": \"kept\"",
        "\"x-part\": 1",
        "\"frames\": [",
        "\"x-document\": \"kept\"",
        "\"delimiter\": \";\"",
    ] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    assert!(
        !read("v2.json")
            .contract
            .write(SpecificationVersion::V2)
            .unwrap()
            .text
            .contains("_links")
    );
}

#[test]
fn keeps_unknown_members_at_every_level() {
    const NAME: &str = "v4-unknown-members.json";
    let source = fs::read_to_string(folder().join(NAME)).unwrap();
    let unknown: Vec<&str> = source.split('"').filter(|word| word.starts_with("x-")).collect();
    let mut contract = read(NAME).contract;
    let plain = {
        // The newer contract lacks the unknown members, as if a test run had generated it again.
        let mut plain = contract.clone();
        for interaction in &mut plain.interactions {
            interaction.other = Object::new();
            match &mut interaction.kind {
                InteractionKind::Http(http) => {
                    http.request.other = Object::new();
                    http.response.other = Object::new();
                }
                InteractionKind::SyncMessage(message) => {
                    message.request.other = Object::new();
                    message.responses[0].other = Object::new();
                }
                _ => {}
            }
        }
        plain
    };
    contract.merge(plain).unwrap();
    let written = contract.write(SpecificationVersion::V4).unwrap();
    assert_eq!(unknown.len(), 24);
    for name in unknown {
        let count = written.text.matches(&format!("\"{name}\"")).count();
        assert_eq!(count, 1, "{name} in {}", written.text);
    }
    assert!(written.warnings.is_empty());
    let text = |pointer| {
        Json::parse(written.text.as_bytes())
            .unwrap()
            .pointer(pointer)
            .map(Json::to_text)
    };
    assert_eq!(
        text("/interactions/4/request/matchingRules/body/$.name/matchers/1").as_deref(),
        Some(r#"{"match":"notEmpty","x-second-spelling":8}"#)
    );
}

#[test]
fn drops_unknown_members_of_replaced_values() {
    let older = read("v4-unknown-members.json").contract;
    let mut newer = older.clone();
    for interaction in &mut newer.interactions {
        if let InteractionKind::Http(http) = &mut interaction.kind {
            http.request.other = Object::new();
            http.request.rules = Rules::default();
        }
    }
    let mut merged = older;
    merged.merge(newer).unwrap();
    let text = merged.write(SpecificationVersion::V4).unwrap().text;
    assert!(text.contains("x-body") && text.contains("x-query-generator") && text.contains("x-state"));
    assert!(!text.contains("x-path-rule") && !text.contains("x-variant"));
}

#[test]
fn downgrades_report_unknown_members_inside_values() {
    let mut contract = read("v4-unknown-members.json").contract;
    contract.interactions.truncate(1);
    let lost = |version| {
        let written = contract.write(version).unwrap();
        let lost: Vec<String> = written
            .warnings
            .iter()
            .map(|warning| warning.loss.to_string())
            .collect();
        (written.text, lost)
    };
    let (text, in_v3) = lost(SpecificationVersion::V3);
    assert!(text.contains("x-variant-rule") && text.contains("x-body-generator") && text.contains("x-state"));
    assert_eq!(
        in_v3,
        [
            "request: unknown members of body are left out",
            "response: unknown members of body are left out",
        ]
    );
    let (text, in_v2) = lost(SpecificationVersion::V2);
    assert!(text.contains("x-path-rule") && text.contains("x-path-list") && text.contains("x-key-generator"));
    assert!(in_v2.contains(&"interaction: unknown members of providerStates are left out".to_owned()));
    let again = Contract::read(text.as_bytes()).unwrap().contract;
    assert_eq!(again.write(SpecificationVersion::V2).unwrap().text, text);
}

/// Checks that everything that can be read on its own, as a body or a template, can also be read inside a contract
/// file.
#[test]
fn the_deepest_body_can_be_read_again() {
    let deep = format!("{}1{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let body = Body::from_bytes(deep, Some(ContentType::json()));
    let part = Message {
        contents: body.clone(),
        ..Message::default()
    };
    let sync = SyncMessage {
        request: part.clone(),
        responses: vec![part],
    };
    let mut http = HttpInteraction::default();
    http.response.body = body;
    let variants = (0..41).fold(Json::from(1_u64), |inner, _| {
        [
            ("contract:matcher:type", Json::from("arrayContains")),
            ("variants", vec![inner].into()),
        ]
        .into_iter()
        .collect::<Object>()
        .into()
    });
    http.request.rules.body = split_body(&variants).unwrap().rules;
    let interactions = [
        InteractionKind::SyncMessage(Box::new(sync)),
        InteractionKind::Http(Box::new(http)),
    ];
    let contract = Contract {
        interactions: interactions
            .map(|kind| Interaction {
                kind,
                ..Interaction::default()
            })
            .into(),
        ..Contract::default()
    };
    let written = contract.write(SpecificationVersion::V4).unwrap();
    assert!(Contract::read(written.text.as_bytes()).is_ok());
}

/// Checks that numbers and strings always keep their notation.
#[test]
fn numbers_and_texts_survive_reading_merging_and_writing() {
    let digits = "9".repeat(10_000);
    let values = [
        "1.0",
        "-0",
        "-0.0",
        "1E5",
        "1.50e-400",
        "12345678901234567890123",
        &digits,
        &format!("0.{digits}"),
        r#""\u0000""#,
        r#""\u001f\"\\""#,
        r#""é😀""#,
        r#""""#,
        "[]",
        "{}",
        "null",
    ];
    for value in values {
        let text = format!(
            r#"{{"consumer":{{"name":"c"}},"provider":{{"name":"p"}},"x":[{value}],"interactions":[{{"type":"Synchronous/HTTP","description":"d",
                "providerStates":[{{"name":"s","params":{{"v":{value}}}}}],"comments":{{"v":{value}}},"pluginConfiguration":{{"v":{value}}},
                "request":{{"body":{{"content":[{value}],"contentType":"application/json","encoded":false}}}},"response":{{"x":{value}}}}},
                {{"type":"Asynchronous/Messages","description":"m","contents":{{"content":[{value}],"contentType":"application/json","encoded":false}},
                "metadata":{{"v":{value}}}}}],"metadata":{{"pactSpecification":{{"version":"4.0"}},"v":{value}}}}}"#
        );
        let read = |text: &str| Contract::read(text.as_bytes()).unwrap().contract;
        let mut contract = read(&format!("\u{feff}{text}"));
        contract.merge(read(&text)).unwrap();
        let written = contract.write(SpecificationVersion::V4).unwrap();
        assert!(written.warnings.is_empty());
        let found = written.text.matches(value).count();
        assert!(found >= 9, "{value:.40} stands {found} times in {:.2000}", written.text);
    }
}

#[test]
fn file_order_does_not_depend_on_input_order() {
    let with_parameters = |text: &str| Interaction {
        states: vec![ProviderState {
            name: "s".into(),
            parameters: Json::parse(text.as_bytes()).unwrap().as_object().unwrap().clone(),
        }],
        ..Interaction::default()
    };
    // Sorted by text, the second one would come between the first and the third, which are equal.
    let ordered = [r#"{"a":1.0}"#, r#"{"a":1.0,"b":1}"#, r#"{"a":1.00}"#].map(with_parameters);
    let [first, between, third] = &ordered;
    assert_eq!(file_order(first, third), Ordering::Equal);
    assert_eq!(file_order(first, between), file_order(third, between));
    let unknown = |text: &str| {
        Interaction::read(&Json::parse(text.as_bytes()).unwrap(), SpecificationVersion::V4)
            .unwrap()
            .0
    };
    let (a, b) = (unknown(r#"{"type":"New","x":1}"#), unknown(r#"{"type":"New","x":2}"#));
    assert_eq!(file_order(&a, &b), Ordering::Less);
    assert_eq!(file_order(&b, &a), Ordering::Greater);
}

#[test]
fn interactions_of_unknown_kinds_stay_separate() {
    let mut contract = read("v4-unknown-members.json").contract;
    let count = contract.interactions.len();
    contract.merge(contract.clone()).unwrap();
    assert_eq!(contract.interactions.len(), count);
}

#[test]
fn a_merge_with_itself_changes_nothing() {
    for name in [
        "v1.json",
        "v2.json",
        "v3-http.json",
        "v3-messages.json",
        "v4.json",
        "v4-unknown-members.json",
    ] {
        let mut once = read(name).contract;
        once.merge(read(name).contract).unwrap();
        let mut twice = once.clone();
        twice.merge(read(name).contract).unwrap();
        assert_eq!(once, twice, "{name}");
        assert_eq!(
            once.interactions.len(),
            read(name).contract.interactions.len(),
            "{name}"
        );
    }
}

/// Returns the message and the location of an error.
fn invalid_interaction(text: &str) -> (String, String) {
    let document = format!(r#"{{"interactions":[{text}],"metadata":{{"pactSpecification":{{"version":"4.0"}}}}}}"#);
    match Contract::read(document.as_bytes()) {
        Ok(reading) => match &reading.contract.interactions[0].kind {
            InteractionKind::Unreadable(unreadable) => (unreadable.reason.clone(), unreadable.at.clone()),
            _ => panic!("{text} could be read"),
        },
        Err(error) => (error.to_string(), error.at().to_owned()),
    }
}

#[test]
fn errors_contain_the_location() {
    for (text, want) in [
        ("5", "/interactions/0: expected an object, found a number"),
        (
            r#"{"description":5}"#,
            "/interactions/0/description: expected a string, found a number",
        ),
        (
            r#"{"response":{"status":"200"}}"#,
            r#"/interactions/0/response/status: the status must be a whole number from 100 to 599, found "200"; write it without quotes"#,
        ),
        (
            r#"{"request":{"headers":[]}}"#,
            "/interactions/0/request/headers: expected an object, found an array",
        ),
        (
            r#"{"request":{"headers":{"a/b":[{}]}}}"#,
            "/interactions/0/request/headers/a~1b/0: expected a string or an array of strings, found an object",
        ),
        (
            r#"{"request":{"query":5}}"#,
            "/interactions/0/request/query: expected a string or an object, found a number",
        ),
        (
            r#"{"request":{"matchingRules":{"body":{"$.a":{"match":"regex"}}}}}"#,
            r#"/interactions/0/request/matchingRules/body/$.a: the rule "regex" requires the attribute "regex" (a pattern string)"#,
        ),
        (
            r#"{"request":{"matchingRules":{"body":{"$.a[":{"match":"type"}}}}}"#,
            r#"/interactions/0/request/matchingRules/body/$.a[: unclosed quote or bracket at column 5 of the path expression "$.a[""#,
        ),
        (
            r#"{"request":{"matchingRules":{"$.body[99999999999999999999]":{"match":"type"}}}}"#,
            r#"/interactions/0/request/matchingRules/$.body[99999999999999999999]: the index is too large at column 3 of the path expression "$[99999999999999999999]""#,
        ),
        (
            r#"{"request":{"generators":{"path":{"type":"Regex"}}}}"#,
            r#"/interactions/0/request/generators/path: the generator "Regex" requires the attribute "regex" (a string)"#,
        ),
        (
            r#"{"type":"Synchronous/Messages"}"#,
            "/interactions/0/request: expected an object, found nothing",
        ),
        (
            r#"{"pending":"yes"}"#,
            "/interactions/0/pending: expected true or false, found a string",
        ),
        (
            r#"{"request":{"matchingRules":{"body":{"$.a":{"matchers":{"match":"type"}}}}}}"#,
            r#"/interactions/0/request/matchingRules/body/$.a: "matchers" must be an array of matching rules, found an object"#,
        ),
        (
            r#"{"description":"\ud800"}"#,
            "the contract is not JSON: unpaired surrogate in an escape sequence at line 1, column 34",
        ),
        (
            r#"{"providerStates":[{"params":{}}]}"#,
            "/interactions/0/providerStates/0/name: expected a string, found nothing",
        ),
    ] {
        let (found, at) = invalid_interaction(text);
        assert_eq!(found, want);
        assert!(want.starts_with(&at));
    }
}

#[test]
fn rejects_invalid_statuses() {
    for status in ["99", "200.0", "-200", "1000"] {
        let (message, at) = invalid_interaction(&format!(r#"{{"response":{{"status":{status}}}}}"#));
        assert_eq!(at, "/interactions/0/response/status");
        assert!(message.ends_with(&format!(" {status}")), "{message}");
    }
}

#[test]
fn rejects_documents_that_are_not_contracts() {
    let error = |text: &str| Contract::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error("{\n \"a\" 1}"),
        "the contract is not JSON: unexpected character '1' at line 2, column 6"
    );
    assert_eq!(
        error(r#"{"openapi":"3.0.0"}"#),
        "this JSON document is not a contract: it is an object without any of the members consumer, provider, interactions, and messages; check that it is the right file"
    );
    assert_eq!(
        error(r#"{"interactions":[],"metadata":{"pactSpecification":{"version":"5.0"}}}"#),
        "/metadata/pactSpecification/version: the specification version \"5.0\" is not supported; supported versions are 1.0 to 4.0"
    );
    assert_eq!(
        error(r#"{"interactions":{}}"#),
        "/interactions: expected an array, found an object"
    );
}
