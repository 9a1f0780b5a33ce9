//! Creates the relative addresses of pages.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Percent-encodes a path segment or a query value.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// The query parameters of a page. Links to other views of the page replace single parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn new<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(
            pairs
                .filter(|(_, value): &(String, String)| !value.is_empty())
                .collect(),
        )
    }

    pub fn value(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// Returns a copy in which the parameter `name` has this value. An empty value removes the parameter.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut pairs: Vec<_> = self.0.iter().filter(|(known, _)| known != name).cloned().collect();
        if !value.is_empty() {
            pairs.push((name.to_owned(), value.to_owned()));
        }
        Self(pairs)
    }

    /// Returns `?name=value&…`. For an empty query, returns `?`, which links to the page without parameters.
    pub fn href(&self) -> String {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{}={}", encode_name(name), encode(value)))
            .collect();
        format!("?{}", pairs.join("&"))
    }

    /// Returns all parameters except `names`. Forms repeat them as hidden fields.
    pub(crate) fn except<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(|(name, _)| !names.contains(name))
    }
}

/// Percent-encodes a parameter name, except for brackets: `q[][version]` stays readable.
fn encode_name(name: &str) -> String {
    const NAME: &AsciiSet = &SEGMENT.remove(b'[').remove(b']');
    utf8_percent_encode(name, NAME).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_replace_single_values() {
        let query = Query::new([("q", "a b"), ("status", "failed"), ("page", "")]);
        assert_eq!(query.href(), "?q=a%20b&status=failed");
        assert_eq!(query.with("status", "").href(), "?q=a%20b");
        assert_eq!(query.with("page", "2").href(), "?q=a%20b&status=failed&page=2");
        assert_eq!(query.with("q", "").with("status", "").href(), "?");
        assert_eq!(Query::new([("q[][pacticipant]", "&")]).href(), "?q[][pacticipant]=%26");
    }
}
