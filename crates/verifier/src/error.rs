//! What can go wrong before anything is verified.

use contract_report::{ErrorCode, InteractionError};
use contract_wire::{RequestError, RequestErrorKind};

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
        /// The name of the provider.
        provider: String,
    },
    /// A header that cannot be sent.
    #[error("the custom header {name:?} cannot be sent: {problem}")]
    Header {
        /// The name.
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
        /// The name of the provider.
        provider: String,
        /// How many contracts there were.
        contracts: usize,
    },
    /// No contract is of one of the consumers that were asked for.
    #[error("no contract is of the consumer {}; there are contracts of {}", .asked.join(" or "), .known.join(", "))]
    Consumers {
        /// The consumers that were asked for, in quotes.
        asked: Vec<String>,
        /// The consumers that there are, in quotes.
        known: Vec<String>,
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

/// What a callback of the caller threw, with what was called.
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

/// A request that got no answer.
pub(crate) fn request_failed(error: &RequestError) -> InteractionError {
    let code = match error.kind() {
        RequestErrorKind::Invalid => ErrorCode::RequestInvalid,
        RequestErrorKind::Connect => ErrorCode::RequestConnect,
        RequestErrorKind::Timeout => ErrorCode::RequestTimeout,
        RequestErrorKind::Tls => ErrorCode::RequestTls,
        RequestErrorKind::Redirect => ErrorCode::RequestRedirect,
        RequestErrorKind::TooLarge => ErrorCode::ResponseTooLarge,
        RequestErrorKind::InvalidResponse => ErrorCode::ResponseInvalid,
        // What a later kind will be, is not known; the request got no answer in any case.
        RequestErrorKind::Closed | _ => ErrorCode::RequestClosed,
    };
    InteractionError::new(code, error.to_string())
}
