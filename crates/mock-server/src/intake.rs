//! From what hyper read to what is compared.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use contract_matching::{ActualBody, ActualRequest};
use contract_model::{Headers, Query, Text};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{EXPECT, HeaderMap, HeaderValue};
use hyper::http::request::Parts;

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
                "the body is larger than the {limit} bytes that the mock server accepts; raise its limit for bodies"
            ),
            Self::Broken { received, reason } => {
                write!(f, "the body broke off after {received} bytes: {reason}")
            }
        }
    }
}

/// Reads a body to its end.
pub(crate) async fn body(mut body: Incoming, headers: &HeaderMap, limit: usize) -> Result<Bytes, BodyProblem> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = body.size_hint().lower();
    if announced > limit as u64 {
        // A client that asked first sends nothing when it is refused.
        if !headers.contains_key(EXPECT) {
            drain(body).await;
        }
        return Err(BodyProblem::TooLarge { limit });
    }
    let first = match next(&mut body, 0).await? {
        Some(first) if body.is_end_stream() && first.len() <= limit => return Ok(first),
        Some(first) => first,
        None => return Ok(Bytes::new()),
    };
    // The announced length is the client's word: memory follows what arrives.
    let mut whole = BytesMut::with_capacity(usize::try_from(announced).unwrap_or(limit).clamp(first.len(), 1 << 20));
    whole.extend_from_slice(&first);
    while whole.len() <= limit {
        match next(&mut body, whole.len()).await? {
            Some(more) => whole.extend_from_slice(&more),
            None => return Ok(whole.freeze()),
        }
    }
    drain(body).await;
    Err(BodyProblem::TooLarge { limit })
}

/// The next piece of data; trailers are passed over.
async fn next(body: &mut Incoming, received: usize) -> Result<Option<Bytes>, BodyProblem> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(error)) => {
                return Err(BodyProblem::Broken {
                    received,
                    reason: reason(&error),
                });
            }
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
        while let Ok(Some(data)) = next(&mut body, 0).await {
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
        query: parts.uri.query().map(query).unwrap_or_default(),
        body: ActualBody::new(body, headers.content_type()),
        headers,
    }
}

/// A second question mark belongs to the first name.
fn query(text: &str) -> Query {
    if text.starts_with('?') {
        Query::parse(&["?", text].concat())
    } else {
        Query::parse(text)
    }
}

fn headers_of(map: &HeaderMap) -> Headers {
    let mut headers = Headers::new();
    for (name, value) in map {
        let line = text_of(value);
        if Headers::is_list(name.as_str()) {
            for value in Headers::split(name.as_str(), &line) {
                headers.append(name.as_str(), value);
            }
        } else {
            headers.append(name.as_str(), line.trim());
        }
    }
    headers
}

/// Header values are bytes: UTF-8 where it is UTF-8, else each byte the character of its number (Latin-1), so that no two
/// values become one text.
fn text_of(value: &HeaderValue) -> Text {
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => text.into(),
        Err(_) => value.as_bytes().iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::query;

    #[test]
    fn a_second_question_mark_belongs_to_the_first_name() {
        for (text, name) in [("a=1", "a"), ("?a=1", "?a"), ("??", "??")] {
            assert_eq!(query(text).names(), [name], "{text}");
        }
    }
}
