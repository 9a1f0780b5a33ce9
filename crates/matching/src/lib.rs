//! Compares expected requests, responses, and messages with actual ones.
//!
//! A plan ([`RequestPlan`], [`ResponsePlan`], [`MessagePlan`]) is compiled from an expected part and its rules, and can
//! be compared with any number of actual parts. Each difference is returned as a [`Mismatch`]. If a part cannot be
//! compared, this is also reported as a mismatch, so the part never passes.
//!
//! This crate is synchronous. It does no I/O and does not read the clock or the environment.

#![forbid(unsafe_code)]

mod actual;
mod at;
mod body;
mod content_type;
mod display;
mod error;
mod excerpt;
mod headers;
mod hidden;
mod javascript;
mod metadata;
mod mismatch;
mod names;
mod path_index;
mod pattern;
mod patterns;
mod plan;
mod query;
mod rule;
mod scope;
mod sentence;
mod sink;

pub use actual::{ActualBody, ActualMessage, ActualRequest, ActualResponse};
pub use body::{is_xml_name, variant_matches, xml_problem};
pub use error::{PlanError, RuleProblem};
pub use excerpt::original_size;
pub use hidden::is_hidden;
pub use javascript::from_javascript;
pub use mismatch::{Explanation, Location, Mismatch, MismatchKind};
pub use path_index::PathIndex;
pub use pattern::{BudgetExceeded, Pattern, PatternError, last_line};
pub use plan::{MessagePlan, Options, RequestPlan, ResponsePlan};
pub use rule::{GRAPHQL_IGNORED, UUID_PATTERN, date_time_pattern, sniffed_content_type, time_pattern};
