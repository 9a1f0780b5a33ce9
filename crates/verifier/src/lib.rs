//! Verifies contracts. Acts as the consumer: sends the requests to a real provider, and reports the results.
//!
//! A [`Verifier`] is created from [`Options`] and verifies parsed contracts. It returns a [`Report`]. Callbacks are
//! traits: [`StateHandler`] for provider states, [`RequestFilter`] for changes to requests, [`MessageSource`] for
//! messages, [`Hooks`], and [`Progress`].
//!
//! This crate does not access contract files, the broker, the mock server, or the environment. The caller passes
//! proxies, certificates, and filters as values. The crate uses the tokio runtime of the caller.
//!
//! ```no_run
//! use contract_model::Contract;
//! use contract_verifier::{NamedContract, Options, TextOptions, Transport, Verifier};
//!
//! # async fn run(document: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
//! let mut options = Options::new("orders");
//! options.transports.push(Transport::http("http://127.0.0.1:8080")?);
//! let contract = NamedContract::new(Contract::read(document)?.contract, "contracts/web-orders.json");
//! let report = Verifier::new(options)?.verify(vec![contract]).await?;
//! print!("{}", report.to_text(TextOptions::default()));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod callback;
mod context;
mod deadline;
mod error;
mod exchange;
mod filter;
mod message;
mod options;
mod outcome;
mod plugin;
mod plugin_exchange;
mod report;
mod run;
mod run_state;
mod states;
mod url_states;

pub use callback::{
    BoxFuture, CallbackError, HeaderSource, Hooks, MessageRequest, MessageSource, OutgoingRequest, ProducedMessage,
    Progress, RequestFilter, StateAction, StateChange, StateHandler,
};
pub use context::{InteractionInfo, NamedContract, RequestContext};
pub use contract_report::{
    ContractPublication, ContractReport, ErrorCode, Expectation, FORMAT_VERSION, Finding, InteractionError,
    InteractionReport, Notice, NoticeTime, Origin, OriginKind, Part, PartFailure, Publication, ReadReportError, Report,
    ReportFormat, ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse, Status, Summary, TextOptions,
    Timing, UnknownFormat,
};
pub use deadline::Deadline;
pub use error::{EmptyVerification, SetupError};
pub use filter::Filter;
pub use message::{MESSAGE_LIST, compare_messages};
pub use options::{CustomHeader, HeaderValue, MissingState, Options, States, Transport};
pub use plugin::{Exchanged, PluginFailure, PluginWork, Plugins, PreparedRequest};
pub use run::{Selected, Verifier, select};
pub use states::suggest;
pub use url_states::{StateForm, UrlStateHandler};
