//! From what hyper read to what is compared.

use std::time::{Duration, Instant};

use bytes::Bytes;
use contract_matching::{ActualBody, ActualRequest};
use contract_report::Trouble;
use contract_wire::{BodyError, headers_of, next_data, query_of, read_body};
use hyper::Version;
use hyper::body::{Body, Incoming};
use hyper::header::{EXPECT, HeaderMap};
use hyper::http::request::Parts;

use crate::options::Limits;

/// Bytes beyond the limit that are read and thrown away before the client is told: one that is still sending would see a
/// broken connection in place of the answer.
const DRAINED: u64 = 1 << 30;
/// And for how long.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// Why there is no whole body.
#[derive(Debug)]
pub(crate) enum BodyProblem {
    TooLarge { limit: usize },
    Broken { received: usize, reason: String },
}

impl std::fmt::Display for BodyProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge { limit } => write!(
                f,
                "the body is larger than the {limit} bytes that the mock server accepts; raise the server's limit bodySize"
            ),
            Self::Broken { received, reason } => {
                write!(f, "the body broke off after {received} bytes: {reason}")
            }
        }
    }
}

/// Looks at the size of a head. HTTP/1 heads that are too large do not come so far; those of HTTP/2 are measured here, as
/// RFC 9113 section 6.5.2 counts.
pub(crate) fn head(parts: &Parts, limits: &Limits) -> Result<(), Trouble> {
    const OVERHEAD: usize = 32;
    if parts.version != Version::HTTP_2 {
        return Ok(());
    }
    let most = limits.most_headers();
    if parts.headers.len() > most {
        return Err(Trouble::TooManyHeaders { limit: most });
    }
    let lines = parts.headers.iter();
    let size: usize = lines
        .map(|(name, value)| name.as_str().len() + value.len() + OVERHEAD)
        .sum();
    let limit = limits.largest_head();
    if size + parts.uri.path().len() + parts.uri.query().map_or(0, str::len) > limit {
        return Err(Trouble::HeadTooLarge { limit });
    }
    Ok(())
}

/// Reads a body to its end.
pub(crate) async fn body(mut body: Incoming, headers: &HeaderMap, limit: usize) -> Result<Bytes, BodyProblem> {
    let asked = body.size_hint().lower() > limit as u64 && headers.contains_key(EXPECT);
    match read_body(&mut body, limit).await {
        Ok(whole) => Ok(whole),
        Err(BodyError::Broken { received, source }) => Err(BodyProblem::Broken {
            received,
            reason: reason(&source),
        }),
        Err(_) => {
            // A client that asked first sends nothing when it is refused.
            if !asked {
                Box::pin(drain(body)).await;
            }
            Err(BodyProblem::TooLarge { limit })
        }
    }
}

fn reason(error: &hyper::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

async fn drain(mut body: Incoming) {
    let (start, mut seen) = (Instant::now(), 0_u64);
    let all = async {
        while let Ok(Some(data)) = next_data(&mut body, 0).await {
            seen = seen.saturating_add(data.len() as u64);
            if seen > DRAINED || start.elapsed() > DRAIN_TIME {
                break;
            }
        }
    };
    // Out of time is as good as done.
    let _ = tokio::time::timeout(DRAIN_TIME, all).await;
}

/// The request as matching sees it.
pub(crate) fn request(parts: &Parts, body: Bytes) -> ActualRequest {
    let headers = headers_of(&parts.headers);
    ActualRequest {
        method: parts.method.as_str().into(),
        path: parts.uri.path().into(),
        query: parts.uri.query().map(query_of).unwrap_or_default(),
        body: ActualBody::new(body, headers.content_type()),
        headers,
    }
}
