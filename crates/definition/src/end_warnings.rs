//! Warnings about mistakes that do not fail a test. They are printed when the process ends.

use std::sync::{Mutex, PoisonError};

/// Warnings that do not belong to a server. Their number is limited so that the output stays readable.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MAX_WARNINGS: usize = 50;

/// Stores a warning until the process ends. Equal warnings are stored once.
pub fn record(text: String) {
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if warnings.len() < MAX_WARNINGS && !warnings.contains(&text) {
        warnings.push(text);
    }
}

/// Removes and returns all stored warnings.
pub fn take() -> Vec<String> {
    std::mem::take(&mut WARNINGS.lock().unwrap_or_else(PoisonError::into_inner))
}
