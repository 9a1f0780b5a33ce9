use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::budget::{Budget, Part, Share};
use super::reservation::Reservation;
use super::{HttpLimits, SMALL_BODY};

/// Maximum number of tracked addresses. If it is reached, addresses without connections are removed.
const ADDRESSES: usize = 1_024;

/// All clients with their limits and shared memory.
pub(crate) struct Clients {
    limits: Arc<HttpLimits>,
    requests: Arc<Budget>,
    responses: Arc<Budget>,
    by_address: Mutex<HashMap<IpAddr, Weak<Address>>>,
    freed: Arc<Notify>,
}

/// What all connections from one address share.
struct Address {
    connections: Arc<Semaphore>,
    requests: Share,
    responses: Share,
}

/// The client at the other end of a connection.
pub(crate) struct Client {
    ip: IpAddr,
    address: Arc<Address>,
    requests: Arc<Budget>,
    responses: Arc<Budget>,
    freed: Arc<Notify>,
    limits: Arc<HttpLimits>,
    has_unread_body: AtomicBool,
    is_answering: AtomicBool,
    is_write_blocked: AtomicBool,
    _connection: OwnedSemaphorePermit,
}

/// Marks the client's current request as being answered, until it is dropped.
pub(crate) struct Answering(Arc<Client>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.is_answering.store(false, Ordering::Relaxed);
    }
}

/// There was not enough memory for a body within the time limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Busy;

impl Clients {
    pub(crate) fn new(limits: HttpLimits) -> Self {
        Self {
            requests: Budget::new(limits.request_memory),
            responses: Budget::new(limits.response_memory),
            by_address: Mutex::default(),
            freed: Arc::default(),
            limits: Arc::new(limits),
        }
    }

    pub(crate) fn limits(&self) -> &HttpLimits {
        &self.limits
    }

    /// Waits until a reservation has been released since the last call. The allocator might not have freed its memory
    /// yet.
    pub(crate) async fn memory_freed(&self) {
        self.freed.notified().await;
    }

    /// Registers a connection. Returns `None` if the address already has the maximum number of connections.
    pub(crate) fn admit(&self, ip: IpAddr) -> Option<Client> {
        let address = self.address(network(ip));
        let connection = Arc::clone(&address.connections).try_acquire_owned().ok()?;
        Some(Client {
            ip: ip.to_canonical(),
            address,
            requests: Arc::clone(&self.requests),
            responses: Arc::clone(&self.responses),
            freed: Arc::clone(&self.freed),
            limits: Arc::clone(&self.limits),
            has_unread_body: AtomicBool::new(false),
            is_answering: AtomicBool::new(false),
            is_write_blocked: AtomicBool::new(false),
            _connection: connection,
        })
    }

    fn address(&self, address: IpAddr) -> Arc<Address> {
        let mut known = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = known.get(&address).and_then(Weak::upgrade) {
            return address;
        }
        if known.len() >= ADDRESSES {
            known.retain(|_, address| address.strong_count() > 0);
        }
        let limits = &self.limits;
        let new = Arc::new(Address {
            connections: Arc::new(Semaphore::new(limits.connections_per_address)),
            requests: Share::default(),
            responses: Share::default(),
        });
        known.insert(address, Arc::downgrade(&new));
        new
    }
}

impl Client {
    pub(crate) fn ip(&self) -> IpAddr {
        self.ip
    }

    pub(crate) fn limits(&self) -> &HttpLimits {
        &self.limits
    }

