//! HTTP headers with case-insensitive names and ordered values.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::{ContentType, Text};

/// Headers whose specification defines them as lists, with a reference to that specification. Other Pact
/// implementations split only these headers. They compare other headers, such as `Content-Language`, as one string, so
/// contract files must contain those as one string.
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

/// Minimum number of headers for which an index is built. Untrusted contracts may contain any number of headers.
const INDEXED: usize = 32;

/// Headers of a request or a response, in the order in which they were added. Names are case-insensitive. Headers from
/// a contract file whose names differ only in case are stored separately.
#[derive(Clone, Default)]
pub struct Headers {
    entries: Vec<(Text, Vec<Text>)>,
    /// Index by name. `None` if there are fewer than [`INDEXED`] headers, as in most messages. Therefore, it is boxed.
    index: Option<Box<Index>>,
}

/// Positions of headers by name.
#[derive(Clone, Default)]
struct Index {
    by_name: HashMap<Text, usize>,
    /// Position of the first header for each name, in lower case.
    by_folded_name: HashMap<Text, usize>,
}

impl Index {
    fn add(&mut self, name: &Text, at: usize) {
        self.by_name.entry(name.clone()).or_insert(at);
        self.by_folded_name.entry(name.to_ascii_lowercase()).or_insert(at);
    }
}

impl Headers {
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
            index: None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Compares headers like `==`, but the case and order of names are significant.
    pub fn is_identical(&self, other: &Self) -> bool {
        self.entries == other.entries
    }

    /// Returns the names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &[Text])> {
        self.entries.iter().map(|(name, values)| (name, values.as_slice()))
    }

    /// Returns the values of a header, or `None` if it does not exist. Names are case-insensitive (RFC 9110 section
    /// 5.1). If several stored names differ only in case, prefers the exact spelling, then the first one.
    pub fn get(&self, name: &str) -> Option<&[Text]> {
        Some(self.entries[self.place(name)?].1.as_slice())
    }

    /// Returns the first value of a header, or `None` if the header does not exist or has no values.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.get(name)?.first().map(Text::as_str)
    }

    /// Returns the declared content type, or `None` if the header is missing, invalid, or `*/*`.
    pub fn content_type(&self) -> Option<ContentType> {
        ContentType::declared(self.first("content-type")?)
    }

    /// Replaces the header with exactly this name, or adds it. A header whose name differs in case is not replaced.
    pub fn insert(&mut self, name: impl Into<Text>, values: Vec<Text>) {
        let name = name.into();
        match self.exact_place(&name) {
            Some(at) => self.entries[at].1 = values,
            None => self.push(name, values),
        }
    }

    pub fn append(&mut self, name: impl Into<Text>, value: impl Into<Text>) {
        let name = name.into();
        match self.place(&name) {
            Some(at) => self.entries[at].1.push(value.into()),
            None => self.push(name, vec![value.into()]),
        }
    }

    /// Replaces the values of a header, or adds it. Ignores the case of the name, unlike [`Self::insert`].
    pub fn set(&mut self, name: impl Into<Text>, values: Vec<Text>) {
        let name = name.into();
        match self.place(&name) {
            Some(at) => self.entries[at].1 = values,
            None => self.push(name, values),
        }
    }

    /// Removes a header and returns its values, or `None` if the header does not exist.
    pub fn remove(&mut self, name: &str) -> Option<Vec<Text>> {
        let at = self.place(name)?;
        let (_, values) = self.entries.remove(at);
        self.reindex();
        Some(values)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.exact_place(name).or_else(|| match &self.index {
            Some(index) => index.by_folded_name.get(name.to_ascii_lowercase().as_str()).copied(),
            None => self.entries.iter().position(|(key, _)| key.eq_ignore_ascii_case(name)),
        })
    }

    fn exact_place(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.by_name.get(name).copied(),
            None => self.entries.iter().position(|(key, _)| key == name),
        }
    }

    /// Adds a header. A header with this name must not exist yet.
    fn push(&mut self, name: Text, values: Vec<Text>) {
        let at = self.entries.len();
        if let Some(index) = &mut self.index {
            index.add(&name, at);
        }
        self.entries.push((name, values));
        if at == INDEXED {
            self.reindex();
        }
    }

    fn reindex(&mut self) {
        self.index = (self.entries.len() > INDEXED).then(|| {
            let mut index = Box::<Index>::default();
            for ((name, _), at) in self.entries.iter().zip(0..) {
                index.add(name, at);
            }
            index
        });
    }

    /// Returns pairs of lower-case names and values, sorted by name, so that equal headers compare equal.
    fn comparable(&self) -> Vec<(Text, &Text, &[Text])> {
        let mut all: Vec<_> = self
            .iter()
            .map(|(name, values)| (name.to_ascii_lowercase(), name, values))
            .collect();
        all.sort_unstable();
        all
    }

    /// Appends a header line as received. The values of list headers are separated; see [`Headers::split`].
    pub fn append_line(&mut self, name: &str, line: &str) {
        if Self::is_list(name) {
            for value in Self::split(name, line) {
                self.append(name, value);
            }
        } else {
            self.append(name, line.trim());
        }
    }

    /// Returns the lines to send, in order. The values of list headers and cookies (RFC 6265, section 5.4) are joined
    /// into one line. All other headers have one line for each value.
    pub fn lines(&self) -> impl Iterator<Item = (&Text, Cow<'_, str>)> {
        self.iter().flat_map(|(name, values)| {
            let lines: Vec<Cow<'_, str>> = match separator(name) {
                Some(separator) if values.len() > 1 => vec![values.join(separator).into()],
                _ => values.iter().map(|value| value.as_str().into()).collect(),
            };
            lines.into_iter().map(move |line| (name, line))
        })
    }

    /// Encodes a header value. Non-ASCII text is encoded as ISO 8859-1 if possible, unless the result would also be
    /// valid UTF-8. Otherwise, it is encoded as UTF-8.
    pub fn encode_value(text: &str) -> Cow<'_, [u8]> {
        if text.is_ascii() {
            return text.as_bytes().into();
        }
        let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
        match latin {
            Some(latin) if std::str::from_utf8(&latin).is_err() => latin.into(),
            _ => text.as_bytes().into(),
        }
    }

    /// Decodes a header value. Values that are valid UTF-8 are decoded as such, all others as ISO 8859-1, so that
    /// different values remain different.
    pub fn decode_value(bytes: &[u8]) -> Cow<'_, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => bytes.iter().copied().map(char::from).collect(),
        }
    }

    /// Returns true for headers whose values are separated by commas, such as `Accept`.
    pub fn is_list(name: &str) -> bool {
        LISTS.iter().any(|(list, _)| list.eq_ignore_ascii_case(name))
    }

    /// Returns true for headers whose lines must not be joined: `Set-Cookie` (RFC 6265 section 3).
    pub fn is_never_joined(name: &str) -> bool {
        name.eq_ignore_ascii_case("set-cookie")
    }

    /// Splits the line of a list header at commas into trimmed values. Returns the line of any other header as a single
    /// value.
    pub fn split(name: &str, line: &str) -> Vec<Text> {
        if Self::is_list(name) {
            line.split(',').map(|value| value.trim().into()).collect()
        } else {
            vec![line.trim().into()]
        }
    }
}

