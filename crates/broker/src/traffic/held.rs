use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// A reservation of request or response memory. Dropping it frees the memory.
#[derive(Debug)]
pub(crate) struct Room {
    pub(super) _of_address: OwnedSemaphorePermit,
    pub(super) _of_all: OwnedSemaphorePermit,
    pub(super) returned: Arc<Notify>,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.returned.notify_one();
    }
}

struct Held {
    // Fields drop in order: the data first, then the reservation.
    data: Vec<u8>,
    _room: Room,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

/// Bytes that keep their reservation until the last reference is dropped. Requests can outlive connections.
pub(crate) fn hold(data: Vec<u8>, room: Option<Room>) -> Bytes {
    match room {
        None => Bytes::from(data),
        Some(room) => Bytes::from_owner(Held { data, _room: room }),
    }
}
