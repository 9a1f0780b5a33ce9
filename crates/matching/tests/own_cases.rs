//! The cases of this project: what the published ones do not cover, and every place where other tools decide wrongly.

#[path = "support/cases.rs"]
mod cases;

use std::path::Path;

#[test]
fn own_cases_give_their_verdict_and_name_their_mismatches() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/matching");
    let all = cases::cases_below(&folder).expect("the fixtures stand in the project");
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
