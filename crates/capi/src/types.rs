//! Handles and statuses.

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
