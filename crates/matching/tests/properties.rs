//! Properties that must hold for all inputs: the compiled plan returns the same verdict as a naive matcher, and no
//! input causes a panic.

#[path = "support/naive.rs"]
mod naive;

use contract_matching::{ActualBody, ActualMessage, MessagePlan, Mismatch, Options};
use contract_model::{
    Body, Combine, Content, ContentType, Definition, Json, Message, Number, PathExpression, PathRules, PathToken, Rule,
    RuleList,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

fn message(content: Content, rules: PathRules) -> Message {
    let mut message = Message {
        contents: Body::Present(content),
        ..Message::default()
    };
    message.rules.body = rules;
    message
}

fn options(strict: bool) -> Options {
    if strict { Options::STRICT } else { Options::LENIENT }
}

fn compare(expected: Content, rules: PathRules, strict: bool, actual: ActualBody) -> Vec<Mismatch> {
    let plan = MessagePlan::new(&message(expected, rules), options(strict)).expect("valid rules");
    plan.compare(&ActualMessage {
        contents: actual,
        ..ActualMessage::default()
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just("a".to_owned()), 2 => Just("b".to_owned()), 1 => Just("1".to_owned())]
}

fn scalar() -> impl Strategy<Value = Json> {
    let number = |text: &str| Json::Number(Number::from_text(text).expect("a number"));
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        Just(number("1")),
        Just(number("2")),
        Just(number("1.0")),
        Just(Json::from("")),
        Just(Json::from("true")),
        Just(Json::from("1x")),
    ]
}

fn value() -> impl Strategy<Value = Json> {
    scalar().prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::Array),
            btree_map(key(), inner, 0..4).prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Changes a few values. Most of the document stays the same.
fn changed(value: &Json, choices: &mut impl Iterator<Item = (u8, Json)>) -> Json {
    let Some((choice, other)) = choices.next() else {
        return value.clone();
    };
    if choice < 24 {
        return other;
    }
    match value {
        Json::Array(items) => {
            let mut items: Vec<_> = items.iter().map(|item| changed(item, choices)).collect();
            match choice {
                24..40 => items.push(other),
                40..56 => drop(items.pop()),
                56..72 => items.extend(items.first().cloned()),
                _ => {}
            }
            Json::Array(items)
        }
        Json::Object(object) => {
            let mut members: Vec<_> = object
                .iter()
                .map(|(key, value)| (key.clone(), changed(value, choices)))
                .collect();
            match choice {
                24..40 => members.push(("c".into(), other)),
                40..56 => drop(members.pop()),
                56..72 => members.reverse(),
                _ => {}
            }
            Json::Object(members.into_iter().collect())
        }
        scalar => scalar.clone(),
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        4 => Just(Rule::Type { min: None, max: None }),
        1 => Just(Rule::Type { min: Some(1), max: None }),
        1 => Just(Rule::Type { min: None, max: Some(2) }),
        3 => Just(Rule::Equality),
        1 => Just(Rule::Number),
        1 => Just(Rule::Integer),
        1 => Just(Rule::Boolean),
        2 => Just(Rule::Null),
        1 => Just(Rule::NotEmpty),
        1 => Just(Rule::Include("1".into())),
        2 => Just(Rule::Values),
    ]
}

/// Generates rules that contain other rules.
fn nested_rule() -> impl Strategy<Value = Rule> {
    let definition = |rules| {
        Box::new(Definition {
            rules,
            ..Definition::default()
        })
    };
    let keys = Rule::EachKey(definition(vec![Rule::Include("a".into())]));
    rule().prop_recursive(2, 4, 2, move |inner| {
        let values = vec(inner, 1..3).prop_map(move |rules| Rule::EachValue(definition(rules)));
        prop_oneof![2 => values, 1 => Just(keys.clone())]
    })
}

fn path() -> impl Strategy<Value = PathExpression> {
    let token = prop_oneof![
        4 => key().prop_map(|key| PathToken::Key(key.into())),
        1 => (0..2_usize).prop_map(PathToken::Index),
        2 => Just(PathToken::AnyKey),
        2 => Just(PathToken::AnyIndex),
    ];
    vec(token, 0..3).prop_map(PathExpression::from)
}

/// Generates rules that do not combine alternatives with `eachValue`. The naive matcher cannot compare a list of
/// alternatives for `.*` together with the rules of `eachValue`.
fn rules() -> impl Strategy<Value = PathRules> {
    let all = |rules| RuleList {
        rules,
        combine: Combine::And,
    };
    let one_of = |rules| RuleList {
        rules,
        combine: Combine::Or,
    };
    let nested =
        prop_oneof![3 => nested_rule().prop_map(RuleList::single), 1 => vec(nested_rule(), 2..4).prop_map(all)];
    let flat = prop_oneof![2 => rule().prop_map(RuleList::single), 1 => vec(rule(), 2..4).prop_map(one_of)];
    prop_oneof![btree_map(path(), nested, 1..6), btree_map(path(), flat, 1..6)]
}

/// Generates bytes that start like the format, so that the parser does not reject them immediately.
fn bytes_like(starts: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::sample::select(starts).prop_map(|text| text.as_bytes().to_vec()),
        vec(any::<u8>(), 0..8),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn nothing_panics(content_type: &str, expected: Vec<u8>, actual: Vec<u8>, rules: PathRules) {
    let content_type: ContentType = content_type.parse().expect("a content type");
    let body = |bytes: Vec<u8>| ActualBody::new(bytes, Some(content_type.clone()));
    let content = |bytes: Vec<u8>| Content::new(bytes, Some(content_type.clone()));
    for mismatch in compare(content(expected.clone()), rules, true, body(actual)) {
        assert!(!mismatch.to_string().is_empty());
    }
    if !expected.is_empty() {
        let readable = compare(content(expected.clone()), PathRules::new(), true, body(expected));
        let unreadable = |mismatch: &Mismatch| mismatch.kind.code() == "unreadable";
        assert!(readable.iter().all(unreadable), "a body matches itself: {readable:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plan_and_naive_matcher_agree(
        expected in value(),
        rules in rules(),
        strict in any::<bool>(),
        choices in vec((any::<u8>(), scalar()), 0..24),
    ) {
        prop_assume!(!expected.is_null());
        let actual = changed(&expected, &mut choices.into_iter());
        let want = naive::matches(&rules, strict, &expected, &actual);
        let found = compare(Content::json(expected.clone()), rules.clone(), strict, ActualBody::new(actual.to_text(), Some(ContentType::json())));
        let shown: Vec<_> = rules.iter().map(|(path, list)| format!("{path}: {}", list.to_json().to_text())).collect();
        prop_assert_eq!(found.is_empty(), want, "{} and {} under {:#?}, strict {}: {:?}", expected, actual, shown, strict, found);
    }

    #[test]
    fn xml_of_any_bytes(
        expected in bytes_like(&["<a>", "</a>", "<b x='1'>", "</b>", "<c/>", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#x41;", "<n:a xmlns:n='u'>", "</n:a>", "<?pi ?>", "text"]),
        actual in bytes_like(&["<a>", "</a>", "<b x='1'>", "</b>", "<c/>", "<!DOCTYPE a>", "&", "xmlns='u'"]),
        rules in rules(),
    ) {
        nothing_panics("application/xml", expected, actual, rules);
    }

    #[test]
    fn multipart_of_any_bytes(
        expected in bytes_like(&["--b\r\n", "--b--", "\r\n\r\n", "Content-Disposition: form-data; name=\"a\"\r\n", "Content-Type: application/json\r\n", "{\"a\":1}", "\n"]),
        actual in bytes_like(&["--b\r\n", "--b--", "\r\n\r\n", "Content-Transfer-Encoding: base64\r\n", "Content-Type: multipart/mixed; boundary=b\r\n"]),
        rules in rules(),
    ) {
        nothing_panics("multipart/form-data; boundary=b", expected, actual, rules);
    }

    #[test]
    fn forms_of_any_bytes(expected in bytes_like(&["a=1", "&", "=", "%", "%41", "+", "b[]"]), actual in bytes_like(&["a=1", "&", "=", "%"]), rules in rules()) {
        nothing_panics("application/x-www-form-urlencoded", expected, actual, rules);
    }

    #[test]
    fn any_bytes_have_a_content_type(
        bytes in bytes_like(&["PK\u{3}\u{4}", "RIFF", "WEBP", "ftyp", "\u{1a}", "<svg", "<!doctype", "<?xml", "{", "%PDF-", "MZ", "BM", "mimetype", "OggS"]),
        wanted in prop_oneof![Just("image/png"), Just("text/csv"), Just("application/zip"), Just("application/x-unheard-of"), Just("application/a+json")],
    ) {
        let rule = Rule::ContentType(wanted.parse().expect("a content type"));
        let rules = PathRules::from([(PathExpression::root(), RuleList::single(rule))]);
        let content_type: ContentType = "application/octet-stream".parse().expect("a content type");
        let content = Content::new("x", Some(content_type.clone()));
        compare(content, rules, true, ActualBody::new(bytes, Some(content_type)));
    }

    #[test]
    fn translated_patterns_keep_their_meaning(
        pieces in vec(prop::sample::select(vec![
            "a", "-", "--", "&&", "[", "[^", "]", "\\d", "\\w", "\\pL", "\\p{L}", "\\-", "\\\\", "\\", "\\Q", "\\E", ".", "é", "(", ")", "[:alpha:]", "{2}", "+", "#", " ", "(?x)",
        ]), 0..12),
    ) {
        let text = pieces.concat();
        let portable = contract_model::portable_pattern(&text);
        let has_own_meaning = [r"\<", r"\>", "--", "~~"].iter().any(|sign| text.contains(sign));
        if let Ok(known) = regex_syntax::parse(&text)
            && !has_own_meaning
        {
            prop_assert_eq!(Ok(known), regex_syntax::parse(&portable), "{} became {}", text, portable);
        }
        let _ = contract_matching::from_javascript(&text, "u");
        let _ = contract_matching::from_javascript(&text, "");
    }
}