fn separator(name: &str) -> Option<&'static str> {
    if name.eq_ignore_ascii_case("cookie") {
        Some("; ")
    } else {
        Headers::is_list(name).then_some(", ")
    }
}

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for Headers {
    /// Compares headers. Ignores the case and order of names. The order of values is significant.
    fn eq(&self, other: &Self) -> bool {
        let is_same = || {
            let (ours, theirs) = (self.comparable(), other.comparable());
            let mut pairs = ours.iter().zip(&theirs);
            pairs.all(|((name, _, values), (other_name, _, other_values))| name == other_name && values == other_values)
        };
        self.entries == other.entries || (self.entries.len() == other.entries.len() && is_same())
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
    fn names_are_case_insensitive() {
        let headers: Headers = [("X-A", "1"), ("x-a", "2"), ("B", "3")].into_iter().collect();
        assert_eq!(headers.get("x-A").unwrap(), ["1", "2"]);
        let other = [("b", "3"), ("x-A", "1"), ("X-a", "2")].into_iter().collect();
        assert_eq!(headers, other);
        assert!(!headers.is_identical(&other) && headers.is_identical(&headers.clone()));
    }

    #[test]
    fn keeps_headers_that_differ_only_in_case() {
        let mut headers = Headers::new();
        headers.insert("x-a", vec!["1".into()]);
        headers.insert("X-A", vec!["2".into()]);
        assert_eq!(headers.iter().count(), 2);
        assert_eq!(headers.get("X-A").unwrap(), ["2"]);
        assert_eq!(headers.get("X-a").unwrap(), ["1"]);
        let mut other = Headers::new();
        other.insert("X-A", vec!["2".into()]);
        assert_ne!(headers, other);
        other.insert("x-a", vec!["1".into()]);
        assert_eq!(headers, other);
        other.append("X-A", "3");
        assert_eq!(other.get("X-A").unwrap(), ["2", "3"]);
        assert_ne!(headers, other);
    }

    #[test]
    fn finds_headers_by_index() {
        let name = |number: usize| format!("X-{number}");
        let mut headers: Headers = (0..100_000).map(|number| (name(number), "1")).collect();
        for number in 0..100_000 {
            headers.append(format!("x-{number}"), "2");
        }
        assert_eq!(headers.iter().count(), 100_000);
        assert_eq!(headers.get("x-99999").unwrap(), ["1", "2"]);
        assert_eq!(headers, headers.clone());
        assert_eq!(headers.remove("x-7").unwrap(), ["1", "2"]);
        assert!(headers.get("X-7").is_none());
        assert_eq!(headers.get("X-8").unwrap(), ["1", "2"]);
        headers.set("x-7", vec!["3".into()]);
        assert_eq!(headers.iter().last().unwrap().0, "x-7");
        let mut few: Headers = (0..34).map(|number| (name(number), "1")).collect();
        for number in 0..33 {
            assert!(few.remove(&name(number)).is_some() && few.get(&name(number)).is_none());
            assert!(few.get(&name(33)).is_some());
        }
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
