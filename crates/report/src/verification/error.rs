//! Errors because of which an interaction could not be compared, with stable codes.

use serde::{Deserialize, Serialize};

use crate::redact;

/// Reason why an interaction could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InteractionError {
    /// Stable error code, such as `ERR_CONTRACT_STATE_HANDLER`.
    pub code: ErrorCode,
    /// Error message: what failed, where it failed, and what to do.
    pub message: String,
    /// Token that identifies the original error, if a handler, filter, or hook threw it. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<u64>,
}

impl InteractionError {
    /// Returns whether the timeout of the test that runs the verification caused the error. If so, the provider has not
    /// failed.
    pub fn is_out_of_time(&self) -> bool {
        self.code == ErrorCode::TimeLimit
    }

    /// Creates an error without a token. Redacts secrets in the message.
    pub fn new(code: ErrorCode, message: impl AsRef<str>) -> Self {
        Self {
            code,
            message: redact::text(message.as_ref()).into_owned(),
            token: None,
        }
    }

    /// Returns the title of the failure, such as `The request could not be sent`.
    pub fn title(&self) -> &'static str {
        self.code.title()
    }

    /// Returns the message followed by the code. If the message has multiple lines, the code is on a separate line.
    pub(crate) fn with_code(&self) -> String {
        let separator = if self.message.contains('\n') { '\n' } else { ' ' };
        format!("{}{separator}[{}]", self.message.trim_end(), self.code.as_str())
    }
}

impl std::fmt::Display for InteractionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InteractionError {}

/// Stable code of an [`InteractionError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorCode {
    #[serde(rename = "ERR_CONTRACT_STATE_HANDLER")]
    StateHandler,
    /// No handler is registered for a provider state.
    #[serde(rename = "ERR_CONTRACT_STATE_UNKNOWN")]
    StateUnknown,
    /// A provider state handler exceeded its timeout.
    #[serde(rename = "ERR_CONTRACT_STATE_TIMEOUT")]
    StateTimeout,
    /// A generator could not produce a value.
    #[serde(rename = "ERR_CONTRACT_GENERATOR")]
    Generator,
    /// A matching rule of the contract is invalid.
    #[serde(rename = "ERR_CONTRACT_RULE")]
    Rule,
    #[serde(rename = "ERR_CONTRACT_REQUEST_FILTER")]
    RequestFilter,
    /// The function that returns the value of a custom header failed.
    #[serde(rename = "ERR_CONTRACT_CUSTOM_HEADER")]
    CustomHeader,
    /// The request is not valid HTTP and was not sent.
    #[serde(rename = "ERR_CONTRACT_REQUEST_INVALID")]
    RequestInvalid,
    /// No connection to the provider could be established.
    #[serde(rename = "ERR_CONTRACT_REQUEST_CONNECT")]
    RequestConnect,
    /// The connection was closed before the response was complete.
    #[serde(rename = "ERR_CONTRACT_REQUEST_CLOSED")]
    RequestClosed,
    /// The response was not complete before the timeout.
    #[serde(rename = "ERR_CONTRACT_REQUEST_TIMEOUT")]
    RequestTimeout,
    /// The TLS handshake failed.
    #[serde(rename = "ERR_CONTRACT_REQUEST_TLS")]
    RequestTls,
    /// There were too many redirects, or the `Location` header is invalid.
    #[serde(rename = "ERR_CONTRACT_REQUEST_REDIRECT")]
    RequestRedirect,
    /// The response body exceeds the size limit.
    #[serde(rename = "ERR_CONTRACT_RESPONSE_TOO_LARGE")]
    ResponseTooLarge,
    /// The response is not valid HTTP, or its body cannot be decompressed.
    #[serde(rename = "ERR_CONTRACT_RESPONSE_INVALID")]
    ResponseInvalid,
    /// No transport is configured to which the interaction can be sent.
    #[serde(rename = "ERR_CONTRACT_TRANSPORT")]
    Transport,
    #[serde(rename = "ERR_CONTRACT_MESSAGE_HANDLER")]
    MessageHandler,
    /// No message handler is registered for the description.
    #[serde(rename = "ERR_CONTRACT_MESSAGE_UNKNOWN")]
    MessageUnknown,
    /// A message handler exceeded its timeout.
    #[serde(rename = "ERR_CONTRACT_MESSAGE_TIMEOUT")]
    MessageTimeout,
    /// A plugin is missing, failed to start, did not respond, or returned an error.
    #[serde(rename = "ERR_CONTRACT_PLUGIN")]
    Plugin,
    /// The timeout of the test that runs the verification had almost expired.
    #[serde(rename = "ERR_CONTRACT_TIMEOUT")]
    TimeLimit,
    #[serde(rename = "ERR_CONTRACT_HOOK")]
    Hook,
    /// The type of the interaction is not supported.
    #[serde(rename = "ERR_CONTRACT_INTERACTION_KIND")]
    InteractionKind,
    /// An interaction or a complete contract cannot be read.
    #[serde(rename = "ERR_CONTRACT_UNREADABLE")]
    Unreadable,
    /// The code of an error in a report read from JSON that this version does not know.
    #[serde(rename = "ERR_CONTRACT_UNKNOWN")]
    Unknown,
    /// The verification failed because of an internal error.
    #[serde(rename = "ERR_CONTRACT_INTERNAL")]
    Internal,
}

impl ErrorCode {
    /// Returns the code as a string, such as `ERR_CONTRACT_STATE_HANDLER`.
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
            Self::Plugin => "ERR_CONTRACT_PLUGIN",
            Self::TimeLimit => "ERR_CONTRACT_TIMEOUT",
            Self::Hook => "ERR_CONTRACT_HOOK",
            Self::InteractionKind => "ERR_CONTRACT_INTERACTION_KIND",
            Self::Unreadable => "ERR_CONTRACT_UNREADABLE",
            Self::Unknown => "ERR_CONTRACT_UNKNOWN",
            Self::Internal => "ERR_CONTRACT_INTERNAL",
        }
    }

    /// Returns the title of failures with this code. Several titles are the same as in other Pact implementations.
    pub fn title(self) -> &'static str {
        match self {
            Self::StateHandler | Self::StateUnknown | Self::StateTimeout => "State change request failed",
            Self::Generator | Self::Rule | Self::InteractionKind | Self::Unreadable => "The contract could not be used",
            Self::RequestFilter => "The request filter failed",
            Self::CustomHeader => "The custom header could not be created",
            Self::RequestInvalid | Self::RequestRedirect => "The request could not be sent",
            Self::RequestConnect | Self::RequestClosed | Self::RequestTimeout | Self::RequestTls => "Request failed",
            Self::ResponseTooLarge | Self::ResponseInvalid => "The response could not be read",
            Self::Transport => "The provider could not be reached",
            Self::MessageHandler | Self::MessageUnknown | Self::MessageTimeout => "The message could not be produced",
            Self::Plugin => "The plugin failed",
            Self::TimeLimit => "The interaction did not finish in time",
            Self::Hook => "A hook failed",
            Self::Unknown => "The interaction could not be verified",
            Self::Internal => "The verification failed unexpectedly",
        }
    }
}
