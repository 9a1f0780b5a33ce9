//! A cache of credentials that were recently read from the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time after which cached credentials are read again. A change by another process takes effect after at most this
/// time.
pub(super) const LIFETIME: Duration = Duration::from_secs(5);
/// Maximum number of entries in a cache.
const CAPACITY: usize = 10_000;

/// Values that were recently read from the database, by key.
pub(super) struct Cache<T>(Mutex<Entries<T>>);

struct Entries<T> {
    epoch: Epoch,
    values: HashMap<String, (Instant, Arc<T>)>,
}

/// A number that increases whenever credentials change, so that a value that was read before a change is not cached
/// after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Epoch(u64);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::new(Entries {
            epoch: Epoch(0),
            values: HashMap::new(),
        }))
    }
}

impl<T> Cache<T> {
    fn lock(&self) -> MutexGuard<'_, Entries<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached value for `key`. If there is none, returns the current epoch, which must be passed to
    /// `insert` after the value was read.
    pub(super) fn get(&self, key: &str) -> Result<Arc<T>, Epoch> {
        let entries = self.lock();
        match entries.values.get(key) {
            Some((read_at, value)) if read_at.elapsed() < LIFETIME => Ok(Arc::clone(value)),
            _ => Err(entries.epoch),
        }
    }

    pub(super) fn insert(&self, key: String, epoch: Epoch, value: Arc<T>) {
        let mut entries = self.lock();
        if entries.epoch != epoch {
            return;
        }
        if entries.values.len() >= CAPACITY {
            entries.values.retain(|_, (read_at, _)| read_at.elapsed() < LIFETIME);
        }
        if entries.values.len() >= CAPACITY {
            entries.values.clear();
        }
        entries.values.insert(key, (Instant::now(), value));
    }

    /// Removes all values, so that the next request reads the changed credentials.
    pub(super) fn clear(&self) {
        let mut entries = self.lock();
        entries.epoch.0 += 1;
        entries.values.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_before_a_change_are_not_kept() {
        let cache = Cache::default();
        let epoch = cache.get("a").map(|_: Arc<u8>| ()).expect_err("no value");
        cache.clear();
        cache.insert("a".to_owned(), epoch, Arc::new(1));
        let epoch = cache.get("a").map(|_| ()).expect_err("no value");
        cache.insert("a".to_owned(), epoch, Arc::new(2));
        assert!(cache.get("a").is_ok_and(|value| *value == 2));
    }

    #[test]
    fn the_number_of_values_is_limited() {
        let cache = Cache::default();
        for at in 0..3 * CAPACITY {
            let key = at.to_string();
            let epoch = cache.get(&key).map(|_| ()).expect_err("no value");
            cache.insert(key, epoch, Arc::new(()));
        }
        assert!(cache.lock().values.len() <= CAPACITY);
    }
}
