//! How a call of a binding arrives as data, and how it is rejected in each language's spelling.
//!
//! Bindings pass arguments as JSON. This crate reads them into typed values ([`read`]), reports invalid ones as an
//! [`ArgumentError`](error::ArgumentError), and spells the names in a [`Message`](message::Message) as the caller's language does.

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
