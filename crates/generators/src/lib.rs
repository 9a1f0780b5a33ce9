//! Generates the values that replace the examples in contracts.
//!
//! The functions of this crate have no side effects: the current time, provider state values, and the source of
//! randomness are in the [`Context`]. The same context always produces the same values.
//!
//! ```
//! use contract_generators::{Context, Mode, Random, generate};
//! use contract_model::{Generator, Json};
//!
//! let now = contract_datetime::DateTime::new(2026, 7, 1)?.at(12, 30, 0, 0)?;
//! let mut context = Context::new(Mode::Provider, now, Random::from_seed(7));
//! let tomorrow = Generator::from_json(&Json::parse(br#"{"type": "Date", "expression": "tomorrow"}"#)?)?;
//! assert_eq!(generate(&tomorrow, None, &mut context)?, Some(Json::from("2026-07-02")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The module [`apply`] generates all values of a request, a response, or a message.

#![forbid(unsafe_code)]

pub mod apply;
mod budget;
mod context;
mod error;
mod generate;
mod pattern;
mod random;

pub use budget::Budget;
pub use context::{Context, Mode, VariantMatch};
pub use error::GenerateError;
pub use generate::{applies, check, generate};
pub use random::Random;
