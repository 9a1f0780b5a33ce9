//! What failed of an interaction, part by part, as every reporter shows it.

use contract_matching::{Location, Mismatch};

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

/// A title and what belongs under it.
type Part = (&'static str, fn(&Location) -> bool);

const PARTS: [Part; 4] = [
    ("Response status did not match", |at| matches!(at, Location::Status)),
    ("Headers had differences", |at| matches!(at, Location::Header { .. })),
    ("Metadata had differences", |at| matches!(at, Location::Metadata(_))),
    ("Body had differences", is_body),
];

pub(super) fn is_body(at: &Location) -> bool {
    matches!(at, Location::Body(_) | Location::BodyType | Location::Form { .. })
}

impl InteractionReport {
    /// What failed, in the order error, status, headers, metadata, body, teardown. Empty when it passed.
    pub fn failures(&self) -> Vec<Failure<'_>> {
        let of_error = |error| Failure {
            title: InteractionError::title(error),
            error: Some(error),
            mismatches: Vec::new(),
            diff: None,
        };
        let parts = PARTS.iter().filter_map(|(title, takes)| {
            let mismatches: Vec<_> = self.mismatches.iter().filter(|mismatch| takes(&mismatch.at)).collect();
            let has_diff = mismatches.iter().any(|mismatch| is_body(&mismatch.at));
            (!mismatches.is_empty()).then_some(Failure {
                title,
                error: None,
                mismatches,
                diff: self.diff.as_deref().filter(|_| has_diff),
            })
        });
        let error = self.error.as_ref().map(of_error);
        let teardown = self.teardown_error.as_ref().map(of_error);
        error.into_iter().chain(parts).chain(teardown).collect()
    }

    /// The environment that makes the next verification run this interaction alone, as words of a shell.
    pub fn run_again(&self) -> String {
        let description = quoted(&self.description);
        match self.states.first() {
            Some(state) => format!(
                "CONTRACT_DESCRIPTION={description} CONTRACT_PROVIDER_STATE={}",
                quoted(&state.name)
            ),
            None => format!("CONTRACT_DESCRIPTION={description} CONTRACT_PROVIDER_NO_STATE=true"),
        }
    }
}

/// A regular expression for exactly this text, as a word of a shell.
fn quoted(text: &str) -> String {
    let mut pattern = String::from("^");
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
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
    }
}
