//! Targets for bodies in each format. Input: expected body, rules, actual body.

use contract_matching::{ActualBody, ActualMessage, MessagePlan, Mismatch, Options};
use contract_model::{Body, Content, ContentType, Json, Message, PathRules, Query, Request, Rules};

use crate::pieces::pieces;

pub(crate) fn json(input: &[u8]) {
    compared("application/json", input);
}

pub(crate) fn xml(input: &[u8]) {
    compared("application/xml", input);
}

pub(crate) fn multipart(input: &[u8]) {
    compared("multipart/form-data; boundary=b", input);
}

/// Compares forms. Also compares the same input as queries.
pub(crate) fn form(input: &[u8]) {
    compared("application/x-www-form-urlencoded", input);
    let [expected, rules, actual] = pieces(input).map(|piece| String::from_utf8_lossy(piece).into_owned());
    let rules = Json::parse(rules.as_bytes())
        .ok()
        .and_then(|rules| Rules::read(&rules).ok());
    let expected = Request {
        query: Query::parse(&expected),
        rules: rules.map(|(rules, _)| rules).unwrap_or_default(),
        ..Request::default()
    };
    let Ok(plan) = contract_matching::RequestPlan::new(&expected, Options::STRICT) else {
        return;
    };
    let actual = Request {
        query: Query::parse(&actual),
        ..Request::default()
    };
    sentences(&plan.compare(&(&actual).into()));
}

/// Compares the bodies with and without rules. Checks that both comparison functions agree, and that a body matches
/// itself.
fn compared(content_type: &str, input: &[u8]) {
    let [expected, rules, actual] = pieces(input);
    let Ok(content_type) = content_type.parse::<ContentType>() else {
        return;
    };
    let rules = Json::parse(rules).ok().and_then(|rules| Rules::read(&rules).ok());
    let rules = rules.map(|(rules, _)| rules.body).unwrap_or_default();
    for options in [Options::STRICT, Options::LENIENT] {
        let found = compare(&content_type, expected, rules.clone(), actual, options);
        sentences(&found);
    }
    if !expected.is_empty() {
        let itself = compare(&content_type, expected, PathRules::new(), expected, Options::STRICT);
        assert!(
            itself.iter().all(|mismatch| mismatch.kind.code() == "unreadable"),
            "a body matches itself: {itself:?}"
        );
    }
}

fn compare(
    content_type: &ContentType,
    expected: &[u8],
    rules: PathRules,
    actual: &[u8],
    options: Options,
) -> Vec<Mismatch> {
    let mut message = Message {
        contents: Body::Present(Content::new(expected.to_vec(), Some(content_type.clone()))),
        ..Message::default()
    };
    message.rules.body = rules;
    let Ok(plan) = MessagePlan::new(&message, options) else {
        return Vec::new();
    };
    plan.compare(&ActualMessage {
        contents: ActualBody::new(actual.to_vec(), Some(content_type.clone())),
        ..ActualMessage::default()
    })
}

fn sentences(found: &[Mismatch]) {
    for mismatch in found {
        assert!(!mismatch.to_string().is_empty() && !mismatch.at.to_string().is_empty());
    }
}
