//! Reports mistakes that are certain only when the process or thread ends: mock servers that were never stopped, whose
//! mismatches were not reported, and interactions that were never served.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The running servers by ID.
static RUNNING: Mutex<BTreeMap<u64, RunningServer>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
struct RunningServer {
    owner: u64,
    text: String,
}

#[derive(Debug)]
pub(crate) struct Running(u64);

impl Running {
    /// Registers a running server. `owner` is the ID of the process or thread at whose end the server is reported if it
    /// was not stopped. `place` is the code location that started the server, or empty if it is unknown.
    pub(crate) fn new(owner: u64, title: &str, url: &str, place: &str) -> Self {
        let place = if place.is_empty() {
            String::new()
        } else {
            format!(", started at {place},")
        };
        let text = format!(
            "the mock server of {title} ({url}){place} was never stopped, so its mismatches were not reported. \
             Pass a callback to serve(), use `await using`, or call stop()"
        );
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.last_key_value().map_or(0, |(number, _)| number + 1);
        running.insert(number, RunningServer { owner, text });
        Self(number)
    }

    pub(crate) fn stopped(&self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Returns the warnings to print when the owner (a process or thread) ends: about its servers that were never stopped,
/// its interactions that were never served, and all other warnings of the process. Each warning is returned only once.
pub fn warnings_at_end(owner: u64) -> Vec<String> {
    let mut warnings = never_stopped(owner);
    warnings.append(&mut contract_definition::unserved_at_end(owner));
    warnings.append(&mut contract_definition::end_warnings::take());
    warnings
}

fn never_stopped(owner: u64) -> Vec<String> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let own = running.iter().filter(|(_, server)| server.owner == owner);
    let own: Vec<u64> = own.map(|(number, _)| *number).collect();
    own.iter()
        .filter_map(|number| running.remove(number))
        .map(|server| server.text)
        .collect()
}
