//! Random numbers that depend on a seed.

use std::ops::RangeInclusive;

/// A source of random numbers. The same seed produces the same numbers on all platforms.
///
/// The numbers are not suitable for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(fastrand::Rng);

impl Random {
    pub fn from_seed(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub(crate) fn integer(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0.i64(range)
    }

    /// Returns a random number below `count`, or 0 if `count` is 0. Does not use the `usize` method of fastrand,
    /// because its result depends on the platform.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        if count == 0 { 0 } else { self.0.u64(0..count) }
    }

    pub(crate) fn boolean(&mut self) -> bool {
        self.0.bool()
    }

    pub(crate) fn one_of(&mut self, alphabet: &[u8]) -> char {
        let at = self.below(alphabet.len() as u64);
        usize::try_from(at)
            .ok()
            .and_then(|at| alphabet.get(at))
            .map_or(' ', |&byte| char::from(byte))
    }

    pub(crate) fn text(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length).map(|_| self.one_of(alphabet)).collect()
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.0.u8(..))
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_the_same_numbers_everywhere() {
        let mut random = Random::from_seed(1);
        let numbers: Vec<_> = (0..5).map(|_| random.integer(0..=999)).collect();
        assert_eq!(numbers, [657, 534, 239, 778, 9]);
    }

    #[test]
    fn the_whole_range_is_drawn_from() {
        let mut random = Random::from_seed(1);
        random.integer(i64::MIN..=i64::MAX);
        assert_eq!(random.integer(i64::MAX..=i64::MAX), i64::MAX);
        assert_eq!(random.below(0), 0);
    }
}
