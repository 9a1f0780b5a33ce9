//! Collects the fields read from a string and checks whether they are consistent.

use chrono::{Datelike, NaiveDate};

use crate::names::{Names, month_name, weekday_name};
use crate::problem::ParseProblemKind;
use crate::quantity::{Quantity, week_of_month};

/// The fields read so far. Eras, months, weekdays, and hours are bit sets of the values that are still possible. If a
/// field is ambiguous, several bits remain: `J` stands for January, June, and July.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    numbers: [Option<Seen>; Quantity::COUNT],
    eras: u16,
    months: u16,
    weekdays: u16,
    hours: u32,
    fraction: Option<Decimals>,
    offset_minutes: Option<i32>,
    /// Byte offset of the last day of the week that was read. 0 if none was read.
    weekday_at: usize,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    value: i64,
    at: usize,
}

/// The first `digits` digits of a fraction of a second, as a whole number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimals {
    pub(crate) value: i64,
    pub(crate) digits: u32,
}

pub(crate) type Contradiction = (usize, ParseProblemKind);

const BEFORE_CHRIST: u16 = 0b01;
const ALL_ERAS: u16 = 0b11;
const ALL_MONTHS: u16 = 0xfff;
const ALL_WEEKDAYS: u16 = 0x7f;
const ALL_HOURS: u32 = 0xff_ffff;
const MORNING: u32 = 0xfff;

impl Facts {
    pub(crate) fn new() -> Self {
        Self {
            numbers: [None; Quantity::COUNT],
            eras: ALL_ERAS,
            months: ALL_MONTHS,
            weekdays: ALL_WEEKDAYS,
            hours: ALL_HOURS,
            fraction: None,
            offset_minutes: None,
            weekday_at: 0,
        }
    }

    /// Returns false if the value contradicts an earlier field. The value must be in the range of its quantity.
    pub(crate) fn learn_number(&mut self, quantity: Quantity, value: i64, at: usize) -> bool {
        match quantity {
            Quantity::Month => keep(&mut self.months, 1 << (value - 1)),
            Quantity::Quarter => keep(&mut self.months, quarters(1 << (value - 1))),
            Quantity::Weekday => self.learn_weekdays(1 << (value - 1), at),
            Quantity::Hour => self.learn_hours(1 << value),
            Quantity::ClockHour => self.learn_hours(1 << (value % 24)),
            Quantity::HourOfHalf | Quantity::ClockHourOfHalf => self.learn_hours(0x1001 << (value % 12)),
            Quantity::NanoOfSecond => self.learn_fraction(Decimals { value, digits: 9 }),
            Quantity::MilliOfDay => self.learn_time(
                value / 1000,
                Decimals {
                    value: value % 1000,
                    digits: 3,
                },
                at,
            ),
            Quantity::NanoOfDay => {
                let decimals = Decimals {
                    value: value % 1_000_000_000,
                    digits: 9,
                };
                self.learn_time(value / 1_000_000_000, decimals, at)
            }
            _ => self.numbers[quantity as usize].get_or_insert(Seen { value, at }).value == value,
        }
    }

    pub(crate) fn learn_names(&mut self, names: Names, bits: u16, at: usize) -> bool {
        match names {
            Names::Era => keep(&mut self.eras, bits),
            Names::Month => keep(&mut self.months, bits),
            Names::Quarter => keep(&mut self.months, quarters(bits)),
            Names::Weekday => self.learn_weekdays(bits, at),
            Names::HalfDay => self.learn_hours(if bits == 1 { MORNING } else { MORNING << 12 }),
        }
    }

    pub(crate) fn learn_fraction(&mut self, decimals: Decimals) -> bool {
        let known = *self.fraction.get_or_insert(decimals);
        let common = known.digits.min(decimals.digits);
        if decimals.digits > known.digits {
            self.fraction = Some(decimals);
        }
        known.truncated(common) == decimals.truncated(common)
    }

