//! Mistakes that pass silently, kept until the process ends.

use std::sync::{Mutex, PoisonError};

/// Mistakes that belong to no server. Limited in number, because people read them.
static SLIPS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MOST_SLIPS: usize = 50;

/// Records a mistake until the end of the process. Equal texts are recorded once.
pub fn slip(text: String) {
    let mut slips = SLIPS.lock().unwrap_or_else(PoisonError::into_inner);
    if slips.len() < MOST_SLIPS && !slips.contains(&text) {
        slips.push(text);
    }
}

/// Removes and returns all of them.
pub fn take() -> Vec<String> {
    std::mem::take(&mut SLIPS.lock().unwrap_or_else(PoisonError::into_inner))
}
