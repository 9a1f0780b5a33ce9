use contract_model::{Json, Number};

use crate::{GenerateError, Random};

/// Maximum number of digits before the decimal point. With more digits, 64-bit floats lose the fraction.
const MOST_WHOLE_DIGITS: u64 = 9;

/// Generates a decimal with `digits` digits in total. The last digit is never 0, so that the number stays a decimal in
/// languages that drop trailing zeros. `digits: 1` generates numbers such as `0.7`, which have an additional zero.
pub(super) fn generate(digits: usize, random: &mut Random) -> Result<Json, GenerateError> {
    let (whole, fraction) = match digits {
        0 => return Err(GenerateError::NoDigits),
        1 => ("0".to_owned(), 1),
        _ => {
            let most = (digits as u64 - 1).min(MOST_WHOLE_DIGITS);
            let length = usize::try_from(1 + random.below(most)).unwrap_or(1);
            (whole(length, random), digits - length)
        }
    };
    let fraction = random.text(b"0123456789", fraction - 1);
    let last = random.one_of(b"123456789");
    Number::from_text(&format!("{whole}.{fraction}{last}"))
        .map(Json::Number)
        .ok_or(GenerateError::NoDigits)
}

/// Generates the digits before the decimal point. Only a single digit may be 0, because JSON does not allow leading
/// zeros.
fn whole(length: usize, random: &mut Random) -> String {
    if length == 1 {
        return random.text(b"0123456789", 1);
    }
    let mut digits = random.text(b"123456789", 1);
    digits.push_str(&random.text(b"0123456789", length - 1));
    digits
}

#[cfg(test)]
mod tests {
    use super::generate;
    use crate::{GenerateError, Random};

    #[test]
    fn generates_the_requested_digits_with_a_point() {
        let mut random = Random::from_seed(1);
        for digits in 2..40 {
            for _ in 0..100 {
                let text = generate(digits, &mut random).unwrap().to_text();
                assert_eq!(text.len(), digits + 1, "{text}");
                assert_eq!(text.bytes().filter(u8::is_ascii_digit).count(), digits, "{text}");
                assert!(!text.starts_with('.') && !text.ends_with(['.', '0']), "{text}");
            }
        }
    }

    #[test]
    fn the_point_moves() {
        let mut random = Random::from_seed(1);
        let mut seen: Vec<_> = (0..200)
            .filter_map(|_| generate(4, &mut random).unwrap().to_text().find('.'))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [1, 2, 3]);
    }

    #[test]
    fn a_single_digit_follows_a_zero() {
        let mut random = Random::from_seed(1);
        for _ in 0..50 {
            let text = generate(1, &mut random).unwrap().to_text();
            assert!(text.starts_with("0.") && text.len() == 3 && text != "0.0", "{text}");
        }
    }

    #[test]
    fn no_digits_are_an_error() {
        let mut random = Random::from_seed(1);
        assert_eq!(generate(0, &mut random), Err(GenerateError::NoDigits));
    }
}
