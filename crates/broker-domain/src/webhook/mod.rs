//! Webhooks, which make the broker send a request when an event occurs.

mod event;
mod hosts;
mod request;
mod rules;
mod signature;
mod template;

pub use event::{Event, EventData};
pub use hosts::{HostPattern, InvalidHost, Network};
pub use request::{MASK, MissingSecret, Replaced, WebhookRequest, is_secret_header};
pub use rules::{RuleViolation, WebhookRules, host, origin, parse};
pub use signature::SigningSecret;
pub use template::{PARAMETERS, Parameters, TooLong, has_parameter, json_escaped, unknown_parameter};
