//! A pipe in memory that passes bytes from one thread to another.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The size of a chunk in bytes.
const CHUNK: usize = 256 * 1024;
/// Maximum number of chunks in the pipe. If it is reached, writing blocks.
const WAITING: usize = 16;

/// Creates a pipe. After the writer is dropped, the reader reaches the end. After the reader is dropped, writing is an
/// error.
pub(crate) fn pipe() -> (PipeWriter, PipeReader) {
    let (sender, receiver) = sync_channel(WAITING);
    let writer = PipeWriter {
        sender,
        chunk: Vec::new(),
    };
    let reader = PipeReader {
        receiver,
        chunk: Vec::new(),
        position: 0,
    };
    (writer, reader)
}

pub(crate) struct PipeWriter {
    sender: SyncSender<Vec<u8>>,
    chunk: Vec<u8>,
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let sent = self.sender.send(std::mem::take(&mut self.chunk));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

pub(crate) struct PipeReader {
    receiver: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    position: usize,
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position == self.chunk.len() {
            let Ok(next) = self.receiver.recv() else {
                return Ok(0);
            };
            (self.chunk, self.position) = (next, 0);
        }
        let mut rest = &self.chunk[self.position..];
        let count = rest.read(buffer)?;
        self.position += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_more_bytes_than_the_pipe_holds() {
        let (mut writer, mut reader) = pipe();
        let sent: Vec<u8> = (0..3 * WAITING * CHUNK).flat_map(|at| u8::try_from(at % 251)).collect();
        let expected = sent.clone();
        let writing = std::thread::spawn(move || {
            for part in sent.chunks(1_000_001) {
                writer.write_all(part).expect("a reader");
            }
            writer.flush().expect("a reader");
        });
        let mut received = Vec::new();
        reader.read_to_end(&mut received).expect("bytes");
        assert!(received == expected, "{} bytes of {}", received.len(), expected.len());
        writing.join().expect("the writer ends");
    }

    #[test]
    fn writing_fails_without_a_reader() {
        let (mut writer, reader) = pipe();
        drop(reader);
        writer.write_all(b"some").expect("it is not sent yet");
        let error = writer.flush().expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
