use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// A part of the memory for requests or responses; it is returned when this is dropped.
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
    // Dropped before the room is returned.
    data: Vec<u8>,
    _room: Room,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

/// Bytes that keep their room until the last reference to them is dropped, wherever that is: requests outlive connections.
pub(crate) fn hold(data: Vec<u8>, room: Option<Room>) -> Bytes {
    match room {
        None => Bytes::from(data),
        Some(room) => Bytes::from_owner(Held { data, _room: room }),
    }
}
