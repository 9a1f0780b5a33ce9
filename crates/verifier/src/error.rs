use contract_report::{ErrorCode, InteractionError};
use contract_wire::{RequestError, RequestErrorKind};

/// Invalid options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// An invalid URL, certificate, or key.
    #[error(transparent)]
    Wire(#[from] contract_wire::SettingsError),
    /// An invalid regular expression, or an unknown kind.
    #[error("the {what} filter is invalid: {problem}")]
    Filter {
        /// `description`, `state`, or `kind`.
        what: &'static str,
        problem: String,
    },
    /// Options that are mutually exclusive.
    #[error("{0}")]
    Contradiction(&'static str),
    /// No transport and no message handlers.
    #[error("no transport for the provider {provider:?}. Add one with its base URL, or add message handlers")]
    NoTransport { provider: String },
    /// An invalid custom header.
    #[error("the custom header {name:?} is invalid: {problem}")]
    Header { name: String, problem: &'static str },
    /// An option that must be at least 1.
    #[error("{what} must be greater than zero")]
    Zero { what: &'static str },
}

/// No interactions to verify.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmptyVerification {
    /// There are no contracts, or none contains interactions.
    #[error("no interactions to verify: found {contracts} contract(s) for {provider:?} without interactions")]
    NoInteractions { provider: String, contracts: usize },
    /// No contract has one of the requested consumers.
    #[error("no contract with the consumer {}. Consumers with contracts: {}", .requested.join(" or "), .known.join(", "))]
    Consumers {
        /// Requested consumers, in quotes.
        requested: Vec<String>,
        /// Consumers with contracts, in quotes.
        known: Vec<String>,
    },
    /// No interaction matches the filters.
    #[error("no interaction matches the filters ({filters}); {total} interaction(s) available{}", examples(.descriptions))]
    Filtered {
        /// Description of the filters.
        filters: String,
        /// Number of interactions before filtering.
        total: usize,
        /// Some of the available descriptions.
        descriptions: Vec<String>,
    },
}

fn examples(descriptions: &[String]) -> String {
    if descriptions.is_empty() {
        return String::new();
    }
    format!(", for example: {}", descriptions.join(", "))
}

/// Creates the error of a callback that failed, with its name.
pub(crate) fn callback_failed(
    code: ErrorCode,
    what: impl std::fmt::Display,
    error: &crate::CallbackError,
) -> InteractionError {
    InteractionError {
        token: error.token,
        ..InteractionError::new(
            code,
            format!("{what}: {}", contract_report::redact::text(&error.message)),
        )
    }
}

/// Creates the error for a request that received no response.
pub(crate) fn request_failed(error: &RequestError) -> InteractionError {
    let code = match error.kind() {
        RequestErrorKind::Invalid => ErrorCode::RequestInvalid,
        RequestErrorKind::Connect => ErrorCode::RequestConnect,
        RequestErrorKind::Timeout => ErrorCode::RequestTimeout,
        RequestErrorKind::Tls => ErrorCode::RequestTls,
        RequestErrorKind::Redirect => ErrorCode::RequestRedirect,
        RequestErrorKind::TooLarge => ErrorCode::ResponseTooLarge,
        RequestErrorKind::InvalidResponse => ErrorCode::ResponseInvalid,
        // For kinds added later: the request received no response.
        RequestErrorKind::Closed | _ => ErrorCode::RequestClosed,
    };
    let advice = match code {
        ErrorCode::ResponseTooLarge => ". If this is expected, raise the body limit",
        _ => "",
    };
    InteractionError::new(code, format!("{error}{advice}"))
}
