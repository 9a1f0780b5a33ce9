//! Numeric fields of dates and times.

use chrono::{Datelike, NaiveDate};

use crate::DateTime;

/// The maximum year, as in `java.time.Year`. It also prevents overflows in sums of years.
const LAST_YEAR: i64 = 999_999_999;

/// A quantity of a numeric field. Date quantities come first; time quantities start at [`Quantity::Hour`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    Year,
    YearOfEra,
    WeekYear,
    ShortYear,
    ShortYearOfEra,
    ShortWeekYear,
    Quarter,
    Month,
    Week,
    WeekOfMonth,
    WeekdayInMonth,
    DayOfYear,
    Day,
    Weekday,
    Hour,
    ClockHour,
    HourOfHalf,
    ClockHourOfHalf,
    Minute,
    Second,
    NanoOfSecond,
    MilliOfDay,
    NanoOfDay,
}

impl Quantity {
    pub(crate) const COUNT: usize = Self::NanoOfDay as usize + 1;

    pub(crate) fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the minimum and the maximum, both inclusive.
    pub(crate) fn bounds(self) -> (i64, i64) {
        let (_, least, greatest) = self.facts();
        (least, greatest)
    }

    /// Returns the number of digits of the maximum.
    pub(crate) fn digits(self) -> usize {
        self.facts().2.ilog10() as usize + 1
    }

    /// Returns true for full years, which may have a sign.
    pub(crate) fn is_whole_year(self) -> bool {
        matches!(self, Self::Year | Self::YearOfEra | Self::WeekYear)
    }

    fn facts(self) -> (&'static str, i64, i64) {
        match self {
            Self::Year => ("year", -LAST_YEAR, LAST_YEAR),
            Self::YearOfEra => ("year of the era", 1, LAST_YEAR),
            Self::WeekYear => ("week-based year", -LAST_YEAR, LAST_YEAR),
            Self::ShortYear | Self::ShortYearOfEra => ("two-digit year", 0, 99),
            Self::ShortWeekYear => ("two-digit week-based year", 0, 99),
            Self::Quarter => ("quarter", 1, 4),
            Self::Month => ("month", 1, 12),
            Self::Week => ("week of the year", 1, 53),
            Self::WeekOfMonth => ("week of the month", 0, 5),
            Self::WeekdayInMonth => ("weekday occurrence in the month", 1, 5),
            Self::DayOfYear => ("day of the year", 1, 366),
            Self::Day => ("day of the month", 1, 31),
            Self::Weekday => ("day of the week", 1, 7),
            Self::Hour => ("hour", 0, 23),
            Self::ClockHour => ("hour from 1 to 24", 1, 24),
            Self::HourOfHalf => ("hour of the 12-hour clock, from 0", 0, 11),
            Self::ClockHourOfHalf => ("hour of the 12-hour clock", 1, 12),
            Self::Minute => ("minute", 0, 59),
            Self::Second => ("second", 0, 59),
            Self::NanoOfSecond => ("nanosecond", 0, 999_999_999),
            Self::MilliOfDay => ("millisecond of the day", 0, 86_399_999),
            Self::NanoOfDay => ("nanosecond of the day", 0, 86_399_999_999_999),
        }
    }

    pub(crate) fn value_at(self, at: &DateTime) -> i64 {
        let date = at.civil().date();
        let hour = i64::from(at.hour());
        let second_of_day = hour * 3600 + i64::from(at.minute() * 60 + at.second());
        let nanosecond = i64::from(at.nanosecond());
        match self {
            Self::Year => date.year().into(),
            Self::YearOfEra => year_of_era(date.year().into()),
            Self::WeekYear => date.iso_week().year().into(),
            Self::ShortYear => i64::from(date.year()).rem_euclid(100),
            Self::ShortYearOfEra => year_of_era(date.year().into()) % 100,
            Self::ShortWeekYear => i64::from(date.iso_week().year()).rem_euclid(100),
            Self::Quarter => (i64::from(date.month()) + 2) / 3,
            Self::Month => date.month().into(),
            Self::Week => date.iso_week().week().into(),
            Self::WeekOfMonth => week_of_month(date),
            Self::WeekdayInMonth => (i64::from(date.day()) + 6) / 7,
            Self::DayOfYear => date.ordinal().into(),
            Self::Day => date.day().into(),
            Self::Weekday => date.weekday().number_from_monday().into(),
            Self::Hour => hour,
            Self::ClockHour => from_one(hour, 24),
            Self::HourOfHalf => hour % 12,
            Self::ClockHourOfHalf => from_one(hour % 12, 12),
            Self::Minute => at.minute().into(),
            Self::Second => at.second().into(),
            Self::NanoOfSecond => nanosecond,
            Self::MilliOfDay => second_of_day * 1000 + nanosecond / 1_000_000,
            Self::NanoOfDay => second_of_day * 1_000_000_000 + nanosecond,
        }
    }
}

/// Converts a proleptic year to the year of its era. The proleptic year 0 is 1 BC.
fn year_of_era(year: i64) -> i64 {
    if year >= 1 { year } else { 1 - year }
}

/// Converts an hour to a clock without hour 0: the clock counts from 1 to `last`, and hour 0 becomes `last`.
fn from_one(hour: i64, last: i64) -> i64 {
    if hour == 0 { last } else { hour }
}

/// Returns the week of the month, from 0 to 5. As in ISO 8601, a week belongs to the month of its Thursday. Days before
/// the first such week are in week 0.
pub(crate) fn week_of_month(date: NaiveDate) -> i64 {
    (i64::from(date.day()) + 9 - i64::from(date.weekday().num_days_from_monday())) / 7
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_at(quantity: Quantity, year: i32, month: u32, day: u32) -> i64 {
        quantity.value_at(&DateTime::new(year, month, day).unwrap())
    }

    #[test]
    fn counts_weeks_of_the_month_by_their_thursday() {
        // March 2026 begins on a Sunday, April on a Wednesday.
        assert_eq!(value_at(Quantity::WeekOfMonth, 2026, 3, 1), 0);
        assert_eq!(value_at(Quantity::WeekOfMonth, 2026, 3, 2), 1);
        assert_eq!(value_at(Quantity::WeekOfMonth, 2026, 4, 1), 1);
        assert_eq!(value_at(Quantity::WeekOfMonth, 2026, 4, 30), 5);
    }

    #[test]
    fn years_before_christ_count_backwards() {
        assert_eq!(value_at(Quantity::YearOfEra, 0, 1, 1), 1);
        assert_eq!(value_at(Quantity::YearOfEra, -43, 3, 15), 44);
        assert_eq!(value_at(Quantity::ShortYear, -1, 1, 1), 99);
    }

    #[test]
    fn clock_hours_begin_with_one() {
        let midnight = DateTime::new(2026, 1, 1).unwrap();
        assert_eq!(Quantity::ClockHour.value_at(&midnight), 24);
        assert_eq!(Quantity::ClockHourOfHalf.value_at(&midnight), 12);
        assert_eq!(Quantity::HourOfHalf.value_at(&midnight), 0);
    }
}
