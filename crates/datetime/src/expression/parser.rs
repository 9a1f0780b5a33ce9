//! Implements the grammar of [`Expression`](super::Expression).

use super::error::ExpressionError;
use super::lexer::{Token, Tokens};
use super::steps::{DateStart, DateUnit, Hour, Steps, Target, TimeStart, TimeUnit};
use crate::names;

pub(super) fn date(tokens: &mut Tokens) -> Result<Steps<DateStart, DateUnit>, ExpressionError> {
    let start = date_start(tokens)?;
    Ok(Steps {
        start,
        offsets: offsets(tokens, date_unit, "days, weeks, months, or years")?,
    })
}

pub(super) fn time(tokens: &mut Tokens) -> Result<Steps<TimeStart, TimeUnit>, ExpressionError> {
    let start = time_start(tokens)?;
    Ok(Steps {
        start,
        offsets: offsets(tokens, time_unit, TIME_UNITS)?,
    })
}

const TIME_UNITS: &str = "hours, minutes, seconds, or milliseconds";

fn date_start(tokens: &mut Tokens) -> Result<DateStart, ExpressionError> {
    if tokens.eat_word("now") || tokens.eat_word("today") {
        return Ok(DateStart::Now);
    }
    if tokens.eat_word("yesterday") {
        return Ok(DateStart::To(Target::Unit(-1, DateUnit::Day)));
    }
    if tokens.eat_word("tomorrow") {
        return Ok(DateStart::To(Target::Unit(1, DateUnit::Day)));
    }
    if let Some(sign) = direction(tokens) {
        let target = tokens.word(|word| target(word, sign));
        return target
            .map(DateStart::To)
            .ok_or_else(|| tokens.unexpected("a unit, a day of the week, or a month"));
    }
    if tokens.begins_part() {
        return Err(tokens.unexpected(r#""+", "-", or a word such as "today", "tomorrow", or "next""#));
    }
    Ok(DateStart::Now)
}

fn target(word: &str, sign: i64) -> Option<Target> {
    if word == "fortnight" {
        return Some(Target::Unit(2 * sign, DateUnit::Week));
    }
    let unit = date_unit(word).map(|unit| Target::Unit(sign, unit));
    let weekday = names::weekday(word).map(|weekday| Target::Weekday(sign, weekday));
    let month = names::month(word).map(|month| Target::Month(sign, month));
    unit.or(weekday).or(month)
}

fn time_start(tokens: &mut Tokens) -> Result<TimeStart, ExpressionError> {
    if tokens.eat_word("now") {
        return Ok(TimeStart::Now);
    }
    if tokens.eat_word("midnight") {
        return Ok(TimeStart::At(Hour::OfDay(0)));
    }
    if tokens.eat_word("noon") {
        return Ok(TimeStart::At(Hour::OfDay(12)));
    }
    if let Some(sign) = direction(tokens) {
        let unit = tokens.word(time_unit).ok_or_else(|| tokens.unexpected(TIME_UNITS))?;
        return Ok(TimeStart::Step(sign, unit));
    }
    let column = tokens.column();
    if let Some(hour) = tokens.number() {
        return hour_start(tokens, hour, column);
    }
    if tokens.begins_part() {
        return Err(tokens.unexpected(r#"an hour, "+", "-", or a word such as "noon", "midnight", or "next""#));
    }
    Ok(TimeStart::Now)
}

fn hour_start(tokens: &mut Tokens, hour: u32, column: usize) -> Result<TimeStart, ExpressionError> {
    if !tokens.eat_word("o'clock") {
        return Err(tokens.unexpected("\"o'clock\""));
    }
    let half = if tokens.eat_word("am") {
        Some(0)
    } else if tokens.eat_word("pm") {
        Some(12)
    } else {
        None
    };
    match (hour, half) {
        (1..=12, Some(half)) => Ok(TimeStart::At(Hour::OfDay(hour % 12 + half))),
        (1..=12, None) => Ok(TimeStart::At(Hour::OfOtherHalf(hour % 12))),
        (0 | 13..=23, None) => Ok(TimeStart::At(Hour::OfDay(hour))),
        _ => Err(ExpressionError::NoSuchHour { column, hour }),
    }
}

/// Consumes `next` (1) or `last` (-1) and returns its direction.
fn direction(tokens: &mut Tokens) -> Option<i64> {
    tokens.word(|word| match word {
        "next" => Some(1),
        "last" => Some(-1),
        _ => None,
    })
}

fn offsets<Unit>(
    tokens: &mut Tokens,
    unit: fn(&str) -> Option<Unit>,
    expected: &'static str,
) -> Result<Vec<(i64, Unit)>, ExpressionError> {
    let mut offsets = Vec::new();
    while let Some(sign) = sign(tokens) {
        let number = tokens.number().ok_or_else(|| tokens.unexpected("a number"))?;
        let unit = tokens.word(unit).ok_or_else(|| tokens.unexpected(expected))?;
        offsets.push((sign * i64::from(number), unit));
    }
    Ok(offsets)
}

fn sign(tokens: &mut Tokens) -> Option<i64> {
    if tokens.eat(&Token::Plus) {
        return Some(1);
    }
    tokens.eat(&Token::Minus).then_some(-1)
}

fn date_unit(word: &str) -> Option<DateUnit> {
    match word {
        "day" | "days" => Some(DateUnit::Day),
        "week" | "weeks" => Some(DateUnit::Week),
        "month" | "months" => Some(DateUnit::Month),
        "year" | "years" => Some(DateUnit::Year),
        _ => None,
    }
}

fn time_unit(word: &str) -> Option<TimeUnit> {
    match word {
        "hour" | "hours" => Some(TimeUnit::Hour),
        "minute" | "minutes" => Some(TimeUnit::Minute),
        "second" | "seconds" => Some(TimeUnit::Second),
        "millisecond" | "milliseconds" => Some(TimeUnit::Millisecond),
        _ => None,
    }
}
