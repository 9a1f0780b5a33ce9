//! Metrics in the Prometheus text format.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histogram buckets, in milliseconds.
const BOUNDS: [u64; 10] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000];

/// Counters since the start of the broker.
#[derive(Default)]
pub(crate) struct Metrics {
    by_class: [AtomicU64; 6],
    within: [AtomicU64; BOUNDS.len()],
    microseconds: AtomicU64,
    open: AtomicI64,
    connections_rejected: AtomicU64,
}

/// Counts a request as open until it is dropped.
pub(super) struct Open<'a>(&'a AtomicI64);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(super) fn begin(&self) -> Open<'_> {
        self.open.fetch_add(1, Ordering::Relaxed);
        Open(&self.open)
    }

    /// Counts a connection that was rejected because its address has too many connections.
    pub(crate) fn connections_rejected(&self) {
        self.connections_rejected.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).min(self.by_class.len() - 1);
        self.by_class[class].fetch_add(1, Ordering::Relaxed);
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
        for (bound, count) in BOUNDS.iter().zip(&self.within) {
            if microseconds <= bound * 1_000 {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn to_text(&self) -> String {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = writeln!(out, "{text}");
        };
        line(format_args!(
            "# HELP contract_broker_requests_total Number of requests by status class."
        ));
        line(format_args!("# TYPE contract_broker_requests_total counter"));
        let mut total = 0;
        for (class, count) in self.by_class.iter().enumerate().skip(1) {
            total += load(count);
            line(format_args!(
                "contract_broker_requests_total{{status=\"{class}xx\"}} {}",
                load(count)
            ));
        }
        line(format_args!(
            "# HELP contract_broker_request_seconds Duration of requests."
        ));
        line(format_args!("# TYPE contract_broker_request_seconds histogram"));
        for (bound, count) in BOUNDS.iter().zip(&self.within) {
            let seconds = Duration::from_millis(*bound).as_secs_f64();
            line(format_args!(
                "contract_broker_request_seconds_bucket{{le=\"{seconds}\"}} {}",
                load(count)
            ));
        }
        line(format_args!(
            "contract_broker_request_seconds_bucket{{le=\"+Inf\"}} {total}"
        ));
        let seconds = Duration::from_micros(load(&self.microseconds)).as_secs_f64();
        line(format_args!("contract_broker_request_seconds_sum {seconds}"));
        line(format_args!("contract_broker_request_seconds_count {total}"));
        line(format_args!(
            "# HELP contract_broker_requests_open Number of requests in progress."
        ));
        line(format_args!("# TYPE contract_broker_requests_open gauge"));
        line(format_args!(
            "contract_broker_requests_open {}",
            self.open.load(Ordering::Relaxed)
        ));
        line(format_args!(
            "# HELP contract_broker_connections_refused_total Number of connections rejected by the limit per address."
        ));
        line(format_args!("# TYPE contract_broker_connections_refused_total counter"));
        line(format_args!(
            "contract_broker_connections_refused_total {}",
            load(&self.connections_rejected)
        ));
        out
    }
}
