//! Checks that all published test cases of the Pact Specification have the published result.

#[path = "support/cases.rs"]
mod cases;

use std::io::Write;
use std::path::Path;

const FOLDER: &str = "CONTRACT_SPEC_CASES";

#[test]
fn published_cases() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        // Write to stderr directly, because the test harness hides the output of passing tests.
        let mut shown = std::io::stderr();
        let text = "the published cases were NOT run. Set it to a folder that contains version-1 to version-4.";
        return writeln!(shown, "{FOLDER} is not set: {text}").expect("stderr is writable");
    };
    let all = cases::cases_below(Path::new(&folder)).expect("the folder in the variable is readable");
    assert!(!all.is_empty(), "there is no case below {}", folder.display());
    let failed: Vec<_> = cases::failures(&all, None)
        .into_iter()
        .map(|(case, reason)| format!("{}: {reason}", case.file.display()))
        .collect();
    println!("{} passed, {} failed", all.len() - failed.len(), failed.len());
    assert!(
        failed.is_empty(),
        "{} of {} cases failed:\n{}",
        failed.len(),
        all.len(),
        failed.join("\n")
    );
}
