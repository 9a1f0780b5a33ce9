//! Interface to plugins that take part in a verification. Plugins are separate processes, so all calls are
//! asynchronous.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use contract_matching::{ActualBody, Mismatch};
use contract_model::{Body, Contract, Headers, Interaction, InteractionKind, Object};

use crate::{BoxFuture, ErrorCode, InteractionError};

/// Reason why a plugin failed.
pub type PluginFailure = Box<dyn std::error::Error + Send + Sync>;

/// Provides the plugins that contracts require.
pub trait Plugins: fmt::Debug + Send + Sync {
    /// Returns the work of plugins for an interaction, or `None` if it uses no plugins. Returns an error if a required
    /// plugin is missing or failed to start.
    fn work<'a>(
        &'a self,
        contract: &'a Arc<Contract>,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn PluginWork>>, PluginFailure>>;
}

/// The work of plugins for one interaction.
pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the part of the interaction that this crate compares and generates, without the part of the plugin.
    fn core(&self) -> &InteractionKind;
    /// Returns the final mismatches of the response with this index. The last argument contains the mismatches that
    /// this crate found.
    fn judge<'a>(
        &'a self,
        response: usize,
        actual: &'a ActualBody,
        found: Vec<Mismatch>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Mismatch>, PluginFailure>>;
    /// Returns the body of the request. `body` contains the values that this crate generated, and `values` the values
    /// of the provider states.
    fn generate<'a>(&'a self, body: Body, values: &'a Object) -> BoxFuture<'a, Result<Body, PluginFailure>>;
    /// Returns the name of the transport if the plugin sends the request itself.
    fn protocol(&self) -> Option<&str>;
    /// Returns the request that the plugin is about to send.
    fn prepare<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<PreparedRequest, PluginFailure>>;
    /// Sends the request and returns the response of the provider.
    fn exchange<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
        request: PreparedRequest,
    ) -> BoxFuture<'a, Result<Exchanged, PluginFailure>>;
}

/// A request that a plugin is about to send. Request filters can change it.
#[derive(Clone, Debug, Default)]
pub struct PreparedRequest {
    pub body: Bytes,
    /// The metadata with string values.
    pub metadata: Headers,
}

/// The response of the provider to a request that a plugin sent.
#[derive(Debug, Default)]
pub struct Exchanged {
    pub mismatches: Vec<Mismatch>,
    /// Errors of the plugin other than mismatches. Each of them fails the interaction.
    pub errors: Vec<String>,
    /// Contents and metadata of the response, if the plugin returned them.
    pub response: Option<(ActualBody, Object)>,
    /// Lines of output for the user.
    pub output: Vec<String>,
}

pub(crate) fn failed(failure: impl Into<PluginFailure>) -> InteractionError {
    InteractionError::new(ErrorCode::Plugin, failure.into().to_string())
}
