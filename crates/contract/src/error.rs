//! Mistakes of the caller, told by the call that made them.

/// An argument that makes no sense. Bindings turn it into their own kind of argument error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentError {
    /// A stable code, `ERR_CONTRACT_…`.
    pub code: &'static str,
    /// What, where and what to do.
    pub message: String,
}

impl ArgumentError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Says where in the definition the mistake is.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

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
