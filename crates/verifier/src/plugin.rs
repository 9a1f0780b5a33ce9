//! What plugins do for an interaction. They are other programs, so each word of theirs is waited for; the comparisons of the
//! core are handed what they found.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use contract_matching::{ActualBody, Mismatch};
use contract_model::{Body, Contract, Headers, Interaction, InteractionKind, Object};

use crate::{BoxFuture, ErrorCode, InteractionError};

/// The plugins that contracts name.
pub trait Plugins: fmt::Debug + Send + Sync {
    /// What they do for an interaction; nothing when they have no part in it. An error is what keeps the one that has from
    /// doing it: missing, not started.
    fn work<'a>(
        &'a self,
        contract: &'a Arc<Contract>,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn PluginWork>>, String>>;
}

/// What plugins do for one interaction. Errors are words for people.
pub trait PluginWork: fmt::Debug + Send + Sync {
    /// The interaction without what plugins do: the core compares and generates the rest.
    fn core(&self) -> &InteractionKind;
    /// What differs between the response of that number and its contents in the end, given what the core found.
    fn judge<'a>(
        &'a self,
        response: usize,
        actual: &'a ActualBody,
        found: Vec<Mismatch>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Mismatch>, String>>;
    /// The body of the request, given what the core made of it and the values of the provider's state.
    fn generate<'a>(&'a self, body: Body, values: &'a Object) -> BoxFuture<'a, Result<Body, String>>;
    /// The protocol, if a plugin speaks to the provider itself.
    fn protocol(&self) -> Option<&str>;
    /// The request that the plugin will send.
    fn prepare<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<PreparedRequest, String>>;
    /// Sends the request and tells what the provider did.
    fn exchange<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
        request: PreparedRequest,
    ) -> BoxFuture<'a, Result<Exchanged, String>>;
}

/// A request of a plugin's protocol, to be changed before it is sent.
#[derive(Clone, Debug, Default)]
pub struct PreparedRequest {
    /// Its body.
    pub body: Bytes,
    /// Metadata whose values are texts.
    pub metadata: Headers,
}

/// What the provider answered to a request of a plugin.
#[derive(Debug, Default)]
pub struct Exchanged {
    /// The mismatches.
    pub mismatches: Vec<Mismatch>,
    /// What the plugin said that is no difference, such as errors of its own; a failure if there is any.
    pub errors: Vec<String>,
    /// What came back, if the plugin tells.
    pub response: Option<(ActualBody, Object)>,
    /// Lines for people.
    pub output: Vec<String>,
}

pub(crate) fn failed(problem: impl AsRef<str>) -> InteractionError {
    InteractionError::new(ErrorCode::Plugin, problem)
}
