//! Converts hyper's requests to [`ActualRequest`], and checks their size.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use contract_matching::{ActualBody, ActualRequest};
use contract_model::Headers;
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

/// Decodes the headers of the requests of one connection. Most clients send the same headers with each request, so the
/// most recent result is reused.
#[derive(Debug, Default)]
pub(crate) struct HeaderDecoder(Mutex<DecodedHeaders>);

#[derive(Debug, Default)]
struct DecodedHeaders {
    /// The header lines. They are copied, because received headers share memory with the buffer of the connection.
    lines: Vec<u8>,
    headers: Arc<Headers>,
}

/// Bytes that names and values of headers cannot contain.
const NAME_END: u8 = 0;
const LINE_END: u8 = b'\n';

impl HeaderDecoder {
    pub(crate) fn decode(&self, received: &HeaderMap) -> Arc<Headers> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.is_for(received) {
            last.headers = Arc::new(decode_headers(received));
            last.lines.clear();
            for (name, value) in received {
                last.lines.extend_from_slice(name.as_str().as_bytes());
                last.lines.push(NAME_END);
                last.lines.extend_from_slice(value.as_bytes());
                last.lines.push(LINE_END);
            }
        }
        Arc::clone(&last.headers)
    }
}

impl DecodedHeaders {
    fn is_for(&self, received: &HeaderMap) -> bool {
        let mut rest = Some(self.lines.as_slice());
        for (name, value) in received {
            rest = rest
                .and_then(|lines| lines.strip_prefix(name.as_str().as_bytes())?.strip_prefix(&[NAME_END]))
                .and_then(|lines| lines.strip_prefix(value.as_bytes())?.strip_prefix(&[LINE_END]));
        }
        rest.is_some_and(<[u8]>::is_empty)
    }
}

/// Creates the request to match.
pub(crate) fn request(parts: &Parts, body: Bytes) -> ActualRequest {
    request_with(parts, Arc::new(decode_headers(&parts.headers)), body)
}

/// Like [`request`], but with headers that are already decoded.
pub(crate) fn request_with(parts: &Parts, headers: Arc<Headers>, body: Bytes) -> ActualRequest {
    ActualRequest {
        method: parts.method.as_str().into(),
        path: parts.uri.path().into(),
        query: parts.uri.query().map(parse_query).unwrap_or_default(),
        body: ActualBody::new(body, headers.content_type()),
        headers,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use contract_wire::decode_headers;
    use hyper::header::{HeaderMap, HeaderName, HeaderValue};

    use super::HeaderDecoder;

    fn map(lines: &[(&str, &str)]) -> HeaderMap {
        let lines = lines.iter().map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, HeaderValue::from_bytes(value.as_bytes()).unwrap())
        });
        lines.collect()
    }

    #[test]
    fn reuses_the_decoded_headers_only_for_the_same_lines() {
        let decoder = HeaderDecoder::default();
        let usual = [("accept", "a/b, c/d"), ("x", "1")];
        let first = decoder.decode(&map(&usual));
        assert!(Arc::ptr_eq(&first, &decoder.decode(&map(&usual))));
        for other in [
            &[][..],
            &[("accept", "a/b, c/d")],
            &[("accept", "a/b, c/d"), ("x", "2")],
            &[("accept", "a/b, c/d"), ("x", "")],
            &[("accept", "a/b, c/d"), ("x1", "")],
            &[("accept", "a/b, c/d"), ("x", "1"), ("y", "1")],
            &[("x", "1"), ("accept", "a/b, c/d")],
            &[("x", "Köln"), ("x", "1")],
        ] {
            let received = map(other);
            let headers = decoder.decode(&received);
            assert!(headers.is_identical(&decode_headers(&received)), "{other:?}");
            assert!(!headers.is_identical(&first), "{other:?}");
            assert!(decoder.decode(&map(&usual)).is_identical(&first));
        }
    }
}