    /// Returns false if the offset contradicts an earlier field. Compares hours and minutes only, because some offset
    /// styles omit the seconds.
    pub(crate) fn learn_offset(&mut self, seconds: i32) -> bool {
        *self.offset_minutes.get_or_insert(seconds / 60) == seconds / 60
    }

    fn learn_weekdays(&mut self, bits: u16, at: usize) -> bool {
        self.weekday_at = at;
        keep(&mut self.weekdays, bits)
    }

    fn learn_hours(&mut self, bits: u32) -> bool {
        self.hours &= bits;
        self.hours != 0
    }

    fn learn_time(&mut self, second_of_day: i64, decimals: Decimals, at: usize) -> bool {
        self.learn_hours(1 << (second_of_day / 3600))
            && self.learn_number(Quantity::Minute, second_of_day / 60 % 60, at)
            && self.learn_number(Quantity::Second, second_of_day % 60, at)
            && self.learn_fraction(decimals)
    }

    /// Returns the reason why no date has all the fields that were read, or `None` if there is such a date. Times are
    /// checked as they are read.
    ///
    /// The calendar repeats every 400 years, so years are compared within one such cycle. A string without a year is
    /// valid if the date exists in some year.
    pub(crate) fn contradiction(&self) -> Option<Contradiction> {
        if self.years().next().is_none() {
            return Some(self.no_such_date());
        }
        if self.some_date(|date| self.agrees(date)) {
            return None;
        }
        Some(
            self.wrong_day()
                .or_else(|| self.wrong_weekday())
                .unwrap_or_else(|| self.no_such_date()),
        )
    }

    fn number(&self, quantity: Quantity) -> Option<i64> {
        self.seen(quantity).map(|seen| seen.value)
    }

    fn seen(&self, quantity: Quantity) -> Option<Seen> {
        self.numbers[quantity as usize]
    }

    /// Returns the proleptic year, or `None` if the text contains no year or only its last two digits.
    fn year(&self) -> Option<i64> {
        let of_era = self.number(Quantity::YearOfEra).map(|year| self.proleptic(year));
        self.number(Quantity::Year).or(of_era)
    }

    fn proleptic(&self, year_of_era: i64) -> i64 {
        if self.eras == BEFORE_CHRIST {
            1 - year_of_era
        } else {
            year_of_era
        }
    }

    /// Returns the candidate years that agree with the fields read so far.
    fn years(&self) -> impl Iterator<Item = i64> {
        let (first, step, count) = self.candidate_years();
        (0..count)
            .map(move |index| first + index * step)
            .filter(|&year| self.is_year(year))
    }

    /// Returns the first candidate year, the step to the next one, and the number of candidates.
    fn candidate_years(&self) -> (i64, i64, i64) {
        let week_year = self
            .number(Quantity::WeekYear)
            .filter(|_| self.number(Quantity::Week).is_some());
        if let Some(year) = self.year() {
            (year, 1, 1)
        } else if let Some(year) = week_year {
            (year - 1, 1, 3)
        } else if let Some(year) = self.number(Quantity::ShortYear) {
            (year + if self.eras == BEFORE_CHRIST { -2000 } else { 2000 }, 100, 4)
        } else if let Some(year) = self.number(Quantity::ShortYearOfEra) {
            let first = self.proleptic(2000 + year);
            (first, self.proleptic(2100 + year) - first, 4)
        } else {
            // 28 years cover each length and each first weekday of a year. The first one is a leap year, so that 29
            // February is found immediately.
            (self.proleptic(2000), 1, 28)
        }
    }

    fn is_year(&self, year: i64) -> bool {
        let (era, of_era) = if year >= 1 {
            (!BEFORE_CHRIST, year)
        } else {
            (BEFORE_CHRIST, 1 - year)
        };
        self.eras & era != 0
            && self.is(Quantity::YearOfEra, of_era)
            && self.is(Quantity::ShortYear, year.rem_euclid(100))
            && self.is(Quantity::ShortYearOfEra, of_era % 100)
    }

    /// Returns true if the quantity has this value or was not read.
    fn is(&self, quantity: Quantity, value: i64) -> bool {
        self.number(quantity).is_none_or(|known| known == value)
    }

