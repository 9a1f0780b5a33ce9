//! Malicious and malformed bodies must cause a mismatch in reasonable time. They must neither cause a panic nor pass.

use contract_matching::{ActualBody, ActualMessage, Explanation, MessagePlan, Mismatch, Options};
use contract_model::{Body, Content, ContentType, Json, Message, Rules};

/// Compares two bodies of a content type, using the rules of a contract file.
fn compare(content_type: &str, expected: &[u8], rules: &str, actual: Vec<u8>) -> Vec<Mismatch> {
    let content_type: ContentType = content_type.parse().expect("a content type");
    let rules = Json::parse(rules.as_bytes()).expect("JSON");
    let message = Message {
        contents: Body::Present(Content::new(expected.to_vec(), Some(content_type.clone()))),
        rules: Rules::read(&rules).expect("rules").0,
        ..Message::default()
    };
    let plan = MessagePlan::new(&message, Options::STRICT).expect("valid rules");
    plan.compare(&ActualMessage {
        contents: ActualBody::new(actual, Some(content_type)),
        ..ActualMessage::default()
    })
}

const JSON: &str = "application/json";
const TYPE: &str = r#"{"body": {"$": {"matchers": [{"match": "type"}]}}}"#;

#[track_caller]
fn refused(content_type: &str, expected: &[u8], actual: Vec<u8>, code: &str, text: &str) {
    let found = compare(content_type, expected, TYPE, actual);
    let named = found
        .iter()
        .any(|mismatch| mismatch.kind.code() == code && mismatch.to_string().contains(text));
    assert!(named, "{found:?}");
}

#[test]
fn rejects_deep_nesting() {
    refused(
        JSON,
        b"[]",
        "[".repeat(10_000).into(),
        "unreadable",
        "nested deeper than 256",
    );
    refused(
        "text/xml",
        b"<a/>",
        "<a>".repeat(10_000).into(),
        "unreadable",
        "nested deeper than 256",
    );
    let deep = |levels: usize| {
        let mut body = b"x".to_vec();
        for _ in 0..levels {
            let around = [
                &b"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"[..],
                &body,
                b"\r\n--b--\r\n",
            ];
            body = around.concat();
        }
        body
    };
    assert!(compare("multipart/mixed; boundary=b", &deep(500), TYPE, deep(500)).len() <= 1_000);
}

#[test]
fn large_bodies() {
    let long = |byte: u8| vec![byte; 10_000_000];
    let some = |byte: u8| vec![byte; 5_000_000];
    let quoted = |byte: u8| [b"\"", &long(byte)[..], b"\""].concat();
    assert_eq!(compare(JSON, b"\"x\"", TYPE, quoted(b'a')), []);
    let found = compare("text/plain", b"x", "{}", long(b'a'));
    assert!(found[0].to_string().len() < 1_000, "a sentence stays a sentence");
    refused("text/xml", b"<a/>", some(b'<'), "unreadable", "XML");
    refused(
        "multipart/mixed; boundary=b",
        b"--b--",
        some(b'-'),
        "unreadable",
        "boundary",
    );
    assert_eq!(
        compare("application/x-www-form-urlencoded", b"x=1", "{}", some(b'&')).len(),
        1
    );
}

#[test]
fn many_names_take_linear_time() {
    // A quadratic algorithm would take minutes.
    let form = |value: usize| {
        let pairs: Vec<_> = (0..60_000).map(|n| format!("name{n}={value}")).collect();
        pairs.join("&").into_bytes()
    };
    let content_type = "application/x-www-form-urlencoded";
    assert_eq!(compare(content_type, &form(1), "{}", form(1)), []);
    assert_eq!(compare(content_type, &form(1), "{}", form(2)).len(), 1_000);
    assert_eq!(compare(content_type, b"x=1", "{}", form(1)).len(), 1_000);
}

#[test]
fn rejects_duplicate_names_and_binary_data() {
    refused(
        JSON,
        b"{}",
        br#"{"a": 1, "b": 2, "a": 3}"#.to_vec(),
        "unreadable",
        "duplicate name",
    );
    refused(JSON, b"{}", b"{\"a\": \"\xff\"}".to_vec(), "unreadable", "UTF-8");
    refused("text/xml", b"<a/>", b"<a>\xff</a>".to_vec(), "unreadable", "UTF-8");
    refused("text/plain", b"x", b"\xff".to_vec(), "unreadable", "UTF-8");
    refused(
        "application/x-www-form-urlencoded",
        b"a=1",
        b"a=\xff".to_vec(),
        "unreadable",
        "UTF-8",
    );
}

#[test]
fn compares_numbers_with_many_digits() {
    let number = |last: &str| ("1".repeat(10_000) + last).into_bytes();
    assert_eq!(compare(JSON, &number("2"), "{}", number("2")), []);
    assert_eq!(compare(JSON, &number("2"), "{}", number("3")).len(), 1);
    assert_eq!(compare(JSON, b"1", TYPE, number("3")), []);
    assert_eq!(compare(JSON, b"1.5", "{}", b"1e999999999999999999".to_vec()).len(), 1);
}

#[test]
fn limits_nested_alternatives() {
    // Forty levels of alternatives that accept the container, but fail for its last value.
    let levels = 40;
    let document = |leaf: &str| format!("{}{leaf}{}", "{\"a\":[".repeat(levels), "]}".repeat(levels));
    let or = r#"{"combine": "OR", "matchers": [{"match": "type"}, {"match": "equality"}, {"match": "notEmpty"}]}"#;
    let rules: Vec<_> = (0..levels)
        .map(|level| format!("\"${}\": {or}", ".a[0]".repeat(level)))
        .collect();
    let rules = format!("{{\"body\": {{{}}}}}", rules.join(","));
    let found = compare(JSON, document("1").as_bytes(), &rules, document("\"\"").into_bytes());
    assert!(!found.is_empty());
}

#[test]
fn limits_the_number_of_mismatches() {
    let list = |item: &str| format!("[{}]", vec![item; 100_000].join(","));
    let found = compare(JSON, b"[1]", TYPE, list("\"x\"").into_bytes());
    assert_eq!(found.len(), 1_000);
    assert_eq!(found[999].explanation, Some(Explanation::FirstOnly(1_000)));
}
