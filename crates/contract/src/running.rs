//! Servers that somebody has to stop. One that nobody stopped has checked nothing, and its test passed all the same: that is
//! told when the process or the thread ends.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Those that run, by a number of their own.
static RUNNING: Mutex<BTreeMap<u64, Told>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
struct Told {
    owner: u64,
    text: String,
}

/// The entry of a server.
#[derive(Debug)]
pub(crate) struct Running(u64);

impl Running {
    /// `owner` is who tells it at its end; `place` where in the user's code the server was started.
    pub(crate) fn new(owner: u64, title: &str, url: &str, place: &str) -> Self {
        let place = if place.is_empty() {
            String::new()
        } else {
            format!(", started at {place},")
        };
        let text = format!(
            "the mock server of {title} ({url}){place} was never stopped, so nobody has learnt what did not match; give serve a \
             function, or take the server with `await using`, or call stop()"
        );
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.last_key_value().map_or(0, |(number, _)| number + 1);
        running.insert(number, Told { owner, text });
        Self(number)
    }

    pub(crate) fn stopped(&self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// What there is to tell of servers that this owner's code started and never stopped. It is told once.
pub fn never_stopped(owner: u64) -> Vec<String> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let own = running.iter().filter(|(_, told)| told.owner == owner);
    let own: Vec<u64> = own.map(|(number, _)| *number).collect();
    own.iter()
        .filter_map(|number| running.remove(number))
        .map(|told| told.text)
        .collect()
}
