//! Reads a body to its end, and no further than the limit.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

/// Most bytes that are set aside for a body before they have come: the announced length is the other side's word.
const SET_ASIDE: usize = 1 << 20;

/// Why there is no whole body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// It has, or is announced with, more bytes than the limit. The rest is not read.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// It broke off.
    #[error("the body ended unexpectedly after {received} bytes")]
    Broken {
        /// Bytes that had come.
        received: usize,
        /// What happened.
        source: hyper::Error,
    },
}

/// Reads a body to its end. One that comes in one piece is not copied.
pub async fn read_body(body: &mut Incoming, limit: usize) -> Result<Bytes, BodyError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = body.size_hint().lower();
    if announced > limit as u64 {
        return Err(BodyError::TooLarge { limit });
    }
    let Some(first) = next_data(body, 0).await? else {
        return Ok(Bytes::new());
    };
    if first.len() <= limit && body.is_end_stream() {
        return Ok(first);
    }
    let expected = usize::try_from(announced)
        .unwrap_or(usize::MAX)
        .clamp(first.len(), SET_ASIDE.max(first.len()));
    let mut whole = BytesMut::with_capacity(expected);
    whole.extend_from_slice(&first);
    while whole.len() <= limit {
        match next_data(body, whole.len()).await? {
            Some(more) => whole.extend_from_slice(&more),
            None => return Ok(whole.freeze()),
        }
    }
    Err(BodyError::TooLarge { limit })
}

/// The next piece of a body's data; trailers are passed over.
pub async fn next_data(body: &mut Incoming, received: usize) -> Result<Option<Bytes>, BodyError> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(source)) => return Err(BodyError::Broken { received, source }),
        }
    }
}
