//! Request bodies, with limits on size, memory, and time.

use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as _;

use crate::traffic::{Client, Pace, SMALL_BODY, with_reservation};
use contract_broker_api::reply::{Reply, busy};

/// The body of a request. The connection can be reused only if the body was read completely.
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

    /// Reads the whole body. Memory for a large body with a known size is reserved before the first byte is read.
    pub(super) async fn read(&mut self, client: &Client) -> Result<Bytes, Reply> {
        let limits = client.limits();
        let too_large = || {
            let mib = limits.body_size / 1024 / 1024;
            Reply::error(413, format!("The request body is larger than {mib} MiB."))
        };
        let too_slow = || Reply::error(408, "Timed out while reading the request body.");
        let no_room =
            |_| busy("The broker does not have enough memory for this request body at the moment. Try again later.");
        let announced = self
            .body
            .size_hint()
            .exact()
            .map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX));
        if announced > limits.body_size {
            return Err(too_large());
        }
        let mut reservation = client.reserve_request(announced).await.map_err(no_room)?;
        let mut data = Vec::with_capacity(announced);
        let (begun, mut pace) = (Instant::now(), Pace::new(limits));
        loop {
            let waiting_since = Instant::now();
            let wait = pace.left().min(limits.body.saturating_sub(begun.elapsed()));
            let frame = tokio::time::timeout(wait, self.body.frame()).await;
            let Some(frame) = frame.map_err(|_| too_slow())? else {
                break;
            };
            let frame = frame.map_err(|_| Reply::error(400, "The request body is incomplete."))?;
            let Ok(chunk) = frame.into_data() else {
                continue;
            };
            let size = data.len() + chunk.len();
            if size > limits.body_size {
                return Err(too_large());
            }
            if size > SMALL_BODY && reservation.is_none() {
                // Without Content-Length, the body may have the maximum size.
                reservation = client.reserve_request(limits.body_size).await.map_err(no_room)?;
                data.reserve_exact(limits.body_size - data.len());
            }
            data.extend_from_slice(&chunk);
            pace.waited(waiting_since.elapsed(), chunk.len());
        }
        self.is_read = true;
        Ok(with_reservation(data, reservation))
    }
}
