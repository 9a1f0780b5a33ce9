//! Verifies interactions whose transport a plugin provides.

use std::sync::Arc;
use std::time::Instant;

use contract_model::{Interaction, InteractionKind, Object, Query};
use contract_report::{Expectation, Finding, ReportedRequest, ReportedResponse};

use crate::exchange::{custom_headers, filtered, without_custom_values};
use crate::outcome::Outcome;
use crate::plugin::failed;
use crate::run_state::Run;
use crate::{InteractionError, InteractionInfo, OutgoingRequest, PluginWork, PreparedRequest};

/// Verifies an interaction. The plugin prepares the request, the request filter can change it, and the plugin sends it
/// and compares the response.
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
            &without_custom_values(run, &request.headers),
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
    outcome.output = contract_report::output_lines(&exchanged.output);
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
