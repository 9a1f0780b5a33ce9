//! Checks every rule for every part. `fixtures/matching/rules-and-parts.json` lists values that pass and values that
//! fail. Each combination of a rule and a part needs both kinds of values, unless the table marks that nothing fails
//! (`always`) or that the part does not support the rule (`refused`).

use contract_matching::{
    ActualMessage, ActualRequest, ActualResponse, MessagePlan, Mismatch, Options, RequestPlan, ResponsePlan,
};
use contract_model::{Body, Content, Json, Message, Object, Query, Request, Response, Rule, RuleList};

/// The parts, and the names of their values in the table in order of precedence.
const PARTS: [(Part, &[&str]); 13] = [
    (Part::Method, &["text"]),
    (Part::Path, &["text"]),
    (Part::Query, &["named", "text"]),
    (Part::Header, &["named", "text"]),
    (Part::Form, &["named", "text"]),
    (Part::Metadata, &["metadata", "text"]),
    (Part::Text, &["text"]),
    (Part::Binary, &["text"]),
    (Part::MultipartField, &["text"]),
    (Part::XmlText, &["text"]),
    (Part::XmlAttribute, &["text"]),
    (Part::Json, &["json"]),
    (Part::Status, &["status"]),
];
/// Parts in which a name can have several values.
const LISTS: [Part; 3] = [Part::Query, Part::Header, Part::Form];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Method,
    Path,
    Query,
    Header,
    Form,
    Metadata,
    Text,
    Binary,
    MultipartField,
    XmlText,
    XmlAttribute,
    Json,
    Status,
}

/// Returns the index of a rule. A new variant of the enum does not compile until it is added here, and the test fails
/// until the table contains it.
fn place(rule: &Rule) -> usize {
    match rule {
        Rule::Equality => 0,
        Rule::Regex(_) => 1,
        Rule::Type { .. } => 2,
        Rule::Include(_) => 3,
        Rule::Number => 4,
        Rule::Integer => 5,
        Rule::Decimal => 6,
        Rule::Boolean => 7,
        Rule::Null => 8,
        Rule::Date(_) => 9,
        Rule::Time(_) => 10,
        Rule::DateTime(_) => 11,
        Rule::ContentType(_) => 12,
        Rule::Values => 13,
        Rule::ArrayContains(_) => 14,
        Rule::StatusCode(_) => 15,
        Rule::NotEmpty => 16,
        Rule::Semver => 17,
        Rule::EachKey(_) => 18,
        Rule::EachValue(_) => 19,
        Rule::Custom { .. } => 20,
    }
}
const RULES: usize = 21;

fn texts(value: &Json) -> Vec<String> {
    match value {
        Json::Array(items) => items.iter().map(|item| item.text_form().into_owned()).collect(),
        one => vec![one.text_form().into_owned()],
    }
}

/// Creates a body with the value at `$.a`, or at `$` if the format has no structure.
fn body(part: Part, value: &Json) -> (Body, &'static str) {
    let text = texts(value).concat();
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let (content_type, bytes, path) = match part {
        Part::Form => {
            let mut query = Query::new();
            for text in texts(value) {
                query.append("a", Some(text.into()));
            }
            ("application/x-www-form-urlencoded", query.to_text(), "$.a")
        }
        Part::Text => ("text/plain", text, "$"),
        Part::Binary => ("application/octet-stream", text, "$"),
        Part::MultipartField => {
            let head = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";
            (
                "multipart/form-data; boundary=b",
                format!("{head}{text}\r\n--b--\r\n"),
                "$.a",
            )
        }
        Part::XmlText => ("application/xml", format!("<a>{escaped}</a>"), "$.a['#text']"),
        Part::XmlAttribute => (
            "application/xml",
            format!("<a x=\"{}\"/>", escaped.replace('"', "&quot;")),
            "$.a['@x']",
        ),
        _ => ("application/json", format!("{{\"a\":{}}}", value.to_text()), "$.a"),
    };
    let content_type = content_type.parse().expect("a content type");
    (Body::Present(Content::new(bytes, Some(content_type))), path)
}

fn request(part: Part, value: &Json) -> Request {
    let mut request = Request::default();
    for text in texts(value) {
        match part {
            Part::Method => request.method = text.into(),
            Part::Path => request.path = text.into(),
            Part::Query => request.query.append("a", Some(text.into())),
            _ => request.headers.append("X-A", text),
        }
    }
    request
}

