/// Invalid client settings. They are detected before any request is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    #[error(
        "{url:?} is not a valid base URL: {problem}. Use a URL such as http://127.0.0.1:8080 or https://host/prefix"
    )]
    Url {
        /// The URL without secrets.
        url: String,
        /// A clause such as `the host is missing or invalid`.
        problem: String,
    },
    #[error("invalid TLS {what}: {problem}")]
    Tls { what: &'static str, problem: String },
    #[error("{what} must be greater than zero")]
    Zero { what: &'static str },
}
