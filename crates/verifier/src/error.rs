use contract_report::{ErrorCode, InteractionError};
use contract_wire::{RequestError, RequestErrorKind};

/// Reason why the options of a verification are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A URL, certificate, or key is invalid.
    #[error(transparent)]
    Wire(#[from] contract_wire::SettingsError),
    /// A filter contains an invalid regular expression or an unknown interaction type.
    #[error("the {what} filter is invalid: {problem}")]
    Filter {
        /// The filter: `description`, `state`, or `kind`.
        what: &'static str,
        problem: String,
    },
    /// Two options are mutually exclusive.
    #[error("{0}")]
    Contradiction(&'static str),
    /// No transport and no message handler is configured.
    #[error("no transport for the provider {provider:?}. Add one with its base URL, or add message handlers")]
    NoTransport { provider: String },
    /// A custom header is invalid.
    #[error("the custom header {name:?} is invalid: {problem}")]
    Header { name: String, problem: &'static str },
    /// An option must be greater than zero.
    #[error("{what} must be greater than zero")]
    Zero { what: &'static str },
}

/// Reason why there are no interactions to verify.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmptyVerification {
    /// There are no contracts, or the contracts contain no interactions.
    #[error("no interactions to verify: the {contracts} contract(s) for {provider:?} contain no interactions")]
    NoInteractions { provider: String, contracts: usize },
    /// None of the requested consumers has a contract.
    #[error("no contract with the consumer {}. Consumers with contracts: {}", .requested.join(" or "), .known.join(", "))]
    Consumers {
        /// Names of the requested consumers, in quotation marks.
        requested: Vec<String>,
        /// Names of the consumers that have contracts, in quotation marks.
        known: Vec<String>,
    },
    /// No interaction matches the filters.
    #[error("no interaction matches the filters ({filters}); {total} interaction(s) available{}", examples(.descriptions))]
    Filtered {
        /// Description of the filters.
        filters: String,
        /// Number of interactions before filtering.
        total: usize,
        /// Examples of available descriptions.
        descriptions: Vec<String>,
    },
}

fn examples(descriptions: &[String]) -> String {
    if descriptions.is_empty() {
        return String::new();
    }
    format!(", for example: {}", descriptions.join(", "))
}

/// Creates the error for a callback that failed. `what` is the name of the callback.
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
        // Includes kinds that are added in the future, because the request received no response.
        RequestErrorKind::Closed | _ => ErrorCode::RequestClosed,
    };
    let advice = match code {
        ErrorCode::ResponseTooLarge => ". If this is expected, raise the body limit",
        _ => "",
    };
    InteractionError::new(code, format!("{error}{advice}"))
}
