//! The rules `date`, `time` and `datetime`: a moment in a format.

use std::sync::{Arc, Mutex, PoisonError};

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
    format: Arc<Format>,
}

/// The formats read last: a contract has the same few in all its interactions, and reading one costs more than checking twenty
/// texts.
static KNOWN: Mutex<Vec<Arc<Format>>> = Mutex::new(Vec::new());
/// How many.
const KEPT: usize = 16;

/// Reads a format, or takes it from those read before.
fn format(text: &str) -> Result<Arc<Format>, contract_datetime::FormatError> {
    // No invariant of it could be broken by a panic elsewhere.
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().iter().find(|known| known.as_str() == text).map(Arc::clone);
    if let Some(known) = known {
        return Ok(known);
    }
    let format = Arc::new(Format::parse(text)?);
    let mut known = lock();
    if known.len() >= KEPT {
        known.remove(0);
    }
    known.push(Arc::clone(&format));
    Ok(format)
}

impl Moment {
    pub(super) fn new(what: &'static str, format: Option<&Text>, default: &str) -> Result<Self, RuleProblem> {
        let text = format.cloned().unwrap_or_else(|| default.into());
        match self::format(&text) {
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
    let mut words = format!("Expected {} to match a {what} pattern of '{format}'", shown(actual));
    // pact-php writes formats of Joda-Time and PHP, which pact-js and pact-jvm accept.
    let parsed = self::format(format).ok();
    for (at, hint) in parsed.iter().flat_map(|format| format.hints()).enumerate() {
        words.push_str(if at == 0 {
            ". The format is probably wrong: "
        } else {
            "; "
        });
        words.push_str(&hint.to_string());
    }
    words
}
