//! The broker: stores contracts and verification results, and determines whether a version can be deployed.
//!
//! Its HTTP API is compatible with that of the Pact Broker (the same paths and HAL documents), so existing Pact clients
//! work without changes.
#![forbid(unsafe_code)]

mod administration;
mod audit;
mod backup;
mod denials;
mod http;
mod outbox;
mod pipe;
mod request_id;
mod retention;
mod server;
mod settings;
mod traffic;

pub use crate::administration::{Administration, AdministrationError};
pub use crate::backup::{BackupError, backup, export, migrate, restore};
pub use crate::http::{AddressRange, Credentials, InvalidRange, Permissions, RateLimits};
pub use crate::retention::{CleanPace, Retention, clean, preview};
pub use crate::server::{Broker, Options};
pub use crate::settings::{Settings, SettingsError};
pub use crate::traffic::HttpLimits;
pub use contract_broker_core::cases::accounts::AccountRejection;
pub use contract_broker_core::cases::archive::Summary;
pub use contract_broker_core::cases::retention::{ApplicationPreview, Deleted, Preview};
pub use contract_broker_core::cases::tokens::TokenRequest;
pub use contract_broker_core::sql::audit::AuditFilter;
pub use contract_broker_core::store::{Database, Limits, StoreError};
pub use contract_broker_domain::access::Pattern;
pub use contract_broker_domain::keyring::{InvalidKey, Keyring, SecretError};
pub use contract_broker_domain::retention::{KeepRule, RetentionPolicy};
pub use contract_broker_domain::rules::Rules;
pub use contract_broker_domain::time::parse as parse_time;
pub use contract_broker_domain::webhook::{HostPattern, Network, WebhookRules};
pub use contract_broker_remote::identity::{IdentityRule, Issuer, IssuerError, LoginSettings};
pub use contract_broker_remote::import::{
    ImportCount, ImportError, ImportReport, ImportSource, SourceCredentials, import_from_broker, import_from_database,
};
pub use contract_broker_remote::log::{Level, Log, LogEntry};
pub use contract_broker_remote::tls::{TlsConfig, TlsError, tls};
pub use contract_broker_remote::traces::{Traces, TracesError};
pub use contract_broker_remote::webhooks::WebhookOptions;
