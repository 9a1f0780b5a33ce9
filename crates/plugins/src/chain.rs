//! Tracks chains of nested calls: a plugin may call the host, which may then call another plugin. Each chain has a
//! secret ID, the keys of its active catalogue entries, and a deadline.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Metadata key for the chain ID.
pub(crate) const ID: &str = "pact-call-chain-id";
/// Metadata key for the chain's deadline, in milliseconds since 1970.
pub(crate) const DEADLINE: &str = "pact-deadline-ms";
/// Maximum number of nested calls in a chain.
const DEPTH: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Chains(Mutex<HashMap<String, Chain>>);

#[derive(Debug)]
struct Chain {
    keys: Vec<String>,
    deadline: Instant,
}

/// An active call in a chain. Dropping it removes the call from the chain.
#[derive(Debug)]
pub(crate) struct Link {
    chains: Arc<Chains>,
    pub(crate) id: String,
    key: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    Unknown,
    Cycle,
    Late,
    Deep,
}

/// Returns a random token in the format of a version 4 UUID, from two hashes with random keys.
pub(crate) fn random_token() -> String {
    let half = || RandomState::new().hash_one(Instant::now());
    let text = format!("{:016x}{:016x}", half(), half());
    // The ID has the format of a version 4 UUID, because some plugins expect one.
    format!(
        "{}-{}-4{}-a{}-{}",
        &text[..8],
        &text[8..12],
        &text[13..16],
        &text[17..20],
        &text[20..32]
    )
}

/// Returns the test run ID that plugins receive as `testRunId`. It is the same for all calls from this process.
pub fn run_id() -> &'static str {
    static ID: LazyLock<String> = LazyLock::new(random_token);
    &ID
}

impl Chains {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Chain>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(self: &Arc<Self>, key: &str, limit: Duration) -> Link {
        let id = random_token();
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

    /// Returns true if a chain with this ID is active.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.lock().contains_key(id)
    }

    /// Adds a call of the catalogue entry `key` to a chain. Returns the time left until the chain's deadline.
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

    use super::{Broken, Chains, DEPTH, random_token};

    #[test]
    fn rejects_cycles_and_late_calls() {
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
    fn ids_are_distinct_uuids() {
        let (one, other) = (random_token(), random_token());
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        assert_eq!(one.as_bytes()[14], b'4');
    }
}
