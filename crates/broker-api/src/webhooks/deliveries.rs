//! Handlers for deliveries: pending and finished webhook requests, which the Pact Broker calls "triggered webhooks".

use serde_json::{Value, json};

use super::super::pacts::{metadata_of, of_content, of_version};
use super::super::params::Param;
use super::super::reply::{HandlerError, HandlerResult, Media, Reply, not_found};
use super::super::request::Request;
use super::super::urls::{Urls, encode, link, named, titled};
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::deliveries::{self, Delivery, DeliveryStatus, PastAttempt};
use contract_broker_core::sql::pacts::PactQuery;
use contract_broker_core::sql::{pacts, results, webhooks as rows};
use contract_broker_core::store::Tx;
use contract_broker_domain::time;

/// Maximum number of attempts that a log contains.
pub(crate) const MAX_ATTEMPTS: i64 = 100;
/// Number of recent deliveries among which the newest delivery of each webhook is searched.
const NEWEST: i64 = 1_000;

pub(crate) fn log_url(urls: &Urls, uuid: &str) -> String {
    urls.at(&format!("/triggered-webhooks/{uuid}/logs"))
}

fn is_finished(status: DeliveryStatus) -> bool {
    matches!(status, DeliveryStatus::Success | DeliveryStatus::Failure)
}

fn body(rq: &Request, delivery: &Delivery) -> Value {
    let attempts = i64::try_from(rq.sender.options.retry_schedule.len() + 1).unwrap_or(i64::MAX);
    let remaining = if is_finished(delivery.status) {
        0
    } else {
        (attempts - delivery.attempts).max(0)
    };
    let logs = titled("Webhook execution logs", log_url(&rq.urls, &delivery.uuid));
    let mut links = json!({ "pb:logs": logs, "logs": logs });
    if delivery.webhook_id.is_some() {
        let href = super::url(&rq.urls, &delivery.webhook_uuid);
        links["pb:webhook"] = titled("Webhook", href);
    }
    if is_finished(delivery.status) && delivery.webhook_id.is_some() {
        let href = rq.urls.at(&format!("/triggered-webhooks/{}/retry", delivery.uuid));
        links["pb:retry"] = titled("Sends the request again (POST)", href);
    }
    json!({
        "name": delivery.name,
        "status": delivery.status.name(),
        "attemptsMade": delivery.attempts,
        "attemptsRemaining": remaining,
        "triggerType": "resource_creation",
        "eventName": delivery.event,
        "triggeredAt": time::iso(delivery.created_at),
        "_links": links,
    })
}

fn list_body(rq: &Request, title: &str, all: &[Delivery]) -> Value {
    let bodies: Vec<Value> = all.iter().map(|delivery| body(rq, delivery)).collect();
    json!({
        "_embedded": { "triggeredWebhooks": bodies },
        "_links": { "self": titled(title, rq.self_url()) },
    })
}

pub(crate) fn of_publication(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = of_version(rq, tx)?;
    let all = deliveries::of_version(tx, publication.version_id, publication.provider_id, UNPAGED)?;
    let title = "Webhooks triggered by the publication of the contract";
    Ok(Reply::ok(&list_body(rq, title, &all)))
}

pub(crate) fn of_result(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = of_content(rq, tx, Param::Sha, metadata_of(rq).as_ref())?;
    let number: i64 = rq.param(Param::Number).parse().map_err(|_| not_found())?;
    results::by_number(tx, publication.content_id, number)?.ok_or_else(not_found)?;
    let all = deliveries::of_result(tx, results::id_of(number), UNPAGED)?;
    let title = "Webhooks triggered by the publication of the verification result";
    Ok(Reply::ok(&list_body(rq, title, &all)))
}