    /// Records that the body of a request was not read completely. The connection will be closed after the response.
    pub(crate) fn leave_body_unread(&self) {
        self.has_unread_body.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_unread_body(&self) -> bool {
        self.has_unread_body.load(Ordering::Relaxed)
    }

    /// Marks the current request as being answered until the returned value is dropped.
    pub(crate) fn answering(self: &Arc<Self>) -> Answering {
        self.is_answering.store(true, Ordering::Relaxed);
        Answering(Arc::clone(self))
    }

    /// Records whether a write waits for the client to read earlier data.
    pub(super) fn set_write_blocked(&self, is_blocked: bool) {
        self.is_write_blocked.store(is_blocked, Ordering::Relaxed);
    }

    /// Returns true if the connection is idle: the last response was sent completely, and the head of the next request
    /// has not arrived completely.
    pub(crate) fn is_waiting_for_request(&self) -> bool {
        !self.is_answering.load(Ordering::Relaxed) && !self.is_write_blocked.load(Ordering::Relaxed)
    }

    /// Reserves memory for a request body, and waits for it if necessary. Returns `None` for a body of at most
    /// [`SMALL_BODY`] bytes, which needs no reservation.
    pub(crate) async fn reserve_request(&self, bytes: usize) -> Result<Option<Reservation>, Busy> {
        self.wait_for(bytes, &self.requests, &self.address.requests).await
    }

    /// Reserves memory for a response, and waits for it if necessary. Returns `None` for a response of at most
    /// [`SMALL_BODY`] bytes, which needs no reservation.
    pub(crate) async fn reserve_response(&self, bytes: usize) -> Result<Option<Reservation>, Busy> {
        self.wait_for(bytes, &self.responses, &self.address.responses).await
    }

    /// Reserves memory for a response without waiting. Returns `None` for a response of at most [`SMALL_BODY`] bytes.
    pub(crate) fn try_reserve(&self, bytes: usize) -> Result<Option<Reservation>, Busy> {
        if bytes <= SMALL_BODY {
            return Ok(None);
        }
        let part = self.responses.try_take(&self.address.responses, bytes);
        Ok(Some(self.reservation(part.ok_or(Busy)?)))
    }

    async fn wait_for(&self, bytes: usize, budget: &Arc<Budget>, share: &Share) -> Result<Option<Reservation>, Busy> {
        if bytes <= SMALL_BODY {
            return Ok(None);
        }
        let part = budget.take(share, bytes, self.limits.memory_wait).await;
        Ok(Some(self.reservation(part.ok_or(Busy)?)))
    }

    fn reservation(&self, part: Part) -> Reservation {
        Reservation {
            _part: part,
            freed: Arc::clone(&self.freed),
        }
    }
}

/// Returns the IPv4 address, or the /64 network of an IPv6 address, because a client can freely choose addresses within
/// its network.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from(u128::from(address) & (u128::MAX << 64))),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn limits_connections_and_memory_per_address() {
        let clients = Clients::new(HttpLimits {
            connections_per_address: 2,
            response_memory: 4 * MIB,
            ..HttpLimits::default()
        });
        let one = clients.admit(address("10.0.0.1")).expect("the first");
        let two = clients.admit(address("::ffff:10.0.0.1")).expect("the second");
        assert!(
            clients.admit(address("10.0.0.1")).is_none(),
            "the same address, mapped to IPv6"
        );
        let other = clients.admit(address("2001:db8::1")).expect("another address");
        let _same_network = clients
            .admit(address("2001:db8::2"))
            .expect("the second of the network");
        assert!(clients.admit(address("2001:db8::3")).is_none());
        let reserved = one.try_reserve(2 * MIB).expect("half of the memory");
        assert_eq!(two.try_reserve(MIB).map(drop), Err(Busy));
        assert!(two.try_reserve(SMALL_BODY).is_ok(), "a small response needs no memory");
        assert!(other.try_reserve(MIB).is_ok(), "half of the other half");
        drop(reserved);
        assert!(two.try_reserve(2 * MIB).is_ok());
        drop(one);
        assert!(clients.admit(address("10.0.0.1")).is_some());
    }

    #[test]
    fn drops_addresses_without_connections() {
        let clients = Clients::new(HttpLimits::default());
        for number in 0..10 * u32::try_from(ADDRESSES).expect("a small number") {
            drop(clients.admit(IpAddr::from(number.to_be_bytes())));
        }
        let known = clients.by_address.lock().expect("not poisoned");
        assert!(known.len() <= ADDRESSES, "{}", known.len());
    }
}
