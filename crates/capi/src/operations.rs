use crate::edge::{give, guarded, place};
use crate::{contract_status, contract_text};

const OPERATIONS: &str = concat!(
    "{\"operations\":",
    include_str!("../../../fixtures/operations/calls.json"),
    ",\"functions\":",
    include_str!("../../../fixtures/operations/functions.json"),
    ",\"shapes\":",
    include_str!("../include/shapes.json"),
    "}"
);

/// Gives what a binding is made from, a JSON object: `operations`, the operations of contracts, interactions, verifiers and
/// selectors with their arguments and options; `functions`, the matchers and generators of contract_matcher; `shapes`, a JSON
/// Schema for each result, such as `VerificationReport`, `Verdict`, `Event` and `Error`. It is installed as
/// share/contract/operations.json, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_operations(out: *mut contract_text, error: *mut contract_text) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            give(out, OPERATIONS.to_owned())
        })
    }
}
