//! Numbers with their digits and signs.

use crate::problem::ParseProblemKind;
use crate::quantity::Quantity;
use crate::reader::Reader;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) quantity: Quantity,
    /// Number of pattern letters, which is also the minimum number of digits to write.
    pub(crate) letters: usize,
    /// True if another number is directly before or after this one, so that the width is fixed.
    pub(crate) adjacent: bool,
    /// Number of digits to leave for the numbers that follow directly.
    pub(crate) reserved: usize,
}

impl Number {
    pub(crate) fn new(quantity: Quantity, letters: usize) -> Self {
        Self {
            quantity,
            letters,
            adjacent: false,
            reserved: 0,
        }
    }

    /// Returns the number of digits if it is the same for all values, otherwise `None`. Years have a fixed width from
    /// four letters on. Other quantities have one if there are as many letters as the maximum has digits, or for `ee`
    /// and `QQ`.
    pub(crate) fn fixed_digits(&self) -> Option<usize> {
        let fixed = match self.quantity {
            quantity if quantity.is_whole_year() => self.letters >= 4,
            quantity => self.letters == quantity.digits() || self.is_padded_digit(),
        };
        fixed.then_some(self.letters)
    }

    /// Returns true for quantities of one digit with two letters, such as `ee` and `QQ`. They are written with a
    /// leading zero.
    fn is_padded_digit(&self) -> bool {
        self.quantity.digits() == 1 && self.letters == 2
    }

    pub(crate) fn read(&self, reader: &mut Reader<'_>) -> Result<i64, ParseProblemKind> {
        self.try_read(reader).ok_or_else(|| self.problem())
    }

    fn try_read(&self, reader: &mut Reader<'_>) -> Option<i64> {
        let sign = self.read_sign(reader);
        let most = self.most_digits(sign);
        let found = reader.count_digits(most.saturating_add(self.reserved));
        let digits = match self.fixed_digits() {
            Some(width) if self.adjacent && sign.is_none() => width,
            _ if self.is_short_year() => 2,
            _ => found.saturating_sub(self.reserved).min(most),
        };
        if digits == 0 || digits > found || (sign == Some('+') && digits <= self.letters) {
            return None;
        }
        let value = magnitude(reader.skip(digits));
        let signed = match sign {
            Some('-') if value == 0 => return None,
            Some('-') => -value,
            _ => value,
        };
        let (least, greatest) = self.quantity.bounds();
        (least..=greatest).contains(&signed).then_some(signed)
    }

    fn read_sign(&self, reader: &mut Reader<'_>) -> Option<char> {
        if !self.quantity.is_whole_year() {
            return None;
        }
        if reader.eat("-") {
            return Some('-');
        }
        (self.letters >= 4 && reader.eat("+")).then_some('+')
    }

    /// Returns the maximum number of digits to read. With four or more letters, a year with more digits than letters
    /// requires a sign, so that a reader can find the end of the year (ISO 8601).
    fn most_digits(&self, sign: Option<char>) -> usize {
        match sign {
            None if self.quantity.is_whole_year() && self.letters >= 4 => self.letters,
            _ => self.letters.max(self.quantity.digits()),
        }
    }

    fn is_short_year(&self) -> bool {
        use Quantity::{ShortWeekYear, ShortYear, ShortYearOfEra};
        matches!(self.quantity, ShortYear | ShortYearOfEra | ShortWeekYear)
    }

    fn problem(&self) -> ParseProblemKind {
        let (least, greatest) = self.quantity.bounds();
        let exact = self.adjacent || self.is_short_year();
        let digits = self.fixed_digits().filter(|_| exact);
        ParseProblemKind::Number {
            field: self.quantity.name(),
            least,
            greatest,
            digits,
        }
    }

    pub(crate) fn write(&self, value: i64, out: &mut String) {
        let digits = value.unsigned_abs().to_string();
        if value < 0 {
            out.push('-');
        } else if self.quantity.is_whole_year() && self.letters >= 4 && digits.len() > self.letters {
            out.push('+');
        }
        out.extend(std::iter::repeat_n('0', self.letters.saturating_sub(digits.len())));
        out.push_str(&digits);
    }
}

/// Parses digits. Numbers of more than 19 digits saturate at `i64::MAX`, which exceeds every valid value.
fn magnitude(digits: &str) -> i64 {
    digits.bytes().fold(0, |value: i64, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quantity: Quantity, letters: usize, text: &str, want: Option<i64>) {
        assert_eq!(
            Number::new(quantity, letters).try_read(&mut Reader::new(text)),
            want,
            "{letters} letters: {text}"
        );
    }

    #[test]
    fn leading_zeros_may_be_missing() {
        check(Quantity::Month, 2, "7", Some(7));
        check(Quantity::Month, 1, "07", Some(7));
        check(Quantity::Year, 4, "7", Some(7));
        check(Quantity::ShortYear, 2, "7", None);
    }

    #[test]
    fn long_years_need_a_sign_only_where_the_width_is_given() {
        check(Quantity::Year, 4, "+99999", Some(99_999));
        check(Quantity::Year, 4, "+2026", None);
        check(Quantity::Year, 1, "99999", Some(99_999));
        check(Quantity::Year, 4, "-0005", Some(-5));
        check(Quantity::Year, 4, "-0000", None);
    }

    #[test]
    fn reads_numbers_of_any_length() {
        check(Quantity::Year, 19, "9999999999999999999", None);
        check(Quantity::NanoOfDay, 19, "0000086399999999999", Some(86_399_999_999_999));
        check(Quantity::NanoOfDay, 19, "9999999999999999999", None);
    }
}