/// Returns the newest delivery of each webhook for an integration.
pub(crate) fn status(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    let all = deliveries::newest_of_pair(tx, consumer.id, provider.id, NEWEST)?;
    let count = |status: DeliveryStatus| all.iter().filter(|delivery| delivery.status == status).count();
    let mut summary = json!({
        "successful": count(DeliveryStatus::Success),
        "failed": count(DeliveryStatus::Failure),
    });
    for (name, status) in [
        ("retrying", DeliveryStatus::Retrying),
        ("notRun", DeliveryStatus::NotRun),
    ] {
        let count = count(status);
        if count > 0 {
            summary[name] = count.into();
        }
    }
    let title = format!("Webhooks status for {}/{}", consumer.name, provider.name);
    let mut body = list_body(rq, &title, &all);
    body["summary"] = summary;
    let urls = &rq.urls;
    let failed = all
        .iter()
        .filter(|delivery| matches!(delivery.status, DeliveryStatus::Failure | DeliveryStatus::Retrying));
    let errors: Vec<Value> = failed
        .map(|delivery| named("Webhook execution logs", &delivery.name, log_url(urls, &delivery.uuid)))
        .collect();
    let links = &mut body["_links"];
    links["pb:error-logs"] = errors.into();
    links["pb:pact-webhooks"] = titled(
        &format!("Webhooks for the pact between {} and {}", consumer.name, provider.name),
        urls.pair_webhooks(&provider.name, &consumer.name),
    );
    if let Some(latest) = pacts::find(tx, consumer.id, provider.id, PactQuery::Latest)? {
        let title = format!(
            "Pact between {} ({}) and {}",
            consumer.name, latest.version, provider.name
        );
        let href = urls.pact(&provider.name, &consumer.name, &latest.version);
        links["pb:pact-version"] = named("Pact", &title, href);
    }
    links["pb:consumer"] = named("Consumer", &consumer.name, urls.pacticipant(&consumer.name));
    links["pb:provider"] = named("Provider", &provider.name, urls.pacticipant(&provider.name));
    Ok(Reply::ok(&body))
}

fn find(rq: &Request, tx: &mut Tx<'_>) -> Result<Delivery, HandlerError> {
    Ok(deliveries::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?)
}

/// Returns the logs of a delivery's attempts as text, or as HAL if the client accepts HAL or JSON explicitly.
pub(crate) fn logs(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let delivery = find(rq, tx)?;
    let attempts = deliveries::attempts(tx, delivery.id, MAX_ATTEMPTS)?;
    if rq.names_hal {
        return Ok(Reply::ok(&logs_body(rq, &delivery, &attempts)));
    }
    let text = if attempts.is_empty() {
        "Webhook has not executed yet. Please retry in a few seconds.".to_owned()
    } else {
        let logs: Vec<&str> = attempts.iter().map(|attempt| attempt.log.as_str()).collect();
        logs.join("\n")
    };
    Ok(Reply::text(200, Media::Text, text))
}

fn logs_body(rq: &Request, delivery: &Delivery, attempts: &[PastAttempt]) -> Value {
    let executions: Vec<Value> = attempts
        .iter()
        .map(|attempt| {
            json!({
                "success": attempt.success,
                "logs": attempt.log,
                "createdAt": time::iso(attempt.created_at),
            })
        })
        .collect();
    let mut links = json!({ "self": titled("Triggered webhook logs", rq.self_url()) });
    if delivery.webhook_id.is_some() {
        links["pb:webhook"] = link(rq.urls.at(&format!("/webhooks/{}", encode(&delivery.webhook_uuid))));
    }
    json!({
        "eventName": delivery.event,
        "consumerName": delivery.consumer,
        "providerName": delivery.provider,
        "executions": executions,
        "_embedded": { "triggeredWebhook": { "uuid": delivery.uuid } },
        "_links": links,
    })
}

/// Enqueues a finished delivery, so that its request is sent again.
pub(crate) fn retry(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let delivery = find(rq, tx)?;
    if rows::find(tx, &delivery.webhook_uuid)?.is_none() {
        return Err(Reply::error(409, "The webhook was deleted.").into());
    }
    if !is_finished(delivery.status) {
        return Err(Reply::error(
            409,
            "The broker is still trying to send this request. Only finished requests can be sent again.",
        )
        .into());
    }
    deliveries::retry(tx, delivery.id, rq.now)?;
    let delivery = find(rq, tx)?;
    let body = Reply::hal(202, &body(rq, &delivery));
    Ok(body.with_deliveries(true))
}
