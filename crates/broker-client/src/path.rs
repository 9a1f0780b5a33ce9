//! Builds paths and queries of the Pact Broker API from templates and names.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::{BrokerError, BrokerErrorKind};

/// Characters that are not escaped in a path segment (RFC 3986 section 2.3).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes a name as a path segment: `feat/x` becomes `feat%2Fx`.
pub(crate) fn segment(name: &str) -> String {
    utf8_percent_encode(name, SEGMENT).to_string()
}

/// Builds a query that starts with `?`. Pairs whose value is `None` are omitted. Returns an empty string if none
/// remain.
pub(crate) fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        let Some(value) = value else { continue };
        out.push(if out.is_empty() { '?' } else { '&' });
        // The names are not encoded, because brokers parse the brackets in them.
        out.push_str(name);
        out.push('=');
        out.push_str(&segment(value));
    }
    out
}

/// Replaces the variables in a template such as `/pacticipants/{pacticipant}/versions/{version}` with encoded values.
/// Variables without a value are removed.
pub(crate) fn expand(template: &str, variables: &[(&str, &str)]) -> Result<String, BrokerError> {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, suffix)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        if let Some((_, value)) = variables.iter().find(|(known, _)| *known == name) {
            out.push_str(&segment(checked(name, value)?));
        }
        rest = suffix;
    }
    out.push_str(rest);
    Ok(out)
}

/// Rejects empty names, `.`, and `..`, which change the path even if they are percent-encoded.
fn checked<'a>(noun: &str, name: &'a str) -> Result<&'a str, BrokerError> {
    let problem = match name {
        "" => "is empty",
        "." | ".." => "cannot be used in a URL",
        _ => return Ok(name),
    };
    Err(BrokerError::new(
        BrokerErrorKind::Settings,
        format!("the {noun} {name:?} {problem}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::{expand, query, segment};

    #[test]
    fn names_stay_one_segment() {
        assert_eq!(segment("feat/x y?ü"), "feat%2Fx%20y%3F%C3%BC");
        let path = expand("/a/{b}/c/{d}{?e}", &[("b", "1/2"), ("d", "3")]).unwrap();
        assert_eq!(path, "/a/1%2F2/c/3");
        let pairs = [("q[][pacticipant]", Some("a&b")), ("y", None), ("x", Some("1"))];
        assert_eq!(query(pairs), "?q[][pacticipant]=a%26b&x=1");
        for name in ["", ".", ".."] {
            assert!(expand("/{a}", &[("a", name)]).is_err());
        }
    }
}
