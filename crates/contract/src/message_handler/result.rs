//! The result of a message handler: contents or an envelope, or an array of several.
//!
//! An object is an envelope if it has `contents` and no fields other than `contentType` and `metadata`. Strings and
//! bytes are sent unchanged, other values as JSON.

use bytes::Bytes;
use contract_model::{ContentType, Json, Object, detect};
use contract_verifier::ProducedMessage;

use contract_call::value::{self, Foreign, foreign};

/// Reads a result. `several` requires an array of messages; `what` is the subject of error messages.
pub(crate) fn read(result: &Json, what: &str, several: bool) -> Result<Vec<ProducedMessage>, String> {
    if !several {
        return Ok(vec![one(result, what)?]);
    }
    let Json::Array(results) = result else {
        return Err(format!(
            "{what}: the contract has several responses; return an array with one entry for each"
        ));
    };
    let read = |(at, result)| one(result, &format!("{what}, entry {at}"));
    results.iter().enumerate().map(read).collect()
}

/// Rejects results that are invalid for every request.
pub(crate) fn check(result: &Json, what: &str) -> Result<(), String> {
    match result {
        Json::Array(results) if results.iter().any(|result| foreign(result).is_some()) => {
            read(result, what, true).map(drop)
        }
        result => read(result, what, false).map(drop),
    }
}

fn one(result: &Json, what: &str) -> Result<ProducedMessage, String> {
    let Some(envelope) = envelope(result, what)? else {
        return contents(result, what, None, Object::new());
    };
    let content_type = match envelope.get("contentType").filter(|value| !value::is_undefined(value)) {
        None => None,
        Some(Json::String(text)) => Some(
            text.parse::<ContentType>()
                .map_err(|error| format!("{what}: invalid content type: {error}"))?,
        ),
        Some(other) => {
            return Err(format!("{what}: contentType must be a string, got {}", kind(other)));
        }
    };
    let metadata = match envelope.get("metadata").filter(|value| !value::is_undefined(value)) {
        None => Object::new(),
        Some(given @ Json::Object(metadata)) if value::is_plain(metadata) => {
            if let Some(problem) = value::not_json(given) {
                return Err(format!("{what}, metadata: {problem}"));
            }
            metadata.clone()
        }
        Some(other) => return Err(format!("{what}: metadata must be an object, got {}", kind(other))),
    };
    contents(
        envelope.get("contents").unwrap_or(&Json::Null),
        what,
        content_type,
        metadata,
    )
}

fn envelope<'a>(result: &'a Json, what: &str) -> Result<Option<&'a Object>, String> {
    let Some(members) = result.as_object().filter(|_| value::describe(result).is_none()) else {
        return Ok(None);
    };
    let is_envelope = !members.is_empty()
        && members
            .keys()
            .all(|name| matches!(name.as_str(), "contents" | "contentType" | "metadata"));
    if is_envelope && !members.contains_key("contents") {
        let names: Vec<_> = members.keys().map(contract_model::Text::as_str).collect();
        return Err(format!(
            "{what} has no contents, only {}; return {{ contents, contentType?, metadata? }}",
            names.join(" and ")
        ));
    }
    Ok(is_envelope.then_some(members))
}

/// Contents without a content type get a default: JSON, a type detected from the text, or binary.
fn contents(
    value: &Json,
    what: &str,
    content_type: Option<ContentType>,
    metadata: Object,
) -> Result<ProducedMessage, String> {
    let (bytes, default_type) = match (foreign(value), value) {
        (Some(Foreign::Undefined), _) => {
            return Err(format!(
                "{what} is undefined; return the contents of the message, or null for JSON null"
            ));
        }
        (Some(Foreign::Bytes(bytes)), _) => (bytes, Some(ContentType::binary())),
        (_, Json::String(text)) => (Bytes::from(text.to_string()), detect(text.as_bytes())),
        _ => {
            if let Some(problem) = value::not_json(value) {
                return Err(format!("{what}: {problem}"));
            }
            (value.to_text().into(), Some(ContentType::json()))
        }
    };
    let content_type = content_type.or_else(|| default_type.filter(|_| !bytes.is_empty()));
    Ok(ProducedMessage {
        contents: bytes,
        content_type: content_type.map(|known| known.to_string()),
        metadata,
    })
}

fn kind(json: &Json) -> String {
    value::describe(json).unwrap_or_else(|| match json {
        Json::Array(_) => "an array".to_owned(),
        other => other.kind().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::read;

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[track_caller]
    fn check(result: &str, want: Result<(&str, Option<&str>), &str>) {
        let read = read(&json(result), "the result", false).map(|mut messages| messages.remove(0));
        match (read, want) {
            (Ok(message), Ok((contents, content_type))) => {
                assert_eq!(String::from_utf8_lossy(&message.contents), contents, "{result}");
                assert_eq!(message.content_type.as_deref(), content_type, "{result}");
            }
            (Err(problem), Err(words)) => assert!(problem.contains(words), "{problem}"),
            (read, _) => panic!("{result}: {read:?}"),
        }
    }

    #[test]
    fn contents_and_envelopes() {
        check(r#"{"id":1.0}"#, Ok((r#"{"id":1.0}"#, Some("application/json"))));
        check(r#""<a/>""#, Ok(("<a/>", Some("application/xml"))));
        check("\"\"", Ok(("", None)));
        check("null", Ok(("null", Some("application/json"))));
        check(
            r#"{"contract:value":"bytes","base64":"aGk="}"#,
            Ok(("hi", Some("application/octet-stream"))),
        );
        check(
            r#"{"contents":{"contract:value":"bytes","base64":"aGk="},"contentType":"text/plain"}"#,
            Ok(("hi", Some("text/plain"))),
        );
        check(
            r#"{"contents":"hi","size":2}"#,
            Ok((r#"{"contents":"hi","size":2}"#, Some("application/json"))),
        );
    }

    #[test]
    fn rejects_invalid_results() {
        check(r#"{"contract:value":"undefined"}"#, Err("is undefined; return"));
        check(
            r#"{"a":{"contract:value":"Date"}}"#,
            Err("the result: at $.a: a Date is not a JSON value"),
        );
        check(r#"{"metadata":{}}"#, Err("has no contents, only metadata"));
        check(
            r#"{"contents":1,"contentType":7}"#,
            Err("contentType must be a string, got"),
        );
        check(r#"{"contents":1,"contentType":"so so"}"#, Err("content type"));
        check(
            r#"{"contents":1,"metadata":[1]}"#,
            Err("must be an object, got an array"),
        );
    }

    #[test]
    fn several() {
        let both = read(&json(r#"[{"a":1},"b"]"#), "the result", true).unwrap();
        assert_eq!(both.len(), 2);
        let problem = read(&json("1"), "the result", true).unwrap_err();
        assert!(problem.contains("return an array with one entry for each"), "{problem}");
    }
}
