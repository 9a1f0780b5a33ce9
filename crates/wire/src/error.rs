//! Settings that cannot work.

/// Settings that cannot work, found before anything is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A base URL that is none.
    #[error(
        "{url:?} is not a valid base URL: {problem}. Use a URL such as http://127.0.0.1:8080 or https://host/prefix"
    )]
    Url {
        /// As given, without credentials.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Certificates or keys that cannot be used.
    #[error("invalid TLS {what}: {problem}")]
    Tls {
        /// `CA certificates`, `client certificate` or `client key`.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// Zero where at least one is needed.
    #[error("{what} must be greater than zero")]
    Zero {
        /// The option.
        what: &'static str,
    },
}
