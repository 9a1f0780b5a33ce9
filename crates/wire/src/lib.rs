//! Converts between HTTP messages and the data model, for clients and servers.
//!
//! This crate encodes and decodes headers, paths, and queries. It contains a [`Client`] that sends requests exactly as
//! written in a contract, and TLS settings for clients and servers.
//!
//! This crate reads neither files nor environment variables: the caller passes certificates and proxies as values. It
//! uses the tokio runtime of the caller.
//!
//! ```
//! use contract_model::Headers;
//! use contract_wire::{header_map, decode_headers};
//!
//! let headers: Headers = [("Accept", "text/html"), ("Accept", "text/plain")].into_iter().collect();
//! let lines = header_map(&headers)?;
//! assert_eq!(lines["accept"], "text/html, text/plain");
//! assert_eq!(decode_headers(&lines), headers);
//! # Ok::<(), contract_wire::HeaderError>(())
//! ```

#![forbid(unsafe_code)]

mod body;
mod client;
mod coding;
mod error;
mod headers;
mod redact;
mod tls;
mod url;
mod version;

pub use body::{BodyError, next_data, read_body};
pub use client::{
    Answer, Client, ClientOptions, FetchError, Fetched, Outgoing, Proxies, ProxyRules, Redirects, RequestError,
    RequestErrorKind, check_url, decompressed, seconds,
};
pub use error::SettingsError;
pub use headers::{HeaderError, decode_headers, header_map, header_name, header_value};
pub use redact::{redact_uri, redact_url};
pub use tls::{ClientTls, Identity, MoreAuthorities, ServerCertificate, ServerTls, ServerTlsError, Tls};
pub use url::{BaseUrl, encode_path, encode_query, parse_query, without_credentials};
pub use version::HttpVersion;
