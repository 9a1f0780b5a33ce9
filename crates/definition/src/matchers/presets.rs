//! Regular expressions for well-known string formats.

const LABEL: &str = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const OCTET: &str = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const GROUP: &str = "[0-9A-Fa-f]{1,4}";
pub(super) const DAY: &str = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const CLOCK: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)";
const ZONE: &str = "(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])";

pub(super) const HEXADECIMAL: &str = "[0-9A-Fa-f]+";

pub(super) fn email() -> String {
    format!(r"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{LABEL}(?:\.{LABEL})+")
}

pub(super) fn ipv4_address() -> String {
    format!(r"(?:{OCTET}\.){{3}}{OCTET}")
}

/// Returns a pattern for all notations of an IPv6 address: eight groups, or fewer groups with one `::`. An IPv4 address
/// may replace the last two groups.
pub(super) fn ipv6_address() -> String {
    let ipv4 = ipv4_address();
    let mut ways = vec![format!("(?:{GROUP}:){{7}}(?:{GROUP}|:)")];
    ways.extend(
        (1..=6)
            .rev()
            .map(|before| format!("(?:{GROUP}:){{{before}}}(?::{GROUP}){{1,{}}}", 7 - before)),
    );
    ways.extend([
        format!("(?:{GROUP}:){{1,6}}:"),
        format!(":(?::{GROUP}){{1,7}}"),
        "::".to_owned(),
        format!("(?:{GROUP}:){{6}}{ipv4}"),
        format!("(?:{GROUP}:){{1,5}}:(?:{GROUP}:){{0,4}}{ipv4}"),
        format!("::(?:{GROUP}:){{0,5}}{ipv4}"),
    ]);
    ways.join("|")
}

pub(super) fn iso8601_date_time() -> String {
    format!(r"{DAY}T{CLOCK}(?:\.[0-9]+)?{ZONE}")
}

pub(super) fn iso8601_date_time_with_millis() -> String {
    format!(r"{DAY}T{CLOCK}\.[0-9]{{3,}}{ZONE}")
}

pub(super) fn iso8601_time() -> String {
    format!(r"T?{CLOCK}(?:\.[0-9]+)?{ZONE}?")
}

pub(super) fn rfc3339() -> String {
    format!(r"{DAY}T{CLOCK}(?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")
}

pub(super) fn rfc1123_timestamp() -> String {
    format!(
        "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{{2}} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{{4}} \
         {CLOCK} (?:GMT|UTC|[+-][0-9]{{4}})"
    )
}

/// Pattern for the value of an `Authorization` header with a bearer token (RFC 6750, section 2.1).
pub(super) const BEARER: &str = "Bearer [A-Za-z0-9._~+/-]+=*";

#[cfg(test)]
mod tests {
    use contract_matching::{Pattern, date_time_pattern, time_pattern};

    use super::{email, ipv6_address};
    use crate::literal::literal;

    #[track_caller]
    fn check(pattern: &str, good: &[&str], bad: &[&str]) {
        let pattern = Pattern::new(pattern).unwrap();
        for text in good {
            assert_eq!(pattern.matches(text), Ok(true), "{text}");
        }
        for text in bad {
            assert_eq!(pattern.matches(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn date_and_time_patterns_accept_javascript_and_java_formats() {
        check(
            &date_time_pattern(true),
            &[
                "2024-02-29T13:45:00Z",
                "2024-02-29T13:45:00.123Z",
                "2024-02-29T13:45:00.123456789+02:00",
                "2024-02-29T13:45:00-0500",
            ],
            &[
                "2024-02-29T13:45:00",
                "2024-02-29 13:45:00Z",
                "2024-13-01T00:00:00Z",
                "2024-02-29T13:45:00.",
            ],
        );
        check(
            &date_time_pattern(false),
            &["2024-02-29T13:45:00", "2024-02-29T13:45:00.5"],
            &["2024-02-29T13:45:00Z"],
        );
        check(
            &time_pattern(false),
            &["13:45:00", "13:45:00.123456"],
            &["13:45", "24:00:00", "13:45:00Z"],
        );
        check(&time_pattern(true), &["13:45:00Z", "13:45:00.1+01:00"], &["13:45:00"]);
    }

    #[test]
    fn presets_accept_their_examples() {
        for (pattern, example) in [(email(), "alice@example.com"), (ipv6_address(), "2001:db8::1")] {
            check(&pattern, &[example], &["", "alice"]);
        }
        check(&literal("a.b(c)"), &["a.b(c)"], &["axb(c)"]);
    }
}
