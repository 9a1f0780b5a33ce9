//! Numbers and durations that are rejected if they are out of range.

use std::time::Duration;

use contract_model::Json;
use serde::de;

use super::{Document, describe};

/// The number of milliseconds in a day. It is the maximum of all durations, so that sums of durations cannot overflow.
const DAY: u64 = 24 * 60 * 60 * 1000;
/// `2^53`. JavaScript represents larger integers only approximately.
const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// A whole number from `MIN` to `MAX`, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const MIN: u64, const MAX: u64>(pub u64);

/// A size in bytes, or a count, of at least `MIN` and at most `2^53`.
pub type Size<const MIN: u64> = Whole<MIN, MAX_EXACT_INTEGER>;
/// The seed of a random number generator, from 0 to `2^53`.
pub type Seed = Whole<0, MAX_EXACT_INTEGER>;

impl<'de, const MIN: u64, const MAX: u64> de::Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        let number = json.as_u64().filter(|number| (MIN..=MAX).contains(number));
        let invalid = || {
            format!(
                "must be a whole number from {MIN} to {MAX}, received {}",
                describe(&json)
            )
        };
        number.map(Self).ok_or_else(|| de::Error::custom(invalid()))
    }
}

impl<const MIN: u64, const MAX: u64> From<Whole<MIN, MAX>> for Json {
    fn from(number: Whole<MIN, MAX>) -> Self {
        number.0.into()
    }
}

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// Returns the number as `usize`, or `usize::MAX` if it is too large.
    pub fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A duration of at least `MIN` milliseconds and at most one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Milliseconds<const MIN: u64>(pub Duration);

impl<'de, const MIN: u64> de::Deserialize<'de> for Milliseconds<MIN> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        let number = json.as_u64().filter(|number| (MIN..=DAY).contains(number));
        let invalid = || {
            format!(
                "must be a whole number of milliseconds from {MIN} to {DAY} (one day), received {}",
                describe(&json)
            )
        };
        let number = number.ok_or_else(|| de::Error::custom(invalid()))?;
        Ok(Self(Duration::from_millis(number)))
    }
}
