//! Tests contents in both versions of the interface.

use bytes::Bytes;
use contract_model::{Body, Json, PathRules};
use contract_plugins::{Compared, Comparison, Configuration, Generation};

use crate::support::{LONG, Place, object};

#[tokio::test]
async fn configures_parts_with_rules_generators_and_stored_data() {
    for interface in [1, 2] {
        let (_place, plugin) = Place::pairs(interface).await;
        assert!(plugin.compares(&"application/x-pairs;charset=utf-8".parse().unwrap()));
        assert!(!plugin.compares(&"text/plain".parse().unwrap()));
        let contents = object(r#"{"a": "x", "n": "{number}", "big": 9007199254740993}"#);
        let made = plugin
            .configure("application/x-pairs", &contents, &object("{}"), LONG)
            .await
            .unwrap();
        assert_eq!(made.inexact, ["9007199254740993"]);
        assert_eq!(Json::from(made.contract).to_text(), r#"{"schema":"pairs-1"}"#);
        let [part] = made.parts.as_slice() else {
            panic!("one part")
        };
        assert_eq!(part.body.bytes(), "a=x\nbig=9007199254740992\nn=7\n");
        assert_eq!(
            part.body.content().unwrap().hint,
            Some(contract_model::ContentHint::Text)
        );
        let (path, rules) = part.rules.first_key_value().unwrap();
        assert_eq!(
            (path.to_string().as_str(), rules.rules.as_slice()),
            ("n", [contract_model::Rule::Integer].as_slice())
        );
        // Numbers in the interface are doubles, but the bounds must be integers.
        let generator = part.generators.values().next().unwrap().to_json().to_text();
        assert_eq!(generator, r#"{"type":"RandomInt","min":1,"max":9}"#);
        assert_eq!(Json::from(part.metadata.clone()).to_text(), r#"{"pairs":1}"#);
        assert_eq!(
            part.markup.as_ref().unwrap().to_text(),
            r#"{"markup":"**pairs**","markupType":"COMMON_MARK"}"#
        );
        let both = object(r#"{"do": "both", "a": "x"}"#);
        let made = plugin
            .configure("application/x-pairs", &both, &object("{}"), LONG)
            .await
            .unwrap();
        let names: Vec<_> = made.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["request", "response", "response"]);
    }
}

#[tokio::test]
async fn reports_mismatches() {
    for interface in [1, 2] {
        let (_place, plugin) = Place::pairs(interface).await;
        let made = plugin
            .configure(
                "application/x-pairs",
                &object(r#"{"a": "x", "n": "{number}"}"#),
                &object("{}"),
                LONG,
            )
            .await
            .unwrap();
        let part = &made.parts[0];
        let configuration = Configuration {
            interaction: part.interaction.clone(),
            contract: made.contract.clone(),
        };
        let rules: PathRules = part
            .rules
            .iter()
            .map(|(path, list)| (path.clone(), list.clone()))
            .collect();
        let context = object("{}");
        let compare = async |actual: &'static str, content_type: &str, allow_unexpected| {
            let actual_type = content_type.parse().unwrap();
            let comparison = Comparison {
                expected: &part.body,
                actual: &Bytes::from(actual),
                actual_type: Some(&actual_type),
                allow_unexpected,
                rules: &rules,
                configuration: &configuration,
                context: &context,
            };
            plugin.compare(comparison, LONG).await
        };
        let messages = |compared: Compared| match compared {
            Compared::Contents(differences) => differences.into_iter().map(|it| it.message).collect::<Vec<_>>(),
            Compared::Type { expected, actual } => vec![format!("{expected} {actual}")],
        };
        let pairs = "application/x-pairs";
        assert!(messages(compare("a=x\nn=12\nmore=1\n", pairs, true).await.unwrap()).is_empty());
        assert_eq!(
            messages(compare("a=x\nn=12\nmore=1\n", pairs, false).await.unwrap()),
            ["more is not expected"]
        );
        assert_eq!(
            messages(compare("a=y\n", pairs, true).await.unwrap()),
            ["a is y, not like x", "there is no n"]
        );
        assert_eq!(
            messages(compare("a=x\n", "text/plain", true).await.unwrap()),
            ["application/x-pairs text/plain"]
        );
        let error = compare("do=error\n", pairs, true).await.unwrap_err();
        assert!(error.is_refused());
        assert_eq!(
            error.message(),
            "the plugin pairs 1.0.0 could not compare the contents: cannot read line 3"
        );
    }
}

#[tokio::test]
async fn passes_the_context_to_generators() {
    for interface in [1, 2] {
        let (_place, plugin) = Place::pairs(interface).await;
        let made = plugin
            .configure(
                "application/x-pairs",
                &object(r#"{"n": "{number}", "a": "1"}"#),
                &object("{}"),
                LONG,
            )
            .await
            .unwrap();
        let configuration = Configuration {
            interaction: object(r#"{"part": "kept"}"#),
            contract: made.contract,
        };
        let contents = Body::from_bytes("n=7\ndo=echo\n", Some("application/x-pairs".parse().unwrap()));
        let generation = Generation {
            contents: &contents,
            generators: &made.parts[0].generators,
            configuration: &configuration,
            context: &object(r#"{"mockServer": {"port": 1}}"#),
            is_provider: true,
            is_response: true,
        };
        let generated = plugin.generate(generation, LONG).await.unwrap();
        let lines = String::from_utf8(generated.bytes().to_vec()).unwrap();
        assert_eq!(
            lines,
            "context=mockServer\ndo=echo\nfor=1\nmode=2\nn=9\npart=kept\nschema=pairs-1\n"
        );
    }
}
