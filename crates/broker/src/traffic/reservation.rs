use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::Notify;

use super::budget::Part;

/// Reserved memory for a large body. Dropping it frees the memory.
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

/// Returns `data` as bytes that keep the reservation until they are dropped, which may be after the connection has
/// ended.
pub(crate) fn with_reservation(data: Vec<u8>, reservation: Option<Reservation>) -> Bytes {
    match reservation {
        None => Bytes::from(data),
        Some(reservation) => Bytes::from_owner(ReservedBytes {
            data,
            _reservation: reservation,
        }),
    }
}
