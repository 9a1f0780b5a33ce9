use contract_report::{ErrorCode, InteractionError};
use contract_wire::{RequestError, RequestErrorKind};

/// Reason why the options of a verification are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    #[error(transparent)]
    Wire(#[from] contract_wire::SettingsError),
    /// The filter contains an invalid regular expression or an unknown interaction type.
    #[error("the {what} filter is invalid: {problem}")]
    Filter {
        /// Name of the filter: `description`, `state`, or `kind`.
        what: &'static str,
        problem: String,
    },
    /// Two options cannot be combined. The text is the error message.
    #[error("{0}")]
    Contradiction(&'static str),
    #[error(
        "no transport for the provider {provider:?}. Add a transport with the provider's base URL, or add message handlers"
    )]
    NoTransport { provider: String },
    #[error("the custom header {name:?} is invalid: {problem}")]
    Header { name: String, problem: &'static str },
    #[error("{what} must be greater than zero")]
    Zero { what: &'static str },
}

/// Reason why there are no interactions to verify.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmptyVerification {
    #[error(
        "no interactions to verify: the contracts for {provider:?} contain none (number of contracts: {contracts})"
    )]
    NoInteractions { provider: String, contracts: usize },
    #[error("no contract with the consumer {}. Consumers with contracts: {}", .requested.join(" or "), .known.join(", "))]
    Consumers {
        /// Names of the requested consumers, in double quotes.
        requested: Vec<String>,
        /// Names of the consumers that have contracts, in double quotes.
        known: Vec<String>,
    },
    #[error("no interaction matches the filters ({filters}). Interactions in the contracts: {total}{}", examples(.descriptions))]
    Filtered {
        /// The active filters, such as `description "order", no state`.
        filters: String,
        /// Number of interactions before filtering.
        total: usize,
        /// Some of the descriptions before filtering, as examples.
        descriptions: Vec<String>,
    },
}

fn examples(descriptions: &[String]) -> String {
    if descriptions.is_empty() {
        return String::new();
    }
    format!(", for example: {}", descriptions.join(", "))
}

/// Creates the error for a failed callback. `what` names the callback and starts the message. Secrets are redacted.
pub(crate) fn callback_failed(
    code: ErrorCode,
    subject: impl std::fmt::Display,
    error: &crate::CallbackError,
) -> InteractionError {
    InteractionError {
        token: error.token,
        ..InteractionError::new(
            code,
            format!("{subject}: {}", contract_report::redact::text(&error.message)),
        )
    }
}

/// Creates the error for a request without a valid response.
pub(crate) fn request_failed(error: &RequestError) -> InteractionError {
    let code = match error.kind() {
        RequestErrorKind::Invalid => ErrorCode::RequestInvalid,
        RequestErrorKind::Connect => ErrorCode::RequestConnect,
        RequestErrorKind::Timeout => ErrorCode::RequestTimeout,
        RequestErrorKind::Tls => ErrorCode::RequestTls,
        RequestErrorKind::Redirect => ErrorCode::RequestRedirect,
        RequestErrorKind::TooLarge => ErrorCode::ResponseTooLarge,
        RequestErrorKind::InvalidResponse => ErrorCode::ResponseInvalid,
        // Includes kinds that are added in the future, because the request received no response.
        RequestErrorKind::Closed | _ => ErrorCode::RequestClosed,
    };
    let advice = match code {
        ErrorCode::ResponseTooLarge => ". If this is expected, raise the body limit",
        _ => "",
    };
    InteractionError::new(code, format!("{error}{advice}"))
}
