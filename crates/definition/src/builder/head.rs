//! Validates methods, statuses, and headers.

use contract_model::{Headers, Json, Text};

use super::value::Value;
use contract_call::error::{ArgumentError, Done, EXAMPLE, HEADER, METHOD, STATUS};

/// Returns the method in uppercase, or an error if it is not a token (RFC 9110 section 5.6.2).
pub(super) fn check_method(method: &str) -> Result<Text, ArgumentError> {
    if is_token(method) {
        Ok(method.to_ascii_uppercase().into())
    } else {
        Err(ArgumentError::new(
            METHOD,
            format!("{method:?} is not a valid HTTP method"),
        ))
    }
}

/// Reads a status from 100 to 599, given as a number or as matcher JSON with such an example.
pub(super) fn status(json: Json) -> Result<Value, ArgumentError> {
    let status = match json {
        Json::Object(_) => Value::new(&json)?,
        other => Value::literal(other),
    };
    if status.example.as_u64().is_some_and(|code| (100..=599).contains(&code)) {
        return Ok(status);
    }
    let message = format!(
        "the status must be a whole number from 100 to 599, received {}",
        status.example
    );
    Err(ArgumentError::new(STATUS, message))
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

pub(super) fn check_header_name(name: &str) -> Done {
    if is_token(name) {
        Ok(())
    } else {
        Err(ArgumentError::new(
            HEADER,
            format!("{name:?} is not a valid header name (RFC 9110 section 5.1)"),
        ))
    }
}

/// Validates the values of a header, and splits the values of list headers.
pub(super) fn checked_values(name: &str, values: Vec<Value>) -> Result<Vec<Value>, ArgumentError> {
    for value in &values {
        let text = value
            .text(HEADER)
            .map_err(|error| error.within(format!("header {name:?}")))?;
        if let Some(found) = describe_invalid_character(&text, |c| c.is_ascii_control() && c != '\t') {
            let message =
                format!("the header {name:?} cannot contain line breaks or control characters: found {found}");
            return Err(ArgumentError::new(HEADER, message));
        }
        check_framing(name, &text)?;
    }
    Ok(split_list(name, values))
}

/// Returns an error if the value of `Content-Length` or `Transfer-Encoding` is invalid, because HTTP libraries cannot
/// send or receive it.
fn check_framing(name: &str, text: &str) -> Done {
    let problem = if name.eq_ignore_ascii_case("content-length") {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (!is_number).then_some("must be a number of bytes (RFC 9110 section 8.6)")
    } else if name.eq_ignore_ascii_case("transfer-encoding") {
        let last = text.rsplit(',').next().unwrap_or_default().trim();
        let is_chunked = last.eq_ignore_ascii_case("chunked");
        (!is_chunked).then_some("must end with \"chunked\" (RFC 9112 section 6.1)")
    } else {
        None
    };
    match problem {
        None => Ok(()),
        Some(problem) => Err(ArgumentError::new(
            HEADER,
            format!(
                "the header {name:?} {problem}, received {text:?}; omit it, because the sender of the body sets it"
            ),
        )),
    }
}

/// Describes the first invalid character and its position, such as `a space at character 3`, but not the text around
/// it, which may be a secret. Returns `None` if all characters are valid.
pub(super) fn describe_invalid_character(text: &str, is_wrong: impl Fn(char) -> bool) -> Option<String> {
    let (at, c) = text.chars().enumerate().find(|(_, c)| is_wrong(*c))?;
    let description = match c {
        '\n' | '\r' => "a line break".to_owned(),
        ' ' => "a space".to_owned(),
        '\t' => "a tab".to_owned(),
        '"' => "a quotation mark".to_owned(),
        ',' => "a comma".to_owned(),
        ';' => "a semicolon".to_owned(),
        c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
        _ => "an invalid character".to_owned(),
    };
    Some(format!("{description} at character {}", at + 1))
}

/// Validates a bearer token (RFC 6750, section 2.1).
pub(super) fn check_bearer_token(token: &str) -> Done {
    let body = token.trim_end_matches('=');
    let problem = if body.is_empty() {
        Some("it is empty".to_owned())
    } else {
        describe_invalid_character(body, |c| !(c.is_ascii_alphanumeric() || "-._~+/".contains(c)))
            .map(|found| format!("found {found}"))
    };
    match problem {
        None => Ok(()),
        Some(problem) => Err(ArgumentError::new(
            EXAMPLE,
            format!("a bearer token consists of letters, digits, and -._~+/, with optional = at the end (RFC 6750 section 2.1): {problem}"),
        )
        .for_argument("example")),
    }
}

/// Splits values of list headers at commas, because contract files and other Pact implementations store the values
/// separately. Values with a generator are not split, because the generator would then produce each of the values.
fn split_list(name: &str, values: Vec<Value>) -> Vec<Value> {
    if !Headers::is_list(name) {
        return values;
    }
    let split = |value: Value| match &value.example {
        Json::String(line) if value.generator.is_none() => Headers::split(name, line)
            .into_iter()
            .map(|item| Value {
                example: item.into(),
                ..value.clone()
            })
            .collect(),
        _ => vec![value],
    };
    values.into_iter().flat_map(split).collect()
}

#[cfg(test)]
mod tests {
    use crate::builder::{ContractBuilder, Kind};

    #[track_caller]
    fn error_of(operation: &str) -> String {
        let contract = ContractBuilder::new("web", "shop").unwrap();
        let interaction = contract.upon_receiving("one", Kind::Http, "").unwrap();
        let error = interaction.apply_text(operation).expect_err(operation);
        error.to_string()
    }

    #[test]
    fn errors_contain_no_secrets() {
        for (operation, expected) in [
            (
                r#"{"with_cookie":{"name":"session","value":"hush\nhush"}}"#,
                "a line break at character 5",
            ),
            (
                r#"{"with_cookie":{"name":"session","value":"hush hush"}}"#,
                "a space at character 5",
            ),
            (
                r#"{"with_cookie":{"name":"session","value":"hush\u0001"}}"#,
                "the control character U+0001 at character 5",
            ),
            (
                r#"{"with_cookie":{"name":"session","value":{"contract:matcher:type":"regex","regex":"[0-9]+","value":"hush"}}}"#,
                "does not match",
            ),
            (
                r#"{"with_cookie":{"name":"session","value":{"contract:matcher:type":"type","value":["hush"]}}}"#,
                "received an array",
            ),
            (
                r#"{"with_header":{"name":"Authorization","value":"Basic hush\r\nX: y"}}"#,
                "a line break at character 11",
            ),
            (
                r#"{"with_header":{"name":"Authorization","value":{"contract:matcher:type":"regex","regex":"[0-9]+","value":"Basic hush"}}}"#,
                "does not satisfy its own matcher",
            ),
            (
                r#"{"with_header":{"name":"X-Api-Key","value":{"contract:matcher:type":"type","value":{"a":"hush"}}}}"#,
                "received an object",
            ),
            (
                r#"{"set_header":{"name":"X-Api-Key","value":"hush\nhush"}}"#,
                "a line break at character 5",
            ),
            (
                r#"{"set_headers":{"headers":{"X-Api-Key":4857}}}"#,
                "must be a string, received a number",
            ),
            (
                r#"{"with_bearer_token":{"example":"hush\nhush"}}"#,
                "a line break at character 5",
            ),
            (
                r#"{"with_bearer_token":{"example":"hush hush"}}"#,
                "a space at character 5",
            ),
            (
                r#"{"with_bearer_token":{"example":"hush\u00e9"}}"#,
                "an invalid character at character 5",
            ),
            (r#"{"with_bearer_token":{"example":"="}}"#, "it is empty"),
        ] {
            let text = error_of(operation);
            assert!(text.contains(expected), "{text}");
            assert!(!text.contains("hush") && !text.contains("4857"), "{text}");
        }
    }

    #[test]
    fn reports_missing_files_with_advice() {
        let absolute = std::path::absolute("not-there.bin").unwrap();
        for (operation, problem) in [
            (
                r#"{"with_binary_file":{"path":"not-there.bin","content_type":"image/png"}}"#,
                "could not read the body from",
            ),
            (
                r#"{"with_multipart_file":{"name":"a","path":"not-there.bin","content_type":"image/png"}}"#,
                "could not read the part from",
            ),
            (
                r#"{"with_multipart":{"parts":[{"name":"a","file":"not-there.bin"}]}}"#,
                "could not read the part from",
            ),
        ] {
            let text = error_of(operation);
            for expected in [
                problem,
                &absolute.display().to_string(),
                "pass an absolute path or one relative to the working directory",
            ] {
                assert!(text.contains(expected), "{text}");
            }
            assert!(!text.contains("os error"), "{text}");
        }
    }

    #[test]
    fn rejects_invalid_framing_headers() {
        for (name, value) in [
            ("Content-Length", "many"),
            ("content-length", ""),
            ("Content-Length", "-1"),
            ("Transfer-Encoding", "gzip"),
            ("Transfer-Encoding", "chunked, gzip"),
        ] {
            for call in ["with_header", "set_header"] {
                let text = error_of(&format!(r#"{{"{call}":{{"name":"{name}","value":"{value}"}}}}"#));
                assert!(
                    text.contains("omit it, because the sender of the body sets it"),
                    "{text}"
                );
            }
        }
        for (name, value) in [
            ("Content-Length", "12"),
            ("Transfer-Encoding", "gzip, Chunked"),
            ("Connection", "close"),
            ("Host", "a.example"),
        ] {
            let contract = ContractBuilder::new("web", "shop").unwrap();
            let interaction = contract.upon_receiving("one", Kind::Http, "").unwrap();
            let operation = format!(r#"{{"set_header":{{"name":"{name}","value":"{value}"}}}}"#);
            interaction.apply_text(&operation).unwrap();
        }
    }

    #[test]
    fn errors_contain_values_that_are_not_secret() {
        let text = error_of(r#"{"set_headers":{"headers":{"X-Page":4857}}}"#);
        assert!(text.contains("4857"), "{text}");
    }
}
