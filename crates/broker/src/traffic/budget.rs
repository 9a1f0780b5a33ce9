use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Memory for bodies that all clients share.
///
/// An address can reserve memory only if at least as much as its total reservation remains free. So the first address
/// can reserve at most half of the memory, and some memory is always available for other addresses.
#[derive(Debug)]
pub(super) struct Budget {
    size: usize,
    free: Mutex<usize>,
    freed: Notify,
}

/// Number of bytes that one address has reserved. It changes only while the budget is locked.
pub(super) type Share = Arc<AtomicUsize>;

/// A reserved part of the budget. Dropping it frees the memory.
#[derive(Debug)]
pub(super) struct Part {
    budget: Arc<Budget>,
    share: Share,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(size: usize) -> Arc<Self> {
        Arc::new(Self {
            size,
            free: Mutex::new(size),
            freed: Notify::new(),
        })
    }

    /// Reserves memory without waiting. Returns `None` if there is not enough. More than half of the budget counts as
    /// half.
    pub(super) fn try_take(self: &Arc<Self>, share: &Share, bytes: usize) -> Option<Part> {
        let bytes = bytes.min(self.size / 2);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let share_used = share.load(Ordering::Relaxed);
        if share_used.saturating_add(bytes.saturating_mul(2)) > *free {
            return None;
        }
        *free -= bytes;
        share.store(share_used + bytes, Ordering::Relaxed);
        Some(Part {
            budget: Arc::clone(self),
            share: Arc::clone(share),
            bytes,
        })
    }

    /// Reserves memory. If there is not enough, waits at most `limit` until it is freed, and then returns `None`.
    pub(super) async fn take(self: &Arc<Self>, share: &Share, bytes: usize, limit: Duration) -> Option<Part> {
        let waiting = async {
            loop {
                let mut freed = std::pin::pin!(self.freed.notified());
                // Subscribe before the attempt, so that memory freed after it wakes this task.
                freed.as_mut().enable();
                if let Some(part) = self.try_take(share, bytes) {
                    return part;
                }
                freed.await;
            }
        };
        tokio::time::timeout(limit, waiting).await.ok()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        {
            let mut free = self.budget.free.lock().unwrap_or_else(PoisonError::into_inner);
            *free += self.bytes;
            self.share.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    #[test]
    fn addresses_that_take_all_they_can_leave_memory_for_others() {
        let budget = Budget::new(256 * MIB);
        let mut parts = Vec::new();
        for held in [128, 64, 32] {
            let share = Share::default();
            let before = parts.len();
            while let Some(part) = budget.try_take(&share, MIB) {
                parts.push(part);
            }
            assert_eq!(parts.len() - before, held);
        }
        assert!(budget.try_take(&Share::default(), 16 * MIB).is_some());
        assert!(budget.try_take(&Share::default(), 17 * MIB).is_none());
        parts.clear();
        let whole = budget.try_take(&Share::default(), 1024 * MIB);
        assert!(
            whole.is_some(),
            "a body larger than half of the budget is not rejected forever"
        );
    }

    #[tokio::test]
    async fn waits_for_memory() {
        let budget = Budget::new(4 * MIB);
        let share = Share::default();
        let part = budget.try_take(&share, 2 * MIB).expect("half of the memory");
        assert!(budget.take(&share, MIB, Duration::ZERO).await.is_none());
        let taking = budget.take(&share, MIB, Duration::from_secs(60));
        let freeing = async {
            tokio::task::yield_now().await;
            drop(part);
        };
        let (reserved, ()) = tokio::join!(taking, freeing);
        assert!(reserved.is_some());
    }
}
