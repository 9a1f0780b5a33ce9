//! Mistakes of the caller, told by the call that made them, as data: whoever speaks a language spells the names.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use crate::message::{Canonical, Message, Piece, Spelling};

/// An argument that makes no sense. Bindings turn it into their own kind of argument error.
///
/// `Display` has the names as the core has them (`with_header`); [`Self::text`] has them as a binding spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentError(Box<Refusal>);

/// What an [`ArgumentError`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// A stable code, `ERR_CONTRACT_…`.
    pub code: &'static str,
    /// The operation that was called, in snake case: `with_header`, `match.each_like`, `serve`.
    pub operation: Option<Cow<'static, str>>,
    /// The argument or option that is wrong, in snake case.
    pub argument: Option<Cow<'static, str>>,
    /// Where in the argument, or in what is defined: `$.items[0]`, `"X-Id"`.
    pub place: Option<String>,
    /// Where in the user's code the interaction was begun: `orders.test.ts:12:5`.
    pub origin: Option<String>,
    /// What is wrong and what to do.
    pub message: Message,
}

/// Whether something was done.
pub(crate) type Done = Result<(), ArgumentError>;

impl Deref for ArgumentError {
    type Target = Refusal;

    fn deref(&self) -> &Refusal {
        &self.0
    }
}

impl ArgumentError {
    pub(crate) fn new(code: &'static str, message: impl Into<Message>) -> Self {
        Self(Box::new(Refusal {
            code,
            operation: None,
            argument: None,
            place: None,
            origin: None,
            message: message.into(),
        }))
    }

    /// Says where in the definition the mistake is; what was known of that stands further inside.
    pub(crate) fn within(mut self, place: impl AsRef<str>) -> Self {
        let outer = place.as_ref();
        self.0.place = Some(match self.0.place {
            Some(inner) => format!("{outer}: {inner}"),
            None => outer.to_owned(),
        });
        self
    }

    /// Says which operation refused. The outermost that the user called is the one that is told.
    pub(crate) fn of(mut self, operation: impl Into<Cow<'static, str>>) -> Self {
        self.0.operation = Some(operation.into());
        self
    }

    /// Says which argument or option is wrong, unless that is known more exactly.
    pub(crate) fn about(mut self, argument: impl Into<Cow<'static, str>>) -> Self {
        self.0.argument.get_or_insert_with(|| argument.into());
        self
    }

    /// With more to say.
    pub(crate) fn and(mut self, more: Message) -> Self {
        self.0.message.push(more);
        self
    }

    /// With another code.
    pub(crate) fn coded(mut self, code: &'static str) -> Self {
        self.0.code = code;
        self
    }

    /// Says where the interaction was begun, if that is known.
    pub(crate) fn begun_at(mut self, origin: &str) -> Self {
        if !origin.is_empty() {
            self.0.origin.get_or_insert_with(|| origin.to_owned());
        }
        self
    }

    /// All of it as a message, to stand in another one.
    pub(crate) fn whole(&self) -> Message {
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

    /// All of it for people, names spelled by a binding: `withHeader "X-Id": the header … cannot hold line breaks`.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        self.whole().text(spelling)
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Canonical))
    }
}

impl std::error::Error for ArgumentError {}

/// Options of a call that make no sense.
pub(crate) const OPTIONS: &str = "ERR_CONTRACT_OPTIONS";
/// Arguments of an operation that make no sense.
pub(crate) const ARGUMENTS: &str = "ERR_CONTRACT_ARGUMENTS";
/// Text that is no JSON.
pub(crate) const JSON: &str = "ERR_CONTRACT_JSON";
/// A kind of interactions that does not exist, or that is not meant here.
pub(crate) const KIND: &str = "ERR_CONTRACT_KIND";
/// An interaction whose definition did not come to an end.
pub(crate) const INCOMPLETE: &str = "ERR_CONTRACT_INCOMPLETE";
/// Nothing that could be served.
pub(crate) const NOTHING: &str = "ERR_CONTRACT_NOTHING";
/// An interaction that this contract cannot serve.
pub(crate) const SERVE: &str = "ERR_CONTRACT_SERVE";
/// Names that cannot stand for a consumer or a provider.
pub(crate) const NAME: &str = "ERR_CONTRACT_NAME";
/// A version of the specification that does not exist, or that is not written.
pub(crate) const SPECIFICATION: &str = "ERR_CONTRACT_SPECIFICATION";
/// A description that says nothing.
pub(crate) const DESCRIPTION: &str = "ERR_CONTRACT_DESCRIPTION";
/// Arguments of `given` that contradict each other.
pub(crate) const GIVEN: &str = "ERR_CONTRACT_GIVEN_ARGS";
/// A matcher or generator that makes no sense.
pub(crate) const MATCHER: &str = "ERR_CONTRACT_MATCHER";
/// An example that its own matcher refuses.
pub(crate) const EXAMPLE: &str = "ERR_CONTRACT_EXAMPLE";
/// A method that is no HTTP token.
pub(crate) const METHOD: &str = "ERR_CONTRACT_METHOD";
/// A path that cannot be one.
pub(crate) const PATH: &str = "ERR_CONTRACT_PATH";
/// A status that cannot be one.
pub(crate) const STATUS: &str = "ERR_CONTRACT_STATUS";
/// A header that cannot be sent.
pub(crate) const HEADER: &str = "ERR_CONTRACT_HEADER";
/// A query parameter that cannot be sent.
pub(crate) const QUERY: &str = "ERR_CONTRACT_QUERY";
/// A body that is not what its content type says.
pub(crate) const BODY: &str = "ERR_CONTRACT_BODY";
/// A part that the interaction does not have.
pub(crate) const PART: &str = "ERR_CONTRACT_PART";
/// Metadata where there can be none.
pub(crate) const METADATA: &str = "ERR_CONTRACT_METADATA";
/// Matching rules or generators that cannot be read.
pub(crate) const RULES: &str = "ERR_CONTRACT_RULES";
/// The same interaction defined twice with different content.
pub(crate) const DUPLICATE: &str = "ERR_CONTRACT_DUPLICATE";
/// A call that comes too late: the interaction is served already.
pub(crate) const FROZEN: &str = "ERR_CONTRACT_FROZEN";
/// A value of the caller's language that cannot be handed over.
pub(crate) const VALUE: &str = "ERR_CONTRACT_VALUE";
