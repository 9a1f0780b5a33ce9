//! Determines the status of an integration's current contract.

use serde_json::Value;

use crate::sql::integrations::CurrentContract;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractStatus {
    /// The newest result passed.
    Verified,
    /// The newest result failed, although the content has passed before: on the provider's main branch, or with any
    /// version if the provider has no main branch.
    Failed,
    /// The content has no result, but another content of the integration has one.
    Changed,
    /// The newest result failed, and the content has never passed on the provider's main branch. The failure does not
    /// fail the provider's build.
    Pending,
    /// Work in progress: the contract does not come from the consumer's main branch, and its content has not passed.
    Wip,
    /// No content of the integration has a result.
    Unverified,
}

impl ContractStatus {
    pub fn new(contract: &CurrentContract) -> Self {
        match &contract.result {
            Some(result) if result.success => Self::Verified,
            Some(_) if contract.has_passed => Self::Failed,
            _ if contract.is_on_other_branch => Self::Wip,
            Some(_) => Self::Pending,
            None if contract.was_verified_before => Self::Changed,
            None => Self::Unverified,
        }
    }
}

/// Returns the number of failed interactions and the total number of interactions in a verifier's test results. Returns
/// `None` if the results do not list the interactions.
pub fn failed_interactions(test_results: &str) -> Option<(usize, usize)> {
    let parsed: Value = serde_json::from_str(test_results).ok()?;
    let tests = match &parsed {
        Value::Array(tests) => tests,
        // Older verifiers send an object.
        Value::Object(object) => object.get("tests")?.as_array()?,
        _ => return None,
    };
    let outcomes: Vec<bool> = tests
        .iter()
        .filter_map(|test| test.get("success").and_then(Value::as_bool))
        .collect();
    let failed = outcomes.iter().filter(|success| !**success).count();
    (!outcomes.is_empty()).then_some((failed, outcomes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_failed_interactions() {
        let results = r#"[{"interactionId":"a","success":true},{"interactionId":"b","success":false,"mismatches":[]}]"#;
        assert_eq!(failed_interactions(results), Some((1, 2)));
        assert_eq!(failed_interactions(r#"{"tests":[{"success":false}]}"#), Some((1, 1)));
        for text in ["", "{}", "[]", "null", r#"{"summary":{"failureCount":1}}"#] {
            assert_eq!(failed_interactions(text), None, "{text}");
        }
    }
}
