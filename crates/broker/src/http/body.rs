//! The body of a request: read within limits of size, memory and time.

use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as _;

use super::reply::{Reply, busy};
use crate::traffic::{Client, Pace, SMALL_BODY, hold};

/// A request body, and whether all of it was read. A connection can only be used again if it was.
pub(super) struct RequestBody {
    body: Body,
    is_read: bool,
}

impl RequestBody {
    pub(super) fn new(body: Body) -> Self {
        let is_read = body.is_end_stream();
        Self { body, is_read }
    }

    pub(super) fn is_read(&self) -> bool {
        self.is_read
    }

    /// Reads all of it. Memory is reserved before the first byte of a large body is read.
    pub(super) async fn read(&mut self, client: &Client) -> Result<Bytes, Reply> {
        let limits = client.limits();
        let too_large = || {
            let mib = limits.body_size / 1024 / 1024;
            Reply::error(413, format!("The body is larger than {mib} MiB."))
        };
        let too_slow = || Reply::error(408, "The body took too long to arrive.");
        let no_room = |_| busy("There is no memory left for the body of this request at the moment. Try again.");
        let announced = self
            .body
            .size_hint()
            .exact()
            .map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX));
        if announced > limits.body_size {
            return Err(too_large());
        }
        let mut room = client.room_for_request(announced).await.map_err(no_room)?;
        let mut data = Vec::with_capacity(announced);
        let (begun, mut pace) = (Instant::now(), Pace::new(limits));
        loop {
            let asked = Instant::now();
            let wait = pace.left().min(limits.body.saturating_sub(begun.elapsed()));
            let frame = tokio::time::timeout(wait, self.body.frame()).await;
            let Some(frame) = frame.map_err(|_| too_slow())? else {
                break;
            };
            let frame = frame.map_err(|_| Reply::error(400, "The body broke off."))?;
            let Ok(chunk) = frame.into_data() else {
                continue;
            };
            let size = data.len() + chunk.len();
            if size > limits.body_size {
                return Err(too_large());
            }
            if size > SMALL_BODY && room.is_none() {
                // The size was not announced: it may be the largest.
                room = client.room_for_request(limits.body_size).await.map_err(no_room)?;
                data.reserve_exact(limits.body_size - data.len());
            }
            data.extend_from_slice(&chunk);
            pace.waited(asked.elapsed(), chunk.len());
        }
        self.is_read = true;
        Ok(hold(data, room))
    }
}
