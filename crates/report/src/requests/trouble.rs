//! What goes wrong around requests, rather than in them.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// Something that is no request and no mismatch, but may be the reason why one is missing. Where it cost a request its answer,
/// it is a failure of its own, see [`Trouble::refused`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// A client spoke TLS, the server speaks plain HTTP.
    TlsToPlain,
    /// A client spoke plain HTTP, the server speaks TLS.
    PlainToTls,
    /// A client did not finish the TLS handshake.
    Handshake {
        /// What the TLS library says.
        reason: String,
    },
    /// What came is no HTTP request that can be read.
    Unreadable {
        /// What the HTTP library says.
        reason: String,
    },
    /// The head of a request was too large.
    HeadTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// A request had too many headers.
    TooManyHeaders {
        /// The limit.
        limit: usize,
    },
    /// The URL of a request was longer than the HTTP library takes.
    UrlTooLong,
    /// A client took too long.
    TimedOut {
        /// What it did not finish.
        what: &'static str,
    },
    /// Too many connections at a time.
    TooManyConnections {
        /// The limit.
        limit: usize,
    },
    /// The server itself failed; the request was not answered.
    Internal,
    /// A value of a response could not be generated; the example was sent.
    NotGenerated {
        /// The description of the interaction.
        interaction: String,
        /// What is wrong.
        problem: String,
    },
}

impl Trouble {
    /// With which status a request was refused for it; 0 where it got no answer at all. What is not about a whole request that
    /// came is `None`.
    pub fn refused(&self) -> Option<u16> {
        match self {
            Self::PlainToTls | Self::Unreadable { .. } => Some(400),
            Self::UrlTooLong => Some(414),
            Self::HeadTooLarge { .. } | Self::TooManyHeaders { .. } => Some(431),
            Self::TooManyConnections { .. } => Some(503),
            Self::Internal => Some(0),
            Self::TlsToPlain | Self::Handshake { .. } | Self::TimedOut { .. } | Self::NotGenerated { .. } => None,
        }
    }

    /// A stable name.
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

impl fmt::Display for Trouble {
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

impl Serialize for Trouble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("code", self.code())?;
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}