    /// Returns true if the condition holds for at least one date that agrees with the known year, month, and day.
    fn some_date(&self, predicate: impl Fn(Date) -> bool) -> bool {
        let days = self.number(Quantity::Day).map_or(1..=31, |day| day..=day);
        let months = (1..=12).filter(|month| self.months & (1 << (month - 1)) != 0);
        self.years().any(|year| {
            months.clone().any(|month| {
                days.clone()
                    .filter_map(|day| Date::new(year, month, day))
                    .any(&predicate)
            })
        })
    }

    fn agrees(&self, date: Date) -> bool {
        let civil = date.in_cycle;
        self.weekdays & (1 << civil.weekday().num_days_from_monday()) != 0
            && self.is(Quantity::DayOfYear, civil.ordinal().into())
            && self.is(Quantity::WeekOfMonth, week_of_month(civil))
            && self.is(Quantity::WeekdayInMonth, (i64::from(civil.day()) + 6) / 7)
            && self.number(Quantity::Week).is_none_or(|week| {
                week == i64::from(civil.iso_week().week()) && self.is(Quantity::WeekYear, date.week_year())
            })
    }

    fn wrong_day(&self) -> Option<Contradiction> {
        let year = self.year();
        if let Some(day) = self.seen(Quantity::Day).filter(|_| !self.some_date(|_| true)) {
            let month = month_name(self.months.trailing_zeros() + 1);
            return Some((
                day.at,
                ParseProblemKind::NoSuchDay {
                    day: day.value,
                    month,
                    year,
                },
            ));
        }
        let last = self.seen(Quantity::DayOfYear).filter(|day| day.value == 366)?;
        let year = year.filter(|&year| Date::new(year, 2, 29).is_none())?;
        Some((last.at, ParseProblemKind::NoSuchDayOfYear { year }))
    }

    /// Returns the correct weekday if the rest of the date is known and the text contains a different weekday.
    /// Otherwise, returns `None`.
    fn wrong_weekday(&self) -> Option<Contradiction> {
        let day = self.number(Quantity::Day).filter(|_| self.months.is_power_of_two())?;
        let date = Date::new(self.year()?, self.months.trailing_zeros() + 1, day)?;
        let weekday = date.in_cycle.weekday().num_days_from_monday();
        let wrong = self.weekdays & (1 << weekday) == 0;
        let expected = weekday_name(weekday);
        wrong.then_some((self.weekday_at, ParseProblemKind::WrongWeekday { expected }))
    }

    fn no_such_date(&self) -> Contradiction {
        let dates = &self.numbers[..Quantity::Hour as usize];
        let last = dates.iter().flatten().map(|seen| seen.at).max();
        (
            last.map_or(self.weekday_at, |at| at.max(self.weekday_at)),
            ParseProblemKind::NoSuchDate,
        )
    }
}

impl Decimals {
    fn truncated(self, digits: u32) -> i64 {
        self.value / 10_i64.pow(self.digits - digits)
    }
}

/// A date of any year, mapped to the corresponding date in the years 2000 to 2399.
#[derive(Clone, Copy)]
struct Date {
    in_cycle: NaiveDate,
    /// The original year minus the mapped year.
    shift: i64,
}

impl Date {
    fn new(year: i64, month: u32, day: i64) -> Option<Self> {
        let counterpart = 2000 + year.rem_euclid(400);
        let date = NaiveDate::from_ymd_opt(i32::try_from(counterpart).ok()?, month, u32::try_from(day).ok()?)?;
        Some(Self {
            in_cycle: date,
            shift: year - counterpart,
        })
    }

    fn week_year(self) -> i64 {
        i64::from(self.in_cycle.iso_week().year()) + self.shift
    }
}

fn keep(open: &mut u16, bits: u16) -> bool {
    *open &= bits;
    *open != 0
}

fn quarters(bits: u16) -> u16 {
    (0..4)
        .filter(|quarter| bits & (1 << quarter) != 0)
        .map(|quarter| 0b111 << (3 * quarter))
        .sum()
}
