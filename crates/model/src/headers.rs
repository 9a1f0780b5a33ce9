//! Headers: names without case, values in order.

use crate::{ContentType, Text};

/// The lists among the headers, and where they are defined so. These and no others are split by all who read contract files;
/// of further lists, such as `Content-Language`, most readers compare the line, so that a file has to hold it as one.
const LISTS: [(&str, &str); 12] = [
    ("accept", "RFC 9110 section 12.5.1"),
    ("accept-encoding", "RFC 9110 section 12.5.3"),
    ("accept-language", "RFC 9110 section 12.5.4"),
    ("access-control-allow-headers", "Fetch Standard, HTTP responses"),
    ("access-control-allow-methods", "Fetch Standard, HTTP responses"),
    ("access-control-expose-headers", "Fetch Standard, HTTP responses"),
    ("access-control-request-headers", "Fetch Standard, HTTP requests"),
    ("allow", "RFC 9110 section 10.2.1"),
    ("cache-control", "RFC 9111 section 5.2"),
    ("if-match", "RFC 9110 section 13.1.1"),
    ("if-none-match", "RFC 9110 section 13.1.2"),
    ("vary", "RFC 9110 section 12.5.5"),
];

/// The headers of a request or a response. A name stands once, whatever its case; order is that of first use.
#[derive(Clone, Debug, Default)]
pub struct Headers(Vec<(Text, Vec<Text>)>);

impl Headers {
    /// No headers.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &[Text])> {
        self.0.iter().map(|(name, values)| (name, values.as_slice()))
    }

    /// The values of a header; names are compared without case (RFC 9110 section 5.1).
    pub fn get(&self, name: &str) -> Option<&[Text]> {
        self.0
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, values)| values.as_slice())
    }

    /// The first value of a header.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.get(name)?.first().map(Text::as_str)
    }

    /// The content type that they declare; `None` when it is absent, unreadable or `*/*`.
    pub fn content_type(&self) -> Option<ContentType> {
        ContentType::declared(self.first("content-type")?)
    }

    /// Adds a value behind those that are there.
    pub fn append(&mut self, name: impl Into<Text>, value: impl Into<Text>) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(&name)) {
            Some((_, values)) => values.push(value.into()),
            None => self.0.push((name, vec![value.into()])),
        }
    }

    /// Replaces all values of a header.
    pub fn set(&mut self, name: impl Into<Text>, values: Vec<Text>) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(&name)) {
            Some((_, old)) => *old = values,
            None => self.0.push((name, values)),
        }
    }

    /// Takes a header out.
    pub fn remove(&mut self, name: &str) -> Option<Vec<Text>> {
        let at = self.0.iter().position(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(self.0.remove(at).1)
    }

    /// Whether the comma separates values of this header in one line. For all others a comma is text.
    pub fn is_list(name: &str) -> bool {
        LISTS.iter().any(|(list, _)| list.eq_ignore_ascii_case(name))
    }

    /// Whether a header may stand in several lines although its lines cannot be joined: `Set-Cookie` (RFC 6265 section 3).
    pub fn is_never_joined(name: &str) -> bool {
        name.eq_ignore_ascii_case("set-cookie")
    }

    /// The values that one line of this header holds, without blanks around them.
    pub fn split(name: &str, line: &str) -> Vec<Text> {
        if Self::is_list(name) {
            line.split(',').map(|value| value.trim().into()).collect()
        } else {
            vec![line.trim().into()]
        }
    }
}

impl PartialEq for Headers {
    /// Neither the case nor the order of the names counts; the order of the values does.
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.iter().all(|(name, values)| other.get(name) == Some(values))
    }
}

impl<N: Into<Text>, V: Into<Text>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut headers = Self::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::Headers;

    #[test]
    fn names_have_no_case() {
        let headers: Headers = [("X-A", "1"), ("x-a", "2"), ("B", "3")].into_iter().collect();
        assert_eq!(headers.get("x-A").unwrap(), ["1", "2"]);
        assert_eq!(headers, [("b", "3"), ("x-A", "1"), ("X-a", "2")].into_iter().collect());
    }

    #[test]
    fn only_list_headers_are_split() {
        assert_eq!(Headers::split("Accept", "a, b"), ["a", "b"]);
        assert_eq!(
            Headers::split("cache-control", "no-cache,no-store"),
            ["no-cache", "no-store"]
        );
        for name in [
            "Date",
            "Expires",
            "User-Agent",
            "Set-Cookie",
            "Content-Language",
            "X-Any",
        ] {
            assert_eq!(Headers::split(name, "Mon, 1 Jan"), ["Mon, 1 Jan"], "{name}");
        }
    }
}
