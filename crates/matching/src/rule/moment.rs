//! The rules `date`, `time` and `datetime`: a moment in a format.

use contract_datetime::Format;
use contract_model::{Json, Text};

use super::verdict::{Verdict, want};
use crate::mismatch::MismatchKind;
use crate::problem::RuleProblem;
use crate::words::shown;

#[derive(Debug)]
pub(crate) struct Moment {
    what: &'static str,
    text: Text,
    format: Format,
}

impl Moment {
    pub(super) fn new(what: &'static str, format: Option<&Text>, default: &str) -> Result<Self, RuleProblem> {
        let text = format.cloned().unwrap_or_else(|| default.into());
        match Format::parse(&text) {
            Ok(format) => Ok(Self { what, text, format }),
            Err(error) => Err(RuleProblem::Format {
                rule: what.into(),
                problem: error.to_string(),
            }),
        }
    }

    pub(super) fn text(&self, actual: &str) -> Verdict {
        want(
            self.format.check(actual).is_ok(),
            MismatchKind::Moment {
                what: self.what,
                format: self.text.clone(),
            },
        )
    }
}

pub(crate) fn words(what: &str, format: &str, actual: Option<&Json>) -> String {
    format!("Expected {} to match a {what} pattern of '{format}'", shown(actual))
}
