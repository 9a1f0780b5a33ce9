//! Compares what a contract expects with what arrived.
//!
//! Pure and synchronous: no environment, no clock, no I/O. An expected part and its rules become a plan once
//! ([`RequestPlan`], [`ResponsePlan`], [`MessagePlan`]); comparing is one walk over plan and actual part together. What
//! differs is data, a [`Mismatch`]; a comparison that cannot be made is a mismatch too, and never a pass.

#![forbid(unsafe_code)]

mod binary;
mod body;
mod check;
mod content_type;
pub mod diff;
mod explain;
mod form;
mod headers;
mod javascript;
mod json;
mod metadata;
mod mismatch;
mod multipart;
mod names;
mod pattern;
mod plan;
mod query;
mod scope;
mod sink;
mod sniff;
mod text;
mod xml;

pub use check::RuleProblem;
pub use javascript::from_javascript;
pub use json::variant_matches;
pub use mismatch::{Location, Mismatch, MismatchKind};
pub use pattern::{BudgetExceeded, Pattern, PatternError};
pub use plan::{
    ActualBody, ActualMessage, ActualRequest, ActualResponse, MessagePlan, Options, PlanError, RequestPlan,
    ResponsePlan,
};
pub use sniff::content_type as sniffed_content_type;
pub use xml::xml_problem;
