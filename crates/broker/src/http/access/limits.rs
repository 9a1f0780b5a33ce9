//! Limits the rates of requests and failed logins, with token buckets.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::traffic::network;

/// Maximum number of buckets in a group. If it is reached, full buckets are removed, or all buckets if none is full.
const CAPACITY: usize = 10_000;

/// Limits on the request rate of brokers that require credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests per second with the same credentials. Ten times as many are allowed in a burst. 0 means no limit.
    /// Default: 1,000.
    pub per_credential: u32,
    /// Requests per second from one address (IPv6: one /64 network). Ten times as many are allowed in a burst. 0 means
    /// no limit. Default: 2,000.
    pub per_address: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            per_credential: 1_000,
            per_address: 2_000,
        }
    }
}

/// A group of token buckets, one for each key. Each request takes one token from the bucket of its key.
pub(super) struct Buckets<K> {
    /// Number of tokens that are added to each bucket per second. 0 means no limit.
    rate: f64,
    /// Maximum number of tokens in a bucket.
    burst: f64,
    by_key: Mutex<HashMap<K, Bucket>>,
}

struct Bucket {
    tokens: f64,
    at: Instant,
}

impl<K: Hash + Eq> Buckets<K> {
    pub(super) fn new(rate: f64, burst: f64) -> Self {
        Self {
            rate,
            burst,
            by_key: Mutex::default(),
        }
    }

    /// Takes a token from the bucket of `key`. If the bucket is empty, returns the time until the next token is added.
    pub(super) fn take(&self, key: K) -> Result<(), Duration> {
        if self.rate <= 0.0 {
            return Ok(());
        }
        let now = Instant::now();
        let mut buckets = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CAPACITY && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| self.filled(bucket, now) < self.burst);
            if buckets.len() >= CAPACITY {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket {
            tokens: self.burst,
            at: now,
        });
        bucket.tokens = self.filled(bucket, now);
        bucket.at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            Ok(())
        } else {
            Err(Duration::from_secs_f64((1.0 - bucket.tokens) / self.rate))
        }
    }

    /// Puts a token back into the bucket of `key`, so that a request does not count.
    pub(super) fn give_back(&self, key: &K) {
        let mut buckets = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(key) {
            bucket.tokens = (bucket.tokens + 1.0).min(self.burst);
        }
    }

    fn filled(&self, bucket: &Bucket, now: Instant) -> f64 {
        let elapsed = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.tokens + elapsed * self.rate).min(self.burst)
    }
}

/// Limits failed logins per user, per address, and per combination of both. Successful logins do not count.
pub(super) struct LoginLimits {
    users_at_addresses: Buckets<(String, IpAddr)>,
    users: Buckets<String>,
    addresses: Buckets<IpAddr>,
}

impl LoginLimits {
    pub(super) fn new() -> Self {
        Self {
            users_at_addresses: Buckets::new(0.2, 10.0),
            users: Buckets::new(1.0, 100.0),
            addresses: Buckets::new(1.0, 100.0),
        }
    }

    pub(super) fn take(&self, user: &str, address: IpAddr) -> Result<(), Duration> {
        let address = network(address);
        self.users_at_addresses.take((user.to_owned(), address))?;
        self.users.take(user.to_owned())?;
        self.addresses.take(address)
    }

    pub(super) fn give_back(&self, user: &str, address: IpAddr) {
        let address = network(address);
        self.users_at_addresses.give_back(&(user.to_owned(), address));
        self.users.give_back(&user.to_owned());
        self.addresses.give_back(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_refill() {
        let buckets = Buckets::new(1_000_000.0, 2.0);
        assert_eq!((buckets.take(1), buckets.take(1)), (Ok(()), Ok(())));
        while buckets.take(1).is_err() {}
        let slow = Buckets::new(0.01, 2.0);
        assert_eq!((slow.take(1), slow.take(1)), (Ok(()), Ok(())));
        let wait = slow.take(1).expect_err("an empty bucket");
        assert!((90..=100).contains(&wait.as_secs()), "{wait:?}");
        assert_eq!(slow.take(2), Ok(()), "another key");
        slow.give_back(&1);
        assert_eq!(slow.take(1), Ok(()));
        assert_eq!(Buckets::new(0.0, 0.0).take(1), Ok(()), "no limit");
    }

    #[test]
    fn the_number_of_buckets_is_limited() {
        let buckets = Buckets::new(0.1, 1.0);
        for at in 0..3 * CAPACITY {
            let _ = buckets.take(at);
        }
        assert!(buckets.by_key.lock().expect("buckets").len() <= CAPACITY);
    }

    #[test]
    fn successful_logins_do_not_count() {
        let (limits, address) = (LoginLimits::new(), IpAddr::from([127, 0, 0, 1]));
        for _ in 0..1_000 {
            assert_eq!(limits.take("a", address), Ok(()));
            limits.give_back("a", address);
        }
        for _ in 0..10 {
            assert_eq!(limits.take("a", address), Ok(()));
        }
        assert!(limits.take("a", address).is_err());
        assert_eq!(limits.take("b", address), Ok(()), "another user");
        assert_eq!(
            limits.take("a", IpAddr::from([127, 0, 0, 2])),
            Ok(()),
            "another address"
        );
    }
}
