//! Why a call had no success, as data: bindings pass it on, and each language makes its own kinds of errors of it.

use contract_model::{Json, Object};

use crate::broker::BrokerFailure;
use crate::error::ArgumentError;
use crate::file::{FileError, WriteProblem};
use crate::message::Spelling;
use crate::serve::ServeError;
use crate::verify::VerifyError;

/// Why a call had no success. All errors of this crate become one.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// An argument that makes no sense.
    Argument(ArgumentError),
    /// A file or directory that cannot be read or written.
    File(FileError),
    /// A mock server that did not start.
    Server(ServeError),
    /// A broker, or the way to it.
    Broker(BrokerFailure),
    /// Contracts that cannot be verified.
    Verification(VerifyError),
    /// A fault of the library itself.
    Internal,
}

impl Failure {
    /// Which kind of error it is: `argument`, `file`, `server`, `broker`, `verification` or `internal`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Argument(_) => "argument",
            Self::File(_) => "file",
            Self::Server(_) => "server",
            Self::Broker(_) => "broker",
            Self::Verification(_) => "verification",
            Self::Internal => "internal",
        }
    }

    /// The stable code, `ERR_CONTRACT_…`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::File(error) => error.code(),
            Self::Server(error) => error.code(),
            Self::Broker(error) => error.code(),
            Self::Verification(error) => error.code(),
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
            Self::File(error) => error.to_string(),
            Self::Server(error) => error.to_string(),
            Self::Broker(error) => error.text(spelling),
            Self::Verification(error) => error.text(spelling),
            Self::Internal => "the core failed; this is a fault of the library, please report it".to_owned(),
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
            Self::Server(ServeError::Start(error)) => {
                known("host", error.host().map(Json::from));
                known("port", error.port().map(|port| u64::from(port).into()));
                known("errno", error.os_error().map(|number| i64::from(number).into()));
            }
            Self::Broker(error) => error
                .details()
                .into_iter()
                .for_each(|(name, value)| known(name, Some(value))),
            Self::Server(_) | Self::Verification(_) | Self::Internal => {}
        }
        members.into()
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Self::Argument(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<WriteProblem> for Failure {
    fn from(problem: WriteProblem) -> Self {
        match problem {
            WriteProblem::File(error) => error.into(),
            WriteProblem::Argument(error) => error.into(),
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Argument(error) => error.into(),
            other @ ServeError::Start(_) => Self::Server(other),
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

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::File(error) => error.into(),
            VerifyError::Argument(error) => error.into(),
            other => Self::Verification(other),
        }
    }
}
