//! Decides whether and when a request is retried.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, header::RETRY_AFTER};

/// Maximum number of retries of a request, and the delays between them. Each delay is about twice as long as the previous
/// one. Random jitter prevents jobs that failed at the same time from retrying at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Maximum number of retries, unless the connection is refused.
    pub count: u32,
    /// Maximum number of retries if the connection is refused. The default is lower than that of `count`, because a
    /// broker that is down rarely starts within seconds.
    pub refused: u32,
    /// Average delay before the first retry. The actual delay is between half and one and a half times this value.
    pub first_delay: Duration,
    /// Maximum delay between attempts. If a response requests a longer delay with `Retry-After`, the request fails.
    pub longest_delay: Duration,
}

impl Default for Retries {
    /// Returns the defaults: 5 retries after about 0.2, 0.4, 0.8, 1.6, and 3.2 s, but only the first 2 if the
    /// connection is refused. The maximum delay is 60 s.
    fn default() -> Self {
        Self {
            count: 5,
            refused: 2,
            first_delay: Duration::from_millis(200),
            longest_delay: Duration::from_secs(60),
        }
    }
}

impl Retries {
    pub fn none() -> Self {
        Self::times(0)
    }

    /// Sets the same maximum for all failures, including refused connections, for example to wait for a broker that is
    /// starting.
    pub fn times(count: u32) -> Self {
        Self {
            count,
            refused: count,
            ..Self::default()
        }
    }

    /// Returns the delay after `attempts` failed attempts. `chance` is a random number from 0 to 1.
    pub(crate) fn delay(&self, attempts: u32, chance: f64) -> Duration {
        let doubled = self
            .first_delay
            .saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
        doubled.mul_f64(0.5 + chance).min(self.longest_delay)
    }
}

/// Returns true for idempotent methods (RFC 9110 section 9.2.2), such as GET and PUT.
pub(crate) fn is_idempotent(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE
    )
}

/// Returns true if a request that got this status can be retried. Statuses 429 and 503 mean that the broker did not
/// process the request, so even a request that is not repeatable can be retried.
pub(crate) fn is_retryable(status: u16, is_repeatable: bool) -> bool {
    match status {
        429 | 503 => true,
        408 | 500 | 502 | 504 => is_repeatable,
        _ => false,
    }
}

/// Returns the delay in the `Retry-After` header, which is a number of seconds or a date. Returns `None` if the header
/// is missing or invalid.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = httpdate::parse_http_date(text).ok()?;
    Some(moment.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{Retries, is_retryable, retry_after};

    #[test]
    fn delays_grow_with_jitter() {
        let retries = Retries::default();
        let millis = |attempts, chance| retries.delay(attempts, chance).as_millis();
        assert_eq!(
            (millis(1, 0.0), millis(1, 0.5), millis(2, 0.5), millis(3, 0.5)),
            (100, 200, 400, 800)
        );
        assert_eq!(millis(u32::MAX, 0.9), 60_000);
    }

    #[test]
    fn reads_retry_after() {
        let delay = |text: &str| {
            let headers = [(http::header::RETRY_AFTER, text.parse().unwrap())]
                .into_iter()
                .collect();
            retry_after(&headers, SystemTime::UNIX_EPOCH)
        };
        assert_eq!(delay("7"), Some(Duration::from_secs(7)));
        assert_eq!(delay("Thu, 01 Jan 1970 00:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(delay("soon"), None);
        assert_eq!(retry_after(&http::HeaderMap::new(), SystemTime::UNIX_EPOCH), None);
    }

    #[test]
    fn does_not_retry_requests_that_may_be_processed() {
        assert!(is_retryable(503, false) && is_retryable(429, false));
        assert!(is_retryable(502, true) && !is_retryable(502, false));
        assert!(!is_retryable(404, true) && !is_retryable(501, true));
    }
}
