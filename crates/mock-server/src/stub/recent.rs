//! A cache with a limited number of entries. Entries that were removed are calculated again when needed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// A cache of values by index. If the limit is exceeded, the oldest value is removed. A value that was used again is
/// kept once more and becomes the newest (second-chance algorithm).
#[derive(Debug)]
pub(super) struct Recent<T>(Mutex<Kept<T>>);

#[derive(Debug)]
struct Kept<T> {
    values: HashMap<usize, (Arc<T>, bool)>,
    order: VecDeque<usize>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::new(Kept {
            values: HashMap::new(),
            order: VecDeque::new(),
        }))
    }
}

impl<T> Recent<T> {
    /// Returns the value for `at`, and calculates it if it is not stored. At most `most` values are stored.
    pub(super) fn get_or_insert(&self, at: usize, most: usize, calculate: impl FnOnce() -> T) -> Arc<T> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((value, is_used)) = lock().values.get_mut(&at) {
            *is_used = true;
            return Arc::clone(value);
        }
        // Other requests are not blocked meanwhile. If two of them calculate the same value, the last one is kept.
        let value = Arc::new(calculate());
        let mut kept = lock();
        if kept.values.insert(at, (Arc::clone(&value), false)).is_none() {
            kept.order.push_back(at);
        }
        while kept.values.len() > most {
            let Some(oldest) = kept.order.pop_front() else { break };
            match kept.values.get_mut(&oldest) {
                Some((_, is_used)) if *is_used => {
                    *is_used = false;
                    kept.order.push_back(oldest);
                }
                _ => drop(kept.values.remove(&oldest)),
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn keeps_the_values_that_are_used() {
        let recent = Recent::default();
        let get = |at: usize| {
            let mut is_new = false;
            let value = recent.get_or_insert(at, 3, || {
                is_new = true;
                at * 10
            });
            assert_eq!(*value, at * 10);
            is_new
        };
        assert!(get(1) && get(2) && get(3));
        assert!(!get(1), "it is kept");
        assert!(get(4), "removes 2, because 1 was used");
        assert!(!get(1) && !get(3) && get(2));
    }
}
