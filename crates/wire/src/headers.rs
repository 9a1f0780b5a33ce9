//! Converts headers between HTTP messages and the data model.
//!
//! See `docs/decisions/0012-headers-on-the-wire.md`.

use contract_model::Headers;
use http::{HeaderMap, HeaderName, HeaderValue};

/// A header that cannot be sent over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The name is not a token (RFC 9110, section 5.6.2).
    #[error("{name:?} is not a valid header name")]
    Name { name: String },
    /// The value contains control characters. The error does not contain the value, because it may be secret.
    #[error("the value of header {name:?} contains line breaks or other control characters")]
    Value { name: String },
    /// The `http` crate does not support this number of headers.
    #[error("too many headers: {count}")]
    TooMany { count: usize },
}

/// Creates header lines in the order of the model. The values of a list header or of a cookie header (RFC 6265, section
/// 5.4) are joined into one line. All other values get a line each.
pub fn header_map(headers: &Headers) -> Result<HeaderMap, HeaderError> {
    let count = headers.iter().count();
    let too_many = |_| HeaderError::TooMany { count };
    // The connection adds at most two headers.
    let mut map = HeaderMap::try_with_capacity(count + 2).map_err(too_many)?;
    for (name, line) in headers.lines() {
        map.try_append(header_name(name)?, header_value(name, &line)?)
            .map_err(too_many)?;
    }
    Ok(map)
}

pub fn header_name(name: &str) -> Result<HeaderName, HeaderError> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name { name: name.to_owned() })
}

/// Encodes a header value as described at [`Headers::encode_value`]. `name` is used only in the error.
pub fn header_value(name: &str, value: &str) -> Result<HeaderValue, HeaderError> {
    HeaderValue::from_bytes(&Headers::encode_value(value)).map_err(|_| HeaderError::Value { name: name.to_owned() })
}

/// Converts header lines to the model. [`Headers::decode_value`] describes the decoding of values.
pub fn decode_headers(map: &HeaderMap) -> Headers {
    let mut headers = Headers::new();
    for (name, value) in map {
        headers.append_line(name.as_str(), &Headers::decode_value(value.as_bytes()));
    }
    headers
}

#[cfg(test)]
mod tests {
    use contract_model::Headers;
    use http::{HeaderMap, HeaderValue};
    use proptest::prelude::*;

    use super::{HeaderError, decode_headers, header_map};

    fn headers(pairs: &[(&str, &str)]) -> Headers {
        pairs.iter().copied().collect()
    }

    #[test]
    fn joins_lists_and_cookies() {
        let map = header_map(&headers(&[
            ("Accept", "a/b"),
            ("Accept", "c/d"),
            ("Cookie", "a=1"),
            ("Cookie", "b=2"),
            ("Set-Cookie", "a=1"),
            ("Set-Cookie", "b=2"),
            ("X", "1"),
            ("X", "2"),
        ]))
        .unwrap();
        let lines = |name| {
            map.get_all(name)
                .iter()
                .map(|line| line.to_str().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(lines("accept"), ["a/b, c/d"]);
        assert_eq!(lines("cookie"), ["a=1; b=2"]);
        assert_eq!(lines("set-cookie"), ["a=1", "b=2"]);
        assert_eq!(lines("x"), ["1", "2"]);
    }

    #[test]
    fn encodes_non_ascii_values() {
        for (text, bytes) in [
            ("Köln", &b"K\xf6ln"[..]),
            ("Łódź", "Łódź".as_bytes()),
            // Encoded as ISO 8859-1, this would be read as a single UTF-8 character.
            ("Ã©", "Ã©".as_bytes()),
            ("plain", b"plain"),
        ] {
            let map = header_map(&headers(&[("X", text)])).unwrap();
            assert_eq!(map["x"].as_bytes(), bytes, "{text}");
            assert_eq!(decode_headers(&map).first("x"), Some(text));
        }
        let mut utf_8 = HeaderMap::new();
        utf_8.insert("x", HeaderValue::from_bytes("Köln".as_bytes()).unwrap());
        assert_eq!(decode_headers(&utf_8).first("x"), Some("Köln"));
    }

    #[test]
    fn rejects_invalid_headers() {
        let error = |pairs: &[(&str, &str)]| header_map(&headers(pairs)).unwrap_err();
        assert!(
            error(&[("X", "a\nsecret")])
                .to_string()
                .ends_with("contains line breaks or other control characters")
        );
        assert_eq!(error(&[("a b", "1")]).to_string(), "\"a b\" is not a valid header name");
        let many: Headers = (0..100_000).map(|number| (format!("x-{number}"), "1")).collect();
        assert_eq!(header_map(&many), Err(HeaderError::TooMany { count: 100_000 }));
        let lines: Headers = (0..30_000).map(|number| ("x", number.to_string())).collect();
        assert_eq!(header_map(&lines).map(|map| map.len()), Ok(30_000));
    }

    proptest! {
        #[test]
        fn headers_round_trip(value in r"[ -~\u{a0}-\u{2ff}]{0,20}", list in prop::collection::vec("[!-+.-~]{1,5}", 1..4)) {
            let mut sent = Headers::new();
            sent.append("x-text", value.trim());
            for item in list {
                sent.append("vary", item);
            }
            prop_assert_eq!(decode_headers(&header_map(&sent).unwrap()), sent);
        }
    }
}
