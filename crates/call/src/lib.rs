//! Arguments and errors of calls from bindings.
//!
//! Bindings pass arguments as JSON. This crate reads them into typed values ([`read`]) and reports invalid ones as an
//! [`ArgumentError`](error::ArgumentError). A [`Message`](message::Message) prints names in the convention of the caller's
//! language.

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
pub mod value;
