//! Formats results for terminals, CI systems, and browsers, and redacts secrets.
//!
//! A result is either the outcome of a mock server ([`Outcome`]) or the report of a verification ([`Report`]). Both are
//! plain data. [`Outcome::to_text`], [`Report::to_text`], and [`ReportFormat`] format them. Only the module [`redact`]
//! redacts secrets.
//!
//! This crate does no I/O and does not read the environment.

#![forbid(unsafe_code)]

mod diff;
mod escape;
mod explanation;
mod finding;
mod nearness;
mod page;
pub mod redact;
mod requests;
mod shorten;
mod verification;

pub use escape::{escape_indented, escape_json, escape_line, escape_text};
pub use explanation::explanation;
pub use finding::{Finding, Part};
pub use nearness::{SimilarPath, differing_parts};
pub use requests::{
    BodyView, Closest, Counts, InteractionCount, InteractionRef, Outcome, RequestView, ServerMismatch, ServerProblem,
    serialize_headers,
};
pub use shorten::{MAX_TEXT_SIZE, MAX_VALUES, cut_text};
pub use verification::{
    ContractPublication, ContractReport, ErrorCode, Expectation, FORMAT_VERSION, InteractionError, InteractionReport,
    Notice, NoticeTime, Origin, OriginKind, PartFailure, Publication, ReadReportError, Report, ReportFormat,
    ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse, Status, Summary, TextOptions, Timing,
    UnknownFormat, WHOLE_CONTRACT, body_diff, interactions, output_lines, reported_states,
};
