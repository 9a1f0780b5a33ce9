use super::{Template, split_body, split_value};
use crate::{Generator, Json};

fn json(text: &str) -> Json {
    Json::parse(
        text.replace("M:", "contract:matcher:type")
            .replace("G:", "contract:generator:type")
            .as_bytes(),
    )
    .unwrap()
}

fn split(text: &str) -> Template {
    split_body(&json(text)).unwrap()
}

fn rules(template: &Template) -> String {
    let lines = template.rules.iter().map(|(path, list)| {
        let names: Vec<String> = list.rules.iter().map(|rule| rule.to_json().to_text()).collect();
        format!("{path} {:?} {}", list.combine, names.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(text: &str, example: &str, expected: &str) {
    let template = split(text);
    assert_eq!(template.example.to_text(), example, "{text}");
    assert_eq!(rules(&template), expected, "{text}");
}

#[test]
fn literals_are_copied() {
    check(
        r#"{"a":[1,{"b":null}],"pact:x":1.0}"#,
        r#"{"a":[1,{"b":null}],"pact:x":1.0}"#,
        "",
    );
}

#[test]
fn rules_apply_at_the_path_of_the_matcher() {
    check(
        r#"{"a":{"M:":"integer","value":1},"b":[{"pact:matcher:type":"type","value":"x"}]}"#,
        r#"{"a":1,"b":["x"]}"#,
        "$.a And {\"match\":\"integer\"}\n$.b[0] And {\"match\":\"type\"}",
    );
}

#[test]
fn nested_matchers_at_one_path_are_combined() {
    check(
        r#"{"M:":"type","value":{"M:":"regex","regex":"a+","value":"aa"}}"#,
        r#""aa""#,
        "$ And {\"match\":\"type\"} {\"match\":\"regex\",\"regex\":\"a+\"}",
    );
}

#[test]
fn repeats_the_single_item_of_a_list() {
    let item = r#"{"id":{"M:":"integer","value":1}}"#;
    let rules = |size: &str| format!("$ And {{\"match\":\"type\"{size}}}\n$[*].id And {{\"match\":\"integer\"}}");
    check(
        &format!(r#"{{"M:":"type","min":2,"value":[{item}]}}"#),
        r#"[{"id":1},{"id":1}]"#,
        &rules(",\"min\":2"),
    );
    check(
        &format!(r#"{{"M:":"type","min":1,"max":null,"examples":3,"value":[{item}]}}"#),
        r#"[{"id":1},{"id":1},{"id":1}]"#,
        &rules(",\"min\":1"),
    );
    check(
        &format!(r#"{{"M:":"type","min":3,"value":[{item},{item}]}}"#),
        r#"[{"id":1},{"id":1}]"#,
        &rules(",\"min\":3"),
    );
}

#[test]
fn values_and_each_value_allow_any_key() {
    check(
        r#"{"M:":"values","value":{"k":{"M:":"type","value":1}}}"#,
        r#"{"k":1}"#,
        "$ And {\"match\":\"values\"}\n$.* And {\"match\":\"type\"}",
    );
    check(
        r#"{"M:":"eachValue","rules":[{"M:":"type"}],"value":{"k":{"deep":{"M:":"integer","value":1}}}}"#,
        r#"{"k":{"deep":1}}"#,
        "$ And {\"match\":\"eachValue\",\"rules\":[{\"match\":\"type\"}]}\n$.*.deep And {\"match\":\"integer\"}",
    );
    check(
        r#"{"M:":"eachKey","rules":[{"M:":"regex","regex":"k."}],"value":{"k1":1}}"#,
        r#"{"k1":1}"#,
        "$ And {\"match\":\"eachKey\",\"rules\":[{\"match\":\"regex\",\"regex\":\"k.\"}]}",
    );
}

#[test]
fn several_matchers_in_one() {
    check(
        r#"{"M:":[{"M:":"type","min":1},{"M:":"notEmpty"}],"value":[1]}"#,
        "[1]",
        "$ And {\"match\":\"type\",\"min\":1} {\"match\":\"notEmpty\"}",
    );
    check(
        r#"{"M:":["integer",{"M:":"null"}],"combine":"or","value":5}"#,
        "5",
        "$ Or {\"match\":\"integer\"} {\"match\":\"null\"}",
    );
    check(
        r#"{"M:":[{"M:":"type","value":"first"},{"M:":"include","value":"f"}]}"#,
        r#""first""#,
        "$ And {\"match\":\"type\"} {\"match\":\"include\",\"value\":\"f\"}",
    );
}

#[test]
fn variants_are_templates_of_any_kind() {
    check(
        r#"{"list":{"M:":"arrayContains","variants":[{"a":{"M:":"type","value":1}},{"M:":"regex","regex":"x.","value":"xy"},3,[{"M:":"type","value":4}]]}}"#,
        r#"{"list":[{"a":1},"xy",3,[4]]}"#,
        "$.list And {\"match\":\"arrayContains\",\"variants\":[\
         {\"index\":0,\"rules\":{\"$.a\":{\"combine\":\"AND\",\"matchers\":[{\"match\":\"type\"}]}}},\
         {\"index\":1,\"rules\":{\"$\":{\"combine\":\"AND\",\"matchers\":[{\"match\":\"regex\",\"regex\":\"x.\"}]}}},\
         {\"index\":2,\"rules\":{}},\
         {\"index\":3,\"rules\":{\"$[0]\":{\"combine\":\"AND\",\"matchers\":[{\"match\":\"type\"}]}}}]}",
    );
}

#[test]
fn expressions_are_read() {
    check(r#"{"M:":"matching(integer, 5)"}"#, "5", "$ And {\"match\":\"integer\"}");
    check(
        r#"{"M:":"matching(integer, 5), notEmpty(5)","value":6}"#,
        "6",
        "$ And {\"match\":\"integer\"} {\"match\":\"notEmpty\"}",
    );
    check(
        r#"{"M:":"matching($'kind')","kind":{"id":{"M:":"integer","value":1}}}"#,
        r#"{"id":1}"#,
        "$ And {\"match\":\"type\"}\n$.id And {\"match\":\"integer\"}",
    );
}

#[test]
fn null_and_status_need_no_example() {
    check(r#"{"M:":"null"}"#, "null", "$ And {\"match\":\"null\"}");
    check(
        r#"{"M:":"statusCode","status":"success"}"#,
        "200",
        "$ And {\"match\":\"statusCode\",\"status\":\"success\"}",
    );
}

#[test]
fn collects_generators_and_rules() {
    let template = split(r#"{"a":{"M:":"integer","G:":"RandomInt","min":1,"max":2,"value":1}}"#);
    assert_eq!(rules(&template), "$.a And {\"match\":\"integer\"}");
    let generator = &template.generators[&"$.a".parse().unwrap()];
    assert_eq!(generator.to_json().to_text(), r#"{"type":"RandomInt","min":1,"max":2}"#);
    assert!(template.needs_example.is_empty());
    // The bounds belong to the generator.
    for bounds in [r#""min":-5,"max":-1"#, r#""min":-5"#] {
        assert_eq!(
            rules(&split(&format!(
                r#"{{"M:":"type","G:":"RandomInt",{bounds},"value":1}}"#
            ))),
            "$ And {\"match\":\"type\"}"
        );
    }
    assert_eq!(
        rules(&split(r#"{"M:":"type","G:":"RandomInt","min":1,"max":2,"value":1}"#)),
        "$ And {\"match\":\"type\"}"
    );
}

#[test]
fn generators_without_matchers_imply_a_type_rule() {
    assert_eq!(rules(&split(r#"{"G:":"Uuid"}"#)), "$ And {\"match\":\"type\"}");
    assert_eq!(
        rules(&split(r#"{"G:":"Uuid","value":"x"}"#)),
        "$ And {\"match\":\"type\"}"
    );
    assert_eq!(
        rules(&split(r#"{"G:":"ProviderState","expression":"id","value":1}"#)),
        ""
    );
    assert_eq!(
        rules(&split(r#"{"G:":"ProviderState","expression":"id"}"#)),
        "$ And {\"match\":\"type\"}"
    );
}

#[test]
fn missing_examples_are_filled() {
    let mut template = split(
        r#"{"ids":{"M:":"type","min":2,"value":[{"G:":"RandomInt"}]},
            "list":{"M:":"arrayContains","variants":[{"n":{"M:":"number","G:":"RandomDecimal"}}]},
            "kept":{"M:":"type","G:":"RandomInt","value":null}}"#,
    );
    assert_eq!(
        template.example.to_text(),
        r#"{"ids":[null,null],"list":[{"n":null}],"kept":null}"#
    );
    let places: Vec<String> = template.needs_example.iter().map(ToString::to_string).collect();
    assert_eq!(places, ["$.ids[*]", "$.list[0].n"]);
    let mut count = 0_u64;
    template
        .fill(|generator| {
            count += 1;
            assert!(matches!(
                generator,
                Generator::RandomInt { .. } | Generator::RandomDecimal { .. }
            ));
            Ok::<_, ()>(count.into())
        })
        .unwrap();
    assert_eq!(
        template.example.to_text(),
        r#"{"ids":[1,2],"list":[{"n":3}],"kept":null}"#
    );
    assert!(template.needs_example.is_empty());
}

#[track_caller]
fn check_mistakes(cases: &[(&str, &str, &str)]) {
    for (text, code, want) in cases {
        let error = split_body(&json(text)).unwrap_err();
        assert_eq!(
            (error.kind.code(), error.to_string().as_str()),
            (*code, *want),
            "{text}"
        );
    }
}

#[test]
fn reports_invalid_attributes() {
    check_mistakes(&[
        (
            r#"{"M:":"type","min":1.5,"value":[1]}"#,
            "matcher-attributes",
            r#"the template: the rule "type" requires the attribute "min" (a non-negative integer)"#,
        ),
        (
            r#"{"M:":"date","format":5,"value":"2026-01-01"}"#,
            "matcher-attributes",
            r#"the template: the rule "date" requires the attribute "format" (a format string)"#,
        ),
        (
            r#"{"M:":"statusCode","status":[]}"#,
            "matcher-attributes",
            r#"the template: the rule "statusCode" requires the attribute "status" (an array of at least one status code)"#,
        ),
        (
            r#"{"a":{"M:":"arrayContains(matching(type, 'x'), matching($'b'))","b":1}}"#,
            "variant-without-example",
            r#"/a: each item of arrayContains in a matching expression requires an example; define items without an example under "variants""#,
        ),
    ]);
}

#[test]
fn reports_errors_with_their_location() {
    check_mistakes(&[
        (
            r#"{"a":{"M:":"tipe","value":1}}"#,
            "unknown-matcher",
            r#"/a: unknown matcher "tipe""#,
        ),
        (
            r#"{"M:":5,"value":1}"#,
            "matcher-type",
            "the template: \"contract:matcher:type\" must be the name of a matcher or an array of matchers",
        ),
        (
            r#"{"M:":"regex","value":1}"#,
            "matcher-attributes",
            r#"the template: the rule "regex" requires the attribute "regex" (a pattern string)"#,
        ),
        (
            r#"[{"M:":"type"}]"#,
            "missing-value",
            r#"/0: the matcher "type" requires an example in "value", or a generator"#,
        ),
        (
            r#"{"G:":"Random","value":1}"#,
            "unknown-generator",
            r#"the template: unknown generator "Random""#,
        ),
        (
            r#"{"G:":1,"value":1}"#,
            "generator-type",
            "the template: \"contract:generator:type\" must be the name of a generator",
        ),
        (
            r#"{"G:":"Regex","value":1}"#,
            "generator-attributes",
            r#"the template: the generator "Regex" requires the attribute "regex" (a string)"#,
        ),
        (
            r#"{"contract:matcher:typ":"type","value":1}"#,
            "unknown-key",
            r#"/contract:matcher:typ: unknown key "contract:matcher:typ"; valid keys are "contract:matcher:type" and "contract:generator:type""#,
        ),
        (
            r#"{"M:":"type","min":3,"max":2,"value":[]}"#,
            "bounds",
            "the template: min 3 is greater than max 2",
        ),
        (
            r#"{"M:":"type","min":-1,"value":[]}"#,
            "matcher-attributes",
            r#"the template: the rule "type" requires the attribute "min" (a non-negative integer)"#,
        ),
        (
            r#"{"M:":"type","min":3,"examples":2,"value":[1]}"#,
            "examples",
            r#"/value: "examples" must be a whole number from "min" to "max""#,
        ),
        (
            r#"{"M:":"type","min":1000000000,"value":[1]}"#,
            "example-limit",
            "/value: the example repeats an item of 2 bytes 1000000000 times, which exceeds the limit of 4194304 bytes for \
             an example; use fewer examples, or increase exampleLimit",
        ),
        (
            r#"{"M:":"arrayContains","variants":[]}"#,
            "matcher-attributes",
            r#"the template: the rule "arrayContains" requires the attribute "variants" (an array of at least one example)"#,
        ),
        (
            r#"{"M:":"eachKey","rules":[{"M:":"tipe"}],"value":{}}"#,
            "unknown-matcher",
            r#"the template: unknown matcher "tipe""#,
        ),
        (
            r#"{"M:":["type"],"combine":"XOR","value":1}"#,
            "combine",
            r#"/combine: "combine" must be "AND" or "OR""#,
        ),
        (
            r#"{"M:":"type","value":{"M:":["integer","null"],"combine":"OR","value":1}}"#,
            "combine-conflict",
            "/value: AND matchers and OR matchers cannot be combined at the same path",
        ),
        (
            r#"{"M:":"matching(tipe, 1)"}"#,
            "unknown-matcher",
            r#"the template: unknown matcher "tipe""#,
        ),
        (
            r#"{"M:":"matching($'a')"}"#,
            "reference",
            r#"the template: the matching expression refers to "a", but the object has no such member"#,
        ),
    ]);
}

#[test]
fn values_have_a_single_rule_list() {
    let split = |text: &str| split_value(&json(text)).unwrap();
    let plain = split(r#""x""#);
    assert_eq!((plain.value, plain.rules), (Json::from("x"), None));

    let each = split(r#"{"M:":"type","min":1,"value":[{"M:":"regex","regex":"a","value":"a"}]}"#);
    let names: Vec<String> = each.rules.unwrap().rules.iter().map(|r| r.name().to_owned()).collect();
    assert_eq!(
        (each.value.to_text().as_str(), names.join(" ").as_str()),
        (r#"["a"]"#, "type regex")
    );

    let mixed = split(r#"["a",{"M:":"type","G:":"RandomString"}]"#);
    assert_eq!(mixed.value.to_text(), r#"["a",null]"#);
    assert!(mixed.item_rules.contains_key(&1) && mixed.item_generators.contains_key(&1));
    assert_eq!(mixed.needs_example, ["$[1]".parse().unwrap()]);

    assert_eq!(
        split_value(&json(r#"{"a":{"M:":"type","value":1}}"#))
            .unwrap_err()
            .kind
            .code(),
        "nested-matcher"
    );
}

#[test]
fn nesting_is_bounded() {
    let mut template = json("1");
    for _ in 0..100_u8 {
        let inner = template;
        template = json(r#"{"M:":"type","min":1,"value":[null]}"#);
        if let Some(members) = template.as_object_mut() {
            members.insert("value", vec![inner]);
        }
    }
    assert!(split_body(&template).is_ok());
    for _ in 0..200_u8 {
        template = Json::Array(vec![template]);
    }
    assert_eq!(split_body(&template).unwrap_err().kind.code(), "too-deep");

    let variants = |count: u8| {
        (0..count).fold(json("1"), |inner, _| {
            let mut template = json(r#"{"M:":"arrayContains"}"#);
            if let Some(members) = template.as_object_mut() {
                members.insert("variants", vec![inner]);
            }
            template
        })
    };
    assert!(split_body(&variants(40)).is_ok());
    assert_eq!(split_body(&variants(50)).unwrap_err().kind.code(), "too-deep");
}
