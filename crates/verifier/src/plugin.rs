//! The interface to plugins in a verification. Plugins are separate processes, so each call is asynchronous.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use contract_matching::{ActualBody, Mismatch};
use contract_model::{Body, Contract, Headers, Interaction, InteractionKind, Object};

use crate::{BoxFuture, ErrorCode, InteractionError};

/// Why a plugin could not do its part.
pub type PluginFailure = Box<dyn std::error::Error + Send + Sync>;

/// The plugins that contracts use.
pub trait Plugins: fmt::Debug + Send + Sync {
    /// Returns the plugins' work for an interaction, or `None` if there is none. Fails if a required plugin is missing
    /// or did not start.
    fn work<'a>(
        &'a self,
        contract: &'a Arc<Contract>,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn PluginWork>>, PluginFailure>>;
}

/// The work of plugins for one interaction.
pub trait PluginWork: fmt::Debug + Send + Sync {
    /// Returns the interaction without the plugin's part, which the core compares and generates.
    fn core(&self) -> &InteractionKind;
    /// Returns the final mismatches of the response with this index, given those that the core found.
    fn judge<'a>(
        &'a self,
        response: usize,
        actual: &'a ActualBody,
        found: Vec<Mismatch>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Mismatch>, PluginFailure>>;
    /// Returns the request body, given the core's body and the values of the provider states.
    fn generate<'a>(&'a self, body: Body, values: &'a Object) -> BoxFuture<'a, Result<Body, PluginFailure>>;
    /// Returns the protocol, if a plugin sends the request itself.
    fn protocol(&self) -> Option<&str>;
    /// Returns the request that the plugin will send.
    fn prepare<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<PreparedRequest, PluginFailure>>;
    /// Sends the request and returns the provider's response.
    fn exchange<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
        request: PreparedRequest,
    ) -> BoxFuture<'a, Result<Exchanged, PluginFailure>>;
}

/// A request that a plugin sends. Request filters can change it.
#[derive(Clone, Debug, Default)]
pub struct PreparedRequest {
    pub body: Bytes,
    /// Metadata with string values.
    pub metadata: Headers,
}

/// The provider's response to a request that a plugin sent.
#[derive(Debug, Default)]
pub struct Exchanged {
    pub mismatches: Vec<Mismatch>,
    /// Errors of the plugin that are not mismatches. Any error fails the interaction.
    pub errors: Vec<String>,
    /// Contents and metadata of the response, if the plugin returns them.
    pub response: Option<(ActualBody, Object)>,
    /// Output lines for the user.
    pub output: Vec<String>,
}

pub(crate) fn failed(failure: impl Into<PluginFailure>) -> InteractionError {
    InteractionError::new(ErrorCode::Plugin, failure.into().to_string())
}
