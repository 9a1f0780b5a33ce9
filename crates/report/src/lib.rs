//! What people are told about contracts: what differs and where, without secrets, in the formats that terminals, CI systems and
//! browsers take.
//!
//! Two kinds of results have their words here: what a mock server found in the requests that came ([`Outcome`]), and what a
//! verification found in the answers of a provider ([`Report`]). Both are data first; [`Outcome::to_text`],
//! [`Report::to_text`] and [`ReportFormat`] write them. [`redact`] is the one place that keeps secrets out of what anybody
//! reads.
//!
//! Pure: no environment, no I/O, and no knowledge of who asks.

#![forbid(unsafe_code)]

mod diff;
mod escape;
mod explanation;
mod finding;
mod page;
pub mod redact;
mod requests;
mod shorten;
mod verification;

pub use escape::{harmless_json, harmless_line, harmless_text, indented_text};
pub use explanation::explanation;
pub use finding::{Finding, Part};
pub use requests::{
    Closest, Counts, InteractionCount, InteractionRef, Outcome, ServerMismatch, ShownBody, ShownRequest, Trouble,
    serialize_headers,
};
pub use shorten::{SHOWN_TEXT, SHOWN_VALUES, cut_text};
pub use verification::{
    ContractPublication, ContractReport, ErrorCode, Expectation, FORMAT_VERSION, Failure, InteractionError,
    InteractionReport, Moment, Notice, Origin, OriginKind, Publication, ReadReportError, Report, ReportFormat,
    ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse, Status, Summary, TextOptions, Timing,
    UnknownFormat, WHOLE_CONTRACT, body_diff, interactions, output_lines, reported_states,
};
