//! Contract files of every version are read, written in every version that can hold them, and read back.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;

use contract_model::{Contract, ReadError, Reading, SpecificationVersion, file_order};

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
    // The broker's names are never written.
    contract
        .interactions
        .iter_mut()
        .for_each(|interaction| interaction.broker_id = None);
    contract.specification = version;
    contract
}

#[test]
fn every_fixture_survives_every_version_that_can_hold_it() {
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

/// What a file was written in, it can be written in again without loss (V1 in V2).
#[test]
fn every_fixture_is_written_in_its_own_version_without_warnings() {
    for (name, version, expected) in [
        ("v1.json", SpecificationVersion::V2, ""),
        ("v1.1.json", SpecificationVersion::V2, ""),
        ("v2.json", SpecificationVersion::V2, ""),
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
fn what_is_odd_is_reported() {
    let warnings = |name: &str| {
        let warnings = read(name).warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(warnings("v1.json"), "");
    assert_eq!(
        warnings("v1.1.json"),
        "/consumer/name: nothing stands here; it is read as consumer"
    );
    assert_eq!(warnings("v3-http.json"), "");
    assert_eq!(
        warnings("v4.json"),
        "/interactions/8: the interaction type \"Streaming/Video\" is not known; the interaction is kept, but cannot be verified"
    );
}

#[test]
fn a_version_refuses_what_it_cannot_hold() {
    let refusal = |name: &str, version| read(name).contract.write(version).unwrap_err().to_string();
    assert_eq!(
        refusal("v3-messages.json", SpecificationVersion::V2),
        "the interaction \"a note\" of type Asynchronous/Messages cannot be written in V2; choose V3 or V4"
    );
    assert_eq!(
        refusal("v4.json", SpecificationVersion::V3),
        "V3 cannot hold HTTP interactions and messages in one contract, such as \"a request with everything\" and \"an event\"; choose V4, or a contract for each"
    );
    assert_eq!(
        refusal("v1.json", SpecificationVersion::V1),
        "contracts are not written in V1: it has no matching rules, so the contract would ask for less freedom than it means; choose V2, V3 or V4"
    );
}

#[test]
fn a_downgrade_names_what_is_lost() {
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
            "request: the values of the header \"X-List\" are joined and cannot be told apart again",
            "plugins is left out",
        ]
    );
    let in_v2 = lost(SpecificationVersion::V2);
    for wanted in [
        "the parameters of the provider state \"a user\" are left out",
        "request: only the first of the matching rules at $.body.name is kept",
        "request: the matching rule \"arrayContains\" is newer than the version; it is written, but older tools do not know it",
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
fn a_merge_with_itself_changes_nothing() {
    for name in ["v1.json", "v2.json", "v3-http.json", "v3-messages.json", "v4.json"] {
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

#[test]
fn errors_say_where() {
    fn error(text: &str) -> ReadError {
        let document = format!(r#"{{"interactions":[{text}],"metadata":{{"pactSpecification":{{"version":"4.0"}}}}}}"#);
        Contract::read(document.as_bytes()).unwrap_err()
    }
    for (text, want) in [
        ("5", "/interactions/0: expected an object, found a number"),
        (
            r#"{"description":5}"#,
            "/interactions/0/description: expected a text, found a number",
        ),
        (
            r#"{"response":{"status":"200"}}"#,
            r#"/interactions/0/response/status: the status must be a whole number from 100 to 599, found "200"; write it without quotes"#,
        ),
        (
            r#"{"response":{"status":99}}"#,
            "/interactions/0/response/status: the status must be a whole number from 100 to 599, found 99",
        ),
        (
            r#"{"response":{"status":200.0}}"#,
            "/interactions/0/response/status: the status must be a whole number from 100 to 599, found 200.0",
        ),
        (
            r#"{"request":{"headers":[]}}"#,
            "/interactions/0/request/headers: expected an object, found an array",
        ),
        (
            r#"{"request":{"headers":{"a/b":[{}]}}}"#,
            "/interactions/0/request/headers/a~1b/0: expected a text or a list of texts, found an object",
        ),
        (
            r#"{"request":{"query":5}}"#,
            "/interactions/0/request/query: expected a text or an object, found a number",
        ),
        (
            r#"{"request":{"matchingRules":{"body":{"$.a":{"match":"regex"}}}}}"#,
            r#"/interactions/0/request/matchingRules/body/$.a: the rule "regex" needs the attribute "regex" (a pattern as text)"#,
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
            r#"/interactions/0/request/generators/path: the generator "Regex" needs the attribute "regex" (a text)"#,
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
            r#"{"providerStates":[{"params":{}}]}"#,
            "/interactions/0/providerStates/0/name: expected a text, found nothing",
        ),
    ] {
        let found = error(text);
        assert_eq!(found.to_string(), want);
        assert!(want.starts_with(found.at()));
    }
}

#[test]
fn documents_that_are_no_contracts() {
    let error = |text: &str| Contract::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error("{\n \"a\" 1}"),
        "the contract is not JSON: unexpected character '1' at line 2, column 6"
    );
    assert_eq!(
        error(r#"{"openapi":"3.0.0"}"#),
        "this JSON document is not a contract: it is an object without any of the members consumer, provider, interactions and messages; check that it is the right file"
    );
    assert_eq!(
        error(r#"{"interactions":[],"metadata":{"pactSpecification":{"version":"5.0"}}}"#),
        "/metadata/pactSpecification/version: the specification version \"5.0\" is not known; this library reads 1.0 to 4.0"
    );
    assert_eq!(
        error(r#"{"interactions":{}}"#),
        "/interactions: expected a list, found an object"
    );
}
