//! Client for the Pact Broker API: fetches and publishes contracts and results, records deployments, and checks whether
//! versions can be deployed.
//!
//! The client follows HAL links and falls back to the fixed paths of the Pact Broker API, so it works with this
//! project's broker, the Pact Broker, and `PactFlow`.
//!
//! - Create a [`BrokerClient`] from [`BrokerOptions`]: URL, [`Credentials`], certificates, proxies, timeouts, and
//!   [`Retries`]. Clones share connections.
//! - To verify a provider, call [`BrokerClient::for_verification`], fetch each [`Selected`] contract with
//!   [`BrokerClient::contract`], call [`BrokerClient::create_provider_version`] once, and call
//!   [`BrokerClient::publish_result`] for each contract.
//! - To publish contracts, call [`BrokerClient::publish`]. To check a deployment, call [`BrokerClient::can_i_deploy`].
//! - To fetch a document from a URL outside the broker, call [`Transport::get`].
//!
//! Every failure is a [`BrokerError`] with a kind, a message, and, if possible, advice. Messages never contain secrets.
//!
//! The client retries idempotent requests after a lost connection and after the statuses 408, 429, 500, 502, 503, and
//! 504. It retries other requests only if they were certainly not processed: if no connection was made, or after the
//! statuses 429 and 503.
//!
//! This crate does not depend on matching, the verifier, files, or the environment. It runs on the caller's tokio
//! runtime. Dropping a future stops waiting for the response, but the broker may still process the request.
//!
//! ```
//! use contract_broker_client::{BrokerClient, BrokerErrorKind, BrokerOptions, Credentials, Retries, Selection};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let mut options = BrokerOptions {
//!     url: "http://127.0.0.1:9".to_owned(),
//!     credentials: Credentials::token("secret"),
//!     ..BrokerOptions::default()
//! };
//! options.transport.retries = Retries::none();
//! let client = BrokerClient::new(options)?;
//! let selection = Selection { include_pending: true, provider_branch: Some("main".to_owned()), ..Selection::default() };
//! match client.for_verification("orders", &selection).await {
//!     Ok(contracts) => for selected in contracts {
//!         let contract = client.contract(&selected.url).await?;
//!         println!("{}: {} bytes, pending: {:?}", selected.name, contract.bytes().len(), selected.pending);
//!     },
//!     // Connection refused.
//!     Err(error) => {
//!         assert_eq!(error.kind(), BrokerErrorKind::Unreachable);
//!         assert!(error.to_string().contains("Is the broker running?"), "{error}");
//!     }
//! }
//! # Ok::<(), contract_broker_client::BrokerError>(())
//! # })?;
//! # Ok::<(), contract_broker_client::BrokerError>(())
//! ```

#![forbid(unsafe_code)]

mod administration;
mod client;
mod contracts;
mod credentials;
mod deployments;
mod doctor;
mod environments;
mod error;
mod matrix;
mod metadata;
mod options;
mod pacticipants;
mod path;
mod resource;
mod retry;
mod secrets;
mod transport;
mod values;
mod verification;
mod versions;
mod webhooks;

pub use client::BrokerClient;
pub use contracts::{ContractChoice, ContractToPublish, Publication, Published, PublishedContract, version_in};
pub use credentials::{Access, Credentials};
pub use deployments::{Deployed, Occupancy};
pub use environments::EnvironmentChange;
pub use error::{BrokerError, BrokerErrorKind, Notice, with_advice};
pub use matrix::{Question, Row, RowSide, Target, Verdict, VersionSelector};
pub use metadata::{UrlMetadata, metadata_of};
pub use options::BrokerOptions;
pub use pacticipants::PacticipantChange;
pub use resource::{Link, Resource};
pub use retry::Retries;
pub use secrets::Secrets;
pub use transport::{Response, Transport, TransportOptions};
pub use values::{latest_contract, plain, record, version, without_additions};
pub use verification::{ProviderVersion, Selected, Selection, VerificationNotice, VerificationResult};
pub use webhooks::Webhook;
