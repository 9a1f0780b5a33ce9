//! Warnings about mistakes in tests that cause no error. They are printed when the process ends.

use std::sync::{Mutex, PoisonError};

/// Warnings that do not belong to a server. Their number is limited to keep the output readable.
static SLIPS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MOST_SLIPS: usize = 50;

/// Stores a warning until the process ends. Equal warnings are stored once.
pub fn slip(text: String) {
    let mut slips = SLIPS.lock().unwrap_or_else(PoisonError::into_inner);
    if slips.len() < MOST_SLIPS && !slips.contains(&text) {
        slips.push(text);
    }
}

/// Removes and returns all stored warnings.
pub fn take() -> Vec<String> {
    std::mem::take(&mut SLIPS.lock().unwrap_or_else(PoisonError::into_inner))
}
