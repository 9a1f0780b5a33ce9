//! Describes cookie mismatches. The description contains the cookies' names, which are not secret, but not their
//! values.

use contract_matching::{Location, Mismatch, MismatchKind, Pattern, is_hidden};
use contract_model::Json;

/// Maximum number of cookies in a header to compare.
const COOKIES: usize = 50;

/// Describes the mismatch of a cookie header in one line, with the names of the expected cookies but without values.
/// Returns `None` if the mismatch is not in a cookie header, or if no cookie name is known.
pub(crate) fn sentence(mismatch: &Mismatch) -> Option<String> {
    let Location::Header { name, .. } = &mismatch.at else {
        return None;
    };
    let is_set = name.eq_ignore_ascii_case("set-cookie");
    if !is_set && !name.eq_ignore_ascii_case("cookie") {
        return None;
    }
    let Some(Json::String(expected)) = &mismatch.expected else {
        return None;
    };
    let actual = match (&mismatch.kind, &mismatch.actual) {
        (MismatchKind::Missing, _) => None,
        (MismatchKind::NotEqual | MismatchKind::Regex { .. }, Some(Json::String(actual))) => Some(&**actual),
        _ => return None,
    };
    let pattern = match &mismatch.kind {
        MismatchKind::Regex { pattern } => Some(Pattern::new(pattern).ok()?),
        _ => None,
    };
    let fits = |text: &str, whole: &str| match &pattern {
        Some(pattern) => pattern.matches(text).unwrap_or(false),
        None => text == whole,
    };
    // Sentences about patterns do not contain the location.
    let place = match (&pattern, actual) {
        (Some(_), Some(_)) => String::new(),
        _ => format!(" in header '{name}'"),
    };
    if is_set {
        set(&place, expected, actual, fits)
    } else {
        sent(&place, expected, actual, fits)
    }
}

fn sent(place: &str, expected: &str, actual: Option<&str>, fits: impl Fn(&str, &str) -> bool) -> Option<String> {
    let expected_pairs = pairs(expected);
    if expected_pairs.is_empty() || expected_pairs.iter().any(|(_, value)| is_padding(value)) {
        return None;
    }
    let Some(actual) = actual else {
        let names: Vec<_> = expected_pairs.iter().map(|(cookie, _)| describe_name(cookie)).collect();
        return Some(format!("Expected {}{place} but was missing", names.join(" and ")));
    };
    let received = pairs(actual);
    let whole = line(&expected_pairs);
    let mut problems = Vec::new();
    for (at, (cookie, _)) in expected_pairs.iter().enumerate() {
        let Some((_, value)) = received.iter().find(|(name, _)| name == cookie) else {
            problems.push(format!("{} is missing", describe_name(cookie)));
            continue;
        };
        // Replace only one value at a time, to find out which values differ.
        let mut tried = expected_pairs.clone();
        tried[at].1 = value;
        if !fits(&line(&tried), &whole) {
            problems.push(format!("{} does not have the expected value", describe_name(cookie)));
        }
    }
    if problems.is_empty() {
        problems.push(
            "the expected cookies have the expected values, but there are additional cookies or the order differs"
                .to_owned(),
        );
    }
    Some(format!("Cookies{place} do not match: {}", problems.join(", ")))
}

fn set(place: &str, expected: &str, actual: Option<&str>, fits: impl Fn(&str, &str) -> bool) -> Option<String> {
    let (expected_pair, expected_attributes) = parts(expected);
    let (cookie, expected_value) = expected_pair.split_once('=').filter(|(_, value)| !is_padding(value))?;
    let named = describe_name(cookie.trim());
    let Some(actual) = actual else {
        return Some(format!("Expected {named}{place} but was missing"));
    };
    let (received_pair, attributes) = parts(actual);
    let Some((_, value)) = received_pair
        .split_once('=')
        .filter(|(name, _)| name.trim() == cookie.trim())
    else {
        return Some(format!("Expected {named}{place} but another cookie was received"));
    };
    let is_value = fits(&format!("{cookie}={value}{expected_attributes}"), expected);
    let are_attributes = fits(&format!("{cookie}={expected_value}{attributes}"), expected);
    Some(match (is_value, are_attributes) {
        (true, false) => format!("The attributes of {named}{place} do not match"),
        (false, true) => format!("The value of {named}{place} does not match"),
        _ => format!("The value and attributes of {named}{place} do not match"),
    })
}

