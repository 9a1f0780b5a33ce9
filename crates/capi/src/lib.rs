//! C interface: convert, call, convert back.
//!
//! What these functions do is said in `crates/contract`; here stands only how values cross. `include/contract.h` is made from
//! the documentation and the signatures in this crate, see `tests/header.rs`.

#![expect(non_camel_case_types, reason = "types have the names that C programs use")]
#![expect(missing_docs, reason = "what modules are for, the names of their functions say")]
#![expect(clippy::doc_markdown, reason = "comments of a header in C have no Markdown")]
#![expect(
    clippy::missing_safety_doc,
    reason = "what holds for all pointers is said once, at the head of the header"
)]

pub mod calls;
pub mod contract;
mod edge;
mod handles;
pub mod log;
pub mod matchers;
pub mod messages;
pub mod server;
pub mod verifier;

pub use edge::{contract_text, contract_text_free};
pub use handles::contract_free;

/// A contract, an interaction, a server, messages or a verifier: a number, never 0. Handles may be used on any thread. One that
/// was freed, or never was, is refused with CONTRACT_MISUSE.
pub type contract_handle = u64;

/// What a function says: 0 is CONTRACT_OK, anything else a kind of failure.
pub type contract_status = i32;

/// All went well.
pub const CONTRACT_OK: contract_status = 0;
/// An argument makes no sense; the error says which and why. Nothing of the call stays.
pub const CONTRACT_ARGUMENT: contract_status = 1;
/// A file could not be read or written; what was on disk is as it was.
pub const CONTRACT_FILE: contract_status = 2;
/// The mock server could not be started.
pub const CONTRACT_SERVER: contract_status = 3;
/// The verification could not be carried out. A provider that does not honour its contract is no failure but a report.
pub const CONTRACT_VERIFICATION: contract_status = 4;
/// The library was used in a wrong way: a null pointer where none may be, text that is no UTF-8, a handle that is none.
pub const CONTRACT_MISUSE: contract_status = 5;
/// The library itself failed; please report it.
pub const CONTRACT_INTERNAL: contract_status = 6;

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
