//! What can go wrong, with stable codes.

use contract_wire::{RequestError, RequestErrorKind};
use serde::{Deserialize, Serialize};

/// Options that cannot work, found before anything is verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A URL, certificate or key that cannot be used.
    #[error(transparent)]
    Wire(#[from] contract_wire::SettingsError),
    /// A text that is no regular expression.
    #[error("the filter for the {what} is not a regular expression: {problem}")]
    Filter {
        /// `description` or `state`.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// Options that exclude each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// No way to reach the provider.
    #[error(
        "nothing tells how to reach the provider {provider:?}; add a transport with its base URL, or message handlers"
    )]
    NoTransport {
        /// The provider's name.
        provider: String,
    },
    /// A header that cannot be sent.
    #[error("the custom header {name:?} cannot be sent: {problem}")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Zero where at least one is needed.
    #[error("{what} must be greater than zero")]
    Zero {
        /// The option.
        what: &'static str,
    },
}

/// Nothing was left to verify.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmptyVerification {
    /// There was no contract, or none had interactions.
    #[error(
        "there is nothing to verify: {contracts} contract(s) were found for {provider:?}, and they hold no interactions"
    )]
    NoInteractions {
        /// The provider's name.
        provider: String,
        /// How many contracts there were.
        contracts: usize,
    },
    /// The filters left nothing.
    #[error("the filters ({filters}) leave nothing of {total} interaction(s) to verify{}", examples(.descriptions))]
    Filtered {
        /// The filters in words.
        filters: String,
        /// How many interactions there were.
        total: usize,
        /// Some descriptions that there are.
        descriptions: Vec<String>,
    },
}

fn examples(descriptions: &[String]) -> String {
    if descriptions.is_empty() {
        return String::new();
    }
    format!("; there are: {}", descriptions.join(", "))
}

/// Why an interaction could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InteractionError {
    /// Stable, for programs.
    pub code: ErrorCode,
    /// What happened, where, and what to do.
    pub message: String,
    /// Names the caller's own error value, if a callback failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<u64>,
}

impl InteractionError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            token: None,
        }
    }

    /// What people of the field call it.
    pub fn title(&self) -> &'static str {
        self.code.title()
    }

    pub(crate) fn from_callback(code: ErrorCode, what: impl std::fmt::Display, error: &crate::CallbackError) -> Self {
        Self {
            code,
            message: format!("{what}: {}", error.message),
            token: error.token,
        }
    }
}

impl std::fmt::Display for InteractionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InteractionError {}

impl From<RequestError> for InteractionError {
    fn from(error: RequestError) -> Self {
        let code = match error.kind() {
            RequestErrorKind::Invalid => ErrorCode::RequestInvalid,
            RequestErrorKind::Connect => ErrorCode::RequestConnect,
            RequestErrorKind::Timeout => ErrorCode::RequestTimeout,
            RequestErrorKind::Tls => ErrorCode::RequestTls,
            RequestErrorKind::Redirect => ErrorCode::RequestRedirect,
            RequestErrorKind::TooLarge => ErrorCode::ResponseTooLarge,
            RequestErrorKind::Answer => ErrorCode::ResponseInvalid,
            // What a later kind will be, is not known; the request got no answer in any case.
            RequestErrorKind::Closed | _ => ErrorCode::RequestClosed,
        };
        Self::new(code, error.to_string())
    }
}

