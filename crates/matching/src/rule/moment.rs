//! The rules `date`, `time`, and `datetime`: the value has a date or time format.

use std::sync::{Arc, Mutex, PoisonError};

use contract_datetime::Format;
use contract_model::{Json, Text};

use super::verdict::{Verdict, require};
use crate::display::display;
use crate::error::RuleProblem;
use crate::mismatch::MismatchKind;

#[derive(Debug)]
pub(crate) struct Moment {
    kind: &'static str,
    text: Text,
    format: Arc<Format>,
}

/// Cache of parsed formats. All interactions of a contract use the same few formats, and parsing a format takes as long
/// as checking twenty values.
static CACHE: Mutex<Vec<Arc<Format>>> = Mutex::new(Vec::new());
/// Maximum number of formats in the cache.
const CACHE_SIZE: usize = 16;

/// Parses a format, or returns it from the cache.
fn format(text: &str) -> Result<Arc<Format>, contract_datetime::FormatError> {
    // A panic in another thread cannot leave the cache in an invalid state.
    let lock = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = lock().iter().find(|cached| cached.as_str() == text).map(Arc::clone);
    if let Some(cached) = cached {
        return Ok(cached);
    }
    let format = Arc::new(Format::parse(text)?);
    let mut cached = lock();
    if cached.len() >= CACHE_SIZE {
        cached.remove(0);
    }
    cached.push(Arc::clone(&format));
    Ok(format)
}

impl Moment {
    pub(super) fn new(kind: &'static str, format: Option<&Text>, default: &str) -> Result<Self, RuleProblem> {
        let text = format.cloned().unwrap_or_else(|| default.into());
        match self::format(&text) {
            Ok(format) => Ok(Self { kind, text, format }),
            Err(error) => Err(RuleProblem::Format {
                rule: kind.into(),
                problem: error.to_string(),
            }),
        }
    }

    pub(super) fn text(&self, actual: &str) -> Verdict {
        require(
            self.format.check(actual).is_ok(),
            MismatchKind::Moment {
                what: self.kind,
                format: self.text.clone(),
            },
        )
    }
}

pub(crate) fn describe(kind: &str, format: &str, actual: Option<&Json>) -> String {
    let mut sentence = format!("Expected {} to match a {kind} pattern of '{format}'", display(actual));
    // pact-php writes formats of Joda-Time and PHP, which pact-js and pact-jvm accept.
    let parsed = self::format(format).ok();
    for (at, hint) in parsed.iter().flat_map(|format| format.hints()).enumerate() {
        sentence.push_str(if at == 0 {
            ". The format is probably wrong: "
        } else {
            " "
        });
        sentence.push_str(&hint.to_string());
    }
    sentence
}
