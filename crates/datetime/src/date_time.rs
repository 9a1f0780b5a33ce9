//! Defines [`DateTime`], a date and time with an offset from UTC.

use chrono::{Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike};

use crate::{offset, zone};

/// A date and time with an offset from UTC.
///
/// The date is proleptic Gregorian. The zone name is only a label for the format letters `z` and `V`: this crate
/// contains no time zone database, so the caller sets the offset.
///
/// ```
/// use contract_datetime::DateTime;
///
/// let lunch = DateTime::new(2026, 7, 1)?.at(12, 30, 0, 0)?.with_offset(2 * 3600)?.with_zone("Europe/Berlin")?;
/// assert_eq!((lunch.year(), lunch.hour(), lunch.offset_seconds()), (2026, 12, 7200));
/// # Ok::<(), contract_datetime::DateTimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateTime {
    civil: NaiveDateTime,
    offset_seconds: i32,
    zone: Option<Box<str>>,
}

/// Reason why a [`DateTime`] cannot be created or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DateTimeError {
    /// Invalid month or day, or a year beyond ±262142.
    #[error("invalid date: year {year}, month {month}, day {day}")]
    Date { year: i32, month: u32, day: u32 },
    /// Invalid time of day. Leap seconds (second 60) are not supported.
    #[error("invalid time of day: hour {hour}, minute {minute}, second {second}, nanosecond {nanosecond}")]
    Time {
        hour: u32,
        minute: u32,
        second: u32,
        nanosecond: u32,
    },
    /// The offset is more than 18 hours from UTC.
    #[error("the offset of {seconds} seconds exceeds the limit of 18 hours")]
    Offset { seconds: i32 },
    /// Neither a zone ID such as `Europe/Berlin` nor a known abbreviation such as `CET`.
    #[error("{name:?} is not a valid time zone name")]
    Zone { name: String },
    /// The result is beyond the years ±262142.
    #[error("the date is out of range")]
    OutOfRange,
}

impl DateTime {
    /// Creates a date and time at midnight UTC. Fails if the date does not exist.
    pub fn new(year: i32, month: u32, day: u32) -> Result<Self, DateTimeError> {
        NaiveDate::from_ymd_opt(year, month, day)
            .and_then(|date| date.and_hms_opt(0, 0, 0))
            .map(Self::in_utc)
            .ok_or(DateTimeError::Date { year, month, day })
    }

    /// Converts Unix time to a date and time at the given offset.
    ///
    /// ```
    /// let at = contract_datetime::DateTime::from_unix(0, 0, -3600)?;
    /// assert_eq!((at.year(), at.month(), at.day(), at.hour()), (1969, 12, 31, 23));
    /// # Ok::<(), contract_datetime::DateTimeError>(())
    /// ```
    pub fn from_unix(seconds: i64, nanosecond: u32, offset_seconds: i32) -> Result<Self, DateTimeError> {
        let utc = chrono::DateTime::from_timestamp(seconds, nanosecond.min(999_999_999));
        let civil = utc.and_then(|utc| {
            utc.naive_utc()
                .checked_add_signed(TimeDelta::seconds(offset_seconds.into()))
        });
        Self::in_utc(civil.ok_or(DateTimeError::OutOfRange)?).with_offset(offset_seconds)
    }

    /// Replaces the time of day. Leap seconds (second 60) are not supported.
    pub fn at(self, hour: u32, minute: u32, second: u32, nanosecond: u32) -> Result<Self, DateTimeError> {
        let date = self.civil.date();
        let civil = date
            .and_hms_nano_opt(hour, minute, second, nanosecond)
            .filter(|_| nanosecond < 1_000_000_000);
        civil.map(|civil| Self { civil, ..self }).ok_or(DateTimeError::Time {
            hour,
            minute,
            second,
            nanosecond,
        })
    }

    /// Replaces the offset, in seconds east of UTC, at most 18 hours. Date and time stay the same, so the instant
    /// changes.
    pub fn with_offset(self, seconds: i32) -> Result<Self, DateTimeError> {
        if seconds.unsigned_abs() > offset::LIMIT_SECONDS {
            return Err(DateTimeError::Offset { seconds });
        }
        Ok(Self {
            offset_seconds: seconds,
            ..self
        })
    }

    /// Sets the zone name: an ID (`Europe/Berlin`) or an abbreviation (`CEST`). Keeps the offset.
    pub fn with_zone(self, name: &str) -> Result<Self, DateTimeError> {
        if !zone::is_id(name) && !zone::is_abbreviation(name) {
            return Err(DateTimeError::Zone { name: name.to_owned() });
        }
        Ok(Self {
            zone: Some(name.into()),
            ..self
        })
    }

    /// Returns the proleptic year: 0 is 1 BC.
    pub fn year(&self) -> i32 {
        self.civil.year()
    }

    /// Returns the month, from 1 to 12.
    pub fn month(&self) -> u32 {
        self.civil.month()
    }

    /// Returns the day of the month, from 1 to 31.
    pub fn day(&self) -> u32 {
        self.civil.day()
    }

    /// Returns the hour, from 0 to 23.
    pub fn hour(&self) -> u32 {
        self.civil.hour()
    }

    /// Returns the minute, from 0 to 59.
    pub fn minute(&self) -> u32 {
        self.civil.minute()
    }

    /// Returns the second, from 0 to 59.
    pub fn second(&self) -> u32 {
        self.civil.second()
    }

    /// Returns the nanosecond, from 0 to 999,999,999.
    pub fn nanosecond(&self) -> u32 {
        self.civil.nanosecond()
    }

    /// Returns the offset in seconds east of UTC.
    pub fn offset_seconds(&self) -> i32 {
        self.offset_seconds
    }

    pub fn zone(&self) -> Option<&str> {
        self.zone.as_deref()
    }

    pub(crate) fn civil(&self) -> NaiveDateTime {
        self.civil
    }

    pub(crate) fn with_civil(&self, civil: NaiveDateTime) -> Self {
        Self { civil, ..self.clone() }
    }

    fn in_utc(civil: NaiveDateTime) -> Self {
        Self {
            civil,
            offset_seconds: 0,
            zone: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_the_epoch_in_the_offset() {
        let at = DateTime::from_unix(951_782_400, 5, 50_400).unwrap();
        assert_eq!(
            (at.year(), at.month(), at.day(), at.hour(), at.nanosecond()),
            (2000, 2, 29, 14, 5)
        );
    }

    #[test]
    fn rejects_invalid_dates_and_times() {
        assert!(DateTime::new(2026, 2, 29).is_err());
        assert!(DateTime::new(300_000, 1, 1).is_err());
        let day = DateTime::new(2026, 2, 28).unwrap();
        assert!(day.clone().at(24, 0, 0, 0).is_err());
        assert!(day.clone().at(23, 59, 60, 0).is_err());
        assert!(day.clone().at(23, 59, 59, 1_000_000_000).is_err());
        assert!(day.clone().with_offset(64_801).is_err());
        assert!(day.clone().with_offset(i32::MIN).is_err());
        assert!(day.clone().with_zone("Middle Earth").is_err());
        assert_eq!(DateTime::from_unix(i64::MAX, 0, 0), Err(DateTimeError::OutOfRange));
        assert!(DateTime::from_unix(0, 0, i32::MIN).is_err());
    }
}
