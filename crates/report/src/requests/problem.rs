//! Problems of connections and requests that are not mismatches.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// A problem that is not a mismatch, but may explain a missing request. A problem that caused a request to be rejected
/// is also a failure; see [`ServerProblem::rejection_status`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerProblem {
    /// A client used TLS, but the server uses plain HTTP.
    TlsToPlain,
    /// A client used plain HTTP, but the server uses TLS.
    PlainToTls,
    /// A TLS handshake failed.
    Handshake {
        /// Error message of the TLS library.
        reason: String,
    },
    /// A request was not valid HTTP.
    Unreadable {
        /// Error message of the HTTP library.
        reason: String,
    },
    /// The head of a request exceeded the limit.
    HeadTooLarge {
        /// Maximum size in bytes.
        limit: usize,
    },
    TooManyHeaders {
        limit: usize,
    },
    /// The URL of a request exceeded the limit of the HTTP library.
    UrlTooLong,
    /// A client exceeded a timeout.
    TimedOut {
        /// What the client did not finish in time, such as `send the request`.
        what: &'static str,
    },
    /// The number of concurrent connections exceeded the limit.
    TooManyConnections {
        limit: usize,
    },
    /// An internal error of the mock server. The request received no response.
    Internal,
    /// A value in a response could not be generated, so the example was sent instead.
    NotGenerated {
        interaction: String,
        problem: String,
    },
}

impl ServerProblem {
    /// Returns the status with which a request was rejected because of the problem, or 0 if the request received no
    /// response. Returns `None` if no request was rejected.
    pub fn rejection_status(&self) -> Option<u16> {
        match self {
            Self::PlainToTls | Self::Unreadable { .. } => Some(400),
            Self::UrlTooLong => Some(414),
            Self::HeadTooLarge { .. } | Self::TooManyHeaders { .. } => Some(431),
            Self::TooManyConnections { .. } => Some(503),
            Self::Internal => Some(0),
            Self::TlsToPlain | Self::Handshake { .. } | Self::TimedOut { .. } | Self::NotGenerated { .. } => None,
        }
    }

    /// Returns the stable name of the problem, such as `head-too-large`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TlsToPlain => "tls-to-plain",
            Self::PlainToTls => "plain-to-tls",
            Self::Handshake { .. } => "handshake",
            Self::Unreadable { .. } => "unreadable",
            Self::HeadTooLarge { .. } => "head-too-large",
            Self::TooManyHeaders { .. } => "too-many-headers",
            Self::UrlTooLong => "url-too-long",
            Self::TimedOut { .. } => "timed-out",
            Self::TooManyConnections { .. } => "too-many-connections",
            Self::Internal => "internal",
            Self::NotGenerated { .. } => "not-generated",
        }
    }
}

impl fmt::Display for ServerProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TlsToPlain => f.write_str(
                "A client used TLS, but this server uses plain HTTP. Use its http:// URL, or enable TLS for the server.",
            ),
            Self::PlainToTls => {
                f.write_str("A client used plain HTTP, but this server requires TLS. Use its https:// URL.")
            }
            Self::Handshake { reason } => write!(
                f,
                "A TLS handshake failed ({reason}). Does the client use https:// and trust the server's certificate?"
            ),
            Self::Unreadable { reason } => write!(
                f,
                "The request is not valid HTTP (status 400): {reason}."
            ),
            Self::HeadTooLarge { limit } => write!(
                f,
                "The request head exceeds {limit} bytes (status 431). Raise the server's limit headerSize."
            ),
            Self::TooManyHeaders { limit } => write!(
                f,
                "The request has more than {limit} headers (status 431). Raise the server's limit headerCount."
            ),
            Self::UrlTooLong => f.write_str(
                "The request URL is longer than 65,534 bytes (status 414). Send the data in the body.",
            ),
            Self::TimedOut { what } => write!(f, "A connection was closed because the client took too long to {what}."),
            Self::TooManyConnections { limit } => {
                write!(
                    f,
                    "More than {limit} concurrent connections (status 503). Raise the server's limit connections."
                )
            }
            Self::Internal => {
                f.write_str("A request received no response because of an internal error in the mock server. Please report it.")
            }
            Self::NotGenerated { interaction, problem } => {
                write!(
                    f,
                    "A value in the response of {interaction:?} could not be generated: {problem}. The example was sent instead."
                )
            }
        }
    }
}

impl Serialize for ServerProblem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("code", self.code())?;
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}
