//! The verifier API for bindings. It collects options, reads contracts, calls user functions, and creates one report.

mod broker;
mod broker_place;
mod builder;
mod constructor;
mod environment;
mod filter_pattern;
mod gathered;
mod invalid;
mod listed;
mod memory;
mod message_handlers;
pub(crate) mod operation;
mod options;
mod own_secrets;
mod progress;
mod publish;
mod publish_options;
mod selector;
mod session;
mod source;
mod state_handlers;
mod tls;
mod transport;
mod user;
mod verification;
mod verified;

pub use broker_place::{BrokerSourceOptions, Override};
pub use filter_pattern::FilterPattern;
pub(crate) use gathered::gather_every;
pub use listed::ListedInteraction;
pub(crate) use message_handlers::MessageHandlers;
pub use operation::{
    Bytes, Enabled, FilterOptions, Hook, Kept, MessageHandler, MessageHandlerOptions, OnMissing, RedirectOptions,
    RunOptions, SourceOptions, StateHandlerOptions, Time, Tls, TransportOptions, VerifierOperation,
};
pub use options::{RunContext, VerifyOptions};
pub use publish_options::PublishOptions;
pub use selector::{Branch, ConsumerVersion, SelectorOperation, SelectorOptions};
pub use transport::base_url;
pub use verification::Verification;
pub use verified::{Cause, Verified};
