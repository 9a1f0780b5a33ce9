//! Request IDs, which appear in responses and log entries.

use std::sync::Arc;

use http::HeaderMap;

use contract_broker_remote::log::{Log, LogEntry};

/// The header that contains the ID in requests and responses.
pub(crate) const HEADER: &str = "x-request-id";
/// Maximum length of a client's ID, in bytes. A longer ID is replaced with a new one.
const MAX_LENGTH: usize = 128;

tokio::task_local! {
    static CURRENT: String;
}

/// Returns the ID in the request's headers, or a new random ID if the header is missing or invalid.
pub(crate) fn from_headers(headers: &HeaderMap) -> String {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte);
    let sent = headers.get(HEADER).and_then(|value| value.to_str().ok());
    let sent = sent.filter(|id| !id.is_empty() && id.len() <= MAX_LENGTH && id.bytes().all(is_allowed));
    sent.map_or_else(|| format!("{:032x}", fastrand::u128(..)), str::to_owned)
}

/// Runs `work` with `id` as the current request ID, which log entries contain.
pub(crate) async fn scope<F: Future>(id: String, work: F) -> F::Output {
    CURRENT.scope(id, work).await
}

/// Returns a log that adds the current request ID to each entry and passes the entry to `log`.
pub(crate) fn log_with_ids(log: Log) -> Log {
    Arc::new(move |entry| match CURRENT.try_with(Clone::clone) {
        Err(_) => log(entry),
        Ok(id) => {
            let mut entry: LogEntry = entry.clone();
            entry.fields.push(("request", id));
            log(&entry);
        }
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn id(sent: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, HeaderValue::from_static(sent));
        from_headers(&headers)
    }

    #[test]
    fn ids_of_clients_are_kept_unless_they_could_harm_a_log() {
        assert_eq!(id("build-42:a/b"), "build-42:a/b");
        for rejected in ["", "a b", "a\"b", "a;b"] {
            assert_eq!(id(rejected).len(), 32, "{rejected:?}");
        }
        let long: &'static str = Box::leak("a".repeat(MAX_LENGTH + 1).into_boxed_str());
        assert_eq!(id(long).len(), 32);
        assert_ne!(from_headers(&HeaderMap::new()), from_headers(&HeaderMap::new()));
    }
}
