//! Applies an expression to a date and time. The functions return `None` if the result is out of range.

use chrono::{Datelike, Months, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use super::steps::{DateStart, DateUnit, Hour, Steps, Target, TimeStart, TimeUnit};

pub(super) fn apply(
    date: &Steps<DateStart, DateUnit>,
    time: &Steps<TimeStart, TimeUnit>,
    base: NaiveDateTime,
) -> Option<NaiveDateTime> {
    let start = match date.start {
        DateStart::Now => base,
        DateStart::To(target) => to_target(base, target)?,
    };
    let date_time = date
        .offsets
        .iter()
        .try_fold(start, |at, &(count, unit)| add_date(at, count, unit))?;
    let start = match time.start {
        TimeStart::Now => date_time,
        TimeStart::At(hour) => at_hour(date_time, hour)?,
        TimeStart::Step(sign, unit) => add_time(date_time, sign, unit)?,
    };
    time.offsets
        .iter()
        .try_fold(start, |at, &(count, unit)| add_time(at, count, unit))
}

fn to_target(at: NaiveDateTime, target: Target) -> Option<NaiveDateTime> {
    match target {
        Target::Unit(count, unit) => add_date(at, count, unit),
        Target::Weekday(sign, weekday) => {
            let ahead = i64::from(weekday) - i64::from(at.weekday().num_days_from_monday());
            add_date(at, sign * distance(sign * ahead, 7), DateUnit::Day)
        }
        Target::Month(sign, month) => {
            let ahead = i64::from(month) - i64::from(at.month());
            add_date(at.with_day(1)?, sign * distance(sign * ahead, 12), DateUnit::Month)
        }
    }
}

/// Returns the number of days or months to the next occurrence, at least 1. `ahead` is the difference from the current
/// weekday or month and may be negative; `circle` is 7 or 12.
fn distance(ahead: i64, circle: i64) -> i64 {
    (ahead - 1).rem_euclid(circle) + 1
}

fn add_date(at: NaiveDateTime, count: i64, unit: DateUnit) -> Option<NaiveDateTime> {
    match unit {
        DateUnit::Day => at.checked_add_signed(TimeDelta::try_days(count)?),
        DateUnit::Week => at.checked_add_signed(TimeDelta::try_weeks(count)?),
        DateUnit::Month => add_months(at, count),
        DateUnit::Year => add_months(at, count.checked_mul(12)?),
    }
}

/// Adds months, or subtracts them if `count` is negative. Uses the last day of the resulting month if that month is too
/// short.
fn add_months(at: NaiveDateTime, count: i64) -> Option<NaiveDateTime> {
    let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
    if count < 0 {
        at.checked_sub_months(months)
    } else {
        at.checked_add_months(months)
    }
}

fn at_hour(at: NaiveDateTime, hour: Hour) -> Option<NaiveDateTime> {
    let hour = match hour {
        Hour::OfOtherHalf(hour) if at.hour() < 12 => hour + 12,
        Hour::OfDay(hour) | Hour::OfOtherHalf(hour) => hour,
    };
    Some(at.date().and_time(NaiveTime::from_hms_opt(hour, 0, 0)?))
}

fn add_time(at: NaiveDateTime, count: i64, unit: TimeUnit) -> Option<NaiveDateTime> {
    at.checked_add_signed(match unit {
        TimeUnit::Hour => TimeDelta::try_hours(count)?,
        TimeUnit::Minute => TimeDelta::try_minutes(count)?,
        TimeUnit::Second => TimeDelta::try_seconds(count)?,
        TimeUnit::Millisecond => TimeDelta::try_milliseconds(count)?,
    })
}
