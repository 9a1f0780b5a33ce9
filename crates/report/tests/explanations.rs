//! The cases of matching that say how a mismatch is explained.

#[path = "../../matching/tests/support/cases.rs"]
mod cases;

use std::path::Path;

#[test]
fn mismatches_of_the_cases_are_explained_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/matching");
    let all = cases::cases_below(&folder).expect("the fixtures stand in the project");
    let failed: Vec<_> = cases::failures(&all, Some(contract_report::explanation))
        .into_iter()
        .map(|(case, reason)| format!("{}: {reason}", case.file.display()))
        .collect();
    assert!(!all.is_empty() && failed.is_empty(), "{}", failed.join("\n"));
}
