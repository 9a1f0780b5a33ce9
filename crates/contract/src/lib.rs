//! Builder, mock server, verifier and contract files in one place: all that bindings import.
//!
//! ```
//! use contract::{ContractBuilder, GivenArguments, Json, Kind};
//! let contract = ContractBuilder::new("web", "orders")?;
//! let interaction = contract.upon_receiving("a request for order 7", Kind::Http, "shop.rs:12")?;
//! interaction.given("order 7 exists", GivenArguments::default())?;
//! interaction.with_request("GET", &Json::from("/orders/7"))?;
//! interaction.will_respond_with(Some(&Json::from(200_u64)))?;
//! assert_eq!(interaction.build()?.description, "a request for order 7");
//! # Ok::<(), contract::ArgumentError>(())
//! ```

#![forbid(unsafe_code)]

mod binary;
mod builder;
mod callbacks;
mod clock;
mod error;
mod file;
mod journal;
mod log;
mod log_buffer;
mod message;
mod messages;
mod moment;
mod names;
mod read;
mod reports;
pub mod runtime;
mod serve;
mod sources;
mod verify;

pub use builder::{
    BodyValue, BytesMatch, ContractBuilder, GivenArguments, InteractionBuilder, Kind, Part, PartContent, PartValue,
    check_matcher, example_of, graphql_pattern,
};
pub use callbacks::{Answer, Callbacks, MessageNames, StateNames, answer};
pub use contract_mock_server::Outcome;
pub use contract_model::{Json, is_secret};
pub use contract_verifier::{BoxFuture, CallbackError};
pub use contract_wire::without_credentials;
pub use error::{ArgumentError, Refusal};
pub use file::{
    EndedFile, EndedTest, FileError, RUN_VARIABLES, Removed, RunFacts, TestStatus, WriteMode, WriteProblem, Writer,
    end_test_file, file_name, removed_text,
};
pub use log::{LogLevel, LogRecord, LogSink, log_by_default, log_to_file, log_to_logger, log_to_stderr};
pub use message::{Canonical, Message, Piece, Spelling};
pub use messages::{MessageOptions, MessageSession, first_message, message_list, read_message, suggest_handler};
pub use moment::{FormatStyle, Moment, MomentExample, MomentKind, moment};
pub use names::{parse_json, regex_from_javascript};
pub use read::{Document, Milliseconds, Seed, Size, Whole};
pub use reports::{format_report, write_report};
pub use serve::{
    Certificate, LimitOptions, MockSession, ServeError, ServeOptions, TestResult, TransportName, UnexpectedFields,
};
pub use sources::{RemoteSource, Source};
pub use verify::{
    Environment, FilterOptions, Gathered, HeaderOptions, OnMissing, Session, StateOptions, TlsOptions,
    TransportOptions, VARIABLES, VerifyError, VerifyOptions, gather, gather_here, verify, verify_gathered,
};
