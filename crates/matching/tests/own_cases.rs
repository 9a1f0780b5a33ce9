//! Runs the test cases of this project. They cover what the published cases do not cover, and known defects of other
//! Pact implementations.

#[path = "support/cases.rs"]
mod cases;

use std::path::Path;

#[test]
fn own_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/matching");
    let all = cases::cases_below(&folder).expect("the fixtures exist");
    assert!(!all.is_empty());
    let failed: Vec<_> = cases::failures(&all, None)
        .into_iter()
        .map(|(case, reason)| format!("{}: {reason}", case.file.display()))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} cases failed:\n{}",
        failed.len(),
        all.len(),
        failed.join("\n")
    );
}
