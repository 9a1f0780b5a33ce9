use contract_model::Json;

use crate::Random;

const LETTERS_AND_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Generates hexadecimal digits. They are in upper case, as in other Pact implementations.
pub(super) fn hexadecimal(digits: usize, random: &mut Random) -> Json {
    random.text(b"0123456789ABCDEF", digits).into()
}

pub(super) fn letters_and_digits(size: usize, random: &mut Random) -> Json {
    random.text(LETTERS_AND_DIGITS, size).into()
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, letters_and_digits};
    use crate::Random;

    #[test]
    fn generates_the_requested_number_of_digits() {
        let text = hexadecimal(64, &mut Random::from_seed(1));
        let text = text.as_str().unwrap();
        assert_eq!(text.len(), 64);
        assert!(
            text.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b)),
            "{text}"
        );
    }

    #[test]
    fn every_letter_and_digit_occurs() {
        let text = letters_and_digits(5000, &mut Random::from_seed(1));
        let mut seen: Vec<_> = text.as_str().unwrap().bytes().collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 62);
    }

    #[test]
    fn zero_length_is_empty() {
        assert_eq!(letters_and_digits(0, &mut Random::from_seed(1)), "".into());
    }
}
