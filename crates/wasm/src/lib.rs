//! The matching engine for JavaScript without native code. `scripts/build-wasm.mjs` compiles it to WebAssembly, and
//! `src/engine/` calls it.
//!
//! An [`Engine`] contains the HTTP interactions of any number of contracts. For a request, it returns the response of
//! the interaction that matches, or the closest interaction and its mismatches. The engine does no I/O. The current
//! time and the seed for generated values are arguments.
//!
//! # Selection of the response
//!
//! An interaction is used only if it matches the complete request. If provider states are selected, all states of the
//! interaction must be among them. If multiple interactions match, the engine selects one by these criteria, in this
//! order:
//!
//! 1. the interaction with the most provider states, if provider states are selected,
//! 2. interactions without a matching rule for the path,
//! 3. the order of the contracts, and of the interactions within a contract.
//!
//! # Interface
//!
//! The WebAssembly module exports `contract_alloc`, `contract_free`, and `contract_call`. A call receives one message
//! and returns one message. A message is a JSON document, followed by a body of arbitrary bytes. See [`call`]. Each
//! instance of the module has one engine.

mod abi;
mod answer;
mod call;
mod conflicts;
mod engine;
mod error;
mod expectation;
mod explain;
mod index;
mod states;

pub use abi::{contract_alloc, contract_call, contract_free};
pub use call::call;
pub use conflicts::{Conflict, Named};
pub use engine::{Engine, OpenOptions, Opened, Served, Source};
pub use error::OpenError;
