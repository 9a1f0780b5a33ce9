//! The error type for invalid arguments, and its error codes. Operation and option names are stored separately from the
//! text, so that each binding can print them in its own convention.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use crate::message::{Canonical, Message, Piece, Spelling};

/// An invalid argument. Bindings convert it to an argument error of their language.
///
/// `Display` prints names in snake case (`with_header`). [`Self::text`] prints them in a binding's convention
/// (`withHeader`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentError(Box<ArgumentErrorDetails>);

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentErrorDetails {
    /// Stable error code, such as `ERR_CONTRACT_OPTIONS`.
    pub code: &'static str,
    /// The operation in snake case, such as `with_header`, `match.each_like`, or `serve`. `None` if it is unknown.
    pub operation: Option<Cow<'static, str>>,
    /// The invalid argument or option in snake case. `None` if the error concerns several arguments or none.
    pub argument: Option<Cow<'static, str>>,
    /// Location of the problem: a path inside the argument (`$.items[0]`), or the quoted name of a header, parameter,
    /// or member (`"X-Id"`). Outer and inner locations are separated by `: `.
    pub place: Option<String>,
    /// Location of the interaction's definition in the user's code, such as `orders.test.ts:12:5`. `None` if it is
    /// unknown.
    pub origin: Option<String>,
    /// The problem, usually followed by advice.
    pub message: Message,
}

pub type Done = Result<(), ArgumentError>;

impl Deref for ArgumentError {
    type Target = ArgumentErrorDetails;

    fn deref(&self) -> &ArgumentErrorDetails {
        &self.0
    }
}

impl ArgumentError {
    pub fn new(code: &'static str, message: impl Into<Message>) -> Self {
        Self(Box::new(ArgumentErrorDetails {
            code,
            operation: None,
            argument: None,
            place: None,
            origin: None,
            message: message.into(),
        }))
    }

    /// Prepends `place` to the location of the problem, for example the name of an outer object.
    #[must_use]
    pub fn within(mut self, place: impl AsRef<str>) -> Self {
        let outer = place.as_ref();
        self.0.place = Some(match self.0.place {
            Some(inner) => format!("{outer}: {inner}"),
            None => outer.to_owned(),
        });
        self
    }

    /// Sets or replaces the operation.
    #[must_use]
    pub fn in_operation(mut self, operation: impl Into<Cow<'static, str>>) -> Self {
        self.0.operation = Some(operation.into());
        self
    }

    /// Sets the argument, unless it is already set.
    #[must_use]
    pub fn for_argument(mut self, argument: impl Into<Cow<'static, str>>) -> Self {
        self.0.argument.get_or_insert_with(|| argument.into());
        self
    }

    #[must_use]
    pub fn append(mut self, more: Message) -> Self {
        self.0.message.push(more);
        self
    }

    #[must_use]
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.0.code = code;
        self
    }

    /// Sets the location of the interaction's definition. Has no effect if it is already set or if `origin` is empty.
    #[must_use]
    pub fn defined_at(mut self, origin: &str) -> Self {
        if !origin.is_empty() {
            self.0.origin.get_or_insert_with(|| origin.to_owned());
        }
        self
    }

    /// Returns the operation, the location of the problem, and the problem as one message.
    pub fn to_message(&self) -> Message {
        let mut message = Message::default();
        if let Some(operation) = &self.operation {
            message.push(Piece::Operation(operation.clone()));
        }
        if let Some(place) = &self.place {
            if self.operation.is_some() {
                message.push(if place.starts_with('"') { " " } else { ": " });
            }
            message.push(place.as_str());
        }
        if self.operation.is_some() || self.place.is_some() {
            message.push(": ");
        }
        message.push(self.message.clone());
        message
    }

    /// Returns the error with the names in a binding's convention, for example `withHeader "X-Id": the header … cannot
    /// contain line breaks`.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        self.to_message().text(spelling)
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Canonical))
    }
}

impl std::error::Error for ArgumentError {}

pub const OPTIONS: &str = "ERR_CONTRACT_OPTIONS";
pub const ARGUMENTS: &str = "ERR_CONTRACT_ARGUMENTS";
pub const JSON: &str = "ERR_CONTRACT_JSON";
/// The kind of an interaction is unknown, or the operation does not support it.
pub const KIND: &str = "ERR_CONTRACT_KIND";
/// An interaction lacks a part that is required to serve or write it.
pub const INCOMPLETE: &str = "ERR_CONTRACT_INCOMPLETE";
/// There are no interactions to serve, or no messages to test.
pub const NOTHING: &str = "ERR_CONTRACT_NOTHING";
/// An interaction belongs to another contract, or it cannot be served by this operation.
pub const SERVE: &str = "ERR_CONTRACT_SERVE";
/// The name of a consumer or provider is invalid.
pub const NAME: &str = "ERR_CONTRACT_NAME";
/// A specification version is unknown or not supported.
pub const SPECIFICATION: &str = "ERR_CONTRACT_SPECIFICATION";
/// The description of an interaction is empty.
pub const DESCRIPTION: &str = "ERR_CONTRACT_DESCRIPTION";
/// Arguments of `given` are invalid or contradict each other.
pub const GIVEN: &str = "ERR_CONTRACT_GIVEN_ARGS";
pub const MATCHER: &str = "ERR_CONTRACT_MATCHER";
/// An example does not match its own matcher.
pub const EXAMPLE: &str = "ERR_CONTRACT_EXAMPLE";
pub const METHOD: &str = "ERR_CONTRACT_METHOD";
pub const PATH: &str = "ERR_CONTRACT_PATH";
pub const STATUS: &str = "ERR_CONTRACT_STATUS";
pub const HEADER: &str = "ERR_CONTRACT_HEADER";
pub const QUERY: &str = "ERR_CONTRACT_QUERY";
/// A body is invalid for its content type.
pub const BODY: &str = "ERR_CONTRACT_BODY";
/// The interaction does not have this part (request or response).
pub const PART: &str = "ERR_CONTRACT_PART";
/// The interaction does not support metadata.
pub const METADATA: &str = "ERR_CONTRACT_METADATA";
pub const RULES: &str = "ERR_CONTRACT_RULES";
/// Two interactions have the same description and provider states, but different content.
pub const DUPLICATE: &str = "ERR_CONTRACT_DUPLICATE";
/// An interaction that was already served cannot be changed.
pub const FROZEN: &str = "ERR_CONTRACT_FROZEN";
/// A value of the calling language cannot be converted to JSON.
pub const VALUE: &str = "ERR_CONTRACT_VALUE";
