//! Writes the names of HTTP/1.1 headers in another letter case. hyper always writes them in lower case.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::stream::Stream;

/// The letter case of header names in HTTP/1.1 responses. HTTP/2 responses always use lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeaderCase {
    /// `content-type`.
    #[default]
    Lower,
    /// `CONTENT-TYPE`.
    Upper,
    /// `Content-Type`.
    Title,
}

/// The setting of a server, shared by its connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedCase(Arc<AtomicU8>);

impl SharedCase {
    pub(crate) fn set(&self, case: HeaderCase) {
        self.0.store(case as u8, Relaxed);
    }

    fn get(&self) -> HeaderCase {
        match self.0.load(Relaxed) {
            1 => HeaderCase::Upper,
            2 => HeaderCase::Title,
            _ => HeaderCase::Lower,
        }
    }
}

/// The part of a response to which the next byte belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Body,
    StatusLine,
    LineStart,
    Name {
        is_word_start: bool,
    },
    Value,
}

/// A stream that changes the letter case of header names. It relies on hyper, which starts a new write for the head of
/// each response.
pub(crate) struct Recased {
    stream: Stream,
    case: SharedCase,
    position: Position,
}

impl Recased {
    pub(crate) fn new(stream: Stream, case: SharedCase) -> Self {
        Self {
            stream,
            case,
            position: Position::default(),
        }
    }
}

impl AsyncRead for Recased {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Recased {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let case = self.case.get();
        if case == HeaderCase::Lower {
            self.position = Position::Body;
            return Pin::new(&mut self.stream).poll_write(cx, buf);
        }
        let mut bytes = buf.to_vec();
        recase(&mut bytes, case, self.position);
        let outcome = Pin::new(&mut self.stream).poll_write(cx, &bytes);
        if let Poll::Ready(Ok(written)) = outcome {
            let mut written = buf.get(..written).unwrap_or(buf).to_vec();
            self.position = recase(&mut written, case, self.position);
        }
        outcome
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.case.get() == HeaderCase::Lower {
            self.position = Position::Body;
            return Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        }
        let mut bufs = bufs.iter().map(|buf| &**buf);
        let first = bufs.find(|buf| !buf.is_empty()).unwrap_or_default();
        self.poll_write(cx, first)
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

/// Changes the letter case of the header names in `bytes`. `position` is the position of the first byte. Returns the
/// position after the last byte.
fn recase(bytes: &mut [u8], case: HeaderCase, mut position: Position) -> Position {
    if position == Position::Body && bytes.starts_with(b"HTTP/1.1 ") {
        position = Position::StatusLine;
    }
    for byte in bytes {
        position = match (position, *byte) {
            (Position::Body, _) => return Position::Body,
            (Position::StatusLine | Position::Value, b'\n') | (Position::LineStart, b'\r') => Position::LineStart,
            (Position::LineStart, b'\n') => Position::Body,
            (Position::LineStart, _) => change(byte, case, true),
            (Position::Name { .. }, b':') => Position::Value,
            (Position::Name { is_word_start }, _) => change(byte, case, is_word_start),
            (other, _) => other,
        };
    }
    position
}

fn change(byte: &mut u8, case: HeaderCase, is_word_start: bool) -> Position {
    if case == HeaderCase::Upper || is_word_start {
        byte.make_ascii_uppercase();
    }
    Position::Name {
        is_word_start: *byte == b'-',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESPONSE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nx-a: b-c: d\r\n\r\nsome-body: x\r\n";

    #[track_caller]
    fn check(case: HeaderCase, expected: &str) {
        // Each way to split the response into two writes.
        for split in 9..RESPONSE.len() {
            let (mut first, mut second) = (
                RESPONSE.as_bytes()[..split].to_vec(),
                RESPONSE.as_bytes()[split..].to_vec(),
            );
            let position = recase(&mut first, case, Position::Body);
            recase(&mut second, case, position);
            assert_eq!(
                String::from_utf8([first, second].concat()).unwrap(),
                expected,
                "split at {split}"
            );
        }
    }

    #[test]
    fn changes_only_the_names_of_headers() {
        check(
            HeaderCase::Upper,
            "HTTP/1.1 200 OK\r\nCONTENT-TYPE: text/plain\r\nX-A: b-c: d\r\n\r\nsome-body: x\r\n",
        );
        check(
            HeaderCase::Title,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: b-c: d\r\n\r\nsome-body: x\r\n",
        );
    }
}
