//! Builder, mock server, verifier and contract files in one place: all that bindings import.
//!
//! ```
//! use contract::{ContractBuilder, Kind, Operation};
//! let contract = ContractBuilder::new("web", "orders")?;
//! let interaction = contract.upon_receiving("a request for order 7", Kind::Http, "shop.rs:12")?;
//! interaction.given("order 7 exists", None)?;
//! interaction.with_request("GET", "/orders/7")?;
//! interaction.will_respond_with(200_u64)?;
//! // Every call is a value, too: what bindings pass on.
//! interaction.apply(Operation::from_text(r#"{ "with_header": { "name": "X-Id", "value": "7" } }"#)?)?;
//! assert_eq!(interaction.build()?.description, "a request for order 7");
//! # Ok::<(), contract::ArgumentError>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod binary;
mod broker;
mod builder;
mod callbacks;
mod clock;
mod ending;
mod environment;
mod error;
mod failure;
mod file;
mod journal;
mod json;
mod log;
mod matchers;
mod message;
mod message_endpoint;
mod message_result;
mod message_run;
mod messages;
mod names;
mod operations;
mod options;
mod paths;
mod plugins;
mod read;
mod reports;
mod running;
pub mod runtime;
mod serve;
mod sources;
mod test_broker;
mod value;
mod verify;

pub use broker::{
    BROKER_CALLS, BrokerFailure, BrokerReply, broker_call, broker_call_with_progress, short_version, short_versions,
};
pub use builder::{
    Binary, BytesMatch, ContractBuilder, ContractOperation, ContractOptions, DefaultArguments, InteractionArguments,
    InteractionBuilder, Kind, Operation, Pairs, Part, PartArguments, RequestArguments, RequestDefaults,
    ResponseArguments, ResponseDefaults, StateArguments, UnexpectedFields, WriteMode, example_of, value_refused,
};
pub use callbacks::{Answer, Callbacks, Role, answer};
pub use contract_broker_client::{BrokerError, BrokerErrorKind};
pub use contract_mock_server::Outcome;
pub use contract_model::{Json, Layout, Object, is_secret};
pub use contract_report::redact::text as redacted;
pub use contract_report::{harmless_json, harmless_text, indented_text};
pub use contract_verifier::{BoxFuture, CallbackError, Report, ReportFormat};
pub use contract_wire::shown_url;
pub use ending::{Ending, Late, Mismatched, TestEnd, Verdict, end_test, mismatched_so_far};
pub use environment::Environment;
pub use error::{ArgumentError, Refusal};
pub use failure::Failure;
pub use file::{
    EndedFile, EndedRun, EndedTest, FileError, RUN_VARIABLES, Removed, RunFacts, TestStatus, Writer, end_test_file,
    end_test_run, file_name, file_problem, open_file, open_to_append, read_settings, removed_text,
};
pub use json::{parse_json, to_text};
pub use log::{LogLevel, LogRecord, LogSink, log_by_default, log_to_file, log_to_logger, log_to_stderr};
pub use matchers::{
    Accepted, DEFAULT_EXAMPLE_LIMIT, Example, FormatStyle, Function, Generator, Length, Matcher, MomentArguments,
    MomentExample, MomentGenerator, Numeric, OneOrMore, Pattern, StateType, StatusClass, Template, UuidForm, Xml,
    functions, matcher,
};
pub use message::{Canonical, Message, Piece, Spelling};
pub use message_endpoint::{EndpointRequest, EndpointResponse, MessageEndpoint};
pub use message_run::{Handled, MessageFailure, MessageSession, MessageVerdict};
pub use names::{log_level, log_path, regex_from_javascript};
pub use operations::operations;
pub use options::{Certificate, LimitOptions, MessageOptions, ServeOptions, TestPlace, TransportName, WriteOptions};
pub use plugins::{
    Installation, NO_PLUGIN_DIRECTORY, PLUGIN_VARIABLES, PluginCheck, PluginManifest, PluginOptions, check_plugin,
    install, remove,
};
pub use read::{Document, FilterPattern, Milliseconds, Seed, Size, TextOrFunction, Whole};
pub use reports::{format_report, report_format, report_place, write_report};
pub use running::slips_at_end;
pub use serve::{MockSession, Serving};
pub use test_broker::{TestBrokerCredentials, TestBrokerOptions};
pub use value::UserFunction;
pub use verify::{
    Branch, BrokerSourceOptions, Bytes, Cause, ConsumerVersion, Enabled, FilterOptions, Given, Hook, Kept,
    ListedInteraction, MessageHandler, MessageHandlerOptions, OnMissing, Pem, PublishOptions, RedirectOptions,
    RunOptions, SelectorOperation, SelectorOptions, SourceOptions, StateHandlerOptions, Surroundings, Time, Tls,
    Verification, Verified, VerifierOperation, VerifyError, VerifyOptions, base_url,
};
