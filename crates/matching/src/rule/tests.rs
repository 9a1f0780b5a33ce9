use contract_model::{Json, Rule};

use super::CheckedRule;

/// Returns whether the value satisfies the rule. Only some rules use the expected value.
fn holds(rule: &str, expected: &str, actual: &str) -> bool {
    let parse = |text: &str| Json::parse(text.as_bytes()).unwrap();
    let rule = CheckedRule::new(&Rule::from_json(&parse(rule)).unwrap()).unwrap();
    rule.scalar(&parse(expected), &parse(actual)).is_ok()
}

fn text_holds(rule: &str, expected: &str, actual: &str) -> bool {
    CheckedRule::new(&Rule::from_json(&Json::parse(rule.as_bytes()).unwrap()).unwrap())
        .unwrap()
        .text(expected, actual)
        .is_ok()
}

#[test]
fn json_values() {
    for (rule, passing, failing) in [
        (r#"{"match":"equality"}"#, vec!["1"], vec!["1.0", "2", "\"1\""]),
        (r#"{"match":"type"}"#, vec!["1.5", "-3"], vec!["\"1\"", "null", "[]"]),
        (r#"{"match":"number"}"#, vec!["1", "1.5", "1e3"], vec!["\"1\"", "true"]),
        (
            r#"{"match":"integer"}"#,
            vec!["0", "-12", "12345678901234567890123"],
            vec!["1.0", "1e2", "\"1\"", "null"],
        ),
        (
            r#"{"match":"decimal"}"#,
            vec!["1.0", "1e2", "-0.5"],
            vec!["1", "\"1.0\""],
        ),
        (
            r#"{"match":"boolean"}"#,
            vec!["true", "\"false\""],
            vec!["0", "\"yes\"", "null"],
        ),
        (r#"{"match":"null"}"#, vec!["null"], vec!["0", "\"\"", "[]"]),
        (
            r#"{"match":"regex","regex":"\\d+"}"#,
            vec!["\"12\"", "12"],
            vec!["\"a12\"", "1.5", "[12]"],
        ),
        (
            r#"{"match":"include","value":"ell"}"#,
            vec!["\"hello\""],
            vec!["\"hallo\"", "12"],
        ),
        (
            r#"{"match":"date","format":"yyyy-MM-dd"}"#,
            vec!["\"2024-02-29\""],
            vec!["\"2023-02-29\"", "20240229"],
        ),
        (
            r#"{"match":"time","format":"HH:mm"}"#,
            vec!["\"23:59\""],
            vec!["\"24:00\""],
        ),
        (
            r#"{"match":"datetime"}"#,
            vec!["\"2024-01-02T03:04:05+14:00\""],
            vec!["\"2024-01-02\""],
        ),
        (
            r#"{"match":"notEmpty"}"#,
            vec!["0", "\"a\"", "false"],
            vec!["\"\"", "null", "[]", "{}"],
        ),
        (
            r#"{"match":"semver"}"#,
            vec!["\"1.0.0-rc.1+b\""],
            vec!["\"1.0\"", "1.0"],
        ),
        (
            r#"{"match":"statusCode","status":"success"}"#,
            vec!["200", "299"],
            vec!["300", "\"200\""],
        ),
        (r#"{"match":"made-up"}"#, vec![], vec!["1"]),
    ] {
        for value in passing {
            assert!(holds(rule, "1", value), "{rule} accepts {value}");
        }
        for value in failing {
            assert!(!holds(rule, "1", value), "{rule} refuses {value}");
        }
    }
}

#[test]
fn texts() {
    for (rule, passing, failing) in [
        (r#"{"match":"equality"}"#, vec!["1"], vec!["1.0"]),
        (r#"{"match":"type"}"#, vec!["x", ""], vec![]),
        (
            r#"{"match":"number"}"#,
            vec!["-1", "1.5", "1e-3", ".5"],
            vec!["", "NaN", "inf", "1x", "."],
        ),
        (r#"{"match":"integer"}"#, vec!["-12", "007"], vec!["1.0", "", "-"]),
        (r#"{"match":"decimal"}"#, vec!["5", "5.5"], vec!["a"]),
        (r#"{"match":"boolean"}"#, vec!["true"], vec!["TRUE", "1"]),
        (r#"{"match":"null"}"#, vec![], vec!["null", ""]),
        (r#"{"match":"notEmpty"}"#, vec!["a"], vec![""]),
        (r#"{"match":"semver"}"#, vec!["1.2.3"], vec!["1.2"]),
        (r#"{"match":"arrayContains","variants":[]}"#, vec![], vec!["a"]),
    ] {
        for value in passing {
            assert!(text_holds(rule, "1", value), "{rule} accepts {value}");
        }
        for value in failing {
            assert!(!text_holds(rule, "1", value), "{rule} refuses {value}");
        }
    }
}

#[test]
fn rejects_invalid_rules() {
    let problem = |rule: &str| {
        CheckedRule::new(&Rule::from_json(&Json::parse(rule.as_bytes()).unwrap()).unwrap())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        problem(r#"{"match":"regex","regex":"("}"#),
        r#""(" is not a valid regular expression: unclosed group"#
    );
    assert_eq!(
        problem(r#"{"match":"type","min":3,"max":1}"#),
        r#"the rule "type" is invalid: min (3) is greater than max (1)"#
    );
    assert!(
        problem(r#"{"match":"date","format":"yyyy-MM-ddT"}"#)
            .starts_with(r#"the format of the rule "date" is invalid"#)
    );
}
