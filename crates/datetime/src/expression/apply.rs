//! What an expression does to a moment. `None` stands for a result beyond the calendar.

use chrono::{Datelike, Months, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use super::Expression;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DateStart {
    #[default]
    Now,
    To(Target),
}

/// What `next` and `last` lead to; the number is their direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Unit(i64, DateUnit),
    /// From 0 for Monday.
    Weekday(i64, u32),
    /// From 1.
    Month(i64, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateUnit {
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TimeStart {
    #[default]
    Now,
    At(Hour),
    Step(i64, TimeUnit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hour {
    OfDay(u32),
    /// 0 to 11, of the half of the day that the moment is not in.
    OfOtherHalf(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Hour,
    Minute,
    Second,
    Millisecond,
}

pub(super) fn apply(expression: &Expression, base: NaiveDateTime) -> Option<NaiveDateTime> {
    let start = match expression.date.start {
        DateStart::Now => base,
        DateStart::To(target) => reach(base, target)?,
    };
    let date = expression
        .date
        .moves
        .iter()
        .try_fold(start, |at, &(count, unit)| add_date(at, count, unit))?;
    let start = match expression.time.start {
        TimeStart::Now => date,
        TimeStart::At(hour) => at_hour(date, hour)?,
        TimeStart::Step(sign, unit) => add_time(date, sign, unit)?,
    };
    expression
        .time
        .moves
        .iter()
        .try_fold(start, |at, &(count, unit)| add_time(at, count, unit))
}

fn reach(at: NaiveDateTime, target: Target) -> Option<NaiveDateTime> {
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

/// Steps to the next such place on a circle, at least one.
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

/// Days that a month lacks become its last one.
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
