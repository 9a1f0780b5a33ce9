//! Limits on the connections, memory, and time that HTTP clients can use.

mod budget;
mod clients;
mod pace;
mod reservation;
mod stream;

use std::time::Duration;

pub(crate) use clients::{Client, Clients};
pub(crate) use pace::Pace;
pub(crate) use reservation::{Reservation, with_reservation};
pub(crate) use stream::PacedStream;

/// Bodies up to this size, in bytes, do not count against the memory limits, so that small requests succeed even when
/// the memory is used up. Larger request bodies are parsed on a blocking thread.
pub(crate) const SMALL_BODY: usize = 16 * 1024;

/// Limits of the HTTP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Maximum number of open connections; further connections wait to be accepted. Default: 1,024.
    pub connections: usize,
    /// Maximum number of open connections from one address (IPv6: one /64 network). Further connections receive a 503
    /// response and are closed. Default: 256.
    pub connections_per_address: usize,
    /// Maximum size of a request body in bytes. Default: 32 MiB.
    pub body_size: usize,
    /// Memory for all request bodies in flight, in bytes. One address can use at most half of the memory that other
    /// addresses do not use. Default: 256 MiB.
    pub request_memory: usize,
    /// Memory for all responses in flight, in bytes. One address can use at most half of the memory that other
    /// addresses do not use. Default: 256 MiB.
    pub response_memory: usize,
    /// Maximum time a request waits for memory before it receives a 503 response. Default: 10 seconds.
    pub memory_wait: Duration,
    /// Minimum transfer rate of request bodies and responses, in bytes per second. Default: 16 KiB.
    pub minimum_rate: u32,
    /// Maximum time a client can stay below the minimum rate. Default: 10 seconds.
    pub stall: Duration,
    /// Maximum time for a request head, for a TLS handshake, and for an idle connection. Default: 15 seconds.
    pub head: Duration,
    /// Maximum time for a request body. Default: 60 seconds.
    pub body: Duration,
    /// Maximum number of requests that wait for a verdict to change. Further requests get a response immediately.
    /// Default: 128.
    pub waiting: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            connections: 1_024,
            connections_per_address: 256,
            body_size: 32 * MIB,
            request_memory: 256 * MIB,
            response_memory: 256 * MIB,
            memory_wait: Duration::from_secs(10),
            minimum_rate: 16 * 1024,
            stall: Duration::from_secs(10),
            head: Duration::from_secs(15),
            body: Duration::from_secs(60),
            waiting: 128,
        }
    }
}
