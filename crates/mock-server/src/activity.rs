//! Counts the bytes and requests of a connection, and detects clients that exceed a timeout.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::header_case::Recased;
use crate::options::Limits;

/// Counters of one connection. A request updates only a few atomic values and starts no timer.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    /// Number of reads and writes that transferred bytes.
    moves: AtomicU64,
    begun: AtomicU64,
    /// Number of requests for which no response has been created yet.
    in_flight: AtomicU32,
    /// Number of bytes received of an incomplete HTTP/1 request head.
    in_head: AtomicUsize,
    /// True if a write is pending because the client does not read the response.
    is_blocked: AtomicBool,
    /// True for HTTP/2, which also transfers frames between requests.
    is_http2: AtomicBool,
    /// True if the first bytes are a TLS handshake.
    is_tls: AtomicBool,
}

/// The first bytes of a TLS connection: a handshake record of any TLS version (RFC 8446 section 5.1).
const TLS_HANDSHAKE: [u8; 2] = [0x16, 0x03];

/// Counts a request as in flight until it is dropped.
pub(crate) struct InFlight(Arc<Activity>);

impl Activity {
    pub(crate) fn begin(self: &Arc<Self>, is_http2: bool) -> InFlight {
        self.begun.fetch_add(1, Relaxed);
        self.in_flight.fetch_add(1, Relaxed);
        self.in_head.store(0, Relaxed);
        if is_http2 {
            self.is_http2.store(true, Relaxed);
        }
        InFlight(Arc::clone(self))
    }

    /// Returns true if stopping now would interrupt a request or a response.
    pub(crate) fn is_busy(&self) -> bool {
        self.in_flight.load(Relaxed) > 0 || self.is_blocked.load(Relaxed)
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Relaxed) > 0
    }

    pub(crate) fn head_bytes(&self) -> usize {
        self.in_head.load(Relaxed)
    }

    fn moved(&self) {
        self.moves.fetch_add(1, Relaxed);
    }

    pub(crate) fn spoke_tls(&self) -> bool {
        self.is_tls.load(Relaxed)
    }

    fn has_read(&self, bytes: &[u8]) {
        if self.moves.load(Relaxed) == 0 && bytes.starts_with(&TLS_HANDSHAKE) {
            self.is_tls.store(true, Relaxed);
        }
        self.moved();
        if self.in_flight.load(Relaxed) == 0 && !self.is_http2.load(Relaxed) {
            // Only this task writes the value, so no atomic addition is necessary.
            self.in_head.store(self.in_head.load(Relaxed) + bytes.len(), Relaxed);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

/// Detects the timeouts of a connection by polling its [`Activity`] at a fixed interval, `period`.
#[derive(Debug)]
pub(crate) struct Watch {
    activity: Arc<Activity>,
    pub(crate) period: Duration,
    seen: (u64, u64),
    idle: Duration,
    head: Duration,
    request: Duration,
}

impl Watch {
    pub(crate) fn new(activity: Arc<Activity>, limits: &Limits) -> Self {
        let shortest = limits.head_time.min(limits.idle_time).min(limits.request_time);
        Self {
            activity,
            period: (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(5)),
            seen: (0, 0),
            idle: Duration::ZERO,
            head: Duration::ZERO,
            request: Duration::ZERO,
        }
    }

    /// Returns what the client did not do in time, such as `send the head of a request`, or `None` if no timeout has
    /// expired. Must be called once per `period`.
    pub(crate) fn overdue(&mut self, limits: &Limits) -> Option<&'static str> {
        let now = (self.activity.moves.load(Relaxed), self.activity.begun.load(Relaxed));
        let same_request = now.1 == self.seen.1;
        let total = |time: Duration, still: bool| if still { time + self.period } else { Duration::ZERO };
        self.idle = total(self.idle, now.0 == self.seen.0);
        self.head = total(self.head, same_request && self.activity.head_bytes() > 0);
        self.request = total(self.request, same_request && self.activity.is_busy());
        self.seen = now;
        if self.head >= limits.head_time {
            Some("send the head of a request")
        } else if self.request >= limits.request_time {
            Some("send a request and receive its response")
        } else if self.idle >= limits.idle_time {
            Some(if self.activity.is_busy() {
                "send or receive any more data"
            } else {
                IDLE
            })
        } else {
            None
        }
    }
}

/// Returned by [`Watch::overdue`] for an idle connection, which is closed without an error.
pub(crate) const IDLE: &str = "send another request";

/// A stream that counts its reads and writes in an [`Activity`].
pub(crate) struct Watched {
    stream: Recased,
    activity: Arc<Activity>,
}

impl Watched {
    pub(crate) fn new(stream: Recased, activity: Arc<Activity>) -> Self {
        Self { stream, activity }
    }

    fn wrote(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.is_blocked.store(outcome.is_pending(), Relaxed);
        if outcome.is_ready() {
            self.activity.moved();
        }
        outcome
    }
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let Some(bytes @ [_, ..]) = buf.filled().get(before..) {
            self.activity.has_read(bytes);
        }
        outcome
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.wrote(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.wrote(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
