//! Sends webhook requests.

mod connect;
mod credentials;
mod error;
mod log;
mod send;

use std::time::Duration;

use contract_broker_domain::keyring::Keyring;

pub use send::{Execution, WebhookSender, seconds};

/// How webhook requests are sent. [`WebhookRules`](contract_broker_domain::webhook::WebhookRules) determine which
/// requests are allowed.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// Delays before the retries of a failed request. Default: 10 s, 1 min, 2 min, 5 min, 10 min, and 20 min.
    pub retry_schedule: Vec<Duration>,
    /// Response statuses that count as success. Default: 200 to 206.
    pub success: Vec<u16>,
    /// Timeout for one attempt. Default: 15 seconds.
    pub timeout: Duration,
    /// Maximum number of webhooks that send requests at the same time. Default: 16.
    pub concurrency: usize,
    /// Maximum time that a request waits for earlier requests of the same webhook. After this time, it is not sent.
    /// Default: 24 hours.
    pub max_age: Duration,
    /// Age at which finished deliveries and their logs are deleted. `None` keeps them. Default: 90 days.
    pub keep_log: Option<Duration>,
    /// The keys that encrypt the secrets of webhooks in the database.
    pub keys: Keyring,
}

impl Default for WebhookOptions {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3_600);
        Self {
            retry_schedule: [10, 60, 120, 300, 600, 1_200].map(Duration::from_secs).to_vec(),
            success: (200..=206).collect(),
            timeout: Duration::from_secs(15),
            concurrency: 16,
            max_age: DAY,
            keep_log: Some(90 * DAY),
            keys: Keyring::default(),
        }
    }
}
