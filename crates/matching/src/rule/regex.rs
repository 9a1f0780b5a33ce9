//! The `regex` rule: the pattern matches the entire string.

use contract_model::{Json, Text};

use super::known_patterns;
use super::verdict::Verdict;
use crate::display::display;
use crate::error::RuleProblem;
use crate::mismatch::MismatchKind;
use crate::pattern::{BudgetExceeded, Pattern};

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

pub(crate) fn describe(pattern: &str, actual: Option<&Json>) -> String {
    if let Some(usual) = known_patterns::describe(pattern) {
        return format!("Expected {} to be {usual}", display(actual));
    }
    format!("Expected {} to match '{pattern}'", display(actual))
}

pub(crate) fn describe_budget(pattern: &str, actual: Option<&Json>) -> String {
    format!(
        "Gave up matching {} with '{pattern}': the pattern needs too many steps",
        display(actual)
    )
}
