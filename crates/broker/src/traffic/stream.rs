use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::{Client, Pace};

/// Time that a connection stays open after the response if a request body was not read. If it were closed immediately,
/// the client could lose the response.
const LINGER: Duration = Duration::from_secs(5);

/// A TCP stream whose writes fail if the client reads too slowly.
pub(crate) struct PacedStream {
    inner: TcpStream,
    client: Arc<Client>,
    pace: Pace,
    state: State,
    lingering: Option<Pin<Box<Sleep>>>,
}

enum State {
    /// Since this time, no write has been blocked.
    Free(Instant),
    /// Since this time, a write has been blocked. It fails when the timer elapses.
    Blocked(Instant, Pin<Box<Sleep>>),
}

impl PacedStream {
    pub(crate) fn new(inner: TcpStream, client: Arc<Client>) -> Self {
        Self {
            inner,
            pace: Pace::new(client.limits()),
            client,
            state: State::Free(Instant::now()),
            lingering: None,
        }
    }

    fn paced(&mut self, context: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if wrote.is_pending() {
            if let State::Free(since) = self.state {
                self.pace.rested(since.elapsed());
                self.state = State::Blocked(Instant::now(), Box::pin(sleep(self.pace.left())));
                self.client.set_write_blocked(true);
            }
            if let State::Blocked(_, timer) = &mut self.state {
                ready!(timer.as_mut().poll(context));
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        } else if let State::Blocked(since, _) = &self.state {
            self.pace.waited(since.elapsed(), 0);
            self.state = State::Free(Instant::now());
            self.client.set_write_blocked(false);
        }
        if let Poll::Ready(Ok(bytes)) = wrote {
            self.pace.waited(Duration::ZERO, bytes);
        }
        wrote
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.paced(context, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.paced(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_shutdown(context))?;
        if !self.client.has_unread_body() {
            return Poll::Ready(Ok(()));
        }
        let this = &mut *self;
        let timer = this.lingering.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        loop {
            let mut bytes = [0; 8 * 1024];
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
