//! Errors of broker operations.

use std::fmt::Write as _;

use contract_broker_client::{BrokerError, BrokerErrorKind, Notice, Secrets, with_advice};

use contract_model::Json;

use contract_call::error::ArgumentError;
use contract_call::json::{or_null, to_value};
use contract_call::message::{Message, Spelling};

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrokerFailure {
    /// An argument is invalid. No request was sent.
    Argument(ArgumentError),
    /// A file is missing or cannot be read, or the version or branch was not detected. No request was sent.
    Local {
        /// The stable error code, such as `ERR_CONTRACT_FILE`.
        code: &'static str,
        /// What is wrong, and how to resolve it.
        message: Message,
    },
    /// The broker rejected a request, or the connection to the broker failed.
    Broker {
        error: BrokerError,
        /// Advice that replaces the advice of `error`. `None` keeps the advice of `error`.
        advice: Option<Message>,
        /// The contracts that this operation had already published, in the form `consumer version → provider`.
        published: Vec<String>,
    },
}

impl BrokerFailure {
    pub(super) fn local(code: &'static str, message: impl Into<Message>) -> Self {
        Self::Local {
            code,
            message: message.into(),
        }
    }

    /// Creates a broker error with its own advice.
    pub fn advised(error: BrokerError, advice: impl Into<Message>) -> Self {
        Self::Broker {
            error,
            advice: Some(advice.into()),
            published: Vec::new(),
        }
    }

    /// Creates an error for a resource that does not exist. `what` is the message.
    pub(super) fn not_found(message: impl Into<String>, advice: impl Into<Message>) -> Self {
        Self::advised(BrokerError::new(BrokerErrorKind::NotFound, message), advice)
    }

    /// Adds the contracts that the operation had already published.
    pub(super) fn with_published(self, before: &[String]) -> Self {
        match self {
            Self::Broker { error, advice, .. } => Self::Broker {
                error,
                advice,
                published: before.to_vec(),
            },
            other => other,
        }
    }

    /// Removes the client's credentials from the error, because a broker may include them in its response.
    pub(super) fn without_secrets(self, secrets: &Secrets) -> Self {
        match self {
            Self::Broker {
                error,
                advice,
                published,
            } => Self::Broker {
                error: secrets.redact_error(error),
                advice,
                published: published
                    .iter()
                    .map(|contract| secrets.redact(contract).into_owned())
                    .collect(),
            },
            other => other,
        }
    }

    /// Sets the name of the operation in an argument error.
    pub(super) fn in_operation(self, name: &'static str) -> Self {
        match self {
            Self::Argument(error) => Self::Argument(error.in_operation(name)),
            other => other,
        }
    }

    /// Returns the stable error code, such as `ERR_CONTRACT_OPTIONS`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::Local { code, .. } => code,
            Self::Broker { error, .. } => code_of(error.kind()),
        }
    }

    /// Returns the kind of the broker error, or `None` if no request was sent.
    pub fn kind(&self) -> Option<BrokerErrorKind> {
        match self {
            Self::Broker { error, .. } => Some(error.kind()),
            _ => None,
        }
    }

    /// Returns the HTTP status of the response, or `None` if there was no response.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Broker { error, .. } => error.status(),
            _ => None,
        }
    }

    /// Returns the notices in the broker's response.
    pub fn notices(&self) -> &[Notice] {
        match self {
            Self::Broker { error, .. } => error.notices(),
            _ => &[],
        }
    }

    /// Returns the contracts that the operation had already published.
    pub fn published(&self) -> &[String] {
        match self {
            Self::Broker { published, .. } => published,
            _ => &[],
        }
    }

    /// Returns the details of the error as JSON members: `status`, `notices`, and `published`.
    pub fn details(&self) -> [(&'static str, Json); 3] {
        [
            ("status", or_null(self.status().map(u64::from))),
            ("notices", to_value(&self.notices())),
            ("published", to_value(&self.published())),
        ]
    }

    /// Returns the complete message. `spelling` determines how the names of options and operations are written. Secrets
    /// are removed, and control characters are escaped.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        let text = match self {
            Self::Argument(error) => error.text(spelling),
            Self::Local { message, .. } => message.text(spelling),
            Self::Broker {
                error,
                advice,
                published,
            } => {
                let mut text = match advice {
                    Some(advice) => with_advice(error.message(), &advice.text(spelling)),
                    None => error.to_string(),
                };
                if !published.is_empty() {
                    let published = published.join(", ");
                    let _ = write!(text, "; already published: {published}");
                }
                text
            }
        };
        contract_report::escape_text(&contract_report::redact::text(&text))
    }
}

/// Returns the stable error code for a kind of broker error.
pub(super) fn code_of(kind: BrokerErrorKind) -> &'static str {
    match kind {
        BrokerErrorKind::Settings => "ERR_CONTRACT_BROKER_SETTINGS",
        BrokerErrorKind::Unreachable => "ERR_CONTRACT_BROKER_UNREACHABLE",
        BrokerErrorKind::Tls => "ERR_CONTRACT_BROKER_TLS",
        BrokerErrorKind::Timeout => "ERR_CONTRACT_BROKER_TIMEOUT",
        BrokerErrorKind::Unauthorized => "ERR_CONTRACT_BROKER_UNAUTHORIZED",
        BrokerErrorKind::Forbidden => "ERR_CONTRACT_BROKER_FORBIDDEN",
        BrokerErrorKind::NotFound => "ERR_CONTRACT_BROKER_NOT_FOUND",
        BrokerErrorKind::Conflict => "ERR_CONTRACT_BROKER_CONFLICT",
        BrokerErrorKind::Refused => "ERR_CONTRACT_BROKER_REFUSED",
        BrokerErrorKind::NotABroker => "ERR_CONTRACT_BROKER_NOT_A_BROKER",
        BrokerErrorKind::TooLarge => "ERR_CONTRACT_BROKER_TOO_LARGE",
        BrokerErrorKind::Unsupported => "ERR_CONTRACT_BROKER_UNSUPPORTED",
        _ => "ERR_CONTRACT_BROKER_FAILED",
    }
}

impl From<ArgumentError> for BrokerFailure {
    fn from(error: ArgumentError) -> Self {
        Self::Argument(error)
    }
}

impl From<BrokerError> for BrokerFailure {
    fn from(error: BrokerError) -> Self {
        Self::Broker {
            error,
            advice: None,
            published: Vec::new(),
        }
    }
}
