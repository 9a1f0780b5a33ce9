use contract_model::Json;

use crate::{GenerateError, Random};

const LETTERS_AND_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Upper case, as the field has it.
pub(super) fn hexadecimal(digits: Option<usize>, random: &mut Random) -> Result<Json, GenerateError> {
    Ok(random.text(b"0123456789ABCDEF", super::length::of(digits)?).into())
}

pub(super) fn letters_and_digits(size: Option<usize>, random: &mut Random) -> Result<Json, GenerateError> {
    Ok(random.text(LETTERS_AND_DIGITS, super::length::of(size)?).into())
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, letters_and_digits};
    use crate::{GenerateError, Random};

    #[test]
    fn digits_repeat_and_are_as_many_as_asked() {
        let text = hexadecimal(Some(64), &mut Random::from_seed(1)).unwrap();
        let text = text.as_str().unwrap();
        assert_eq!(text.len(), 64);
        assert!(
            text.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b)),
            "{text}"
        );
    }

    #[test]
    fn every_letter_and_digit_occurs() {
        let text = letters_and_digits(Some(5000), &mut Random::from_seed(1)).unwrap();
        let mut seen: Vec<_> = text.as_str().unwrap().bytes().collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 62);
    }

    #[test]
    fn lengths() {
        let mut random = Random::from_seed(1);
        assert_eq!(
            letters_and_digits(None, &mut random).unwrap().as_str().unwrap().len(),
            10
        );
        assert_eq!(letters_and_digits(Some(0), &mut random).unwrap(), "".into());
        assert_eq!(
            hexadecimal(Some(1_000_001), &mut random),
            Err(GenerateError::TooLong {
                asked: 1_000_001,
                most: 1_000_000
            })
        );
    }
}
