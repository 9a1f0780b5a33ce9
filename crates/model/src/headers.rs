//! Headers: names without case, values in order.

use std::collections::HashMap;

use crate::{ContentType, Text};

/// The headers of a request or a response. A name stands once, whatever its case; order is that of first use.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    list: Vec<(Text, Vec<Text>)>,
    /// Places by name in lower case, once there are more than [`FEW`]: contracts of others may hold any number.
    index: Option<HashMap<Text, usize>>,
}

/// Up to so many names, looking at each is quicker than an index.
const FEW: usize = 32;

impl Headers {
    /// No headers.
    pub const fn new() -> Self {
        Self {
            list: Vec::new(),
            index: None,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &[Text])> {
        self.list.iter().map(|(name, values)| (name, values.as_slice()))
    }

    fn position(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name.to_ascii_lowercase().as_str()).copied(),
            None => self.list.iter().position(|(key, _)| key.eq_ignore_ascii_case(name)),
        }
    }

    /// A name that is not there yet.
    fn push(&mut self, name: Text, values: Vec<Text>) {
        if let Some(index) = &mut self.index {
            index.insert(name.to_ascii_lowercase(), self.list.len());
        }
        self.list.push((name, values));
        if self.index.is_none() && self.list.len() > FEW {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        let names = self.list.iter().map(|(name, _)| name.to_ascii_lowercase());
        self.index = Some(names.zip(0..).collect());
    }

    /// The values of a header; names are compared without case (RFC 9110 section 5.1).
    pub fn get(&self, name: &str) -> Option<&[Text]> {
        self.position(name).map(|at| self.list[at].1.as_slice())
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
        match self.position(&name) {
            Some(at) => self.list[at].1.push(value.into()),
            None => self.push(name, vec![value.into()]),
        }
    }

    /// Replaces all values of a header.
    pub fn set(&mut self, name: impl Into<Text>, values: Vec<Text>) {
        let name = name.into();
        match self.position(&name) {
            Some(at) => self.list[at].1 = values,
            None => self.push(name, values),
        }
    }

    /// Takes a header out.
    pub fn remove(&mut self, name: &str) -> Option<Vec<Text>> {
        let (_, values) = self.list.remove(self.position(name)?);
        if self.index.is_some() {
            self.build_index();
        }
        Some(values)
    }

    /// Whether the comma separates values of this header in one line. For all others a comma is text.
    pub fn is_list(name: &str) -> bool {
        const LISTS: [&str; 12] = [
            "accept",
            "accept-encoding",
            "accept-language",
            "access-control-allow-headers",
            "access-control-allow-methods",
            "access-control-expose-headers",
            "access-control-request-headers",
            "allow",
            "cache-control",
            "if-match",
            "if-none-match",
            "vary",
        ];
        LISTS.iter().any(|list| list.eq_ignore_ascii_case(name))
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
        self.list.len() == other.list.len() && self.iter().all(|(name, values)| other.get(name) == Some(values))
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
    fn many_names_are_found_as_few_are() {
        let mut headers = Headers::new();
        for name in 0..100_000 {
            headers.append(format!("X-{name}"), "a");
            headers.append(format!("x-{name}"), "b");
        }
        assert_eq!(headers.iter().count(), 100_000);
        assert_eq!(headers.get("X-99999").unwrap(), ["a", "b"]);
        assert_eq!(headers.remove("x-0").unwrap().len(), 2);
        assert_eq!((headers.get("x-0"), headers.first("x-1")), (None, Some("a")));
        headers.set("X-1", vec!["c".into()]);
        assert_eq!(headers.iter().next().unwrap().1, ["c"]);
        assert!(headers == headers.clone());
    }

    #[test]
    fn only_list_headers_are_split() {
        assert_eq!(Headers::split("Accept", "a, b"), ["a", "b"]);
        assert_eq!(Headers::split("Date", "Mon, 1 Jan"), ["Mon, 1 Jan"]);
    }
}
