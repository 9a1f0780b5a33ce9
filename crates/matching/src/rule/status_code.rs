//! The `statusCode` rule: the status code belongs to a class or a list of codes.

use contract_model::{Json, StatusClass};

use super::verdict::{Verdict, require};
use crate::display::display_text;
use crate::mismatch::MismatchKind;

pub(super) fn scalar(class: &StatusClass, actual: &Json) -> Verdict {
    let code = actual.as_u64().and_then(|code| u16::try_from(code).ok());
    require(
        code.is_some_and(|code| class.contains(code)),
        MismatchKind::StatusCode(class.clone()),
    )
}

pub(super) fn text(class: &StatusClass, actual: &str) -> Verdict {
    let matches = actual.parse().is_ok_and(|code| class.contains(code));
    require(matches, MismatchKind::StatusCode(class.clone()))
}

pub(crate) fn describe(class: &StatusClass, actual: Option<&Json>) -> String {
    format!("Expected status code {} to be {}", display_text(actual), name(class))
}

fn name(class: &StatusClass) -> String {
    match class {
        StatusClass::Information => "an Informational response (100–199)".into(),
        StatusClass::Success => "a Successful response (200–299)".into(),
        StatusClass::Redirect => "a Redirect (300–399)".into(),
        StatusClass::ClientError => "a Client error (400–499)".into(),
        StatusClass::ServerError => "a Server error (500–599)".into(),
        StatusClass::NonError => "a Non-error response (below 400)".into(),
        StatusClass::Error => "an Error response (400 and above)".into(),
        StatusClass::Codes(codes) => {
            format!(
                "one of {}",
                codes.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
            )
        }
    }
}
