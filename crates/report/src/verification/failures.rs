//! What failed of an interaction, part by part, as every reporter shows it.

use std::fmt::Write;

use contract_matching::Mismatch;

use super::InteractionReport;
use crate::InteractionError;

/// One part of an interaction that failed, under the title that people of the field know.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure<'a> {
    /// Such as `Body had differences`.
    pub title: &'static str,
    /// Why it could not be compared; there are no mismatches then.
    pub error: Option<&'a InteractionError>,
    /// What differs.
    pub mismatches: Vec<&'a Mismatch>,
    /// The differences of a JSON body in lines that begin with `-` (expected), `+` (actual) or a blank.
    pub diff: Option<&'a str>,
}

/// A title, and the types of mismatches that belong under it.
pub(super) const PARTS: [(&str, &[&str]); 4] = [
    ("Response status did not match", &["StatusMismatch"]),
    ("Headers had differences", &["HeaderMismatch"]),
    ("Metadata had differences", &["MetadataMismatch"]),
    ("Body had differences", &BODY),
];

/// The types of mismatches that are about the body.
pub(super) const BODY: [&str; 2] = ["BodyTypeMismatch", "BodyMismatch"];

impl InteractionReport {
    /// What failed, in the order error, status, headers, metadata, body, teardown. Empty when it passed.
    pub fn failures(&self) -> Vec<Failure<'_>> {
        let of_error = |error| Failure {
            title: InteractionError::title(error),
            error: Some(error),
            mismatches: Vec::new(),
            diff: None,
        };
        let parts = PARTS.iter().filter_map(|(title, types)| {
            let is_of_part = |mismatch: &&Mismatch| types.contains(&mismatch.at.mismatch_type());
            let mismatches: Vec<_> = self.mismatches.iter().filter(is_of_part).collect();
            (!mismatches.is_empty()).then_some(Failure {
                title,
                error: None,
                mismatches,
                diff: self.diff.as_deref().filter(|_| **types == BODY),
            })
        });
        let error = self.error.as_ref().map(of_error);
        let teardown = self.teardown_error.as_ref().map(of_error);
        error.into_iter().chain(parts).chain(teardown).collect()
    }

    /// What makes the next verification run this interaction alone, as words of a shell: environment, and behind it the
    /// command of the report.
    pub fn run_again(&self, command: Option<&str>) -> String {
        run_again(
            &self.description,
            self.states.first().map(|state| state.name.as_str()),
            command,
        )
    }
}

pub(super) fn run_again(description: &str, state: Option<&str>, command: Option<&str>) -> String {
    let description = quoted(description);
    let mut words = match state {
        Some(state) => format!(
            "CONTRACT_DESCRIPTION={description} CONTRACT_PROVIDER_STATE={}",
            quoted(state)
        ),
        None => format!("CONTRACT_DESCRIPTION={description} CONTRACT_PROVIDER_NO_STATE=true"),
    };
    if let Some(command) = command {
        words.push(' ');
        words.push_str(command);
    }
    words
}

/// A regular expression for exactly this text, as a word of a shell.
fn quoted(text: &str) -> String {
    let mut pattern = String::from("^");
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        if c.is_control() {
            let _ = write!(pattern, "\\x{{{:x}}}", u32::from(c));
        } else {
            pattern.push(c);
        }
    }
    pattern.push('$');
    format!("'{}'", pattern.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_of_a_shell() {
        assert_eq!(quoted("it's (new) a.b"), r"'^it'\''s \(new\) a\.b$'");
        // A command is one line, and a terminal shows no control characters.
        assert_eq!(quoted("a\n\u{1b}"), r"'^a\x{a}\x{1b}$'");
    }
}
