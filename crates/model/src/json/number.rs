use super::Text;

/// A JSON number with its original notation.
///
/// A number with a decimal point or an exponent is a decimal. Two numbers are equal if they have the same kind and the
/// same value. Values are compared by sign, digits, and exponent, not as floats: `1.0`, `1.00`, and `1e0` are equal,
/// and all of them differ from `1`.
#[derive(Clone, Debug)]
pub struct Number(Text);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Written with neither a decimal point nor an exponent.
    Integer,
    /// Written with a decimal point, an exponent, or both.
    Decimal,
}

impl Number {
    /// Parses a number. Returns `None` if the text is not a JSON number (RFC 8259 section 6).
    pub fn from_text(text: &str) -> Option<Self> {
        is_number(text.as_bytes()).then(|| Self(text.into()))
    }

    /// Creates a number from text that the caller has validated.
    pub(super) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn kind(&self) -> NumberKind {
        if self.0.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) {
            NumberKind::Decimal
        } else {
            NumberKind::Integer
        }
    }

    /// Returns the value, or `None` for decimals and for integers outside the range of `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Returns the value, or `None` for decimals and for integers outside the range of `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Returns the nearest float. It is suitable for display and generators, but not for comparisons.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// Returns a number whose notation is the same for all equal numbers.
    pub(crate) fn canonical(&self) -> Self {
        let (negative, digits, power) = self.parts();
        let sign = if negative { "-" } else { "" };
        Self(match self.kind() {
            NumberKind::Integer if digits.is_empty() => Text::const_new("0"),
            NumberKind::Integer => self.0.clone(),
            NumberKind::Decimal if digits.is_empty() => Text::const_new("0e0"),
            NumberKind::Decimal => compact_str::format_compact!("{sign}{}{}e{power}", digits.whole, digits.fraction),
        })
    }

    /// Returns the sign (true if negative), the significant digits, and the power of ten of the last digit. Zero has no
    /// digits.
    fn parts(&self) -> (bool, Digits<'_>, i128) {
        let (negative, rest) = match self.0.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.0.as_str()),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            // The parser rejects larger exponents, so this does not fail.
            Some(at) => (&rest[..at], rest[at + 1..].parse::<i64>().unwrap_or(i64::MAX)),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction_kept = fraction.trim_end_matches('0');
        let mut power = i128::from(exponent) - fraction_kept.len() as i128;
        let mut digits = Digits {
            whole,
            fraction: fraction_kept,
        };
        if fraction_kept.is_empty() {
            let kept = whole.trim_end_matches('0');
            power += (whole.len() - kept.len()) as i128;
            digits.whole = kept;
        }
        let digits = digits.without_leading_zeros();
        if digits.is_empty() {
            (false, digits, 0)
        } else {
            (negative, digits, power)
        }
    }
}

/// The digits before and after the decimal point as one sequence.
#[derive(Clone, Copy)]
struct Digits<'a> {
    whole: &'a str,
    fraction: &'a str,
}

impl Digits<'_> {
    fn without_leading_zeros(self) -> Self {
        let whole = self.whole.trim_start_matches('0');
        let fraction = if whole.is_empty() {
            self.fraction.trim_start_matches('0')
        } else {
            self.fraction
        };
        Self { whole, fraction }
    }

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn same(&self, other: &Self) -> bool {
        self.whole.len() + self.fraction.len() == other.whole.len() + other.fraction.len()
            && self
                .whole
                .bytes()
                .chain(self.fraction.bytes())
                .eq(other.whole.bytes().chain(other.fraction.bytes()))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        if self.0 == other.0 {
            return true;
        }
        if self.kind() != other.kind() {
            return false;
        }
        let (negative, digits, power) = self.parts();
        let (other_negative, other_digits, other_power) = other.parts();
        negative == other_negative && power == other_power && digits.same(&other_digits)
    }
}

impl Eq for Number {}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(compact_str::format_compact!("{value}"))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(compact_str::format_compact!("{value}"))
    }
}

impl serde::Serialize for Number {
    /// Keeps the notation: `serde_json` writes raw values unchanged.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::value::RawValue::from_string(self.0.to_string()) {
            Ok(raw) => raw.serialize(serializer),
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

fn is_number(text: &[u8]) -> bool {
    number_length(text) == Some(text.len())
}

/// Returns the length in bytes of the number at the start of `bytes` (RFC 8259 section 6), or `None` if there is none.
pub(super) fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        bytes[from.min(bytes.len())..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && bytes[at] == b'0') {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        let start = at + 1 + sign;
        let zeros = bytes[start..].iter().take_while(|&&b| b == b'0').count();
        // Exponents of more than 18 digits do not fit in 64 bits and are meaningless.
        if exponent == 0 || exponent.saturating_sub(zeros) > 18 {
            return None;
        }
        at += 1 + sign + exponent;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn equal(a: &str, b: &str) -> bool {
        Number::from_text(a).unwrap() == Number::from_text(b).unwrap()
    }

    #[test]
    fn decimals_are_compared_by_value() {
        for (a, b) in [
            ("1.0", "1.00"),
            ("1.0", "1e0"),
            ("1e2", "100.0"),
            ("0.10", "1e-1"),
            ("-0.0", "0.0"),
            ("12.5E3", "12500.0"),
        ] {
            assert!(equal(a, b), "{a} = {b}");
        }
    }

    #[test]
    fn equal_numbers_have_one_canonical_text() {
        let canonical = |text: &str| Number::from_text(text).unwrap().canonical();
        for (texts, want) in [
            (&["0", "-0"][..], "0"),
            (&["-0.0", "0e9", "0.00"], "0e0"),
            (&["100", "100"], "100"),
            (&["1.5", "1.50", "15e-1", "0.015E+2"], "15e-1"),
            (&["-10.0", "-1e1"], "-1e1"),
        ] {
            for text in texts {
                assert_eq!(canonical(text).as_str(), want, "{text}");
                assert!(equal(text, want));
            }
        }
    }

    #[test]
    fn decimals_never_equal_integers() {
        assert!(!equal("1", "1.0"));
        assert!(!equal("100", "1e2"));
    }

    #[test]
    fn minus_zero_is_zero() {
        assert!(equal("-0", "0"));
    }

    #[test]
    fn compares_all_digits() {
        assert!(!equal("12345678901234567890123", "12345678901234567890124"));
        assert!(!equal("0.1234567890123456789", "0.1234567890123456788"));
        assert!(!equal("1e999999999", "1e999999998"));
        assert!(!equal("10.5", "1.05"));
        assert!(!equal("-1", "1"));
    }
}
