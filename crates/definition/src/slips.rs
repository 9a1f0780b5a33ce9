//! Mistakes that cause no error, kept until the process ends.

use std::sync::{Mutex, PoisonError};

/// Mistakes that do not concern a server. Their number is limited to keep the output readable.
static SLIPS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MOST_SLIPS: usize = 50;

/// Records a mistake until the end of the process. Equal texts are recorded once.
pub fn slip(text: String) {
    let mut slips = SLIPS.lock().unwrap_or_else(PoisonError::into_inner);
    if slips.len() < MOST_SLIPS && !slips.contains(&text) {
        slips.push(text);
    }
}

/// Removes and returns all recorded mistakes.
pub fn take() -> Vec<String> {
    std::mem::take(&mut SLIPS.lock().unwrap_or_else(PoisonError::into_inner))
}
