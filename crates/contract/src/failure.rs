//! Why a call had no success, as data: bindings pass it on, and each language makes its own kinds of errors of it.

use contract_mock_server::StartError;
use contract_model::{Json, Object};

use crate::verify_error::VerifyError;
use contract_call::error::ArgumentError;
use contract_call::files::FileError;
use contract_call::message::{Canonical, Message, Spelling};
use contract_pipeline::{BrokerFailure, SourceError};
use contract_runtime::ThreadsError;

/// Why a call had no success: the error of all that bindings call. `Display` has names as the core has them; [`Self::text`] as a
/// binding spells them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// An argument that makes no sense.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A file or directory that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A mock server that did not start.
    #[error(transparent)]
    Server(#[from] StartError),
    /// A broker, or the way to it.
    #[error("{}", .0.text(&Canonical))]
    Broker(BrokerFailure),
    /// Contracts that cannot be verified.
    #[error(transparent)]
    Verification(#[from] VerifyError),
    /// The operating system refuses to start threads.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// A fault of the library itself.
    #[error("the core failed; this is a fault of the library, please report it")]
    Internal,
}

impl Failure {
    /// A source that is no contract.
    pub(crate) fn source(message: impl Into<Message>) -> Self {
        VerifyError::Source(message.into()).into()
    }

    /// Which kind of error it is: `argument`, `file`, `server`, `broker`, `verification` or `internal`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Argument(_) => "argument",
            Self::File(_) => "file",
            Self::Server(_) => "server",
            Self::Broker(_) => "broker",
            Self::Verification(_) => "verification",
            Self::Threads(_) | Self::Internal => "internal",
        }
    }

    /// The stable code, `ERR_CONTRACT_…`.
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
            Self::Threads(_) => "ERR_CONTRACT_THREADS",
            Self::Internal => "ERR_CONTRACT_INTERNAL",
        }
    }

    /// The call that refused its arguments, in snake case.
    pub fn operation(&self) -> Option<&str> {
        match self {
            Self::Argument(error) => error.operation.as_deref(),
            _ => None,
        }
    }

    /// All of it for people, names spelled by a binding.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Argument(error) => error.text(spelling),
            Self::Broker(error) => error.text(spelling),
            Self::Verification(error) => error.text(spelling),
            Self::File(_) | Self::Server(_) | Self::Threads(_) | Self::Internal => self.to_string(),
        }
    }

    /// As an object: `kind`, `code` and `message`, and what is known beside them. Of an argument that is `operation`, `argument`,
    /// `place` and `origin`; of a file its `path`; of a server `host`, `port` and `errno`; of a broker `status`, `notices` and
    /// `published`.
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
            Self::Verification(_) | Self::Threads(_) | Self::Internal => {}
        }
        members.into()
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
