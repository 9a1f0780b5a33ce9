//! The events of a verification, for callers that poll for them.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::edge::Failure;

/// An event that contract_poll_event returns.
pub(crate) struct Event {
    pub(crate) text: String,
    pub(crate) is_last: bool,
}

pub(crate) type Abort = Box<dyn Fn() + Send + Sync>;

/// The verification that the caller polls, and `None` values if no verification is running.
#[derive(Default)]
pub(crate) struct Polled {
    /// The receiver of the events. A thread holds this lock while it polls.
    pub(crate) events: Mutex<Option<Receiver<Event>>>,
    pub(crate) abort: Mutex<Option<Abort>>,
}

impl Polled {
    /// Aborts the verification.
    pub(crate) fn stop(&self) {
        let abort = self.abort.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(abort) = abort {
            abort();
        }
    }

    pub(crate) fn events(&self) -> Result<MutexGuard<'_, Option<Receiver<Event>>>, Failure> {
        match self.events.try_lock() {
            Ok(events) => Ok(events),
            Err(TryLockError::Poisoned(events)) => Ok(events.into_inner()),
            Err(TryLockError::WouldBlock) => Err(busy("another thread is polling the events of this verifier")),
        }
    }

    /// Returns an error if a verification is running.
    pub(crate) fn idle(&self) -> Result<(), Failure> {
        match *self.events()? {
            Some(_) => Err(busy(
                "a verification is running; call contract_poll_event until it has ended",
            )),
            None => Ok(()),
        }
    }
}

pub(crate) fn busy(message: &str) -> Failure {
    Failure::misuse("ERR_CONTRACT_BUSY", message)
}
