//! The C interface. Each function converts its arguments, calls `crates/contract`, and converts the result.
//! `include/contract.h` is generated from the documentation and signatures in this crate by `tests/header.rs`.

#![expect(non_camel_case_types, reason = "names of C types")]
#![expect(clippy::doc_markdown, reason = "the header has no Markdown")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the rules for pointers are at the top of the header"
)]

pub mod calls;
pub mod contract;
mod edge;
mod events;
mod handles;
pub mod log;
pub mod matchers;
pub mod messages;
pub mod operations;
pub mod polling;
pub mod server;
mod types;
pub mod verifier;

pub use edge::{contract_text, contract_text_free};
pub use handles::contract_free;
pub use types::{
    CONTRACT_ARGUMENT, CONTRACT_FILE, CONTRACT_INTERNAL, CONTRACT_MISUSE, CONTRACT_OK, CONTRACT_SERVER,
    CONTRACT_VERIFICATION, contract_handle, contract_status,
};

/// The version of this interface. It increases with each incompatible change.
pub const CONTRACT_ABI_VERSION: u32 = 1;

/// Returns the interface version of the loaded library. Compare it with the CONTRACT_ABI_VERSION that the program was
/// compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn contract_abi_version() -> u32 {
    CONTRACT_ABI_VERSION
}

/// Returns the version of the library in `out`, such as `1.2.3`. The caller must free the text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_version(out: *mut contract_text, error: *mut contract_text) -> contract_status {
    unsafe { edge::guarded(error, || edge::give(out, env!("CARGO_PKG_VERSION").to_owned())) }
}
