//! Tests single values and nested calls to the host, which require interface version 2.

use contract_model::{Generator, Json, Rule};
use contract_plugins::{Configuration, Difference, EntryKind, FieldComparison, Plugin, PluginError};

use crate::support::{LONG, Place, object};

async fn match_even(plugin: &Plugin, rule: &str, actual: &str) -> Result<Vec<Difference>, PluginError> {
    let rule = Rule::from_json(&Json::parse(rule.as_bytes()).unwrap()).unwrap();
    let comparison = FieldComparison {
        rule: &rule,
        path: "$.n",
        part: "body",
        expected: &Json::parse(b"2").unwrap(),
        actual: &Json::parse(actual.as_bytes()).unwrap(),
        configuration: &Configuration::default(),
        context: &object("{}"),
    };
    plugin.match_field(comparison, LONG).await
}

#[tokio::test]
async fn compares_one_value_by_a_rule_of_the_plugin() {
    let (_place, plugin) = Place::pairs(2).await;
    assert!(plugin.has(EntryKind::Matcher, "even"));
    assert!(
        match_even(&plugin, r#"{"match": "even"}"#, "4")
            .await
            .unwrap()
            .is_empty()
    );
    for odd in ["3", "4.0", "\"4\""] {
        let differences = match_even(&plugin, r#"{"match": "even"}"#, odd).await.unwrap();
        assert_eq!(differences[0].message, "the number is not even", "{odd}");
    }
    let generator = Generator::from_json(&Json::parse(br#"{"type": "even"}"#).unwrap()).unwrap();
    let made = plugin
        .generate_field(
            &generator,
            "$.n",
            &Json::Null,
            &Configuration::default(),
            (&object("{}"), false),
            LONG,
        )
        .await
        .unwrap();
    assert_eq!(made.to_text(), "42");
}

#[tokio::test]
async fn interface_version_1_has_no_matchers() {
    let (_place, plugin) = Place::pairs(1).await;
    let error = match_even(&plugin, r#"{"match": "even"}"#, "4").await.unwrap_err();
    assert_eq!(
        error.message(),
        "the plugin pairs 1.0.0 uses interface version 1, which does not support MatchField"
    );
}

#[tokio::test]
async fn serves_only_plugins_of_this_host() {
    let (_place, plugin) = Place::pairs(2).await;
    for (wish, want) in [
        ("integer", "the host found 0 mismatches"),
        (
            "even",
            "AlreadyExists: plugin/pairs/matcher/even is already active in this call chain",
        ),
        ("semver", "NotFound: unknown matcher \"semver\""),
    ] {
        let rule = format!(r#"{{"match": "even", "ask": "{wish}"}}"#);
        let differences = match_even(&plugin, &rule, "4").await.unwrap();
        assert_eq!(differences[0].message, want);
    }
    let rule = r#"{"match": "even", "ask": "stranger integer"}"#;
    let differences = match_even(&plugin, rule, "4").await.unwrap();
    let message = &differences[0].message;
    assert!(
        message.starts_with("Unauthenticated: only plugins that this host started may call it"),
        "{message}"
    );
}
