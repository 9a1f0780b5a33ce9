//! When a request is sent once more, and after how long.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, header::RETRY_AFTER};

/// How often a request that had no success is sent again, and how long is waited before: each time about twice as long, with
/// chance in it, so that many jobs that fail together do not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How often at most.
    pub count: u32,
    /// How often at most where nobody listens: that is known at once, and seldom another thing a few seconds later.
    pub refused: u32,
    /// Before the first one, on average.
    pub first_delay: Duration,
    /// Never longer than this; when the broker itself asks for more, the request fails and says so.
    pub longest_delay: Duration,
}

impl Default for Retries {
    /// Five times: after about 0.2, 0.4, 0.8, 1.6 and 3.2 s, and up to a minute when the broker asks for it; twice where nobody
    /// listens.
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
    /// Never again.
    pub fn none() -> Self {
        Self::times(0)
    }

    /// As often as somebody said, whatever the reason: a broker that is being started is worth waiting for.
    pub fn times(count: u32) -> Self {
        Self {
            count,
            refused: count,
            ..Self::default()
        }
    }

    /// How long to wait before the attempt after this many; `chance` lies in 0..1.
    pub(crate) fn delay(&self, attempts: u32, chance: f64) -> Duration {
        let doubled = self
            .first_delay
            .saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
        doubled.mul_f64(0.5 + chance).min(self.longest_delay)
    }
}

/// Whether sending it twice does the same as once (RFC 9110 section 9.2.2).
pub(crate) fn is_idempotent(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE
    )
}

/// Whether an answer of this status may be another one the next time. What the broker says it has not done at all (429, 503)
/// may be sent again whatever it is.
pub(crate) fn may_change(status: u16, is_repeatable: bool) -> bool {
    match status {
        429 | 503 => true,
        408 | 500 | 502 | 504 => is_repeatable,
        _ => false,
    }
}

/// What the answer says itself: seconds, or a moment.
pub(crate) fn asked_delay(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
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

    use super::{Retries, asked_delay, may_change};

    #[test]
    fn delays_grow_and_differ() {
        let retries = Retries::default();
        let millis = |attempts, chance| retries.delay(attempts, chance).as_millis();
        assert_eq!(
            (millis(1, 0.0), millis(1, 0.5), millis(2, 0.5), millis(3, 0.5)),
            (100, 200, 400, 800)
        );
        assert_eq!(millis(u32::MAX, 0.9), 60_000);
    }

    #[test]
    fn brokers_say_when() {
        let asked = |text: &str| {
            let headers = [(http::header::RETRY_AFTER, text.parse().unwrap())]
                .into_iter()
                .collect();
            asked_delay(&headers, SystemTime::UNIX_EPOCH)
        };
        assert_eq!(asked("7"), Some(Duration::from_secs(7)));
        assert_eq!(asked("Thu, 01 Jan 1970 00:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(asked("soon"), None);
        assert_eq!(asked_delay(&http::HeaderMap::new(), SystemTime::UNIX_EPOCH), None);
    }

    #[test]
    fn what_may_have_been_done_is_not_done_twice() {
        assert!(may_change(503, false) && may_change(429, false));
        assert!(may_change(502, true) && !may_change(502, false));
        assert!(!may_change(404, true) && !may_change(501, true));
    }
}
