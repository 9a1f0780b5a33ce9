//! Reads the result of a message handler: message contents, an envelope, or an array of these.
//!
//! An object is an envelope if it has the `contents` member and no members other than `contents`, `contentType`, and
//! `metadata`. Strings and bytes are sent unchanged, and other values are sent as JSON.

use bytes::Bytes;
use contract_model::{ContentType, ContentTypeError, Json, Object, detect};
use contract_verifier::ProducedMessage;
use thiserror::Error;

use contract_call::value::{self, Foreign, foreign};

/// The result of a message handler is invalid. Messages start with `subject`, such as `the result of the handler`.
#[derive(Debug, Error)]
pub(crate) enum ResultError {
    #[error("{subject}: the contract has multiple responses; return an array with one entry per response")]
    NotAnArray { subject: String },
    #[error("{subject}: invalid content type: {error}")]
    ContentType {
        subject: String,
        #[source]
        error: ContentTypeError,
    },
    #[error("{subject}: {field} must be {expected}, received {received}")]
    FieldType {
        subject: String,
        field: &'static str,
        expected: &'static str,
        received: String,
    },
    /// The result contains a value that JSON cannot represent, as `problem` describes.
    #[error("{subject}: {problem}")]
    NotJson { subject: String, problem: String },
    #[error("{subject} has no contents, only {fields}; add the field \"contents\"")]
    NoContents { subject: String, fields: String },
    #[error("{subject} is undefined; return the contents of the message, or null for JSON null")]
    Undefined { subject: String },
}

/// Reads the result of a message handler. If `several` is true, it must be an array with one message per response.
/// Error messages start with `subject`.
pub(crate) fn read(result: &Json, subject: &str, several: bool) -> Result<Vec<ProducedMessage>, ResultError> {
    if !several {
        return Ok(vec![read_message(result, subject)?]);
    }
    let Json::Array(results) = result else {
        return Err(ResultError::NotAnArray {
            subject: subject.to_owned(),
        });
    };
    let read = |(at, result)| read_message(result, &format!("{subject}, entry {at}"));
    results.iter().enumerate().map(read).collect()
}

/// Checks a constant message. An array is accepted both as one message and as several responses.
pub(crate) fn check(result: &Json, subject: &str) -> Result<(), ResultError> {
    match result {
        Json::Array(results) if results.iter().any(|result| foreign(result).is_some()) => {
            read(result, subject, true).map(drop)
        }
        result => read(result, subject, false).map(drop),
    }
}

fn read_message(result: &Json, subject: &str) -> Result<ProducedMessage, ResultError> {
    let Some(envelope) = envelope(result, subject)? else {
        return contents(result, subject, None, Object::new());
    };
    let field_type = |field, expected, received: &Json| ResultError::FieldType {
        subject: subject.to_owned(),
        field,
        expected,
        received: value::describe_type(received),
    };
    let content_type = match envelope.get("contentType").filter(|value| !value::is_undefined(value)) {
        None => None,
        Some(Json::String(text)) => {
            let parsed = text.parse().map_err(|error| ResultError::ContentType {
                subject: subject.to_owned(),
                error,
            });
            Some(parsed?)
        }
        Some(other) => return Err(field_type("contentType", "a string", other)),
    };
    let metadata = match envelope.get("metadata").filter(|value| !value::is_undefined(value)) {
        None => Object::new(),
        Some(value @ Json::Object(metadata)) if value::is_plain(metadata) => {
            if let Some(problem) = value::not_json(value) {
                let subject = format!("{subject}, metadata");
                return Err(ResultError::NotJson { subject, problem });
            }
            metadata.clone()
        }
        Some(other) => return Err(field_type("metadata", "an object", other)),
    };
    contents(
        envelope.get("contents").unwrap_or(&Json::Null),
        subject,
        content_type,
        metadata,
    )
}

fn envelope<'a>(result: &'a Json, subject: &str) -> Result<Option<&'a Object>, ResultError> {
    let Some(members) = result.as_object().filter(|_| value::describe(result).is_none()) else {
        return Ok(None);
    };
    let is_envelope = !members.is_empty()
        && members
            .keys()
            .all(|name| matches!(name.as_str(), "contents" | "contentType" | "metadata"));
    if is_envelope && !members.contains_key("contents") {
        let names: Vec<_> = members.keys().map(contract_model::Text::as_str).collect();
        return Err(ResultError::NoContents {
            subject: subject.to_owned(),
            fields: names.join(" and "),
        });
    }
    Ok(is_envelope.then_some(members))
}

/// Returns the message. The default content type is JSON for JSON values, binary for bytes, and the detected type for
/// strings.
fn contents(
    value: &Json,
    subject: &str,
    content_type: Option<ContentType>,
    metadata: Object,
) -> Result<ProducedMessage, ResultError> {
    let (bytes, default_type) = match (foreign(value), value) {
        (Some(Foreign::Undefined), _) => {
            return Err(ResultError::Undefined {
                subject: subject.to_owned(),
            });
        }
        (Some(Foreign::Bytes(bytes)), _) => (bytes, Some(ContentType::binary())),
        (_, Json::String(text)) => (Bytes::from(text.to_string()), detect(text.as_bytes())),
        _ => {
            if let Some(problem) = value::not_json(value) {
                return Err(ResultError::NotJson {
                    subject: subject.to_owned(),
                    problem,
                });
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
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (read, _) => panic!("{result}: {read:?}"),
        }
    }

    #[test]
    fn reads_contents_and_envelopes() {
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
            Err("contentType must be a string, received"),
        );
        check(r#"{"contents":1,"contentType":"so so"}"#, Err("content type"));
        check(
            r#"{"contents":1,"metadata":[1]}"#,
            Err("must be an object, received an array"),
        );
    }

    #[test]
    fn reads_several_messages() {
        let both = read(&json(r#"[{"a":1},"b"]"#), "the result", true).unwrap();
        assert_eq!(both.len(), 2);
        let problem = read(&json("1"), "the result", true).unwrap_err().to_string();
        assert!(
            problem.contains("return an array with one entry per response"),
            "{problem}"
        );
    }
}