/// Returns the names and values of the cookies in a header line.
fn pairs(line: &str) -> Vec<(&str, &str)> {
    let pairs = line.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.take(COOKIES).collect()
}

fn line(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("; ")
}

/// Splits a cookie line at the first semicolon into the cookie and its attributes.
fn parts(line: &str) -> (&str, &str) {
    line.split_at(line.find(';').unwrap_or(line.len()))
}

/// Returns whether the value consists of base64 padding (`=`). If so, the part before the first equal sign is not a
/// name.
fn is_padding(value: &str) -> bool {
    value.chars().all(|c| c == '=')
}

fn describe_name(name: &str) -> String {
    let mut text = String::from("the cookie '");
    for c in name.chars() {
        if is_hidden(c) {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use contract_matching::{Location, Mismatch, MismatchKind};

    use super::sentence;

    #[track_caller]
    fn describe(header: &str, pattern: Option<&str>, expected: &str, actual: &str) -> Option<String> {
        let at = Location::Header {
            name: header.into(),
            index: None,
        };
        let kind = match pattern {
            Some(pattern) => MismatchKind::Regex {
                pattern: pattern.into(),
            },
            None => MismatchKind::NotEqual,
        };
        let sentence = sentence(&Mismatch {
            at,
            kind,
            expected: Some(expected.into()),
            actual: Some(actual.into()),
            rule: None,
            explanation: None,
        });
        let text = sentence.as_deref().unwrap_or_default();
        assert!(!text.contains("hush") && !text.contains("b2s"), "{text}");
        sentence
    }

    #[test]
    fn cookies_are_named_without_their_values() {
        let one = r"(?:.*;\s*)?a=hush1(?:\s*;.*)?";
        let two = r"(?=(?:.*;\s*)?a=hush1\s*(?:;|$))(?=(?:.*;\s*)?b=(?:[0-9]+)\s*(?:;|$)).*";
        for (pattern, expected, actual, want) in [
            (
                Some(one),
                "a=hush1",
                "a=hush2; c=hush3",
                "'a' does not have the expected value",
            ),
            (Some(one), "a=hush1", "c=hush3", "'a' is missing"),
            (
                Some(two),
                "a=hush1; b=7",
                "b=8; a=hush2",
                "'a' does not have the expected value",
            ),
            (
                Some(two),
                "a=hush1; b=7",
                "a=hush1; b=hush",
                "'b' does not have the expected value",
            ),
            (
                Some(two),
                "a=hush1; b=7",
                "b=hush",
                "'a' is missing, the cookie 'b' does not have the expected value",
            ),
            (
                None,
                "a=hush1; b=7",
                "a=hush1; b=8",
                "'b' does not have the expected value",
            ),
        ] {
            let place = if pattern.is_none() { " in header 'Cookie'" } else { "" };
            let want = format!("Cookies{place} do not match: the cookie {want}");
            assert_eq!(describe("Cookie", pattern, expected, actual), Some(want));
        }
        assert_eq!(
            describe("Cookie", None, "a=hush1; b=7", "b=7; a=hush1").as_deref(),
            Some(
                "Cookies in header 'Cookie' do not match: the expected cookies have the expected values, but there are additional cookies or the order differs"
            )
        );
    }

    #[test]
    fn does_not_mention_values_without_names() {
        assert_eq!(describe("Cookie", None, "b2s=", "b2t="), None);
        assert_eq!(describe("Cookie", None, "hush", "hushed"), None);
        assert_eq!(describe("Authorization", None, "a=hush", "a=hushed"), None);
    }

    #[test]
    fn describes_set_cookie() {
        let pattern = Some(r"a=hush1(?:\s*;.*)?");
        let value = "The value of the cookie 'a' does not match";
        let other = "Expected the cookie 'a' but another cookie was received";
        let attributes = "The attributes of the cookie 'a' in header 'Set-Cookie' do not match";
        let both = "The value and attributes of the cookie 'a' in header 'Set-Cookie' do not match";
        for (pattern, expected, actual, want) in [
            (pattern, "a=hush1", "a=hush2; Path=/", value),
            (pattern, "a=hush1", "hush=1", other),
            (None, "a=hush1; Path=/", "a=hush1", attributes),
            (None, "a=hush1; Path=/", "a=hush2", both),
        ] {
            assert_eq!(describe("Set-Cookie", pattern, expected, actual).as_deref(), Some(want));
        }
    }
}
