//! Interface to the plugins that a verification uses. Plugins are separate processes, so all calls are asynchronous.

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
    /// Prepares the work of plugins for an interaction. Returns `None` if it uses no plugins, and an error if a
    /// required plugin is missing or failed to start.
    fn work<'a>(
        &'a self,
        contract: &'a Arc<Contract>,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn PluginWork>>, PluginFailure>>;
}

/// The work of plugins for one interaction.
pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the part of the interaction that this crate compares and generates, without the parts that plugins
    /// handle.
    fn core(&self) -> &InteractionKind;
    /// Returns the final mismatches of a response. The arguments are its index, and the mismatches that this crate
    /// found.
    fn judge<'a>(
        &'a self,
        response: usize,
        actual: &'a ActualBody,
        found: Vec<Mismatch>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Mismatch>, PluginFailure>>;
    /// Generates the body of the request. `body` already contains the values that this crate generated. `values` are
    /// the values from provider states.
    fn generate<'a>(&'a self, body: Body, values: &'a Object) -> BoxFuture<'a, Result<Body, PluginFailure>>;
    /// Returns the name of the transport if the plugin sends the request itself.
    fn protocol(&self) -> Option<&str>;
    /// Prepares the request that the plugin will send.
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

/// A request that a plugin will send. Request filters can change it.
#[derive(Clone, Debug, Default)]
pub struct PreparedRequest {
    pub body: Bytes,
    /// The metadata with string values.
    pub metadata: Headers,
}

/// The provider's response to a request that a plugin sent.
#[derive(Debug, Default)]
pub struct Exchanged {
    pub mismatches: Vec<Mismatch>,
    /// Plugin errors other than mismatches. Each of them fails the interaction.
    pub errors: Vec<String>,
    /// Contents and metadata of the response, if the plugin returned them.
    pub response: Option<(ActualBody, Object)>,
    /// Lines of output for the user.
    pub output: Vec<String>,
}

pub(crate) fn failed(failure: impl Into<PluginFailure>) -> InteractionError {
    InteractionError::new(ErrorCode::Plugin, failure.into().to_string())
}
