//! C interface: convert, call, convert back.
//!
//! What these functions do is said in `crates/contract`; here stands only how values cross. `include/contract.h` is made from
//! the documentation and the signatures in this crate, see `tests/header.rs`.

#![expect(non_camel_case_types, reason = "types have the names that C programs use")]
#![expect(clippy::doc_markdown, reason = "comments of a header in C have no Markdown")]
#![expect(
    clippy::missing_safety_doc,
    reason = "what holds for all pointers is said once, at the head of the header"
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

/// The version of this interface. It grows when something that a program relies on goes or means something else.
pub const CONTRACT_ABI_VERSION: u32 = 1;

/// Gives the version of the interface that the library has; a program compares it with the CONTRACT_ABI_VERSION that it was
/// compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn contract_abi_version() -> u32 {
    CONTRACT_ABI_VERSION
}

/// Gives the version of the core, such as `1.2.3`, in `out`, which the caller frees.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_version(out: *mut contract_text, error: *mut contract_text) -> contract_status {
    unsafe { edge::guarded(error, || edge::give(out, env!("CARGO_PKG_VERSION").to_owned())) }
}
