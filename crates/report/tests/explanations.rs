//! Runs the matching crate's test cases that contain explanations.

#[path = "../../matching/tests/support/cases.rs"]
mod cases;

use std::path::Path;

#[test]
fn explains_the_mismatches_of_the_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/matching");
    let all = cases::cases_below(&folder).expect("the fixtures exist");
    let failed: Vec<_> = cases::failures(&all, Some(contract_report::explanation))
        .into_iter()
        .map(|(case, reason)| format!("{}: {reason}", case.file.display()))
        .collect();
    assert!(!all.is_empty() && failed.is_empty(), "{}", failed.join("\n"));
}
