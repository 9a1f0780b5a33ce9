//! The client against a broker of this project, against recorded replies of the field's, and against servers that misbehave.
#![allow(clippy::unwrap_used, clippy::panic, reason = "only tests are here")]

mod publishing;
mod records;
mod support;
mod transport;
mod verification;
