//! Maps pattern letters to fields.

use crate::FormatError;
use crate::names::{Names, Style};
use crate::number::Number;
use crate::offset::OffsetStyle;
use crate::quantity::Quantity;
use crate::zone::ZoneStyle;

/// A step of a compiled format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Literal(Box<str>),
    Number(Number),
    Fraction(Fraction),
    Name(Names, Style),
    Offset(OffsetStyle),
    Zone(ZoneStyle),
    /// The start of an optional section, with the index of its `Close`.
    Open(usize),
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fraction {
    pub(crate) digits: usize,
    /// True if another number follows or precedes directly, so that all digits are required.
    pub(crate) exact: bool,
}

/// Returns the item for a letter that is repeated `count` times. `y` is the year of the era if the format contains the
/// era, otherwise the proleptic year.
pub(crate) fn field(letter: char, count: usize, column: usize, names_era: bool) -> Result<Item, FormatError> {
    let found = match letter {
        'G' => name(Names::Era, count, 1).ok_or("1 to 5 times"),
        'y' if names_era => year(Quantity::YearOfEra, Quantity::ShortYearOfEra, count),
        'u' | 'y' => year(Quantity::Year, Quantity::ShortYear, count),
        'Y' => year(Quantity::WeekYear, Quantity::ShortWeekYear, count),
        'M' | 'L' => number(Quantity::Month, count, 2)
            .or(name(Names::Month, count, 3))
            .ok_or("1 to 5 times"),
        'Q' | 'q' => number(Quantity::Quarter, count, 2)
            .or(name(Names::Quarter, count, 3))
            .ok_or("1 to 5 times"),
        'E' => name(Names::Weekday, count, 1).ok_or("1 to 5 times"),
        'c' if count == 2 => Err("once or 3 to 5 times"),
        'e' | 'c' => number(Quantity::Weekday, count, 2)
            .or(name(Names::Weekday, count, 3))
            .ok_or("1 to 5 times"),
        'a' => (count == 1)
            .then_some(Item::Name(Names::HalfDay, Style::Short))
            .ok_or("once"),
        'D' => number(Quantity::DayOfYear, count, 3).ok_or("1 to 3 times"),
        'd' => number(Quantity::Day, count, 2).ok_or("once or twice"),
        'w' => number(Quantity::Week, count, 2).ok_or("once or twice"),
        'W' => number(Quantity::WeekOfMonth, count, 1).ok_or("once"),
        'F' => number(Quantity::WeekdayInMonth, count, 1).ok_or("once"),
        'H' => number(Quantity::Hour, count, 2).ok_or("once or twice"),
        'k' => number(Quantity::ClockHour, count, 2).ok_or("once or twice"),
        'K' => number(Quantity::HourOfHalf, count, 2).ok_or("once or twice"),
        'h' => number(Quantity::ClockHourOfHalf, count, 2).ok_or("once or twice"),
        'm' => number(Quantity::Minute, count, 2).ok_or("once or twice"),
        's' => number(Quantity::Second, count, 2).ok_or("once or twice"),
        'S' => fraction(count).ok_or("1 to 9 times"),
        'n' => number(Quantity::NanoOfSecond, count, 19).ok_or("1 to 19 times"),
        'A' => number(Quantity::MilliOfDay, count, 19).ok_or("1 to 19 times"),
        'N' => number(Quantity::NanoOfDay, count, 19).ok_or("1 to 19 times"),
        'X' => OffsetStyle::of_x(count, true).map(Item::Offset).ok_or("1 to 5 times"),
        'x' => OffsetStyle::of_x(count, false).map(Item::Offset).ok_or("1 to 5 times"),
        'Z' => OffsetStyle::of_z(count).map(Item::Offset).ok_or("1 to 5 times"),
        'O' => OffsetStyle::of_o(count).map(Item::Offset).ok_or("once or four times"),
        'V' => (count == 2).then_some(Item::Zone(ZoneStyle::Id)).ok_or("twice"),
        'z' => ZoneStyle::of_z(count).map(Item::Zone).ok_or("1 to 4 times"),
        _ => return Err(FormatError::UnquotedLetter { letter, column }),
    };
    found.map_err(|allowed| FormatError::LetterCount {
        letter,
        count,
        column,
        allowed,
    })
}

fn number(quantity: Quantity, count: usize, most: usize) -> Option<Item> {
    (count <= most).then(|| Item::Number(Number::new(quantity, count)))
}

fn year(whole: Quantity, short: Quantity, count: usize) -> Result<Item, &'static str> {
    let quantity = if count == 2 { short } else { whole };
    number(quantity, count, 19).ok_or("1 to 19 times")
}

fn fraction(digits: usize) -> Option<Item> {
    (digits <= 9).then_some(Item::Fraction(Fraction { digits, exact: false }))
}

/// Returns the item for a name: five letters select the narrow style, four the full style, and three the short style.
/// Some fields use the short style for fewer letters too, down to `least`. Returns `None` for other counts.
fn name(names: Names, count: usize, least: usize) -> Option<Item> {
    let style = match count {
        4 => Style::Full,
        5 => Style::Narrow,
        _ if (least..=3).contains(&count) => Style::Short,
        _ => return None,
    };
    Some(Item::Name(names, style))
}
