//! Patterns for dates, times, UUIDs, and GraphQL documents. Contract files contain them as regular expressions, which
//! all Pact implementations support. Mismatches describe the format in words instead.

/// Returns a pattern for a date and time as written by JavaScript and Java. With `has_zone`, it requires `Z` or an
/// offset; otherwise, it allows neither. The pattern is short, because users see it in contract files.
pub fn date_time_pattern(has_zone: bool) -> String {
    format!(
        r"\d{{4}}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T{}",
        time_pattern(has_zone)
    )
}

/// Returns a pattern for a time of day with up to nine fractional digits. JavaScript writes three, Java up to nine.
pub fn time_pattern(has_zone: bool) -> String {
    let zone = if has_zone { r"(Z|[+-]\d\d:?\d\d)" } else { "" };
    format!(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{{1,9}})?{zone}")
}

pub const UUID_PATTERN: &str = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}";

/// Matches a character or comment that GraphQL ignores between two tokens. The pattern of a GraphQL document starts
/// with it. A comment includes its line break, so that backtracking engines can match it in only one way.
pub const GRAPHQL_IGNORED: &str = r"(?:[\t\n\r ,]|#[^\n\r]*[\n\r])";

/// Describes the values that a known pattern accepts. Returns `None` for other patterns.
pub(super) fn describe(pattern: &str) -> Option<&'static str> {
    if pattern == UUID_PATTERN {
        return Some("a UUID with hyphens, in lowercase or uppercase");
    }
    if pattern.starts_with(GRAPHQL_IGNORED) {
        return Some("the GraphQL document of the example, ignoring whitespace, commas, and comments");
    }
    [
        (
            date_time_pattern(true),
            "a date and time such as 2024-02-29T13:45:00Z, with Z or an offset and optional fractional seconds",
        ),
        (
            date_time_pattern(false),
            "a date and time such as 2024-02-29T13:45:00, without an offset and with optional fractional seconds",
        ),
        (
            time_pattern(true),
            "a time such as 13:45:00Z, with Z or an offset and optional fractional seconds",
        ),
        (
            time_pattern(false),
            "a time such as 13:45:00, without an offset and with optional fractional seconds",
        ),
    ]
    .into_iter()
    .find(|(known, _)| known == pattern)
    .map(|(_, description)| description)
}
