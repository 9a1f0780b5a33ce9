//! Data model of contracts: parse, write, and merge. This crate does no I/O, runs no async code, and does not match
//! requests.
//!
//! All versions of the Pact Specification share one model. Only the readers and writers depend on the version.
//!
//! ```
//! use contract_model::{Contract, SpecificationVersion};
//! let old = br#"{
//!     "consumer": {"name": "web"}, "provider": {"name": "users"},
//!     "interactions": [{"description": "all users", "request": {"path": "/users"}, "response": {"status": 200}}],
//!     "metadata": {"pactSpecification": {"version": "2.0.0"}}
//! }"#;
//! let reading = Contract::read(old)?;
//! assert!(reading.warnings.is_empty());
//! let written = reading.contract.write(SpecificationVersion::V4)?;
//! assert!(written.text.contains("Synchronous/HTTP"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod body;
mod by_place;
mod content_type;
mod definition;
mod entries;
mod found;
mod generator;
mod headers;
mod interaction;
mod json;
mod merge;
mod path;
mod pattern;
mod place;
mod query;
mod read;
mod rule;
mod secret;
mod specification;
mod template;
mod write;

pub use body::{Body, Content, ContentHint, ContentValue, detect};
pub use by_place::ByPlace;
pub use content_type::{ContentType, ContentTypeError};
pub use definition::{ExampleKind, ExampleValue, Expected, ExpressionError, MatchingExpression, Term};
pub use entries::{Entry, identity_text, merge_entries, place_of};
pub use found::Found;
pub use generator::{DataType, Generator, GeneratorError, Generators, Moment, UuidFormat};
pub use headers::Headers;
pub use interaction::{
    Contract, HttpInteraction, Interaction, InteractionKind, Message, ProviderState, Request, Response, SyncMessage,
    Unreadable,
};
pub use json::{
    Json, JsonError, JsonErrorKind, JsonKind, Layout, MAX_DEPTH, Number, NumberKind, Object, Text, lines_of_items,
    write_string,
};
pub use merge::MergeError;
pub use path::{PathError, PathErrorReason, PathExpression, PathToken};
pub use pattern::portable_pattern;
pub use query::Query;
pub use read::{ReadError, ReadWarning, Reading};
pub use rule::{Combine, Definition, PathRules, Rule, RuleError, RuleList, Rules, StatusClass, Variant};
pub use secret::{REDACTED, is_secret, may_name_a_secret};
pub use specification::SpecificationVersion;
pub use template::{
    DEFAULT_EXAMPLE_LIMIT, Template, TemplateError, TemplateErrorKind, ValueTemplate, is_matcher, split_body,
    split_value,
};
use write::canonical_text;
pub use write::{Loss, WriteError, WriteWarning, Written, file_order, is_flat_name};
