//! Stores the requests that a stub received.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use contract_report::RequestView;
use serde::Serialize;

/// Maximum number of stored requests. Older requests are discarded.
pub(super) const KEPT: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<Records>);

#[derive(Debug, Default)]
struct Records {
    total: u64,
    kept: VecDeque<Record>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// Milliseconds since 1970.
    at: u64,
    request: RequestView,
    status: u16,
    /// Description of the interaction that responded, or `None` if the stub responded with an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction: Option<String>,
    /// Number of mismatches with the closest interaction; 0 if the request matched.
    mismatches: usize,
}

#[derive(Serialize)]
struct Listing<'a> {
    total: u64,
    requests: &'a VecDeque<Record>,
}

impl Record {
    pub(super) fn new(request: RequestView, status: u16, interaction: Option<String>, mismatches: usize) -> Self {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            at: u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
            request,
            status,
            interaction,
            mismatches,
        }
    }
}

impl Journal {
    fn lock(&self) -> MutexGuard<'_, Records> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, record: Record) {
        let mut records = self.lock();
        records.total += 1;
        if records.kept.len() == KEPT {
            records.kept.pop_front();
        }
        records.kept.push_back(record);
    }

    pub(super) fn total(&self) -> u64 {
        self.lock().total
    }

    pub(super) fn clear(&self) {
        *self.lock() = Records::default();
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        let records = self.lock();
        let listing = Listing {
            total: records.total,
            requests: &records.kept,
        };
        serde_json::to_vec(&listing).unwrap_or_default()
    }
}
