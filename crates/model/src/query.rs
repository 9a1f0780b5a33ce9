//! Query strings. The order of names and values is preserved.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::Text;

/// The decoded query of a request.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pairs: Vec<(Text, Option<Text>)>,
    /// The query as written, which V1 contracts compare. `None` if the query was built or changed.
    raw: Option<Text>,
}

/// The characters to percent-encode (WHATWG URL, `application/x-www-form-urlencoded` serializer).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'*');

impl Query {
    pub const fn new() -> Self {
        Self {
            pairs: Vec::new(),
            raw: None,
        }
    }

    /// Parses `a=1&b=2`, with or without a leading `?`. `+` and `%20` denote a space. Invalid escapes are kept as text.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('?').unwrap_or(text);
        let pairs = text
            .split('&')
            .filter(|piece| !piece.is_empty())
            .map(|piece| match piece.split_once('=') {
                Some((name, value)) => (decode(name), Some(decode(value))),
                None => (decode(piece), None),
            })
            .collect();
        Self {
            pairs,
            raw: Some(text.into()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the names and values in order. The value is `None` for a name without `=`.
    pub fn pairs(&self) -> &[(Text, Option<Text>)] {
        &self.pairs
    }

    /// Returns the values of a parameter in order. A value is `None` if the name has no `=`.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Option<&'a Text>> {
        self.pairs
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_ref())
    }

    /// Returns each name once, in order of first use.
    pub fn names(&self) -> Vec<&Text> {
        let mut seen = std::collections::HashSet::new();
        self.pairs
            .iter()
            .map(|(name, _)| name)
            .filter(|name| seen.insert(name.as_str()))
            .collect()
    }

    /// Returns the query as written, or `None` if it was built or changed.
    pub fn raw(&self) -> Option<&str> {
        self.raw.as_deref()
    }

    /// Adds a parameter at the end. A value of `None` writes the name without `=`.
    pub fn append(&mut self, name: impl Into<Text>, value: Option<Text>) {
        self.raw = None;
        self.pairs.push((name.into(), value));
    }

    /// Replaces all values of a parameter at the position of the first one, or adds the parameter at the end.
    pub fn set(&mut self, name: &str, values: impl IntoIterator<Item = Option<Text>>) {
        self.raw = None;
        let at = self
            .pairs
            .iter()
            .position(|(key, _)| key == name)
            .unwrap_or(self.pairs.len());
        self.pairs.retain(|(key, _)| key != name);
        let at = at.min(self.pairs.len());
        self.pairs
            .splice(at..at, values.into_iter().map(|value| (name.into(), value)));
    }

    /// Formats the query for a URL, without the `?`.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (at, (name, value)) in self.pairs.iter().enumerate() {
            if at > 0 {
                out.push('&');
            }
            encode(name, &mut out);
            match value {
                Some(value) => {
                    out.push('=');
                    encode(value, &mut out);
                }
                // A parameter with neither a name nor a value would be lost.
                None if name.is_empty() => out.push('='),
                None => {}
            }
        }
        out
    }
}

impl PartialEq for Query {
    /// Compares the ordered values of each name. Ignores the order of different names, and the source text.
    fn eq(&self, other: &Self) -> bool {
        if self.pairs.len() != other.pairs.len() {
            return false;
        }
        let by_name = |query: &'_ Self| {
            let mut order: Vec<usize> = (0..query.pairs.len()).collect();
            order.sort_by(|&a, &b| query.pairs[a].0.cmp(&query.pairs[b].0));
            order
        };
        let (ours, theirs) = (by_name(self), by_name(other));
        ours.into_iter()
            .zip(theirs)
            .all(|(a, b)| self.pairs[a] == other.pairs[b])
    }
}

impl Eq for Query {}

/// Decodes a name or a value. Invalid UTF-8 stays escaped, because replacement characters would make different values
/// equal.
fn decode(text: &str) -> Text {
    let text = text.replace('+', " ");
    let bytes: Cow<[u8]> = percent_decode_str(&text).into();
    let mut decoded = Text::default();
    for chunk in bytes.utf8_chunks() {
        decoded.push_str(chunk.valid());
        for byte in chunk.invalid() {
            decoded.push_str(&compact_str::format_compact!("%{byte:02X}"));
        }
    }
    decoded
}

fn encode(text: &str, out: &mut String) {
    for piece in utf8_percent_encode(text, ENCODED) {
        if piece == "%20" {
            out.push('+');
        } else {
            out.push_str(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn round_trip() {
        let query = Query::parse("?a=1&a=%C3%A9%20x&b&c=&d[]=a%3Db=c&");
        assert_eq!(query.to_text(), "a=1&a=%C3%A9+x&b&c=&d%5B%5D=a%3Db%3Dc");
        assert_eq!(query.values("a").flatten().collect::<Vec<_>>(), ["1", "é x"]);
        assert_eq!(query.names(), ["a", "b", "c", "d[]"]);
    }

    #[test]
    fn equality_ignores_the_order_of_names() {
        assert_eq!(Query::parse("a=1&b=%32&a=3"), Query::parse("b=2&a=1&a=3"));
        assert_ne!(Query::parse("a=1&a=3"), Query::parse("a=3&a=1"));
        assert_ne!(Query::parse("a"), Query::parse("a="));
    }

    #[test]
    fn set_keeps_the_position() {
        let mut query = Query::parse("a=1&b=2&a=3&c=4");
        query.set("a", [Some("x".into()), None]);
        assert_eq!(query.to_text(), "a=x&a&b=2&c=4");
    }

    #[test]
    fn keeps_invalid_escapes() {
        assert_eq!(
            Query::parse("a=100%&b=%zz").values("a").flatten().next().unwrap(),
            "100%"
        );
    }

    #[test]
    fn distinguishes_invalid_utf_8() {
        assert_ne!(Query::parse("a=%e9"), Query::parse("a=%e8"));
        assert_eq!(Query::parse("a=%e9").values("a").flatten().next().unwrap(), "%E9");
        assert_eq!(Query::parse("%C3%A9=%C3%A9%FFx").to_text(), "%C3%A9=%C3%A9%25FFx");
    }
}
