//! The error type of all calls. Bindings convert it to errors of their language.

use contract_mock_server::StartError;
use contract_model::{Json, Object};

use crate::verify_error::VerifyError;
use contract_call::error::ArgumentError;
use contract_call::files::FileError;
use contract_call::message::{Canonical, Message, Spelling};
use contract_file::WritingError;
use contract_pipeline::{BrokerFailure, SourceError};
use contract_runtime::ResourceError;

/// The error of a call. `Display` prints names in snake case (`with_header`). [`Self::text`] prints them in a binding's
/// convention (`withHeader`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// An argument is invalid.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A contract file, report, or log file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A mock server could not be started.
    #[error(transparent)]
    Server(#[from] StartError),
    /// The broker returned an error, or it could not be reached.
    #[error("{}", .0.text(&Canonical))]
    Broker(BrokerFailure),
    /// A contract source is invalid, or no interaction can be verified.
    #[error(transparent)]
    Verification(#[from] VerifyError),
    /// The operating system could not start a thread or open a file.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// An error in this library.
    #[error("internal error: this is a bug in the library; please report it")]
    Internal,
}

impl Failure {
    /// Creates the error for a source that is not a valid contract or cannot be read.
    pub(crate) fn source(message: impl Into<Message>) -> Self {
        VerifyError::Source(message.into()).into()
    }

    /// Returns the category of the error: `argument`, `file`, `server`, `broker`, `verification`, or `internal`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Argument(_) => "argument",
            Self::File(_) => "file",
            Self::Server(_) => "server",
            Self::Broker(_) => "broker",
            Self::Verification(_) => "verification",
            Self::Resource(_) | Self::Internal => "internal",
        }
    }

    /// Returns the stable error code, such as `ERR_CONTRACT_OPTIONS`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::File(error) => error.code(),
            Self::Server(error) if error.is_address_in_use() => "ERR_CONTRACT_ADDRESS_IN_USE",
            Self::Server(error) if error.is_bad_address() => "ERR_CONTRACT_ADDRESS",
            Self::Server(error) if error.is_permission_denied() => "ERR_CONTRACT_ADDRESS_PERMISSION",
            Self::Server(error) if error.is_tls() => "ERR_CONTRACT_TLS",
            Self::Server(error) if error.is_rule() => "ERR_CONTRACT_MATCHER",
            Self::Server(_) => "ERR_CONTRACT_SERVER",
            Self::Broker(error) => error.code(),
            Self::Verification(error) => error.code(),
            Self::Resource(error) => error.code(),
            Self::Internal => "ERR_CONTRACT_INTERNAL",
        }
    }

    /// Returns the operation that rejected its arguments, in snake case. Returns `None` if the operation is unknown or
    /// the error is not an invalid argument.
    pub fn operation(&self) -> Option<&str> {
        match self {
            Self::Argument(error) => error.operation.as_deref(),
            _ => None,
        }
    }

    /// Returns the complete error message. Names of operations and options are in a binding's convention.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Argument(error) => error.text(spelling),
            Self::Broker(error) => error.text(spelling),
            Self::Verification(error) => error.text(spelling),
            Self::File(_) | Self::Server(_) | Self::Resource(_) | Self::Internal => self.to_string(),
        }
    }

    /// Returns the error as an object with `kind`, `code`, `message`, and the following details if they are known.
    /// Argument errors: `operation`, `argument`, `place`, and `origin`. File errors: `path`. Server errors: `host`,
    /// `port`, and `errno`. Broker errors: `status`, `notices`, and `published`.
    pub fn to_json(&self, spelling: &dyn Spelling) -> Json {
        let mut members = Object::new();
        members.insert("kind", self.kind());
        members.insert("code", self.code());
        members.insert("message", self.text(spelling));
        let mut known = |name: &str, value: Option<Json>| {
            if let Some(value) = value {
                members.insert(name, value);
            }
        };
        match self {
            Self::Argument(error) => {
                let operation = error.operation.as_deref().map(|name| spelling.operation(name));
                let argument = error.argument.as_deref().map(|name| spelling.option(name));
                known("operation", operation.map(Json::from));
                known("argument", argument.map(Json::from));
                known("place", error.place.as_deref().map(Json::from));
                known("origin", error.origin.as_deref().map(Json::from));
            }
            Self::File(error) => known("path", Some(error.path().display().to_string().into())),
            Self::Server(error) => {
                known("host", error.host().map(Json::from));
                known("port", error.port().map(|port| u64::from(port).into()));
                known("errno", error.os_error().map(|number| i64::from(number).into()));
            }
            Self::Broker(error) => error
                .details()
                .into_iter()
                .for_each(|(name, value)| known(name, Some(value))),
            Self::Verification(_) | Self::Resource(_) | Self::Internal => {}
        }
        members.into()
    }
}

impl From<WritingError> for Failure {
    fn from(error: WritingError) -> Self {
        match error {
            WritingError::Argument(error) => error.into(),
            WritingError::File(error) => error.into(),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::File(error) => error.into(),
            SourceError::Argument(error) => error.into(),
            SourceError::Broker(error) => BrokerFailure::from(error).into(),
            SourceError::Invalid(message) => VerifyError::Source(message).into(),
        }
    }
}

impl From<BrokerFailure> for Failure {
    fn from(failure: BrokerFailure) -> Self {
        match failure {
            BrokerFailure::Argument(error) => error.into(),
            other => Self::Broker(other),
        }
    }
}
