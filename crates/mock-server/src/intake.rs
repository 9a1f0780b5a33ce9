//! Converts hyper's requests to [`ActualRequest`], and checks their size.

use std::time::{Duration, Instant};

use bytes::Bytes;
use contract_matching::{ActualBody, ActualRequest};
use contract_report::ServerProblem;
use contract_wire::{BodyError, decode_headers, next_data, parse_query, read_body};
use hyper::Version;
use hyper::body::{Body, Incoming};
use hyper::header::{EXPECT, HeaderMap};
use hyper::http::request::Parts;

use crate::options::Limits;

/// Maximum number of bytes beyond the body limit that are read and discarded before the server responds. If they were
/// not read, a client that is still sending would report a broken connection instead of the response.
const DRAINED: u64 = 1 << 30;
/// Maximum time for discarding the bytes beyond the body limit.
const DRAIN_TIME: Duration = Duration::from_secs(5);

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
                "the body is larger than {limit} bytes. Raise the mock server's `bodySize` limit"
            ),
            Self::Broken { received, reason } => {
                write!(f, "the body ended unexpectedly after {received} bytes: {reason}")
            }
        }
    }
}

/// Checks the size and the number of headers of an HTTP/2 request, calculated as in RFC 9113, section 6.5.2. hyper
/// already checks HTTP/1 requests.
pub(crate) fn head(parts: &Parts, limits: &Limits) -> Result<(), ServerProblem> {
    const OVERHEAD: usize = 32;
    if parts.version != Version::HTTP_2 {
        return Ok(());
    }
    let most = limits.most_headers();
    if parts.headers.len() > most {
        return Err(ServerProblem::TooManyHeaders { limit: most });
    }
    let lines = parts.headers.iter();
    let size: usize = lines
        .map(|(name, value)| name.as_str().len() + value.len() + OVERHEAD)
        .sum();
    let limit = limits.largest_head();
    if size + parts.uri.path().len() + parts.uri.query().map_or(0, str::len) > limit {
        return Err(ServerProblem::HeadTooLarge { limit });
    }
    Ok(())
}

/// Reads the complete body. Returns an error if it is larger than `limit` bytes or incomplete.
pub(crate) async fn body(mut body: Incoming, headers: &HeaderMap, limit: usize) -> Result<Bytes, BodyProblem> {
    let expects_continue = body.size_hint().lower() > limit as u64 && headers.contains_key(EXPECT);
    match read_body(&mut body, limit).await {
        Ok(whole) => Ok(whole),
        Err(BodyError::Broken { received, source }) => Err(BodyProblem::Broken {
            received,
            reason: reason(&source),
        }),
        Err(_) => {
            // If the server rejects a request with `Expect: 100-continue`, the client does not send the body.
            if !expects_continue {
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
    // Ignore the timeout, because the response is sent in any case.
    let _ = tokio::time::timeout(DRAIN_TIME, all).await;
}

pub(crate) fn request(parts: &Parts, body: Bytes) -> ActualRequest {
    let headers = decode_headers(&parts.headers);
    ActualRequest {
        method: parts.method.as_str().into(),
        path: parts.uri.path().into(),
        query: parts.uri.query().map(parse_query).unwrap_or_default(),
        body: ActualBody::new(body, headers.content_type()),
        headers,
    }
}
