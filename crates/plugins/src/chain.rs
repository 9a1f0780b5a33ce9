//! Calls that lead to calls: a plugin that is asked may ask the host, which may ask another plugin. A chain has an id that
//! only those know who take part in it, the entries that work on it, and a deadline.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Metadata: the chain's id.
pub(crate) const ID: &str = "pact-call-chain-id";
/// Metadata: milliseconds since 1970.
pub(crate) const DEADLINE: &str = "pact-deadline-ms";
/// Calls within one another.
const DEPTH: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Chains(Mutex<HashMap<String, Chain>>);

#[derive(Debug)]
struct Chain {
    keys: Vec<String>,
    deadline: Instant,
}

/// One entry at work; it leaves the chain when this is dropped.
#[derive(Debug)]
pub(crate) struct Link {
    chains: Arc<Chains>,
    pub(crate) id: String,
    key: String,
}

/// Why a chain goes no further.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    Unknown,
    Cycle,
    Late,
    Deep,
}

/// 128 bits that nobody guesses: two hashes by keys that the system drew.
pub(crate) fn unguessable() -> String {
    let half = || RandomState::new().hash_one(Instant::now());
    let text = format!("{:016x}{:016x}", half(), half());
    // The form of a UUID of version 4, which some plugins read it as.
    format!(
        "{}-{}-4{}-a{}-{}",
        &text[..8],
        &text[8..12],
        &text[13..16],
        &text[17..20],
        &text[20..32]
    )
}

/// Names this run of tests to plugins: the same as long as the process lives.
pub fn run_id() -> &'static str {
    static ID: LazyLock<String> = LazyLock::new(unguessable);
    &ID
}

impl Chains {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Chain>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(self: &Arc<Self>, key: &str, limit: Duration) -> Link {
        let id = unguessable();
        let chain = Chain {
            keys: vec![key.to_owned()],
            deadline: Instant::now() + limit,
        };
        self.lock().insert(id.clone(), chain);
        Link {
            chains: Arc::clone(self),
            id,
            key: key.to_owned(),
        }
    }

    /// Whether a chain of this id is under way.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.lock().contains_key(id)
    }

    /// One more call of the chain, and the time that is left for it.
    pub(crate) fn follow(self: &Arc<Self>, id: &str, key: &str) -> Result<(Link, Duration), Broken> {
        let mut chains = self.lock();
        let chain = chains.get_mut(id).ok_or(Broken::Unknown)?;
        if chain.keys.iter().any(|known| known == key) {
            return Err(Broken::Cycle);
        }
        let left = chain.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Broken::Late);
        }
        if chain.keys.len() >= DEPTH {
            return Err(Broken::Deep);
        }
        chain.keys.push(key.to_owned());
        let link = Link {
            chains: Arc::clone(self),
            id: id.to_owned(),
            key: key.to_owned(),
        };
        Ok((link, left))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let mut chains = self.chains.lock();
        if let Some(chain) = chains.get_mut(&self.id) {
            chain.keys.retain(|key| *key != self.key);
            if chain.keys.is_empty() {
                chains.remove(&self.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Broken, Chains, DEPTH, unguessable};

    #[test]
    fn chains_end_where_they_would_close_or_take_too_long() {
        let chains = Arc::new(Chains::default());
        let first = chains.begin("a", Duration::from_secs(60));
        let (second, left) = chains.follow(&first.id, "b").unwrap();
        assert!(left <= Duration::from_secs(60));
        assert_eq!(chains.follow(&first.id, "a").unwrap_err(), Broken::Cycle);
        drop(second);
        let links: Vec<_> = (1..DEPTH)
            .map(|number| chains.follow(&first.id, &number.to_string()).unwrap())
            .collect();
        assert_eq!(chains.follow(&first.id, "b").unwrap_err(), Broken::Deep);
        drop(links);
        assert!(chains.follow(&first.id, "b").is_ok());
        let id = first.id.clone();
        drop(first);
        assert!(!chains.knows(&id));
        assert_eq!(chains.follow(&id, "b").unwrap_err(), Broken::Unknown);
        let late = chains.begin("a", Duration::ZERO);
        assert_eq!(chains.follow(&late.id, "b").unwrap_err(), Broken::Late);
    }

    #[test]
    fn ids_look_like_uuids_and_differ() {
        let (one, other) = (unguessable(), unguessable());
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        assert_eq!(one.as_bytes()[14], b'4');
    }
}
