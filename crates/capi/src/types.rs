//! Handles and statuses.

/// A handle refers to a contract, an interaction, a mock server, a set of messages, or a verifier. It is never 0.
/// Handles may be used on any thread. The use of a handle that was freed or never existed returns CONTRACT_MISUSE.
pub type contract_handle = u64;

/// The result of a function: CONTRACT_OK or the kind of error.
pub type contract_status = i32;

/// The call succeeded.
pub const CONTRACT_OK: contract_status = 0;
/// An argument is invalid. The call had no effect.
pub const CONTRACT_ARGUMENT: contract_status = 1;
/// A file could not be read or written. Existing files are unchanged.
pub const CONTRACT_FILE: contract_status = 2;
/// The mock server could not be started.
pub const CONTRACT_SERVER: contract_status = 3;
/// The verification could not be run. If it was run and the provider does not satisfy its contracts, the call returns
/// CONTRACT_OK, and the report contains the failures.
pub const CONTRACT_VERIFICATION: contract_status = 4;
/// The caller used the library incorrectly, for example by passing a null pointer, text that is not UTF-8, or an
/// invalid handle.
pub const CONTRACT_MISUSE: contract_status = 5;
/// An internal error of the library. Please report it.
pub const CONTRACT_INTERNAL: contract_status = 6;
