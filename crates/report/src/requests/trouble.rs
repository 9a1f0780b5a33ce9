//! What goes wrong around requests, rather than in them.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// Something that is no request and no mismatch, but may be the reason why one is missing.
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
    /// A stable name.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TlsToPlain => "tls-to-plain",
            Self::PlainToTls => "plain-to-tls",
            Self::Handshake { .. } => "handshake",
            Self::Unreadable { .. } => "unreadable",
            Self::HeadTooLarge { .. } => "head-too-large",
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
                "A client tried TLS, but this server speaks plain HTTP: use its http:// URL, or start it with https.",
            ),
            Self::PlainToTls => {
                f.write_str("A client spoke plain HTTP, but this server speaks TLS: use its https:// URL.")
            }
            Self::Handshake { reason } => write!(
                f,
                "A TLS handshake failed ({reason}): does the client use https:// and trust the server's certificate?"
            ),
            Self::Unreadable { reason } => write!(f, "Something came that is no readable HTTP request ({reason})."),
            Self::HeadTooLarge { limit } => {
                write!(
                    f,
                    "A request had a head larger than {limit} bytes or too many headers and was refused with 431."
                )
            }
            Self::TimedOut { what } => write!(f, "A client took too long to {what}; its connection was closed."),
            Self::TooManyConnections { limit } => {
                write!(
                    f,
                    "More than {limit} connections were open at a time; further ones were refused with 503."
                )
            }
            Self::Internal => {
                f.write_str("A request was not answered because of a fault in the mock server; please report it.")
            }
            Self::NotGenerated { interaction, problem } => {
                write!(
                    f,
                    "In the response of {interaction:?}, {problem}. The example was sent instead."
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
