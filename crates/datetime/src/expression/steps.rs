//! Parsed expressions: a start and a list of steps.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps<Start, Unit> {
    pub(super) start: Start,
    /// Signed counts with their units, in the order in which they are added.
    pub(super) offsets: Vec<(i64, Unit)>,
}

impl<Start: Default, Unit> Default for Steps<Start, Unit> {
    fn default() -> Self {
        Self {
            start: Start::default(),
            offsets: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DateStart {
    #[default]
    Now,
    To(Target),
}

/// The target of `next` or `last`. The first field is the number of steps: positive for `next`, negative for `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Unit(i64, DateUnit),
    /// A weekday, from 0 (Monday) to 6.
    Weekday(i64, u32),
    /// A month, from 1 to 12.
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
    /// An hour from 0 to 11 on the 12-hour clock, in the half of the day (morning or afternoon) that does not contain
    /// the start time.
    OfOtherHalf(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Hour,
    Minute,
    Second,
    Millisecond,
}
