use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::Notify;

use super::budget::Part;

/// A reservation of request or response memory. Dropping it frees the memory.
#[derive(Debug)]
pub(crate) struct Reservation {
    pub(super) _part: Part,
    pub(super) freed: Arc<Notify>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.freed.notify_one();
    }
}

struct ReservedBytes {
    // Fields drop in order: the data first, then the reservation.
    data: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

/// Returns bytes that keep their reservation until the last reference is dropped. Requests can outlive connections.
pub(crate) fn with_reservation(data: Vec<u8>, reservation: Option<Reservation>) -> Bytes {
    match reservation {
        None => Bytes::from(data),
        Some(reservation) => Bytes::from_owner(ReservedBytes {
            data,
            _reservation: reservation,
        }),
    }
}
