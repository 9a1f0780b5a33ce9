//! Derives other answers that a contract allows. A consumer test sees only one example, but the matching rules may also
//! allow null, an empty list, or another enum value.
//!
//! [`Variants`] lists single changes to the example. Each one was checked against the compiled rules, so the list
//! contains only answers that the provider may send. [`Search`] combines independent changes in a few answers, and
//! isolates the change that a consumer cannot handle. [`Unread`] finds the fields that a consumer does not read.
//!
//! ```
//! use contract_model::{Body, Content, Json, Response, Rule, RuleList};
//! use contract_variants::{Answer, Search, Settings, Variants};
//!
//! let mut response = Response { body: Body::Present(Content::json(Json::parse(br#"{"state": "open"}"#)?)), ..Response::default() };
//! response.rules.body.insert("$.state".parse()?, RuleList::single(Rule::Regex("open|paid|shipped".into())));
//! let variants = Variants::new(Answer::Response(response), &Settings::default())?;
//! let mut search = Search::new(&variants, &Settings::default());
//! // A consumer that knows only "open" and "paid".
//! while let Some(changes) = search.next_run() {
//!     search.record(!variants.answer(&changes).body_text().contains("shipped"));
//! }
//! assert_eq!(variants.list()[search.findings()[0].changes[0]].name, "branch@$.state=shipped");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate is pure: no I/O, no clock, no randomness. The caller serves the answers and measures the time.

#![forbid(unsafe_code)]

mod answer;
mod change;
mod describe;
mod generate;
mod kind;
mod pack;
mod rules;
mod search;
mod settings;
mod unread;
mod values;
mod variants;

pub use answer::Answer;
pub use change::HeaderCase;
pub use kind::{Kind, UnknownKind};
pub use search::{Finding, FindingKind, Search};
pub use settings::Settings;
pub use unread::Unread;
pub use variants::{Variant, Variants, nearest_names};
