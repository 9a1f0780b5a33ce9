//! Generates random JSON, paths, and invalid text.

use contract_model::{Json, Number, Object, PathExpression, PathToken, Text};
use proptest::prelude::*;

pub(crate) fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        4 => "[a-zA-Z0-9_-]{1,8}",
        2 => "[a-zA-Z0-9 _.$'\"\\[\\]\\\\é€😀/~\n\t*,;=&?%+-]{0,12}",
        1 => any::<String>(),
    ]
    .prop_map(Text::from)
}

pub(crate) fn number() -> impl Strategy<Value = Json> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
    ]
    .prop_map(|text| Json::Number(Number::from_text(&text).unwrap()))
}

pub(crate) fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number(),
        text().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::Array),
            members(inner).prop_map(Json::Object),
        ]
    })
}

fn members(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Object> {
    prop::collection::vec((text(), value), 0..5).prop_map(|members| members.into_iter().collect())
}

pub(crate) fn object() -> impl Strategy<Value = Object> {
    members(json())
}

/// Generates members with names that no version defines.
pub(crate) fn unknown() -> impl Strategy<Value = Object> {
    prop_oneof![
        2 => Just(Object::new()),
        1 => prop::collection::vec(("x-[a-z]{1,4}", json()), 0..3)
            .prop_map(|members| members.into_iter().map(|(name, value)| (Text::from(name), value)).collect()),
    ]
}

pub(crate) fn path() -> impl Strategy<Value = PathExpression> {
    let token = prop_oneof![
        4 => text().prop_map(PathToken::Key),
        1 => (0_usize..20).prop_map(PathToken::Index),
        1 => Just(PathToken::AnyKey),
        1 => Just(PathToken::AnyIndex),
    ];
    prop::collection::vec(token, 0..5).prop_map(PathExpression::from)
}

/// Generates JSON text that may contain an error.
pub(crate) fn almost_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"b\"",
            "1",
            "-0.5e+3",
            "01",
            "1.",
            "true",
            "nul",
            " ",
            "\n",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\x\"",
            "\"",
            "1e999",
            "\u{1}",
            "é",
        ])
        .prop_map(str::to_owned),
    ];
    prop_oneof![
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()),
        (json(), any::<prop::sample::Index>()).prop_map(|(value, at)| {
            let mut text: Vec<char> = value.to_text().chars().collect();
            text.remove(at.index(text.len()));
            text.into_iter().collect()
        }),
    ]
}

pub(crate) fn expression_like() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "matching",
        "(",
        ")",
        ",",
        "type",
        "'x'",
        "'",
        "$",
        "eachKey",
        "eachValue",
        "notEmpty",
        "atLeast",
        "arrayContains",
        "1",
        "-1.5",
        "true",
        "null",
        "fromProviderState",
        "regex",
        "date",
        "\\u{",
        "\\ud83d",
        " ",
        "é",
        "9999999999999999999999",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

fn some_json(names: &'static [&'static str], texts: &'static [&'static str]) -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        1 => Just(Json::Null),
        1 => any::<bool>().prop_map(Json::Bool),
        1 => prop::sample::select(vec!["0", "1", "-1", "2.0", "200", "1e400", "99999999999999999999"])
            .prop_map(|text| Json::Number(Number::from_text(text).unwrap())),
        3 => prop::sample::select(texts).prop_map(Json::from),
    ];
    leaf.prop_recursive(7, 64, 5, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            3 => prop::collection::vec((prop::sample::select(names), inner), 0..5)
                .prop_map(|members| Json::Object(members.into_iter().map(|(name, value)| (Text::from(name), value)).collect())),
        ]
    })
}

/// Generates a document with member names of contract files in valid and invalid places.
pub(crate) fn contract_like() -> impl Strategy<Value = Json> {
    const NAMES: &[&str] = &[
        "type",
        "description",
        "providerStates",
        "providerState",
        "name",
        "params",
        "request",
        "response",
        "contents",
        "content",
        "contentType",
        "encoded",
        "contentTypeHint",
        "metadata",
        "metaData",
        "matchingRules",
        "generators",
        "body",
        "header",
        "headers",
        "query",
        "path",
        "status",
        "method",
        "key",
        "pending",
        "comments",
        "$.body",
        "$.header.a",
        "$.query['a[]']",
        "$.a[0]",
        "matchers",
        "match",
        "combine",
        "regex",
        "min",
        "rules",
        "variants",
        "index",
        "Content-Type",
        "Accept",
        "_id",
        "value",
        "",
    ];
    const TEXTS: &[&str] = &[
        "Synchronous/HTTP",
        "Asynchronous/Messages",
        "Synchronous/Messages",
        "Other",
        "type",
        "regex",
        "arrayContains",
        "eachKey",
        "application/json",
        "text/plain",
        "image/png",
        "*/*",
        "base64",
        "json",
        "AAEC",
        "{\"a\":1}",
        "\"x\"",
        "<a/>",
        "a, b",
        "a=1&b",
        "",
        "RandomInt",
        "Regex",
        "é",
    ];
    let part = || some_json(NAMES, TEXTS);
    let http = (part(), part(), part()).prop_map(|(request, response, rules)| {
        let mut request = request;
        if let Some(members) = request.as_object_mut() {
            members.insert("matchingRules", rules);
        }
        let mut interaction = Object::new();
        interaction.insert("request", request);
        interaction.insert("response", response);
        Json::Object(interaction)
    });
    let version = prop::sample::select(vec!["1.0.0", "2.0.0", "3.0.0", "4.0", "5"]);
    let interactions = prop::collection::vec(prop_oneof![2 => http, 1 => part()], 0..3);
    (version, interactions, prop::collection::vec(part(), 0..2), part()).prop_map(
        |(version, interactions, messages, other)| {
            let mut specification = Object::new();
            specification.insert("version", version);
            let mut metadata = Object::new();
            metadata.insert("pactSpecification", specification);
            metadata.insert("other", other);
            let mut document = Object::new();
            document.insert("metadata", metadata);
            document.insert("interactions", interactions);
            if !messages.is_empty() {
                document.insert("messages", messages);
            }
            document.into()
        },
    )
}

/// Generates a template with member names of matcher JSON in valid and invalid places.
pub(crate) fn template_like() -> impl Strategy<Value = Json> {
    const NAMES: &[&str] = &[
        "contract:matcher:type",
        "pact:matcher:type",
        "contract:generator:type",
        "value",
        "value",
        "min",
        "max",
        "examples",
        "variants",
        "rules",
        "regex",
        "combine",
        "a",
        "b",
        "",
        "format",
        "status",
    ];
    const TEXTS: &[&str] = &[
        "type",
        "regex",
        "integer",
        "arrayContains",
        "eachKey",
        "eachValue",
        "values",
        "include",
        "matching(type, 'x')",
        "matching($'a')",
        "eachKey(matching($'b'))",
        "RandomInt",
        "Uuid",
        "OR",
        "null",
        "x",
        "",
    ];
    let matcher = (prop::sample::select(TEXTS), some_json(NAMES, TEXTS)).prop_map(|(name, value)| {
        let mut matcher = match value {
            Json::Object(members) => members,
            other => [("value", other)].into_iter().collect(),
        };
        matcher.insert("contract:matcher:type", name);
        Json::Object(matcher)
    });
    prop_oneof![some_json(NAMES, TEXTS), matcher]
}
