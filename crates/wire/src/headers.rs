//! Headers, between HTTP messages and the model.

use contract_model::{Headers, Text};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers as lines. Values of list headers came out of one line, and go back into one; so do cookies (RFC 6265 section 5.4).
pub fn header_map(headers: &Headers) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::with_capacity(headers.iter().count() + 2);
    for (name, values) in headers.iter() {
        let key =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} is not the name of a header"))?;
        let separator = if name.eq_ignore_ascii_case("cookie") {
            Some("; ")
        } else {
            Headers::is_list(name).then_some(", ")
        };
        let line = |value: &str| {
            HeaderValue::from_bytes(value.as_bytes())
                .map_err(|_| format!("the value of the header {name:?} holds line breaks or other control characters"))
        };
        match separator {
            Some(separator) if values.len() > 1 => {
                map.append(key, line(&values.join(separator))?);
            }
            _ => {
                for value in values {
                    map.append(key.clone(), line(value)?);
                }
            }
        }
    }
    Ok(map)
}

/// Header lines as values. Bytes that are no UTF-8 are read as ISO 8859-1, which HTTP once used.
pub fn headers_of(map: &HeaderMap) -> Headers {
    let mut headers = Headers::new();
    for (name, value) in map {
        let line: Text = match std::str::from_utf8(value.as_bytes()) {
            Ok(text) => text.into(),
            Err(_) => value.as_bytes().iter().map(|&byte| char::from(byte)).collect(),
        };
        for value in Headers::split(name.as_str(), &line) {
            headers.append(name.as_str(), value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use contract_model::Headers;

    use super::header_map;

    #[test]
    fn lists_and_cookies_go_into_one_line() {
        let headers: Headers = [
            ("Accept", "a/b"),
            ("Accept", "c/d"),
            ("Cookie", "a=1"),
            ("Cookie", "b=2"),
            ("X", "1"),
            ("X", "2"),
        ]
        .into_iter()
        .collect();
        let map = header_map(&headers).unwrap();
        assert_eq!(map["accept"], "a/b, c/d");
        assert_eq!(map["cookie"], "a=1; b=2");
        assert_eq!(map.get_all("x").iter().count(), 2);
        assert!(
            header_map(&[("X", "a\nb")].into_iter().collect())
                .unwrap_err()
                .contains("line breaks")
        );
    }
}
