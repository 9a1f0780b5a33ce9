//! What plugins do for an interaction. They are other programs, so each word of theirs is waited for; the comparisons of the
//! core are handed what they found.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use contract_matching::{ActualBody, Mismatch};
use contract_model::{Body, Contract, Headers, Interaction, InteractionKind, Object, Query};
use contract_report::{Expectation, Finding, ReportedRequest, ReportedResponse};

use crate::exchange::{custom_headers, filtered};
use crate::outcome::Outcome;
use crate::run_state::Run;
use crate::{BoxFuture, ErrorCode, InteractionError, InteractionInfo, OutgoingRequest};

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
    /// What differs.
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

/// An interaction over a protocol that a plugin speaks: it makes the request, the filter changes it, the plugin sends it.
pub(crate) async fn exchange(
    run: &Run,
    info: &Arc<InteractionInfo>,
    interaction: &Interaction,
    (work, protocol): (&dyn PluginWork, &str),
    values: Object,
) -> Outcome {
    let mut outcome = Outcome {
        expected: expectation(&interaction.kind),
        ..Outcome::default()
    };
    if let Err(error) = attempt(run, info, (work, protocol), values, &mut outcome).await {
        outcome.error = Some(error);
    }
    outcome
}

fn expectation(kind: &InteractionKind) -> Option<Expectation> {
    match kind {
        InteractionKind::Http(http) => Some(Expectation::of_response(&http.response)),
        InteractionKind::AsyncMessage(message) => Some(Expectation::of_message(message)),
        InteractionKind::SyncMessage(exchange) => exchange.responses.first().map(Expectation::of_message),
        _ => None,
    }
}

async fn attempt(
    run: &Run,
    info: &Arc<InteractionInfo>,
    (work, protocol): (&dyn PluginWork, &str),
    values: Object,
    outcome: &mut Outcome,
) -> Result<(), InteractionError> {
    let transports = &run.options.transports;
    let named = |name: &str| transports.iter().find(|transport| transport.name == name);
    let place = named(protocol)
        .or_else(|| named("http"))
        .map(|transport| (transport.base.host(), transport.base.port()));
    let prepared = work.prepare(place, &values).await.map_err(failed)?;
    let mut request = OutgoingRequest {
        method: protocol.to_uppercase().into(),
        path: format!("/{}", info.description),
        query: Query::new(),
        headers: prepared.metadata,
        body: prepared.body,
    };
    custom_headers(run, &mut request.headers).await?;
    let request = filtered(run, info, request, values.clone()).await?;
    outcome.request = Some(
        ReportedRequest::brief(&request.method, protocol.to_owned()).with_details(
            &request.headers,
            request.body.clone(),
            run.options.report_body_limit,
        ),
    );
    let prepared = PreparedRequest {
        body: request.body,
        metadata: request.headers,
    };
    let started = Instant::now();
    let exchanged = work.exchange(place, &values, prepared).await;
    outcome.waiting = started.elapsed();
    let exchanged = exchanged.map_err(failed)?;
    for line in &exchanged.output {
        tracing::info!(target: "contract::plugins", "{:?}: {line}", info.description);
    }
    if let Some((body, metadata)) = exchanged.response {
        let actual = contract_matching::ActualMessage {
            contents: body,
            metadata,
        };
        outcome.response = Some(ReportedResponse::message(&actual, run.options.report_body_limit));
    }
    outcome.mismatches = Finding::all(exchanged.mismatches);
    if exchanged.errors.is_empty() {
        Ok(())
    } else {
        Err(failed(exchanged.errors.join("\n")))
    }
}
