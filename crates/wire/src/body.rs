//! Reads HTTP bodies up to a size limit.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

/// Maximum number of bytes to allocate before data is received, because the peer can announce any length.
const SET_ASIDE: usize = 1 << 20;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The received or announced length exceeds the limit, in bytes. The rest of the body is not read.
    #[error("the body is larger than {limit} bytes")]
    TooLarge { limit: usize },
    /// The body ended early, for example because the connection was closed.
    #[error("the body ended unexpectedly after {received} bytes")]
    Broken {
        /// Number of bytes received before the error.
        received: usize,
        source: hyper::Error,
    },
}

/// Reads a complete body of at most `limit` bytes. A body that is received in one piece is not copied.
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

/// Returns the next piece of data, or `None` at the end of the body. Skips trailers. `received` is the number of bytes
/// received so far, for the error.
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
