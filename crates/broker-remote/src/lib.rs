//! Requests of the broker to other servers: webhooks, identity providers, other brokers, and collectors of traces.
#![forbid(unsafe_code)]

mod failure;
pub mod identity;
pub mod import;
pub mod log;
pub mod tls;
pub mod traces;
pub mod webhooks;
