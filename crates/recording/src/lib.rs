//! Derives a contract from recorded HTTP traffic.
//!
//! A recording shows examples, but not which of their properties the consumer needs. The inferred rules are
//! conservative: they are based on the kinds of values, and everything else is compared literally or left out. The
//! result lists each inferred rule, so that users can review it. It never contains credentials.
//!
//! This crate is pure: it opens no files and no sockets.
//!
//! ```
//! use contract_recording::{Exchange, Options, infer};
//!
//! let exchange = Exchange {
//!     method: "GET".into(),
//!     path: "/orders/7".into(),
//!     status: 200,
//!     response_headers: [("Content-Type", "application/json")].into_iter().collect(),
//!     response_body: br#"{"id": 7}"#.as_slice().into(),
//!     ..Exchange::default()
//! };
//! let recording = infer(vec![exchange], &Options::new("web", "orders"));
//! assert_eq!(recording.contract.interactions[0].description, "GET /orders/{number} returns 200");
//! ```

#![forbid(unsafe_code)]

mod body;
mod code;
mod exchange;
mod har;
mod head;
mod infer;
mod select;
mod text;

pub use code::to_code;
pub use exchange::{Captured, Exchange, Guess, Options, Recording, Skipped};
pub use har::{HarError, read_har};
pub use head::OMITTED_HEADERS;
pub use infer::infer;
pub use select::{Selected, SelectionError, select};
