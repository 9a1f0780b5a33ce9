//! Reads the arguments of calls that bindings make, and reports invalid arguments.
//!
//! Bindings pass arguments as JSON. [`read`] converts them to typed values. For invalid arguments, it returns an
//! [`ArgumentError`](error::ArgumentError) with a [`Message`](message::Message), whose operation and option names each
//! binding prints in its own convention.

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
