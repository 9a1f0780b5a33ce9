//! Parses and formats times. All times are in milliseconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate, NaiveDateTime};

pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Formats a time in UTC as ISO 8601, without fractions of a second.
pub fn iso(milliseconds: i64) -> String {
    let moment = DateTime::from_timestamp_millis(milliseconds).unwrap_or_default();
    moment.format("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}

/// Formats a time as day, month, and year, as the Pact Broker does in link titles.
pub fn day(milliseconds: i64) -> String {
    DateTime::from_timestamp_millis(milliseconds)
        .unwrap_or_default()
        .format("%d/%m/%Y")
        .to_string()
}

/// Parses a date with an optional time of day and time zone. The default time zone is UTC.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(moment.timestamp_millis());
    }
    let local = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S")
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S"));
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    local
        .ok()
        .or_else(day)
        .map(|moment| moment.and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_formats_dates() {
        for text in [
            "2020-01-01",
            "2020-01-01T00:00:00",
            "2020-01-01T01:00:00+01:00",
            "2020-01-01T00:00:00Z",
        ] {
            assert_eq!(
                parse(text).map(iso).as_deref(),
                Some("2020-01-01T00:00:00+00:00"),
                "{text}"
            );
        }
        assert_eq!(parse("yesterday"), None);
        assert_eq!(day(1_577_836_800_000), "01/01/2020");
    }
}
