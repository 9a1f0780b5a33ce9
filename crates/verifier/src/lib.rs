//! Plays the consumer against a real provider and reports.
//!
//! A [`Verifier`] is made of [`Options`] and handed contracts as parsed values; what it finds is one [`Report`], data first
//! and text last. What only the caller can provide is a trait: provider states ([`StateHandler`]), changes to requests
//! ([`RequestFilter`]), messages ([`MessageSource`]), [`Hooks`] and [`Progress`].
//!
//! Ignorant of contract files, of the broker, of the mock server and of the environment: proxies, certificates and filters
//! are values. No runtime is made here; everything runs on the caller's tokio.
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
pub use plugin::{Exchanged, PluginWork, Plugins, PreparedRequest};
pub use run::{Selected, Verifier, select};
pub use states::suggest;
pub use url_states::{StateForm, UrlStateHandler};
