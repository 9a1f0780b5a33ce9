//! Measures how close an unmatched request is to an interaction.

use std::borrow::Cow;

use contract_matching::{Location, Mismatch};

/// Maximum length of a path for calculating edit distances, in bytes.
const MEASURED: usize = 512;

/// Counts the parts (query, headers, body) that differ.
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

/// Returns the edit distance between two paths. Returns `None` if the distance is large relative to the length of the
/// paths and more than one segment differs.
pub fn path_distance(expected: &str, actual: &str) -> Option<u32> {
    let (expected, actual) = (decoded(expected), decoded(actual));
    let same_but_slash = expected.trim_end_matches('/') == actual.trim_end_matches('/');
    if same_but_slash || expected.eq_ignore_ascii_case(&actual) {
        return Some(1);
    }
    if expected.len() > MEASURED || actual.len() > MEASURED {
        return None;
    }
    let edits = strsim::levenshtein(&expected, &actual);
    let are_few = edits <= (expected.len().max(actual.len()) / 3).max(2);
    // One path may have an additional prefix, such as `/api/orders` and `/orders`.
    let (short, long) = if expected.len() < actual.len() {
        (&expected, &actual)
    } else {
        (&actual, &expected)
    };
    let is_tail = short.len() > 1 && long.ends_with(&**short);
    (are_few || is_tail || differ_in_one_segment(&expected, &actual)).then(|| u32::try_from(edits).unwrap_or(u32::MAX))
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
    use super::path_distance;

    #[test]
    fn similar_paths_have_a_distance() {
        for (expected, actual, want) in [
            ("/orders", "/orders/", Some(1)),
            ("/orders", "/ORDERS", Some(1)),
            ("/caf%C3%A9", "/café/", Some(1)),
            ("/orders", "/order", Some(1)),
            ("/orders", "/api/v1/orders", Some(7)),
            ("/orders/7", "/orders/seventeen", Some(9)),
            ("/orders", "/users", None),
            ("/", "/users/7/address", None),
        ] {
            assert_eq!(path_distance(expected, actual), want, "{expected} {actual}");
        }
    }
}
