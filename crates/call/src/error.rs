//! Errors in the arguments of a call. Operation and option names are stored separately from the text, so that each
//! binding can print them in its own naming convention.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use crate::message::{Canonical, Message, Piece, Spelling};

/// An invalid argument. Bindings convert it to their own type of argument error.
///
/// `Display` prints names in snake case (`with_header`); [`Self::text`] prints them as a binding spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentError(Box<ArgumentErrorDetails>);

/// The content of an [`ArgumentError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentErrorDetails {
    /// The stable error code, such as `ERR_CONTRACT_OPTIONS`.
    pub code: &'static str,
    /// The operation in snake case, such as `with_header`, `match.each_like`, or `serve`, if it is known.
    pub operation: Option<Cow<'static, str>>,
    /// The invalid argument or option in snake case, if the error concerns only one.
    pub argument: Option<Cow<'static, str>>,
    /// Path inside the argument (`$.items[0]`), or the name of a header, parameter, or member (`"X-Id"`).
    pub place: Option<String>,
    /// Location of the interaction's definition in the user's code, such as `orders.test.ts:12:5`, if it is known.
    pub origin: Option<String>,
    /// The problem and how to fix it.
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

    /// Prepends an outer place to the current place.
    #[must_use]
    pub fn within(mut self, place: impl AsRef<str>) -> Self {
        let outer = place.as_ref();
        self.0.place = Some(match self.0.place {
            Some(inner) => format!("{outer}: {inner}"),
            None => outer.to_owned(),
        });
        self
    }

    /// Sets the operation, replacing one that was set before.
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

    /// Sets the location of the interaction's definition, unless it is already set.
    #[must_use]
    pub fn defined_at(mut self, origin: &str) -> Self {
        if !origin.is_empty() {
            self.0.origin.get_or_insert_with(|| origin.to_owned());
        }
        self
    }

    /// Returns the error as a message that can be embedded in another message.
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

    /// Returns the error text with the names in a binding's convention: `withHeader "X-Id": the header … cannot contain
    /// line breaks`.
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

/// Invalid options of a call.
pub const OPTIONS: &str = "ERR_CONTRACT_OPTIONS";
/// Invalid arguments of an operation.
pub const ARGUMENTS: &str = "ERR_CONTRACT_ARGUMENTS";
/// Invalid JSON text.
pub const JSON: &str = "ERR_CONTRACT_JSON";
/// An interaction kind that is unknown or not supported by the call.
pub const KIND: &str = "ERR_CONTRACT_KIND";
/// An incomplete interaction.
pub const INCOMPLETE: &str = "ERR_CONTRACT_INCOMPLETE";
/// No interactions left to serve.
pub const NOTHING: &str = "ERR_CONTRACT_NOTHING";
/// An interaction that this contract cannot serve.
pub const SERVE: &str = "ERR_CONTRACT_SERVE";
/// An invalid consumer or provider name.
pub const NAME: &str = "ERR_CONTRACT_NAME";
/// An unknown or unsupported specification version.
pub const SPECIFICATION: &str = "ERR_CONTRACT_SPECIFICATION";
/// An empty description.
pub const DESCRIPTION: &str = "ERR_CONTRACT_DESCRIPTION";
/// Conflicting arguments of `given`.
pub const GIVEN: &str = "ERR_CONTRACT_GIVEN_ARGS";
/// An invalid matcher or generator.
pub const MATCHER: &str = "ERR_CONTRACT_MATCHER";
/// An example that does not satisfy its own matcher.
pub const EXAMPLE: &str = "ERR_CONTRACT_EXAMPLE";
/// An invalid HTTP method.
pub const METHOD: &str = "ERR_CONTRACT_METHOD";
/// An invalid path.
pub const PATH: &str = "ERR_CONTRACT_PATH";
/// An invalid status.
pub const STATUS: &str = "ERR_CONTRACT_STATUS";
/// An invalid header.
pub const HEADER: &str = "ERR_CONTRACT_HEADER";
/// An invalid query parameter.
pub const QUERY: &str = "ERR_CONTRACT_QUERY";
/// A body that is invalid for its content type.
pub const BODY: &str = "ERR_CONTRACT_BODY";
/// A part (request or response) that the interaction does not have.
pub const PART: &str = "ERR_CONTRACT_PART";
/// Metadata of an interaction that does not support it.
pub const METADATA: &str = "ERR_CONTRACT_METADATA";
/// Invalid matching rules or generators.
pub const RULES: &str = "ERR_CONTRACT_RULES";
/// Two interactions with the same description and states, but different content.
pub const DUPLICATE: &str = "ERR_CONTRACT_DUPLICATE";
/// A change to an interaction that was already served.
pub const FROZEN: &str = "ERR_CONTRACT_FROZEN";
/// A value of the calling language that cannot be converted.
pub const VALUE: &str = "ERR_CONTRACT_VALUE";