/// The stable code of an [`InteractionError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A state handler failed.
    #[serde(rename = "ERR_CONTRACT_STATE_HANDLER")]
    StateHandler,
    /// No state handler for the state.
    #[serde(rename = "ERR_CONTRACT_STATE_UNKNOWN")]
    StateUnknown,
    /// A state handler did not settle in time.
    #[serde(rename = "ERR_CONTRACT_STATE_TIMEOUT")]
    StateTimeout,
    /// A generator made no value.
    #[serde(rename = "ERR_CONTRACT_GENERATOR")]
    Generator,
    /// A rule of the contract cannot be used.
    #[serde(rename = "ERR_CONTRACT_RULE")]
    Rule,
    /// A request filter failed.
    #[serde(rename = "ERR_CONTRACT_REQUEST_FILTER")]
    RequestFilter,
    /// A function that makes a header failed.
    #[serde(rename = "ERR_CONTRACT_CUSTOM_HEADER")]
    CustomHeader,
    /// The request cannot be written as HTTP.
    #[serde(rename = "ERR_CONTRACT_REQUEST_INVALID")]
    RequestInvalid,
    /// No connection.
    #[serde(rename = "ERR_CONTRACT_REQUEST_CONNECT")]
    RequestConnect,
    /// The connection was cut.
    #[serde(rename = "ERR_CONTRACT_REQUEST_CLOSED")]
    RequestClosed,
    /// No answer in time.
    #[serde(rename = "ERR_CONTRACT_REQUEST_TIMEOUT")]
    RequestTimeout,
    /// No agreement on encryption.
    #[serde(rename = "ERR_CONTRACT_REQUEST_TLS")]
    RequestTls,
    /// Too many redirects, or one that leads nowhere.
    #[serde(rename = "ERR_CONTRACT_REQUEST_REDIRECT")]
    RequestRedirect,
    /// A body above the limit.
    #[serde(rename = "ERR_CONTRACT_RESPONSE_TOO_LARGE")]
    ResponseTooLarge,
    /// An answer that is not HTTP, or a body that is not compressed as it says.
    #[serde(rename = "ERR_CONTRACT_RESPONSE_INVALID")]
    ResponseInvalid,
    /// No way to reach the provider for such an interaction.
    #[serde(rename = "ERR_CONTRACT_TRANSPORT")]
    Transport,
    /// A message handler failed.
    #[serde(rename = "ERR_CONTRACT_MESSAGE_HANDLER")]
    MessageHandler,
    /// No message handler for the description.
    #[serde(rename = "ERR_CONTRACT_MESSAGE_UNKNOWN")]
    MessageUnknown,
    /// A message handler did not settle in time.
    #[serde(rename = "ERR_CONTRACT_MESSAGE_TIMEOUT")]
    MessageTimeout,
    /// A hook failed.
    #[serde(rename = "ERR_CONTRACT_HOOK")]
    Hook,
    /// A kind of interaction that this library does not know.
    #[serde(rename = "ERR_CONTRACT_INTERACTION_KIND")]
    InteractionKind,
    /// An interaction or a whole contract that cannot be read.
    #[serde(rename = "ERR_CONTRACT_UNREADABLE")]
    Unreadable,
    /// The verification itself broke off.
    #[serde(rename = "ERR_CONTRACT_INTERNAL")]
    Internal,
}

impl ErrorCode {
    /// The code as text, such as `ERR_CONTRACT_STATE_HANDLER`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StateHandler => "ERR_CONTRACT_STATE_HANDLER",
            Self::StateUnknown => "ERR_CONTRACT_STATE_UNKNOWN",
            Self::StateTimeout => "ERR_CONTRACT_STATE_TIMEOUT",
            Self::Generator => "ERR_CONTRACT_GENERATOR",
            Self::Rule => "ERR_CONTRACT_RULE",
            Self::RequestFilter => "ERR_CONTRACT_REQUEST_FILTER",
            Self::CustomHeader => "ERR_CONTRACT_CUSTOM_HEADER",
            Self::RequestInvalid => "ERR_CONTRACT_REQUEST_INVALID",
            Self::RequestConnect => "ERR_CONTRACT_REQUEST_CONNECT",
            Self::RequestClosed => "ERR_CONTRACT_REQUEST_CLOSED",
            Self::RequestTimeout => "ERR_CONTRACT_REQUEST_TIMEOUT",
            Self::RequestTls => "ERR_CONTRACT_REQUEST_TLS",
            Self::RequestRedirect => "ERR_CONTRACT_REQUEST_REDIRECT",
            Self::ResponseTooLarge => "ERR_CONTRACT_RESPONSE_TOO_LARGE",
            Self::ResponseInvalid => "ERR_CONTRACT_RESPONSE_INVALID",
            Self::Transport => "ERR_CONTRACT_TRANSPORT",
            Self::MessageHandler => "ERR_CONTRACT_MESSAGE_HANDLER",
            Self::MessageUnknown => "ERR_CONTRACT_MESSAGE_UNKNOWN",
            Self::MessageTimeout => "ERR_CONTRACT_MESSAGE_TIMEOUT",
            Self::Hook => "ERR_CONTRACT_HOOK",
            Self::InteractionKind => "ERR_CONTRACT_INTERACTION_KIND",
            Self::Unreadable => "ERR_CONTRACT_UNREADABLE",
            Self::Internal => "ERR_CONTRACT_INTERNAL",
        }
    }

    /// What people of the field call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::StateHandler | Self::StateUnknown | Self::StateTimeout => "State change request failed",
            Self::Generator | Self::Rule | Self::InteractionKind | Self::Unreadable => "The contract could not be used",
            Self::RequestFilter => "The request filter failed",
            Self::CustomHeader => "The custom header could not be made",
            Self::RequestInvalid | Self::RequestRedirect => "The request could not be sent",
            Self::RequestConnect | Self::RequestClosed | Self::RequestTimeout | Self::RequestTls => "Request failed",
            Self::ResponseTooLarge | Self::ResponseInvalid => "The response could not be read",
            Self::Transport => "The provider could not be reached",
            Self::MessageHandler | Self::MessageUnknown | Self::MessageTimeout => "The message could not be produced",
            Self::Hook => "A hook failed",
            Self::Internal => "The verification broke off",
        }
    }
}
