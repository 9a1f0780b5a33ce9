//! English names of months, weekdays, quarters, eras, and AM and PM.

use chrono::{Datelike, Timelike};

use crate::DateTime;
use crate::reader::starts_ignoring_case;

/// A group of named units. Indexes start at 0, in chronological order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Era,
    Month,
    Quarter,
    Weekday,
    HalfDay,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Short,
    Full,
    /// A single letter. Several months or weekdays may share it, such as `J` for January, June, and July.
    Narrow,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

impl Names {
    pub(crate) fn text(self, style: Style, index: usize) -> &'static str {
        match self {
            Self::Month => shorten(MONTHS[index], style),
            Self::Weekday => shorten(WEEKDAYS[index], style),
            Self::HalfDay => ["AM", "PM"][index],
            Self::Era => match style {
                Style::Short => ["BC", "AD"][index],
                Style::Full => ["Before Christ", "Anno Domini"][index],
                Style::Narrow => ["B", "A"][index],
            },
            Self::Quarter => match style {
                Style::Short => ["Q1", "Q2", "Q3", "Q4"][index],
                Style::Full => ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"][index],
                Style::Narrow => ["1", "2", "3", "4"][index],
            },
        }
    }

    /// Finds the longest name at the start of the text. Returns one bit for the index of each candidate, and the length
    /// of the name in bytes. A narrow name such as `J` has several candidates.
    pub(crate) fn read(self, style: Style, text: &str) -> Option<(u16, usize)> {
        if (self, style) == (Self::Month, Style::Short) && starts_ignoring_case(text, "Sept") {
            return Some((1 << 8, 4)); // British English, as Java and ICU write it since 2022
        }
        let matching = (0..self.count()).filter(|&index| starts_ignoring_case(text, self.text(style, index)));
        matching.fold(None, |best, index| {
            let length = self.text(style, index).len();
            match best {
                Some((_, longest)) if longest > length => best,
                Some((bits, longest)) if longest == length => Some((bits | 1 << index, length)),
                _ => Some((1 << index, length)),
            }
        })
    }

    pub(crate) fn index_at(self, at: &DateTime) -> usize {
        let civil = at.civil();
        match self {
            Self::Era => usize::from(civil.year() >= 1),
            Self::Month => civil.month0() as usize,
            Self::Quarter => civil.month0() as usize / 3,
            Self::Weekday => civil.weekday().num_days_from_monday() as usize,
            Self::HalfDay => civil.hour() as usize / 12,
        }
    }

    /// Returns what a single name denotes, such as `month`, for error messages.
    pub(crate) fn singular(self) -> &'static str {
        match self {
            Self::Era => "era",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Weekday => "day of the week",
            Self::HalfDay => "AM/PM marker",
        }
    }

    /// Describes the valid names, such as `a month from Jan to Dec`, for error messages.
    pub(crate) fn expected(self, style: Style) -> &'static str {
        match (self, style) {
            (Self::Era, Style::Short) => "AD or BC",
            (Self::Era, Style::Full) => "Anno Domini or Before Christ",
            (Self::Era, Style::Narrow) => "A or B",
            (Self::Month, Style::Short) => "a month from Jan to Dec",
            (Self::Month, Style::Full) => "a month from January to December",
            (Self::Month, Style::Narrow) => "the first letter of a month",
            (Self::Quarter, Style::Short) => "a quarter from Q1 to Q4",
            (Self::Quarter, Style::Full) => "a quarter from 1st quarter to 4th quarter",
            (Self::Quarter, Style::Narrow) => "a quarter from 1 to 4",
            (Self::Weekday, Style::Short) => "a day from Mon to Sun",
            (Self::Weekday, Style::Full) => "a day from Monday to Sunday",
            (Self::Weekday, Style::Narrow) => "the first letter of a day of the week",
            (Self::HalfDay, _) => "AM or PM",
        }
    }

    fn count(self) -> usize {
        match self {
            Self::Era | Self::HalfDay => 2,
            Self::Month => MONTHS.len(),
            Self::Quarter => 4,
            Self::Weekday => WEEKDAYS.len(),
        }
    }
}

/// Shortens a name to three letters, or to one for the narrow style.
fn shorten(name: &'static str, style: Style) -> &'static str {
    match style {
        Style::Short => &name[..3],
        Style::Full => name,
        Style::Narrow => &name[..1],
    }
}

/// Returns the number of a month, from 1, by its short or full name. Used for expressions.
pub(crate) fn month(name: &str) -> Option<u32> {
    (1..)
        .zip(MONTHS)
        .find(|(_, full)| is_name(name, full))
        .map(|(number, _)| number)
}

/// Returns a weekday, from 0 (Monday), by its short or full name, `tues`, or `thurs`. Used for expressions.
pub(crate) fn weekday(name: &str) -> Option<u32> {
    let full = match name.to_ascii_lowercase().as_str() {
        "tues" => "tuesday",
        "thurs" => "thursday",
        _ => name,
    };
    (0..)
        .zip(WEEKDAYS)
        .find(|(_, known)| is_name(full, known))
        .map(|(number, _)| number)
}

fn is_name(name: &str, full: &str) -> bool {
    name.eq_ignore_ascii_case(full) || name.eq_ignore_ascii_case(&full[..3])
}

pub(crate) fn month_name(number: u32) -> &'static str {
    MONTHS[number as usize - 1]
}

pub(crate) fn weekday_name(from_monday: u32) -> &'static str {
    WEEKDAYS[from_monday as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: Names, style: Style, text: &str, want: Option<(u16, usize)>) {
        assert_eq!(names.read(style, text), want, "{text}");
    }

    #[test]
    fn case_does_not_matter() {
        check(Names::Month, Style::Short, "jAN 5", Some((1, 3)));
        check(Names::HalfDay, Style::Short, "pm", Some((2, 2)));
        check(Names::Weekday, Style::Full, "SUNDAY", Some((64, 6)));
    }

    #[test]
    fn narrow_names_are_ambiguous() {
        check(Names::Month, Style::Narrow, "J", Some((0b110_0001, 1)));
        check(Names::Weekday, Style::Narrow, "t", Some((0b1010, 1)));
    }

    #[test]
    fn the_style_is_kept() {
        check(Names::Month, Style::Full, "Jan", None);
        check(Names::Month, Style::Short, "January", Some((1, 3)));
        check(Names::Month, Style::Short, "Sept", Some((1 << 8, 4)));
        check(Names::Month, Style::Short, "é", None);
    }
}
