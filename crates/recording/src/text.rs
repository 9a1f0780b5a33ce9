//! Recognizes strings that are likely to differ between runs, such as UUIDs and dates.

use contract_matching::{UUID_PATTERN, date_time_pattern, time_pattern};

/// A kind of string that a regular expression can describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Digits,
    Uuid,
    Date,
    /// A date and time. `true` means that it ends with a time zone: `Z` or an offset.
    DateTime(bool),
    Time(bool),
}

impl TextKind {
    /// Returns the kind of a string in a body or a header, or `None` if it is not recognized. Numbers are not
    /// recognized.
    pub(crate) fn detect(text: &str) -> Option<Self> {
        if is_uuid(text) {
            return Some(Self::Uuid);
        }
        if is_date(text) {
            return Some(Self::Date);
        }
        if let Some((date, time)) = text.split_once('T')
            && is_date(date)
        {
            return time_zone_of(time).map(Self::DateTime);
        }
        time_zone_of(text).map(Self::Time)
    }

    /// Returns the kind of a path segment or a query value, or `None` if it is not recognized. Numbers of up to 20
    /// digits are recognized.
    pub(crate) fn of_segment(text: &str) -> Option<Self> {
        let is_number = !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            Some(Self::Digits)
        } else {
            Self::detect(text)
        }
    }

    pub(crate) fn pattern(self) -> String {
        match self {
            Self::Digits => r"\d+".to_owned(),
            Self::Uuid => UUID_PATTERN.to_owned(),
            Self::Date => r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])".to_owned(),
            Self::DateTime(has_zone) => date_time_pattern(has_zone),
            Self::Time(has_zone) => time_pattern(has_zone),
        }
    }

    /// Returns the name of the kind in path templates, such as `number`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Digits => "number",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::DateTime(_) => "date-time",
            Self::Time(_) => "time",
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    let letters = || text.bytes().filter(u8::is_ascii_alphabetic);
    lengths.eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
        && (letters().all(|byte| byte.is_ascii_lowercase()) || letters().all(|byte| byte.is_ascii_uppercase()))
}

/// Parses numbers that have fixed numbers of digits and are separated by `separator`.
fn numbers<const N: usize>(text: &str, separator: char, lengths: [usize; N]) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for (number, length) in found.iter_mut().zip(lengths) {
        let part = parts.next()?;
        let is_valid = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = is_valid.then(|| part.parse().ok()).flatten()?;
    }
    parts.next().is_none().then_some(found)
}

fn is_date(text: &str) -> bool {
    numbers(text, '-', [4, 2, 2]).is_some_and(|[_, month, day]| (1..=12).contains(&month) && (1..=31).contains(&day))
}

/// Returns whether a time of day has a time zone, or `None` if the string is not a time of day.
fn time_zone_of(text: &str) -> Option<bool> {
    let end = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(end);
    let (seconds, fraction) = time.split_once('.').map_or((time, None), |(a, b)| (a, Some(b)));
    let [hour, minute, second] = numbers(seconds, ':', [2, 2, 2])?;
    let digits = |text: &str| (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if hour > 23 || minute > 59 || second > 59 || !fraction.is_none_or(digits) {
        return None;
    }
    let is_offset = || {
        let offset = zone.trim_start_matches(['+', '-']);
        zone.len() == offset.len() + 1 && offset.len() <= 5 && {
            let plain = offset.replacen(':', "", 1);
            plain.len() == 4
                && plain.bytes().all(|byte| byte.is_ascii_digit())
                && offset.find(':').is_none_or(|at| at == 2)
        }
    };
    match zone {
        "" => Some(false),
        "Z" => Some(true),
        _ => is_offset().then_some(true),
    }
}

/// Returns true if a string is recognizably a credential: a JSON Web Token, or a value of an `Authorization` header.
pub(crate) fn is_credential(text: &str) -> bool {
    let is_token_part = |part: &str| {
        part.len() >= 8
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'='))
    };
    let is_jwt = |text: &str| {
        let parts: Vec<&str> = text.split('.').collect();
        text.starts_with("eyJ") && (3..=5).contains(&parts.len()) && parts[..2].iter().all(|part| is_token_part(part))
    };
    let scheme = text.split_once(' ');
    is_jwt(text)
        || scheme.is_some_and(|(scheme, value)| {
            ["bearer", "basic", "digest"].contains(&scheme.to_ascii_lowercase().as_str())
                && !value.is_empty()
                && !value.contains(' ')
        })
}

/// Escapes a string for use in a regular expression.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use contract_matching::Pattern;

    use super::{TextKind, is_credential};

    #[test]
    fn kinds_follow_from_the_text_and_their_patterns_accept_it() {
        for (text, expected) in [
            ("7d44b1f9-6f0f-4b3e-9f0a-2f7f3c6a9d10", Some("uuid")),
            ("7D44B1F9-6F0F-4B3E-9F0A-2F7F3C6A9D10", Some("uuid")),
            ("7d44B1f9-6f0f-4b3e-9f0a-2f7f3c6a9d10", None),
            ("2026-11-24", Some("date")),
            ("2026-13-24", None),
            ("2026-11-24T17:00:00Z", Some("date-time")),
            ("2026-11-24T17:00:00.123+01:00", Some("date-time")),
            ("2026-11-24T17:00:00-0500", Some("date-time")),
            ("2026-11-24T17:00:00", Some("date-time")),
            ("2026-11-24T25:00:00Z", None),
            ("17:00:00", Some("time")),
            ("17:00", None),
            ("tea", None),
            ("", None),
        ] {
            let kind = TextKind::detect(text);
            assert_eq!(kind.map(TextKind::name), expected, "{text}");
            if let Some(kind) = kind {
                let pattern = Pattern::new(&kind.pattern()).unwrap();
                assert_eq!(pattern.matches(text), Ok(true), "{text}");
            }
        }
        assert_eq!(TextKind::of_segment("42"), Some(TextKind::Digits));
        assert_eq!(TextKind::of_segment("v2"), None);
    }

    #[test]
    fn tokens_are_credentials() {
        assert!(is_credential("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"));
        assert!(is_credential("Bearer abc") && is_credential("Basic dXNlcjpwdw=="));
        assert!(!is_credential("basic tea is fine") && !is_credential("eyJ") && !is_credential("a.b.c"));
    }
}