fn compare(part: Part, rule: &Rule, example: &Json, actual: &Json) -> Vec<Mismatch> {
    let list = RuleList::single(rule.clone());
    match part {
        Part::Method | Part::Path | Part::Query | Part::Header => {
            let mut expected = request(part, example);
            match part {
                Part::Method => expected.rules.method = Some(list),
                Part::Path => expected.rules.path = Some(list),
                Part::Query => drop(expected.rules.query.insert("a".into(), list)),
                _ => drop(expected.rules.header.insert("x-a".into(), list)),
            }
            let plan = RequestPlan::new(&expected, Options::STRICT).expect("a valid rule");
            plan.compare(&ActualRequest::from(&request(part, actual)))
        }
        Part::Status => {
            let response = |value: &Json| Response {
                status: value
                    .as_u64()
                    .and_then(|code| u16::try_from(code).ok())
                    .expect("a status"),
                ..Response::default()
            };
            let mut expected = response(example);
            expected.rules.status = Some(list);
            let plan = ResponsePlan::new(&expected, Options::LENIENT).expect("a valid rule");
            plan.compare(&ActualResponse::from(&response(actual)))
        }
        _ => {
            let message = |value: &Json| {
                let mut message = Message::default();
                if part == Part::Metadata {
                    message.metadata = Object::from_iter([("a", value.clone())]);
                } else {
                    message.contents = body(part, value).0;
                }
                message
            };
            let mut expected = message(example);
            if part == Part::Metadata {
                expected.rules.metadata.insert("a".into(), list);
            } else {
                let path = body(part, example).1.parse().expect("a path");
                expected.rules.body.insert(path, list);
            }
            let plan = MessagePlan::new(&expected, Options::LENIENT).expect("a valid rule");
            plan.compare(&ActualMessage::from(&message(actual)))
        }
    }
}

/// Tests a rule for a part. Returns the problems found.
fn tried(part: Part, rule: &Rule, values: &Json) -> Vec<String> {
    let all = |name| values.get(name).and_then(Json::as_array).unwrap_or_default();
    let example = values.get("example").cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    let mut say = |what: String| wrong.push(format!("{} at {part:?}: {what}", rule.to_json().to_text()));
    for actual in all("passes") {
        let found = compare(part, rule, &example, actual);
        if !found.is_empty() {
            say(format!("{actual} should pass, but {}", found[0]));
        }
    }
    for actual in all("fails") {
        if compare(part, rule, &example, actual).is_empty() {
            say(format!("{actual} should fail"));
        }
    }
    for actual in all("refused") {
        let found = compare(part, rule, &example, actual);
        if !found.iter().any(|mismatch| mismatch.kind.code() == "not-applicable") {
            say(format!("{actual} should be refused, but {found:?}"));
        }
    }
    let is_complete = match (all("passes").len(), all("fails").len(), all("refused").len()) {
        (0, 0, refused) => refused > 0,
        // The `null` rule cannot pass for some parts, so only `refused` and failing values are required.
        (0, _, 0) => values.get("passes").is_none(),
        (_, 0, 0) => values.get("always").is_some(),
        (_, _, 0) => true,
        _ => false,
    };
    if !is_complete {
        say("the table needs what passes and what fails, or says why not".to_owned());
    }
    wrong
}

#[test]
fn every_rule_passes_and_fails_at_every_part() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/matching/rules-and-parts.json"
    );
    let table = Json::parse(&std::fs::read(file).expect("the table")).expect("JSON");
    let mut seen = [false; RULES];
    let mut wrong = Vec::new();
    for entry in table.as_array().expect("an array") {
        let rule = Rule::from_json(entry.get("rule").expect("a rule")).expect("a rule");
        seen[place(&rule)] = true;
        for (part, names) in PARTS {
            match names.iter().find_map(|name| entry.get(name)) {
                Some(values) => wrong.extend(tried(part, &rule, values)),
                None => wrong.push(format!("{} at {part:?} is missing", rule.name())),
            }
        }
        if let Some(values) = entry.get("list") {
            wrong.extend(LISTS.iter().flat_map(|part| tried(*part, &rule, values)));
        }
    }
    assert!(
        seen.iter().all(|seen| *seen),
        "a rule is missing from the table: {seen:?}"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
