//! Arguments and errors of calls that bindings make.
//!
//! Bindings pass arguments as JSON. This crate reads them into typed values ([`read`]) and reports invalid ones as an
//! [`ArgumentError`](error::ArgumentError). A [`Message`](message::Message) prints names in the convention of the
//! calling language.

#![forbid(unsafe_code)]

pub mod binary;
pub mod error;
pub mod files;
pub mod json;
pub mod message;
pub mod names;
pub mod paths;
pub mod pem;
pub mod read;
mod to_json;
pub mod value;
