//! Moments as JavaScript and Java send them, UUIDs, and GraphQL documents. Contract files hold patterns for them, since nothing else
//! can say it that all tools read; people are told in words.

/// A date and time as JavaScript and Java write it, with `Z` or an offset, or without both. People meet these patterns in
/// contract files, hence as short as they can be.
pub fn usual_date_time(has_zone: bool) -> String {
    format!(
        r"\d{{4}}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T{}",
        usual_time(has_zone)
    )
}

/// A time of day in the same way. Fractions have as many digits as any clock: JavaScript sends three, Java up to nine.
pub fn usual_time(has_zone: bool) -> String {
    let zone = if has_zone { r"(Z|[+-]\d\d:?\d\d)" } else { "" };
    format!(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{{1,9}})?{zone}")
}

/// A UUID with hyphens, all in lower or all in upper case.
pub const USUAL_UUID: &str = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}";

/// What may stand between two tokens of a GraphQL document, and begins the pattern of one. A comment ends with its line, so
/// that engines that backtrack have one way only.
pub const GRAPHQL_IGNORED: &str = r"(?:[\t\n\r ,]|#[^\n\r]*[\n\r])";

/// What one of these patterns asks for.
pub(super) fn words(pattern: &str) -> Option<&'static str> {
    if pattern == USUAL_UUID {
        return Some("a UUID with hyphens, in lowercase or uppercase");
    }
    if pattern.starts_with(GRAPHQL_IGNORED) {
        return Some("the GraphQL document of the example, ignoring whitespace, commas, and comments");
    }
    [
        (
            usual_date_time(true),
            "a date and time such as 2024-02-29T13:45:00Z, with Z or an offset and optional fractional seconds",
        ),
        (
            usual_date_time(false),
            "a date and time such as 2024-02-29T13:45:00, without an offset and with optional fractional seconds",
        ),
        (
            usual_time(true),
            "a time such as 13:45:00Z, with Z or an offset and optional fractional seconds",
        ),
        (
            usual_time(false),
            "a time such as 13:45:00, without an offset and with optional fractional seconds",
        ),
    ]
    .into_iter()
    .find(|(known, _)| known == pattern)
    .map(|(_, words)| words)
}
