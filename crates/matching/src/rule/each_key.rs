//! The `eachKey` rule: each key of an object matches a list of rules.

use contract_model::{Definition, Json, Text};

use super::{Check, CheckedRule, Checks};
use crate::error::RuleProblem;
use crate::mismatch::MismatchKind;

#[derive(Debug)]
pub(crate) struct EachKey {
    checks: Checks,
    /// The example key from the contract, or `None` if the contract contains none.
    pub(crate) example: Option<Json>,
}

impl EachKey {
    pub(super) fn new(definition: &Definition) -> Result<Self, RuleProblem> {
        Ok(Self {
            checks: Checks::all(&definition.rules)?,
            example: definition.value.clone().filter(|value| value.as_str().is_some()),
        })
    }

    /// Returns the rules that do not accept the key, with the reasons.
    pub(crate) fn failures(&self, key: &Text) -> Vec<(&CheckedRule, MismatchKind)> {
        let value = Json::String(key.clone());
        let check = |checked: &CheckedRule| match (&checked.check, &self.example) {
            (Check::Equality | Check::Values, None) => Err(MismatchKind::NotApplicable {
                problem: format!(
                    "Unable to match the key '{key}' using {}: eachKey has no example key in the contract",
                    checked.rule.name()
                ),
            }),
            (_, example) => checked.scalar(example.as_ref().unwrap_or(&value), &value),
        };
        self.checks.failures(false, check)
    }
}
