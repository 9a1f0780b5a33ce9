//! Certificates and keys, for clients and servers.

mod client;
mod server;

pub(crate) use client::ClientTls;
pub use client::{Identity, Tls};
pub use server::{ServerCertificate, ServerTls, ServerTlsError};
