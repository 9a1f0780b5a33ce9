//! Formats times for pages. Times are in milliseconds since 1970.

use maud::{Markup, html};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// A date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: i64,
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Date {
    /// Converts milliseconds since 1970, with Howard Hinnant's algorithm `civil_from_days`.
    fn new(milliseconds: i64) -> Self {
        let (days, rest) = (milliseconds.div_euclid(DAY), milliseconds.rem_euclid(DAY));
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let index = (5 * day_of_year + 2) / 153;
        let month = if index < 10 { index + 3 } else { index - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: usize::try_from(month - 1).unwrap_or(0),
            day: day_of_year - (153 * index + 2) / 5 + 1,
            hour: rest / HOUR,
            minute: rest % HOUR / MINUTE,
            second: rest % MINUTE / 1_000,
        }
    }

    fn iso(self) -> String {
        let Self { year, month, day, .. } = self;
        let time = format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second);
        format!("{year:04}-{:02}-{day:02}T{time}Z", month + 1)
    }

    /// Formats the date and time, such as `2026-11-22 18:02 UTC`.
    fn exact(self) -> String {
        let Self { year, month, day, .. } = self;
        format!(
            "{year:04}-{:02}-{day:02} {:02}:{:02} UTC",
            month + 1,
            self.hour,
            self.minute
        )
    }
}

/// Renders a past time relative to `now`, such as `3 h ago`, with the exact time as a tooltip.
pub(crate) fn ago(at: i64, now: i64) -> Markup {
    let date = Date::new(at);
    html! { time datetime=(date.iso()) title=(date.exact()) { (relative(at, now)) } }
}

/// Renders the date and time, such as `2026-11-22 18:02 UTC`.
pub(crate) fn exact(at: i64) -> Markup {
    let date = Date::new(at);
    html! { time datetime=(date.iso()) { (date.exact()) } }
}

/// Renders a past time relative to `now`, or `never` if `at` is `None`.
pub(crate) fn ago_or_never(at: Option<i64>, now: i64) -> Markup {
    html! { @match at { Some(at) => (ago(at, now)), None => "never" } }
}

/// Renders a future time relative to `now`, such as `in 6 days`, with the exact time as a tooltip.
pub(crate) fn until(at: i64, now: i64) -> Markup {
    let date = Date::new(at);
    let days = (at - now).div_euclid(DAY);
    let text = match days {
        ..=0 => "today".to_owned(),
        1 => "in 1 day".to_owned(),
        2..=90 => format!("in {days} days"),
        _ => day(date, now),
    };
    html! { time datetime=(date.iso()) title=(date.exact()) { (text) } }
}

fn relative(at: i64, now: i64) -> String {
    let elapsed = now - at;
    let date = Date::new(at);
    let days = now.div_euclid(DAY) - at.div_euclid(DAY);
    match elapsed {
        ..0 => day(date, now),
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{} min ago", elapsed / MINUTE),
        HOUR..DAY if days == 0 || elapsed < 12 * HOUR => format!("{} h ago", elapsed / HOUR),
        _ if days == 1 => "yesterday".to_owned(),
        _ if days <= 9 => format!("{days} days ago"),
        _ => day(date, now),
    }
}

/// Formats a day, such as `30 Oct`. The year is included only if it is not the current year.
fn day(date: Date, now: i64) -> String {
    let year = if date.year == Date::new(now).year {
        String::new()
    } else {
        format!(" {}", date.year)
    };
    format!("{} {}{year}", date.day, MONTHS[date.month])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_times() {
        // 2026-11-22 18:40:00 UTC
        let now = 1_795_372_800_000;
        assert_eq!(Date::new(now).iso(), "2026-11-22T18:40:00Z");
        assert_eq!(Date::new(951_782_400_000).exact(), "2000-02-29 00:00 UTC");
        for (elapsed, expected) in [
            (30_000, "just now"),
            (38 * MINUTE, "38 min ago"),
            (2 * HOUR, "2 h ago"),
            (20 * HOUR, "yesterday"),
            (3 * DAY, "3 days ago"),
            (23 * DAY, "30 Oct"),
            (400 * DAY, "18 Oct 2025"),
            (-DAY, "23 Nov"),
        ] {
            assert_eq!(relative(now - elapsed, now), expected, "{elapsed}");
        }
    }
}
