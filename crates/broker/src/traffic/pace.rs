use std::time::Duration;

use super::HttpLimits;

/// Measures whether a client keeps to the minimum transfer rate. Waiting for the client uses up a time budget. Each
/// transferred byte restores the time that it takes at the minimum rate. The budget never exceeds
/// [`HttpLimits::stall`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    left: Duration,
    stall: Duration,
    bytes_per_second: u32,
}

impl Pace {
    pub(crate) fn new(limits: &HttpLimits) -> Self {
        Self {
            left: limits.stall,
            stall: limits.stall,
            bytes_per_second: limits.minimum_rate.max(1),
        }
    }

    /// Returns the time that the next wait can take.
    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// Records that the client transferred `bytes` bytes after the broker had waited for `waited`.
    pub(crate) fn waited(&mut self, waited: Duration, bytes: usize) {
        let earned = Duration::from_secs_f64(bytes_as_f64(bytes) / f64::from(self.bytes_per_second));
        self.left = self.left.saturating_sub(waited);
        self.rested(earned);
    }

    /// Restores `time`, during which the broker did not wait for the client.
    pub(crate) fn rested(&mut self, time: Duration) {
        self.left = self.left.saturating_add(time).min(self.stall);
    }
}

fn bytes_as_f64(bytes: usize) -> f64 {
    // Single transfers are smaller than 4 GiB.
    f64::from(u32::try_from(bytes).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> Pace {
        Pace::new(&HttpLimits {
            stall: Duration::from_secs(10),
            minimum_rate: 1_000,
            ..HttpLimits::default()
        })
    }

    #[test]
    fn a_peer_at_the_minimum_rate_never_times_out() {
        let mut steady = pace();
        for _ in 0..1_000 {
            steady.waited(Duration::from_secs(1), 1_000);
        }
        assert_eq!(steady.left(), Duration::from_secs(10));
        let mut slow = pace();
        for _ in 0..20 {
            slow.waited(Duration::from_secs(1), 500);
        }
        assert!(
            slow.left() < Duration::from_secs(1),
            "the next second is too long: {slow:?}"
        );
    }

    #[test]
    fn fast_transfers_do_not_extend_the_stall_time() {
        let mut pace = pace();
        pace.waited(Duration::ZERO, 1_000_000_000);
        assert_eq!(pace.left(), Duration::from_secs(10));
        pace.waited(Duration::from_secs(9), 0);
        pace.rested(Duration::from_secs(4));
        assert_eq!(pace.left(), Duration::from_secs(5));
    }
}
