//! Asks a broker: fetches and publishes contracts and results, records deployments, and asks for verdicts.
//!
//! Everything a team does with a broker that is no browser's work. HAL links are followed where the broker gives them, and
//! the field's fixed paths stand in where it does not, so that the same calls work with this project's broker and with others.
//!
//! - A [`BrokerClient`] is made of [`BrokerOptions`]: where the broker is, who asks ([`Credentials`]), certificates, proxies,
//!   time limits, retries ([`Retries`]). It keeps its connections; clones share them.
//! - A provider's verification asks [`BrokerClient::for_verification`], reads each [`Selected`] with
//!   [`BrokerClient::contract`], and hands results over with [`BrokerClient::create_provider_version`] (once) and
//!   [`BrokerClient::publish_result`] (for each contract).
//! - A consumer publishes with [`BrokerClient::publish`], a pipeline asks [`BrokerClient::can_i_deploy`] and records what it
//!   did; the rest of the calls read and change one thing each.
//! - A document behind any other URL is read by [`Transport::get`], with the same care.
//!
//! Every failure is a [`BrokerError`]: a kind, what happened and where, and what to do. No secret stands in one.
//!
//! What is asked again by itself: whatever may be done twice without harm, after a lost connection, a status of 500 and above
//! or 429; anything at all when no connection was made, or the broker said itself that it did not do it (429, 503).
//!
//! Ignorant of matching, of the verifier, of files and of the environment. Runs on the caller's tokio; dropping a future stops
//! waiting, and what the broker has read by then it may still do.
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
//!     Ok(selected) => for one in selected {
//!         let contract = client.contract(&one.url).await?;
//!         println!("{}: {} bytes, pending: {:?}", one.name, contract.bytes().len(), one.pending);
//!     },
//!     // Nobody listens on this port.
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
pub use transport::{Answer, Transport, TransportOptions};
pub use values::{latest_contract, plain, record, version, without_additions};
pub use verification::{ProviderVersion, Selected, Selection, VerificationNotice, VerificationResult};
pub use webhooks::Webhook;
