//! Interface to plugins that take part in a verification. Plugins are separate processes, so all calls are
//! asynchronous.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use contract_matching::{ActualBody, Mismatch};
use contract_model::{Body, Contract, Headers, Interaction, InteractionKind, Object};

use crate::{BoxFuture, ErrorCode, InteractionError};

pub type PluginFailure = Box<dyn std::error::Error + Send + Sync>;

pub trait Plugins: fmt::Debug + Send + Sync {
    /// Starts the plugins that an interaction uses. Returns `None` if it uses none. Returns an error if a required
    /// plugin is missing or failed to start.
    fn work<'a>(
        &'a self,
        contract: &'a Arc<Contract>,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn PluginWork>>, PluginFailure>>;
}

/// The plugins of one interaction.
pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the interaction without the parts that plugins compare or generate.
    fn core(&self) -> &InteractionKind;
    /// Returns the final mismatches of a response or a message. `response` is its index, `found` are the mismatches
    /// that this crate found, and `values` are the values from provider states.
    fn judge<'a>(
        &'a self,
        response: usize,
        actual: &'a ActualBody,
        found: Vec<Mismatch>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Mismatch>, PluginFailure>>;
    /// Returns the body of a request, or the contents of the consumer's message. `body` contains the values that this
    /// crate generated, and `values` are the values from provider states.
    fn generate<'a>(&'a self, body: Body, values: &'a Object) -> BoxFuture<'a, Result<Body, PluginFailure>>;
    /// Returns the transport that the plugin provides, or `None` if the plugin does not send the request.
    fn protocol(&self) -> Option<&str>;
    /// Returns the request that the plugin will send. `provider` is the host and port of the provider, or `None` if
    /// they are not configured.
    fn prepare<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<PreparedRequest, PluginFailure>>;
    /// Sends the request and compares the provider's response. `provider` is the host and port of the provider, or
    /// `None` if they are not configured.
    fn exchange<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
        request: PreparedRequest,
    ) -> BoxFuture<'a, Result<Exchanged, PluginFailure>>;
}

/// A request that a plugin will send. The request filter can change it.
#[derive(Clone, Debug, Default)]
pub struct PreparedRequest {
    pub body: Bytes,
    /// The metadata entries whose values are strings. Filters cannot change the other entries.
    pub metadata: Headers,
}

/// The result of a request that a plugin sent.
#[derive(Debug, Default)]
pub struct Exchanged {
    pub mismatches: Vec<Mismatch>,
    /// Errors that the plugin reported, besides mismatches. Any of them fails the interaction.
    pub errors: Vec<String>,
    /// Contents and metadata of the response, or `None` if the plugin did not return them.
    pub response: Option<(ActualBody, Object)>,
    /// Lines that the plugin wants to show to the user.
    pub output: Vec<String>,
}

pub(crate) fn failed(failure: impl Into<PluginFailure>) -> InteractionError {
    InteractionError::new(ErrorCode::Plugin, failure.into().to_string())
}
