//! The rule `regex`: a pattern matches the whole text.

use contract_model::{Json, Text};

use super::usual;
use super::verdict::Verdict;
use crate::mismatch::MismatchKind;
use crate::pattern::{BudgetExceeded, Pattern};
use crate::problem::RuleProblem;
use crate::words::shown;

#[derive(Debug)]
pub(crate) struct Regex {
    pattern: Text,
    compiled: Pattern,
}

impl Regex {
    pub(super) fn new(pattern: &Text) -> Result<Self, RuleProblem> {
        Ok(Self {
            pattern: pattern.clone(),
            compiled: Pattern::new(pattern)?,
        })
    }

    pub(super) fn text(&self, actual: &str) -> Verdict {
        let pattern = || self.pattern.clone();
        match self.compiled.matches(actual) {
            Ok(true) => Ok(()),
            Ok(false) => Err(MismatchKind::Regex { pattern: pattern() }),
            Err(BudgetExceeded) => Err(MismatchKind::RegexBudget { pattern: pattern() }),
        }
    }
}

pub(crate) fn words(pattern: &str, actual: Option<&Json>) -> String {
    if let Some(usual) = usual::words(pattern) {
        return format!("Expected {} to be {usual}", shown(actual));
    }
    format!("Expected {} to match '{pattern}'", shown(actual))
}

pub(crate) fn words_of_budget(pattern: &str, actual: Option<&Json>) -> String {
    format!(
        "Gave up matching {} with '{pattern}': the pattern needs too many steps",
        shown(actual)
    )
}
