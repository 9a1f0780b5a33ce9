//! Events of a verification that a caller polls.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::edge::Failure;

/// What contract_poll_event gives.
pub(crate) struct Event {
    pub(crate) text: String,
    pub(crate) is_last: bool,
}

pub(crate) type Abort = Box<dyn Fn() + Send + Sync>;

/// The work of a verifier whose events are polled, if there is any.
#[derive(Default)]
pub(crate) struct Polled {
    /// Held by the thread that polls.
    pub(crate) events: Mutex<Option<Receiver<Event>>>,
    pub(crate) abort: Mutex<Option<Abort>>,
}

impl Polled {
    /// Ends the work: nobody polls its events any more.
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
            Err(TryLockError::WouldBlock) => Err(busy("another thread polls the events of this verifier")),
        }
    }

    /// Refuses other work while this is under way.
    pub(crate) fn idle(&self) -> Result<(), Failure> {
        match *self.events()? {
            Some(_) => Err(busy(
                "work of contract_verifier_begin is under way: call contract_poll_event until it has ended",
            )),
            None => Ok(()),
        }
    }
}

pub(crate) fn busy(message: &str) -> Failure {
    Failure::misuse("ERR_CONTRACT_BUSY", message)
}
