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

/// Returns a JSON object that describes this interface, for generating bindings. `operations` contains the operations
/// of contracts, interactions, verifiers, and selectors with their arguments and options. `functions` contains the
/// matchers and generators for contract_matcher. `shapes` contains a JSON Schema for each type of result, such as
/// `VerificationReport`, `Verdict`, `Event`, and `Error`. The file share/contract/operations.json has the same content.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_operations(out: *mut contract_text, error: *mut contract_text) -> contract_status {
    unsafe {
        guarded(error, || {
            place(out, "out")?;
            give(out, OPERATIONS.to_owned())
        })
    }
}
