//! Parsers for option values.

use std::time::Duration;

use contract::broker::{Latest, NotSingleLine};

/// Reason why the value of an option is invalid. The message continues a sentence that starts with the option.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidValue {
    #[error("must be an integer greater than 0")]
    Count,
    #[error("must be a duration, such as 90s, 10m, or 1h")]
    Duration,
    #[error("must be at most 24h")]
    LongDuration,
    // The value may be a secret.
    #[error("must be a name and a value, such as 'X-Tenant: 7'")]
    Header,
    #[error("must be a host name, such as localhost")]
    Host,
    #[error("must be a host name, such as localhost; pass the other parts with --scheme, --port, and --base-path")]
    HostWithScheme,
    #[error("is not supported; pass the URL of the contract with --url")]
    WebhookCallbackUrl,
    #[error("is not supported; use --listen, such as --listen 127.0.0.1:9292")]
    BrokerPort,
}

pub(crate) fn count(text: &str) -> Result<u64, InvalidValue> {
    text.parse().ok().filter(|count| *count > 0).ok_or(InvalidValue::Count)
}

/// The maximum of all durations: one day, in seconds.
const DAY: u64 = 24 * 60 * 60;

/// Parses a duration of at most 24 h, such as `90s`, `10m`, or `1h`. A number without a unit is in seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, InvalidValue> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &text[..text.len() - unit.len()];
    let number: u64 = number.parse().map_err(|_| InvalidValue::Duration)?;
    let seconds = match unit {
        "s" | "" => number,
        "m" => number.saturating_mul(60),
        "h" => number.saturating_mul(3600),
        _ => return Err(InvalidValue::Duration),
    };
    if seconds > DAY {
        return Err(InvalidValue::LongDuration);
    }
    Ok(Duration::from_secs(seconds))
}

/// Parses the value of `--latest`. Without a tag, it is an empty string.
pub(crate) fn latest(tag: &str) -> Result<Latest, NotSingleLine> {
    match tag {
        "" => Ok(Latest::Overall),
        tag => tag.parse().map(Latest::Tagged),
    }
}

/// Parses a header: `Name: value`, or `Name=value` as in other Pact verifiers.
pub(crate) fn header(text: &str) -> Result<(String, String), InvalidValue> {
    let (name, value) = text.split_once([':', '=']).ok_or(InvalidValue::Header)?;
    // In `Authorization Bearer c2VjcmV0==`, everything before the padding is a secret, not a name.
    let is_padding = text[name.len()..].bytes().all(|byte| byte == b'=');
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || name.contains(char::is_whitespace) || is_padding {
        return Err(InvalidValue::Header);
    }
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) fn host(text: &str) -> Result<String, InvalidValue> {
    if text.contains("://") {
        return Err(InvalidValue::HostWithScheme);
    }
    if text.is_empty() || text.contains(['/', '?', '#', '@', ' ']) {
        return Err(InvalidValue::Host);
    }
    Ok(text.to_owned())
}

/// Rejects `--port` of `serve`, and suggests `--listen`.
pub(crate) fn broker_port(_: &str) -> Result<String, InvalidValue> {
    Err(InvalidValue::BrokerPort)
}

pub(crate) fn webhook_callback_url(_: &str) -> Result<String, InvalidValue> {
    Err(InvalidValue::WebhookCallbackUrl)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{InvalidValue, count, duration, header, host};

    #[test]
    fn parses_counts() {
        assert_eq!(count("2"), Ok(2));
        assert!(count("0").is_err() && count("-1").is_err() && count("x").is_err());
    }

    #[test]
    fn parses_durations() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("soon").is_err() && duration("1d").is_err());
        assert_eq!(duration("24h"), Ok(Duration::from_secs(86400)));
        assert_eq!(duration("25h"), Err(InvalidValue::LongDuration));
    }

    #[test]
    fn parses_headers() {
        let pair = |text| header(text).map(|(name, value)| format!("{name}|{value}"));
        assert_eq!(
            pair("Authorization: Bearer a=b:c").unwrap(),
            "Authorization|Bearer a=b:c"
        );
        assert_eq!(pair("X-Tenant=7").unwrap(), "X-Tenant|7");
        assert_eq!(pair("X-Empty:").unwrap(), "X-Empty|");
        for invalid in [
            "nothing",
            ": x",
            "Bearer c2VjcmV0",
            "Authorization Bearer c2VjcmV0==",
            "c2VjcmV0=",
            "a b: c",
        ] {
            assert_eq!(header(invalid), Err(InvalidValue::Header), "{invalid}");
        }
    }

    #[test]
    fn parses_hosts() {
        for (text, is_valid) in [
            ("localhost", true),
            ("::1", true),
            ("http://localhost", false),
            ("a/b", false),
            ("", false),
        ] {
            assert_eq!(host(text).is_ok(), is_valid, "{text}");
        }
    }
}
