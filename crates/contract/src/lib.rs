//! The API for bindings: builder, mock server, verifier, and contract files.
//!
//! ```
//! use contract::{ContractBuilder, Kind, Operation};
//! let contract = ContractBuilder::new("web", "orders")?;
//! let interaction = contract.upon_receiving("a request for order 7", Kind::Http, "shop.rs:12")?;
//! interaction.given("order 7 exists", None)?;
//! interaction.with_request("GET", "/orders/7")?;
//! interaction.will_respond_with(200_u64)?;
//! // Every call can also be expressed as data. Bindings use this form.
//! interaction.apply(Operation::from_text(r#"{ "with_header": { "name": "X-Id", "value": "7" } }"#)?)?;
//! assert_eq!(interaction.build()?.description, "a request for order 7");
//! # Ok::<(), contract::ArgumentError>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod callbacks;
mod contracts;
mod ending;
mod failure;
mod journal;
mod listen;
mod log;
mod message_handler;
mod messages;
mod operations;
mod options;
mod record;
mod reports;
mod running;
mod serve;
mod stub;
mod template;
mod test_broker;
mod variant_suite;
mod variants;
mod verify;
mod verify_error;

pub use callbacks::{Answer, Callbacks, Role, answer};
pub use contract_broker_client::{BrokerError, BrokerErrorKind};
pub use contract_call::error::{ArgumentError, ArgumentErrorDetails};
pub use contract_call::files::{FileError, file_problem, open_file, open_to_append, read_settings};
pub use contract_call::json::{parse_json, to_text, to_value};
pub use contract_call::message::{Canonical, Message, Piece, Spelling};
pub use contract_call::names::{log_level, log_path};
pub use contract_call::pem::Pem;
pub use contract_call::read::{Argument, Document, Milliseconds, Seed, Size, TextOrFunction, Whole};
pub use contract_call::value::UserFunction;
pub use contract_definition::plugins::{PLUGIN_VARIABLES, PluginOptions};
pub use contract_definition::{
    Accepted, Binary, BytesMatch, ContractBuilder, ContractOperation, ContractOptions, DEFAULT_EXAMPLE_LIMIT,
    DefaultArguments, Example, FormatStyle, Function, Generator, InteractionArguments, InteractionBuilder, Kind,
    Length, Matcher, MomentArguments, MomentExample, MomentGenerator, Numeric, OneOrMore, Operation, Pairs, Part,
    PartArguments, Pattern, RequestArguments, RequestDefaults, ResponseArguments, ResponseDefaults, StateArguments,
    StateType, StatusClass, Template, UnexpectedFields, UnreadFields, UuidForm, VariantChoice, VariantOptions,
    WriteMode, Xml, example_of, functions, matcher, regex_from_javascript,
};
pub use contract_file::{
    EndedFile, EndedRun, EndedTest, RUN_VARIABLES, Removed, RunFacts, TestStatus, Writer, end_test_file, end_test_run,
    file_name, removed_text,
};
pub use contract_mock_server::Outcome;
pub use contract_model::{Contract, Json, Layout, Object, is_secret};
pub use contract_pipeline::{
    BROKER_CALLS, BrokerFailure, BrokerReply, Environment, broker, broker_call, short_version, short_versions,
};
pub use contract_plugin_work::{PluginCheck, check_plugin};
pub use contract_plugins::{Installation, Manifest as PluginManifest, NO_PLUGIN_DIRECTORY, install, remove};
pub use contract_report::redact::text as redacted;
pub use contract_report::{escape_indented, escape_json, escape_line, escape_text};
pub use contract_runtime as runtime;
pub use contract_verifier::{BoxFuture, CallbackError, Report, ReportFormat};
pub use contract_wire::redact_url;
pub use contracts::{ContractFiles, read_contracts};
pub use ending::{Ending, Late, Mismatched, TestEnd, Verdict, end_test, mismatched_so_far};
pub use failure::Failure;
pub use listen::ListenOptions;
pub use log::{LogLevel, LogRecord, LogSink, log_by_default, log_to_file, log_to_logger, log_to_stderr};
pub use messages::{
    EndpointRequest, EndpointResponse, Handled, MessageEndpoint, MessageFailure, MessageSession, MessageVariant,
    MessageVerdict, TakeMessages,
};
pub use operations::operations;
pub use options::{CallSite, Certificate, LimitOptions, MessageOptions, ServeOptions, TransportName, WriteOptions};
pub use record::{
    ProxyOptions, RecordCall, RecordOptions, RecordedContract, RecordedFile, RecordedForm, RecordingProxy, record_har,
};
pub use reports::{format_report, report_format, report_place, write_report};
pub use running::warnings_at_end;
pub use serve::{MockSession, ServeContract, Serving};
pub use stub::{ChosenState, MockFile, Reload, StubOptions, StubServer, StubSources};
pub use template::compare_with_template;
pub use test_broker::{TestBrokerCredentials, TestBrokerOptions};
pub use variant_suite::VariantSuite;
pub use variants::{CallbackEnd, FailedVariant, ListedVariant, ServedAnswer, VariantEnd, VariantReport, VariantStep};
pub use verify::{
    Branch, BrokerSourceOptions, Bytes, Cause, ConsumerVersion, Enabled, FilterOptions, FilterPattern, Hook, Kept,
    ListedInteraction, MessageHandler, MessageHandlerOptions, OnMissing, Override, PublishOptions, RedirectOptions,
    RunContext, RunOptions, SelectorOperation, SelectorOptions, SourceOptions, StateHandlerOptions, Time, Tls,
    TransportOptions, Verification, Verified, VerifierOperation, VerifyOptions, base_url,
};
pub use verify_error::VerifyError;
