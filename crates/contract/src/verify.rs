//! The provider's side assembled: contracts from where they are, the user's own functions, one report.

mod broker;
mod builder;
mod constructor;
mod environment;
mod error;
mod gathered;
mod memory;
mod message_handlers;
pub(crate) mod operation;
mod options;
mod pem;
mod progress;
mod publish;
mod selector;
mod session;
mod source;
mod state_handlers;
mod tls;
mod transport;
mod verification;

use contract_verifier::{Report, TextOptions};
use serde::Serialize;

pub use broker::{BrokerSource, BrokerSourceOptions, Given, Select};
pub(crate) use broker::{Fetched, behind_url};
pub use builder::Kept;
pub use environment::Environment;
pub use error::VerifyError;
pub(crate) use memory::user_cache;
pub(crate) use message_handlers::MessageHandlers;
pub use operation::{
    AddCustomHeader, AddCustomHeaders, AddSource, AddTransport, Bytes, Count, Disabled, Enabled, Filter,
    FilterConsumers, FilterOptions, Follow, Hook, HttpVersion, MessageHandler, MessageHandlerOptions, OnMissing,
    RedirectOptions, RequestFilter, RunOptions, SourceOptions, StateHandler, StateHandlerOptions, Time, Tls,
    VerifierOperation,
};
pub use options::{Surroundings, VerifyOptions};
pub use pem::Pem;
pub use publish::{PublishOptions, SetPublishOptions};
pub use selector::{
    Branch, ConsumerVersion, Nothing, ProviderBranch, Selector, SelectorOperation, SelectorOptions, Selectors, Since,
    Tags,
};
pub use session::ListedInteraction;
pub(crate) use source::path_of;
pub use transport::base_url;
pub use verification::Verification;

use crate::log_buffer::LogBuffer;

/// What a verification found.
#[derive(Debug)]
pub struct Verified {
    /// The report as data.
    pub report: Report,
    /// What failed, for an error to carry: bounded, and nothing of what passed. None when nothing failed.
    pub failures: Option<String>,
    /// All of it for people.
    pub text: String,
    /// The last lines that the core logged meanwhile.
    pub log: Vec<String>,
    /// Which failures came from the user's own code.
    pub causes: Vec<Cause>,
}

/// A failure that came from the user's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The number of the contract in the report.
    pub contract: usize,
    /// The number of the interaction in its contract.
    pub interaction: usize,
    /// Whether it was a teardown.
    pub teardown: bool,
    /// What the binding named its own error value by.
    pub token: u64,
}

impl Verified {
    fn new(mut report: Report, text: TextOptions, log: &LogBuffer) -> Self {
        Self {
            failures: (!report.success).then(|| report.failures_to_text(text)),
            text: report.to_text(text),
            log: log.lines(),
            causes: causes(&mut report),
            report,
        }
    }

    /// The report as JSON text.
    pub fn report_text(&self) -> String {
        crate::serve::to_text(&self.report)
    }
}

/// Takes the names of the caller's own error values out of a report: they mean nothing to anybody else.
fn causes(report: &mut Report) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (contract, reported) in report.contracts.iter_mut().enumerate() {
        for (interaction, reported) in reported.interactions.iter_mut().enumerate() {
            for (error, teardown) in [(&mut reported.error, false), (&mut reported.teardown_error, true)] {
                let token = error.as_mut().and_then(|error| error.token.take());
                causes.extend(token.map(|token| Cause {
                    contract,
                    interaction,
                    teardown,
                    token,
                }));
            }
        }
    }
    causes
}
