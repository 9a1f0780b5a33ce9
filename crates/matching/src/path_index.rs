//! An index of interactions by request path, so that a request is compared with only a few interactions.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use contract_model::{Request, Rule, RuleList};

use crate::plan::{decoded_segments, joined};

/// If at most this many interactions have a matching rule for the path, all of them are candidates, without a search by
/// prefix.
const FEW: usize = 16;

/// Finds the interactions that may match a path. The caller identifies them by ascending numbers.
#[derive(Clone, Debug, Default)]
pub struct PathIndex {
    /// Interactions without a matching rule for the path.
    literal: HashMap<Box<str>, Vec<usize>>,
    /// Interactions with a matching rule for the path.
    ruled: Vec<usize>,
    /// The interactions in `ruled`, by the literal prefix of all paths that their rules accept.
    by_prefix: HashMap<Box<str>, Vec<usize>>,
    /// The lengths of the prefixes in `by_prefix`.
    prefix_lengths: BTreeSet<usize>,
}

impl PathIndex {
    /// Adds an interaction. Its number must be larger than the numbers added before.
    pub fn add(&mut self, number: usize, request: &Request) {
        let Some(rules) = path_rules(request) else {
            let key = path_key(&request.path).into();
            return self.literal.entry(key).or_default().push(number);
        };
        self.ruled.push(number);
        let prefix = prefix_of(rules);
        self.prefix_lengths.insert(prefix.len());
        self.by_prefix.entry(prefix.into()).or_default().push(number);
    }

    /// Returns the interactions without a path rule whose path is equal to this one after percent-decoding, in
    /// ascending order.
    pub fn literal(&self, path: &str) -> &[usize] {
        self.literal.get(&*path_key(path)).map_or(&[], Vec::as_slice)
    }

    /// Returns the interactions whose path rule may accept this path, in ascending order. The caller must still compare
    /// the path.
    pub fn ruled(&self, path: &str) -> Cow<'_, [usize]> {
        if self.ruled.len() <= FEW {
            return Cow::Borrowed(&self.ruled);
        }
        // A rule accepts the path as received, or the decoded path.
        let decoded = path.contains('%').then(|| decoded_segments(path)).flatten();
        let decoded = decoded.map(|segments| joined(&segments));
        let mut numbers: Vec<usize> = Vec::new();
        for path in [Some(path), decoded.as_deref()].into_iter().flatten() {
            let prefixes = self.prefix_lengths.iter().filter_map(|&length| path.get(..length));
            let found = prefixes.filter_map(|prefix| self.by_prefix.get(prefix));
            numbers.extend(found.flatten());
        }
        numbers.sort_unstable();
        numbers.dedup();
        Cow::Owned(numbers)
    }

    /// Returns the percent-decoded paths of interactions without a path rule, with these interactions.
    pub fn literal_paths(&self) -> impl Iterator<Item = (&str, &[usize])> {
        let paths = self.literal.iter();
        paths.map(|(path, numbers)| (&**path, numbers.as_slice()))
    }

    /// Returns all interactions with a matching rule for the path.
    pub fn all_ruled(&self) -> &[usize] {
        &self.ruled
    }

    /// Returns the interactions with a path rule that may accept any path.
    pub fn always_ruled(&self) -> &[usize] {
        self.by_prefix.get("").map_or(&[], Vec::as_slice)
    }
}

/// Returns the matching rules for the path, or `None` if the path is compared literally.
fn path_rules(request: &Request) -> Option<&RuleList> {
    request.rules.path.as_ref().filter(|list| !list.rules.is_empty())
}

/// Returns the key of a path in the index. Paths that are equal after percent-decoding have the same key, as in
/// [`RequestPlan`](crate::RequestPlan).
fn path_key(path: &str) -> Cow<'_, str> {
    if path.contains('%') {
        percent_encoding::percent_decode_str(path)
            .decode_utf8()
            .unwrap_or(Cow::Borrowed(path))
    } else {
        Cow::Borrowed(path)
    }
}

/// Returns the literal prefix of all matching paths. It is empty unless the only rule is a regular expression.
fn prefix_of(list: &RuleList) -> String {
    match list.rules.as_slice() {
        [Rule::Regex(pattern)] => literal_prefix(pattern),
        _ => String::new(),
    }
}

fn literal_prefix(pattern: &str) -> String {
    let mut prefix = String::new();
    // An alternative may start with other text.
    if pattern.contains('|') {
        return prefix;
    }
    let mut rest = pattern.strip_prefix('^').unwrap_or(pattern).chars().peekable();
    while let Some(&next) = rest.peek() {
        match next {
            '\\' => {
                rest.next();
                match rest.peek() {
                    Some(&escaped) if escaped.is_ascii_punctuation() => prefix.push(escaped),
                    _ => return prefix,
                }
            }
            '*' | '?' | '{' => {
                prefix.pop();
                return prefix;
            }
            '.' | '+' | '(' | ')' | '[' | ']' | '}' | '^' | '$' | '#' => return prefix,
            literal => prefix.push(literal),
        }
        rest.next();
    }
    prefix
}

#[cfg(test)]
mod tests {
    use contract_model::{Request, Rule, RuleList, Rules};

    use super::{FEW, PathIndex, literal_prefix};

    #[test]
    fn prefixes_contain_only_literal_text() {
        for (pattern, expected) in [
            (r"^/orders/\d+$", "/orders/"),
            (r"\/orders\/[0-9]+", "/orders/"),
            ("/a/b", "/a/b"),
            ("/ab*", "/a"),
            ("/ab?c", "/a"),
            ("/ab{2}", "/a"),
            ("/ab+", "/ab"),
            ("(?i)/a", ""),
            ("/a|/b", ""),
            (r"/v1\.0/.*", "/v1.0/"),
            (".*", ""),
        ] {
            assert_eq!(literal_prefix(pattern), expected, "{pattern}");
        }
    }

    fn request(path: &str, pattern: Option<&str>) -> Request {
        let rule = pattern.map(|pattern| RuleList::single(Rule::Regex(pattern.into())));
        Request {
            path: path.into(),
            rules: Rules {
                path: rule,
                ..Rules::default()
            },
            ..Request::default()
        }
    }

    #[test]
    fn finds_every_interaction_that_may_match() {
        let mut index = PathIndex::default();
        index.add(0, &request("/caf%C3%A9", None));
        index.add(1, &request("/orders/7", Some(r"/orders/\d+")));
        index.add(2, &request("/orders/7", None));
        index.add(3, &request("/any", Some(".*")));
        assert_eq!(index.literal("/café"), [0]);
        assert_eq!(index.literal("/orders/7"), [2]);
        assert_eq!(*index.ruled("/users"), [1, 3], "few rules are not indexed");
        for number in 4..4 + FEW {
            index.add(number, &request("/users/1", Some(&format!("/users/{number}"))));
        }
        assert_eq!(*index.ruled("/orders/8"), [1, 3]);
        assert_eq!(*index.ruled("/users/5"), [3, 5]);
        assert_eq!(*index.ruled("/orders/%37"), [1, 3]);
        assert_eq!(*index.ruled("/%6frders/7"), [1, 3], "a rule may match the decoded path");
        assert_eq!(*index.ruled("/%ff"), [3], "not UTF-8");
        assert_eq!(index.always_ruled(), [3]);
        assert_eq!(index.literal_paths().count(), 2);
    }
}
