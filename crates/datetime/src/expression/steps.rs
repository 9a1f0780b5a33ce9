//! Parsed expressions: a start and a list of steps.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps<Start, Unit> {
    pub(super) start: Start,
    /// Each with its sign.
    pub(super) moves: Vec<(i64, Unit)>,
}

impl<Start: Default, Unit> Default for Steps<Start, Unit> {
    fn default() -> Self {
        Self {
            start: Start::default(),
            moves: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DateStart {
    #[default]
    Now,
    To(Target),
}

/// The target of `next` and `last`. The number is the direction.
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
    /// An hour from 0 to 11 in the other half of the day.
    OfOtherHalf(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Hour,
    Minute,
    Second,
    Millisecond,
}
