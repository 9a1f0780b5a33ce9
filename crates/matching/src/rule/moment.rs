//! The rules `date`, `time`, and `datetime`: a value in a format.

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

/// Cache of parsed formats. All interactions of a contract use the same few, and parsing one takes as long as twenty
/// checks.
static KNOWN: Mutex<Vec<Arc<Format>>> = Mutex::new(Vec::new());
/// Maximum number of cached formats.
const KEPT: usize = 16;

/// Parses a format, or returns it from the cache.
fn format(text: &str) -> Result<Arc<Format>, contract_datetime::FormatError> {
    // A panic elsewhere cannot leave the cache in an invalid state.
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
    // pact-php writes Joda-Time and PHP formats, and pact-js and pact-jvm accept them.
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
