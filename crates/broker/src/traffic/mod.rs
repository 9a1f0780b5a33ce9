//! Limits the connections, the memory, and the time that HTTP clients can use.

mod budget;
mod clients;
mod pace;
mod reservation;
mod stream;

use std::time::Duration;

pub(crate) use clients::{Client, Clients, network};
pub(crate) use pace::Pace;
pub(crate) use reservation::{Reservation, with_reservation};
pub(crate) use stream::PacedStream;

/// Maximum size in bytes of a body that needs no memory reservation, so that small requests succeed even if all memory
/// is reserved. Larger request bodies are parsed on a blocking thread.
pub(crate) const SMALL_BODY: usize = 16 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Maximum number of open connections. Further connections are not accepted until another one is closed. Default:
    /// 1,024.
    pub connections: usize,
    /// Maximum number of open connections from one address (IPv6: one /64 network). Further connections get a 503
    /// response and are closed. Default: 256.
    pub connections_per_address: usize,
    /// Maximum size of a request body in bytes. Default: 32 MiB.
    pub body_size: usize,
    /// Memory for the bodies of all requests in flight, in bytes. One address can use at most half of what the other
    /// addresses leave free. Default: 256 MiB.
    pub request_memory: usize,
    /// Memory for all responses in flight, in bytes. One address can use at most half of what the other addresses leave
    /// free. Default: 256 MiB.
    pub response_memory: usize,
    /// Maximum time that a request waits for memory before it gets a 503 response. Default: 10 seconds.
    pub memory_wait: Duration,
    /// Minimum rate at which clients must send request bodies and read responses, in bytes per second. Default: 16 KiB.
    pub minimum_rate: u32,
    /// Maximum time that a client can stay below `minimum_rate`. Default: 10 seconds.
    pub stall: Duration,
    /// Maximum time for receiving the head of a request, for a TLS handshake, and between requests. Default: 15
    /// seconds.
    pub head: Duration,
    /// Maximum time for receiving a request body. Default: 60 seconds.
    pub body: Duration,
    /// Maximum number of requests that wait at the same time until a verdict changes. Further requests get a response
    /// immediately. Default: 128.
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
