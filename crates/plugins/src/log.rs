//! Stores the last lines that a plugin printed, for error messages.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Maximum number of lines to store.
const LINES: usize = 200;
/// Maximum length of a stored line, in bytes. Longer lines are truncated.
const WIDTH: usize = 2000;
/// Maximum number of lines that an error message contains.
const SHOWN: usize = 12;

#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    /// Number of lines added so far, including those that are no longer stored.
    count: usize,
    /// Strings that are replaced by `[secret]`.
    secrets: Vec<String>,
}

impl Log {
    /// Replaces the string by `[secret]` in all stored and future lines.
    pub(crate) fn hide(&self, secret: &str) {
        if !secret.is_empty() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for line in &mut kept.lines {
                *line = line.replace(secret, "[secret]");
            }
            kept.secrets.push(secret.to_owned());
        }
    }

    pub(crate) fn add(&self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        let mut end = line.len().min(WIDTH);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = line[..end].to_owned();
        for secret in &kept.secrets {
            line = line.replace(secret, "[secret]");
        }
        if kept.lines.len() == LINES {
            kept.lines.pop_front();
        }
        kept.lines.push_back(line);
        kept.count += 1;
    }

    /// Returns the current position, for [`Self::since`].
    pub(crate) fn mark(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count
    }

    pub(crate) fn last_output(&self) -> String {
        self.since(0)
    }

    /// Returns the last lines that were added after the position `mark`, at most [`SHOWN`].
    pub(crate) fn since(&self, mark: usize) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = kept.count.saturating_sub(mark).min(SHOWN);
        let skipped = kept.lines.len().saturating_sub(new);
        let lines: Vec<&str> = kept.lines.iter().skip(skipped).map(String::as_str).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{LINES, Log, SHOWN, WIDTH};

    #[test]
    fn keeps_the_last_lines_and_redacts_secrets() {
        let log = Log::default();
        log.add("key k-1 was said early");
        log.hide("k-1");
        assert_eq!(log.last_output(), "key [secret] was said early");
        for number in 0..LINES * 2 {
            log.add(&format!("{number} k-1 {}\n", "ä".repeat(WIDTH)));
        }
        let mark = log.mark();
        assert_eq!(log.since(mark), "");
        log.add("one more");
        assert_eq!(log.since(mark), "one more");
        let output = log.last_output();
        assert_eq!(output.lines().last(), Some("one more"));
        let output = output.replace("one more", "399 [secret]");
        assert_eq!(output.lines().count(), SHOWN);
        assert!(
            output
                .lines()
                .all(|line| line.contains("[secret]") && line.len() <= WIDTH + 10)
        );
        assert!(output.lines().last().unwrap().starts_with("399 "));
    }
}
