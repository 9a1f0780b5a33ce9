//! Why a call had no success, as data.

use std::fmt::Write as _;

use contract_broker_client::{BrokerError, BrokerErrorKind, Notice, Secrets, with_advice};

use contract_model::Json;

use contract_call::error::ArgumentError;
use contract_call::json::{or_null, to_value};
use contract_call::message::{Message, Spelling};

/// Why a call to a broker had no success.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrokerFailure {
    /// Arguments that make no sense: nothing was sent.
    Argument(ArgumentError),
    /// A file or a version that there is not: nothing was sent.
    Local {
        /// A stable error code.
        code: &'static str,
        /// What, and what to do.
        message: Message,
    },
    /// What the broker, or the way to it, had to say.
    Broker {
        /// What.
        error: BrokerError,
        /// What to do about it here, in place of what the error itself advises.
        advice: Option<Message>,
        /// The contracts that were published before, each as `consumer version → provider`.
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

    /// What a broker said, or did not have, and what to do about it.
    pub(super) fn advised(error: BrokerError, advice: impl Into<Message>) -> Self {
        Self::Broker {
            error,
            advice: Some(advice.into()),
            published: Vec::new(),
        }
    }

    /// What is not at the broker, and what to do about it.
    pub(super) fn not_there(what: impl Into<String>, advice: impl Into<Message>) -> Self {
        Self::advised(BrokerError::new(BrokerErrorKind::NotFound, what), advice)
    }

    /// Says what was published before it failed.
    pub(super) fn behind(self, before: &[String]) -> Self {
        match self {
            Self::Broker { error, advice, .. } => Self::Broker {
                error,
                advice,
                published: before.to_vec(),
            },
            other => other,
        }
    }

    /// The same without our own credentials, which a broker may echo.
    pub(super) fn without(self, secrets: &Secrets) -> Self {
        match self {
            Self::Broker {
                error,
                advice,
                published,
            } => Self::Broker {
                error: secrets.blank_error(error),
                advice,
                published: published.iter().map(|one| secrets.blank(one).into_owned()).collect(),
            },
            other => other,
        }
    }

    /// Says which call refused its arguments.
    pub(super) fn of(self, name: &'static str) -> Self {
        match self {
            Self::Argument(error) => Self::Argument(error.of(name)),
            other => other,
        }
    }

    /// A stable code, `ERR_CONTRACT_…`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::Local { code, .. } => code,
            Self::Broker { error, .. } => code_of(error.kind()),
        }
    }

    /// What kind of thing the broker, or the way to it, had to say; none where nothing was sent, because what was given cannot
    /// work.
    pub fn kind(&self) -> Option<BrokerErrorKind> {
        match self {
            Self::Broker { error, .. } => Some(error.kind()),
            _ => None,
        }
    }

    /// The status of the broker's answer, if there was one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Broker { error, .. } => error.status(),
            _ => None,
        }
    }

    /// What the broker wants people to know.
    pub fn notices(&self) -> &[Notice] {
        match self {
            Self::Broker { error, .. } => error.notices(),
            _ => &[],
        }
    }

    /// What was published before it failed.
    pub fn published(&self) -> &[String] {
        match self {
            Self::Broker { published, .. } => published,
            _ => &[],
        }
    }

    /// What the broker answered: `status`, `notices` and `published`.
    pub fn details(&self) -> [(&'static str, Json); 3] {
        [
            ("status", or_null(self.status().map(u64::from))),
            ("notices", to_value(&self.notices())),
            ("published", to_value(&self.published())),
        ]
    }

    /// All of it, names spelled by a binding, without secrets and without characters that act on a terminal.
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
                    Some(advice) => with_advice(error.what(), &advice.text(spelling)),
                    None => error.to_string(),
                };
                if !published.is_empty() {
                    let published = published.join(", ");
                    let _ = write!(text, "; published before that: {published}; nothing else was");
                }
                text
            }
        };
        contract_report::harmless_text(&contract_report::redact::text(&text))
    }
}

/// The stable code of a kind.
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
