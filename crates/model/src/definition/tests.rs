use super::{ExampleKind, MatchingExpression};
use crate::{Json, Rule};

fn parse(text: &str) -> MatchingExpression {
    text.parse().unwrap()
}

#[track_caller]
fn check(text: &str, rules: &str, example: &str, generator: &str) {
    let expression = parse(text);
    let found: Vec<Json> = expression.rules(|_| true).unwrap().iter().map(Rule::to_json).collect();
    assert_eq!(Json::from(found).to_text(), rules, "{text}");
    assert_eq!(
        expression.example().map_or(String::new(), |e| e.to_text()),
        example,
        "{text}"
    );
    assert_eq!(
        expression.generator.map_or(String::new(), |g| g.to_json().to_text()),
        generator,
        "{text}"
    );
}

#[test]
fn rules_with_an_example() {
    check("matching(type, 'Name')", r#"[{"match":"type"}]"#, r#""Name""#, "");
    check("matching( equalTo , 12.50 )", r#"[{"match":"equality"}]"#, "12.50", "");
    check("matching(number, -1e3)", r#"[{"match":"number"}]"#, "-1e3", "");
    check("matching(integer, 100)", r#"[{"match":"integer"}]"#, "100", "");
    check("matching(decimal, 100.1)", r#"[{"match":"decimal"}]"#, "100.1", "");
    check(
        r"matching(regex, '\\\d+', '12')",
        r#"[{"match":"regex","regex":"\\\\\\d+"}]"#,
        r#""12""#,
        "",
    );
    check(
        "matching(include, 'x')",
        r#"[{"match":"include","value":"x"}]"#,
        r#""x""#,
        "",
    );
    check("matching(boolean, true)", r#"[{"match":"boolean"}]"#, "true", "");
    check("matching(semver, '1.0.0')", r#"[{"match":"semver"}]"#, r#""1.0.0""#, "");
    check("matching(type, null)", r#"[{"match":"type"}]"#, "null", "");
    check("notEmpty('a')", r#"[{"match":"notEmpty"}]"#, r#""a""#, "");
    check(
        "matching(contentType, 'application/json', '{}')",
        r#"[{"match":"contentType","value":"application/json"}]"#,
        r#""{}""#,
        "",
    );
    check(
        "matching(mine, 'deep', 1)",
        r#"[{"match":"mine","config":"deep"}]"#,
        "1",
        "",
    );
}

#[test]
fn dates_and_provider_states_imply_a_generator() {
    check(
        "matching(datetime, 'yyyy', '2000')",
        r#"[{"match":"datetime","format":"yyyy"}]"#,
        r#""2000""#,
        r#"{"type":"DateTime","format":"yyyy"}"#,
    );
    check(
        "matching(date, 'yyyy', fromProviderState('${born}', '2000'))",
        r#"[{"match":"date","format":"yyyy"}]"#,
        r#""2000""#,
        r#"{"type":"ProviderState","expression":"${born}","dataType":"STRING"}"#,
    );
    check(
        "matching(integer, fromProviderState('id', 5))",
        r#"[{"match":"integer"}]"#,
        "5",
        r#"{"type":"ProviderState","expression":"id","dataType":"INTEGER"}"#,
    );
}

#[test]
fn items_are_joined() {
    check(
        "atLeast(1), atMost(5), eachValue(matching(type, 'x'))",
        r#"[{"match":"type","min":1},{"match":"type","max":5},{"match":"eachValue","rules":[{"match":"type"}],"value":"x"}]"#,
        "",
        "",
    );
    check(
        "eachKey(matching(regex, 'a+', 'aa'))",
        r#"[{"match":"eachKey","rules":[{"match":"regex","regex":"a+"}],"value":"aa"}]"#,
        "",
        "",
    );
    check(
        "arrayContains(matching(type, 'x'), matching(integer, 1))",
        r#"[{"match":"arrayContains","variants":[{"index":0,"rules":{"$":{"combine":"AND","matchers":[{"match":"type"}]}}},{"index":1,"rules":{"$":{"combine":"AND","matchers":[{"match":"integer"}]}}}]}]"#,
        r#"["x",1]"#,
        "",
    );
}

#[test]
fn references_require_an_existing_member() {
    let expression = parse("eachKey(matching($'key'))");
    assert_eq!(expression.reference().unwrap(), "key");
    assert_eq!(expression.rules(|_| false).unwrap_err(), "key");
    assert!(expression.rules(|name| name == "key").is_ok());
}

#[test]
fn escapes() {
    let value = |text: &str| parse(&format!("matching(type, '{text}')")).value.unwrap();
    assert_eq!(value(r"it\'s\n\u00e9\u{1F600}\ud83d\ude00\.").text, "it's\né😀😀\\.");
    assert_eq!(value("1").kind, ExampleKind::String);
}

#[test]
fn errors_point_at_the_column() {
    for (text, want) in [
        (
            "",
            r#"expected matching, notEmpty, eachKey, eachValue, atLeast, atMost, or arrayContains, found the end at column 1 of the matching expression """#,
        ),
        (
            "matchin(type, 1)",
            r#"expected matching, notEmpty, eachKey, eachValue, atLeast, atMost, or arrayContains, found "matchin" at column 1 of the matching expression "matchin(type, 1)""#,
        ),
        (
            "matching type",
            r#"expected '(', found "type" at column 10 of the matching expression "matching type""#,
        ),
        (
            "matching(type 1)",
            r#"expected ',', found "1" at column 15 of the matching expression "matching(type 1)""#,
        ),
        (
            "matching(integer, 1.5)",
            r#"expected a whole number, found "1" at column 19 of the matching expression "matching(integer, 1.5)""#,
        ),
        (
            "matching(type, 'é",
            r#"expected a closing quote, found the end at column 18 of the matching expression "matching(type, 'é""#,
        ),
        (
            "matching(date, 'd''T', '1T')",
            r#"expected \' for a quote inside the string, found '\'' at column 19 of the matching expression "matching(date, 'd''T', '1T')""#,
        ),
        (
            "atLeast(-1)",
            r#"expected a non-negative integer, found '-' at column 9 of the matching expression "atLeast(-1)""#,
        ),
        (
            "matching(type, 1) x",
            r#"expected ',' or the end, found "x" at column 19 of the matching expression "matching(type, 1) x""#,
        ),
        (
            r"matching(type, '\u{110000}')",
            r#"expected a character code: four hexadecimal digits, or one to six in braces, found "u" at column 18 of the matching expression "matching(type, '\\u{110000}')""#,
        ),
    ] {
        assert_eq!(text.parse::<MatchingExpression>().unwrap_err().to_string(), want);
    }
}

#[test]
fn nesting_is_bounded() {
    let text = format!("{}matching(type, 1){}", "eachKey(".repeat(5_000), ")".repeat(5_000));
    assert!(text.parse::<MatchingExpression>().is_err());
}
