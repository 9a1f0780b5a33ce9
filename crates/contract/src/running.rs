//! Slips that only the end of the process or the thread shows: a server that nobody stopped has checked nothing, and an
//! interaction that nobody served was never tested, while their tests passed all the same.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Slips that belong to no server. Bounded: what is printed at the end is for people.
static SLIPS: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MOST_SLIPS: usize = 50;

/// Keeps a slip until the end; the same text is kept once.
pub(crate) fn slip(text: String) {
    let mut slips = SLIPS.lock().unwrap_or_else(PoisonError::into_inner);
    if slips.len() < MOST_SLIPS && !slips.contains(&text) {
        slips.push(text);
    }
}

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

/// What there is to print at the end of an owner: its servers that nobody stopped, and slips of the whole process. Each is
/// returned once.
pub fn slips_at_end(owner: u64) -> Vec<String> {
    let mut slips = never_stopped(owner);
    slips.append(&mut crate::builder::unserved_at_end(owner));
    slips.append(&mut SLIPS.lock().unwrap_or_else(PoisonError::into_inner));
    slips
}

fn never_stopped(owner: u64) -> Vec<String> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let own = running.iter().filter(|(_, told)| told.owner == owner);
    let own: Vec<u64> = own.map(|(number, _)| *number).collect();
    own.iter()
        .filter_map(|number| running.remove(number))
        .map(|told| told.text)
        .collect()
}
