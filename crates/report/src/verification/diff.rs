//! Creates diffs of JSON bodies.
//!
//! Matching rules allow the actual body to differ from the example. Therefore, the actual body is not compared with the
//! example, but with a copy of itself in which each value that does not match is replaced by the expected value.

use std::fmt::Write;

use contract_matching::{ActualBody, Location, Mismatch, MismatchKind};
use contract_model::{Body, ContentValue, Json, Layout, PathExpression, PathToken};

use crate::diff::{self, Line};
use crate::redact;
use crate::shorten::cut_text;

/// Maximum size of a body in bytes. No diff is created for larger bodies, because it would be slow and hard to read.
const MAX_BODY_SIZE: usize = 512 * 1024;
/// Maximum number of mismatches that a diff shows. Further mismatches are omitted.
const MAX_MISMATCHES: usize = 100;
/// Number of unchanged lines before and after a change.
const CONTEXT: usize = 3;
/// Maximum size of an unchanged line in bytes.
const MAX_UNCHANGED_LINE: usize = 200;
/// Maximum size of a changed line in bytes. The mismatches in the report contain longer values.
const MAX_CHANGED_LINE: usize = 2000;
/// Maximum number of lines in a diff.
const MAX_LINES: usize = 200;

/// Creates a diff of two JSON bodies. Each line starts with `-` (expected), `+` (actual), or a space. Returns `None` if
/// the bodies are not JSON, if the actual body is too large, or if there are no differences to display.
pub fn body_diff(expected: &Body, actual: &ActualBody, mismatches: &[Mismatch]) -> Option<String> {
    if actual.bytes().len() > MAX_BODY_SIZE
        || !mismatches
            .iter()
            .any(|mismatch| matches!(mismatch.at, Location::Body(_)))
    {
        return None;
    }
    // For other bodies, the mismatches themselves contain a diff.
    let ContentValue::Json(expected) = &expected.content()?.value else {
        return None;
    };
    let mut actual_document = (**actual.json().ok()?).clone();
    let mut expected_document = actual_document.clone();
    for mismatch in mismatches.iter().take(MAX_MISMATCHES) {
        apply(&mut expected_document, expected, mismatch);
    }
    redact::json(&mut actual_document);
    redact::json(&mut expected_document);
    lines(
        &expected_document.to_layout(Layout::Pretty),
        &actual_document.to_layout(Layout::Pretty),
    )
}

/// Replaces the value in the document to which the mismatch applies with the expected value.
fn apply(document: &mut Json, example: &Json, mismatch: &Mismatch) {
    let Location::Body(path) = &mismatch.at else { return };
    if let MismatchKind::Keys {
        missing, unexpected, ..
    } = &mismatch.kind
    {
        let Some(Json::Object(node)) = find(document, path) else {
            return;
        };
        let container = example_at(example, path);
        let example = |key| {
            container
                .and_then(|container| container.get(key))
                .cloned()
                .unwrap_or_default()
        };
        let missing = missing.iter().map(|key| (key.clone(), example(key)));
        let present = std::mem::take(node)
            .into_iter()
            .filter(|(key, _)| !unexpected.contains(key));
        // Insert missing members at the start, because at the end, they would add a comma to the previous line.
        *node = missing.chain(present).collect();
    } else if let Some((node, value)) = find(document, path).zip(mismatch.expected.as_ref()) {
        *node = value.clone();
    }
}

fn find<'a>(document: &'a mut Json, path: &PathExpression) -> Option<&'a mut Json> {
    path.tokens().iter().try_fold(document, |at, token| match (token, at) {
        (PathToken::Key(key), Json::Object(object)) => object.get_mut(key),
        (PathToken::Index(index), Json::Array(items)) => items.get_mut(*index),
        _ => None,
    })
}

/// Returns the example value at a path. If the path refers to an item that the example array does not have, uses the
/// last item of the array.
fn example_at<'a>(example: &'a Json, path: &PathExpression) -> Option<&'a Json> {
    path.tokens().iter().try_fold(example, |at, token| match token {
        PathToken::Key(key) => at.get(key),
        PathToken::Index(index) => {
            let items = at.as_array()?;
            items.get(*index).or(items.last())
        }
        _ => None,
    })
}

fn lines(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let mut out = String::new();
    let mut count = 0;
    let groups = diff::groups(&expected, &actual, CONTEXT);
    for (at, group) in groups.iter().enumerate() {
        if at > 0 {
            out.push_str(" …\n");
        }
        for line in &group.lines {
            count += 1;
            if count > MAX_LINES {
                out.push_str(" … (more differences not shown)\n");
                return Some(out);
            }
            let (sign, longest) = match line {
                Line::Expected(_) => ('-', MAX_CHANGED_LINE),
                Line::Actual(_) => ('+', MAX_CHANGED_LINE),
                Line::Same(_) => (' ', MAX_UNCHANGED_LINE),
            };
            let _ = writeln!(out, "{sign}{}", cut_text(line.text(), longest));
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use contract_matching::{ActualBody, ActualResponse, Options, ResponsePlan};
    use contract_model::{Json, Response, SpecificationVersion};

    fn diff(response: &str, actual: &str) -> String {
        let json = Json::parse(response.as_bytes()).unwrap();
        let (expected, _) = Response::read(&json, SpecificationVersion::V3).unwrap();
        let actual = ActualResponse {
            status: 200,
            body: ActualBody::new(actual.to_owned(), Some(contract_model::ContentType::json())),
            ..ActualResponse::default()
        };
        let mismatches = ResponsePlan::new(&expected, Options::LENIENT).unwrap().compare(&actual);
        super::body_diff(&expected.body, &actual.body, &mismatches).unwrap_or_default()
    }

    #[test]
    fn omits_differences_that_rules_allow() {
        let response = r#"{"body": {"id": 1, "name": "Ann", "tags": ["a"]},
            "matchingRules": {"body": {"$.id": {"matchers": [{"match": "type"}]}, "$.name": {"matchers": [{"match": "type"}]}}}}"#;
        assert_eq!(
            diff(response, r#"{"id": 7, "name": 5, "tags": ["a"], "more": true}"#),
            " {\n   \"id\": 7,\n-  \"name\": \"Ann\",\n+  \"name\": 5,\n   \"tags\": [\n     \"a\"\n   ],\n"
        );
    }

    #[test]
    fn missing_keys_are_shown() {
        assert_eq!(
            diff(r#"{"body": {"a": {"b": 1, "c": [2]}}}"#, r#"{"a": {"b": 1}}"#),
            " {\n   \"a\": {\n-    \"c\": [\n-      2\n-    ],\n     \"b\": 1\n   }\n }\n"
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let lines = diff(r#"{"body": {"id": 1, "token": "one"}}"#, r#"{"id": 2, "token": "two"}"#);
        assert!(!lines.contains("one") && !lines.contains("two"), "{lines}");
    }

    #[test]
    fn compares_unrelated_bodies_quickly() {
        let text = |word: &str| {
            (0..30_000)
                .map(|n| format!("{word} {n}"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let lines = super::lines(&text("a"), &text("b")).unwrap();
        assert!(lines.ends_with("(more differences not shown)\n"));
    }
}
