//! Measures how close an unmatched request is to an interaction.

use std::borrow::Cow;

use contract_matching::{Location, Mismatch};

/// Maximum length of a path for which edit distances are calculated, in bytes.
const MEASURED: usize = 512;

/// Counts which of the query, the headers, and the body differ. Returns a number from 0 to 3.
pub fn differing_parts(mismatches: &[Mismatch]) -> usize {
    let is_in = |part: fn(&Location) -> bool| mismatches.iter().any(|mismatch| part(&mismatch.at));
    [
        is_in(|at| matches!(at, Location::Query { .. })),
        is_in(|at| matches!(at, Location::Header { .. })),
        is_in(|at| matches!(at, Location::Body(_) | Location::BodyType)),
    ]
    .into_iter()
    .filter(|&differs| differs)
    .count()
}

/// The path of a request, prepared for comparing it with the paths of many interactions.
#[derive(Clone, Debug)]
pub struct SimilarPath<'a> {
    path: Cow<'a, str>,
    bytes: [u16; 256],
}

impl<'a> SimilarPath<'a> {
    pub fn new(path: &'a str) -> Self {
        let path = decoded(path);
        let mut bytes = [0; 256];
        for byte in path.bytes().take(MEASURED) {
            bytes[usize::from(byte)] += 1;
        }
        Self { path, bytes }
    }

    /// Returns the edit distance to the path of an interaction. Returns `None` if the distance is greater than `most`,
    /// or if more than one segment differs and the distance is large compared with the length of the paths.
    pub fn distance(&self, expected: &str, most: u32) -> Option<u32> {
        let (expected, actual) = (decoded(expected), &*self.path);
        let same_but_slash = expected.trim_end_matches('/') == actual.trim_end_matches('/');
        if same_but_slash || expected.eq_ignore_ascii_case(actual) {
            return (most > 0).then_some(1);
        }
        if expected.len() > MEASURED || actual.len() > MEASURED {
            return None;
        }
        // One path may have an additional prefix, such as `/api/orders` compared with `/orders`.
        let (short, long) = if expected.len() < actual.len() {
            (&*expected, actual)
        } else {
            (actual, &*expected)
        };
        let is_tail = short.len() > 1 && long.ends_with(short);
        let limit = if is_tail || differ_in_one_segment(&expected, actual) {
            most
        } else {
            u32::try_from((long.len() / 3).max(2)).unwrap_or(most).min(most)
        };
        // Most paths of a large set of interactions are so different that calculating the distance is not necessary.
        if self.least_distance(&expected) > limit {
            return None;
        }
        let (expected, actual) = without_common_ends(&expected, actual);
        let edits = u32::try_from(strsim::levenshtein(expected, actual)).unwrap_or(u32::MAX);
        (edits <= limit).then_some(edits)
    }

    /// Returns a lower bound of the edit distance. Each edit changes one character and therefore at most four bytes.
    fn least_distance(&self, expected: &str) -> u32 {
        let mut left = self.bytes;
        let mut missing = 0;
        for byte in expected.bytes() {
            match &mut left[usize::from(byte)] {
                0 => missing += 1,
                count => *count -= 1,
            }
        }
        let additional = self.path.len() - (expected.len() - missing);
        let width = if expected.is_ascii() && self.path.is_ascii() {
            1
        } else {
            4
        };
        u32::try_from(missing.max(additional) / width).unwrap_or(u32::MAX)
    }
}

/// Removes the common beginning and the common end, which do not affect the edit distance.
fn without_common_ends<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let start: usize = a
        .chars()
        .zip(b.chars())
        .take_while(|(a, b)| a == b)
        .map(|(character, _)| character.len_utf8())
        .sum();
    let (a, b) = (&a[start..], &b[start..]);
    let end: usize = a
        .chars()
        .rev()
        .zip(b.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(character, _)| character.len_utf8())
        .sum();
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// Returns true if exactly one of several segments differs, as in `/orders/7` and `/orders/seven`.
fn differ_in_one_segment(expected: &str, actual: &str) -> bool {
    let (expected, actual) = (expected.split('/').skip(1), actual.split('/').skip(1));
    let count = expected.clone().count();
    count > 1 && count == actual.clone().count() && expected.zip(actual).filter(|(a, b)| a != b).count() == 1
}

fn decoded(path: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(path).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::SimilarPath;

    #[test]
    fn similar_paths_have_a_distance() {
        for (expected, actual, want) in [
            ("/orders", "/orders/", Some(1)),
            ("/orders", "/ORDERS", Some(1)),
            ("/caf%C3%A9", "/café/", Some(1)),
            ("/orders", "/order", Some(1)),
            ("/orders", "/api/v1/orders", Some(7)),
            ("/orders/7", "/orders/seventeen", Some(9)),
            ("/größe/1", "/grösse/1", Some(2)),
            ("/orders", "/users", None),
            ("/", "/users/7/address", None),
        ] {
            let path = SimilarPath::new(actual);
            assert_eq!(path.distance(expected, u32::MAX), want, "{expected} {actual}");
            if let Some(distance) = want {
                assert_eq!(path.distance(expected, distance), want, "{expected} {actual}");
            }
            if let Some(most) = want
                .and_then(|distance| distance.checked_sub(1))
                .filter(|&most| most > 0)
            {
                assert_eq!(path.distance(expected, most), None, "{expected} {actual}");
            }
        }
    }
}
