//! The rules `number`, `integer`, and `decimal`. In JSON, the notation determines whether a number is an integer or a
//! decimal.

use contract_model::{Json, JsonKind, NumberKind};

use super::verdict::{Verdict, require};
use crate::display::display_with_type;
use crate::mismatch::MismatchKind;

pub(super) fn number(actual: &Json) -> Verdict {
    require(actual.kind() == JsonKind::Number, MismatchKind::Number)
}

pub(super) fn integer(actual: &Json) -> Verdict {
    require(kind(actual) == Some(NumberKind::Integer), MismatchKind::Integer)
}

pub(super) fn decimal(actual: &Json) -> Verdict {
    require(kind(actual) == Some(NumberKind::Decimal), MismatchKind::Decimal)
}

pub(super) fn number_text(actual: &str) -> Verdict {
    require(is_number(actual), MismatchKind::Number)
}

pub(super) fn integer_text(actual: &str) -> Verdict {
    require(is_integer(actual), MismatchKind::Integer)
}

/// Checks a decimal number in text. Text does not distinguish the two kinds of numbers: a decimal may be written as `5`
/// in a query.
pub(super) fn decimal_text(actual: &str) -> Verdict {
    require(is_number(actual), MismatchKind::Decimal)
}

pub(crate) fn describe_number(actual: Option<&Json>) -> String {
    format!("Expected {} to be a number", display_with_type(actual))
}

pub(crate) fn describe_integer(actual: Option<&Json>) -> String {
    format!("Expected {} to be an integer", display_with_type(actual))
}

pub(crate) fn describe_decimal(actual: Option<&Json>) -> String {
    // Languages with a single number type cannot write 2.0, so their users see this mismatch.
    let hint = match actual {
        Some(Json::Number(_)) => " (the number rule accepts integers and decimals)",
        _ => "",
    };
    format!("Expected {} to be a decimal number{hint}", display_with_type(actual))
}

fn kind(value: &Json) -> Option<NumberKind> {
    if let Json::Number(number) = value {
        Some(number.kind())
    } else {
        None
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn is_integer(text: &str) -> bool {
    let digits = unsigned(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Returns whether the text is a number. A sign, a decimal point, and an exponent are optional. Leading zeros are
/// accepted, because they are common outside JSON.
fn is_number(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match unsigned(text).split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned(text), None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    !(whole.is_empty() && fraction.is_empty()) && digits(whole) && digits(fraction) && exponent.is_none_or(is_integer)
}
