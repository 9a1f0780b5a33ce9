//! Collects the data for the pages of webhooks and their deliveries.

use contract_pages::Shell;
use contract_pages::pages::webhooks::{
    Attempt, Delivery as ViewDelivery, DeliveryLog, Outcome, SentRequest, TestLog, Webhook as ViewWebhook,
    WebhookDetails, Webhooks,
};
use serde_json::Value;

use super::super::params::Param;
use super::super::problem::Problem;
use super::super::reply::{HandlerResult, Reply, not_found};
use super::super::request::Request;
use super::super::urls::encode;
use super::super::webhooks::deliveries::MAX_ATTEMPTS;
use super::{page, see_other};
use contract_broker_core::cases::webhooks::request_name;
use contract_broker_core::domain::webhook::WebhookRequest;
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::deliveries::{self, Delivery, DeliveryStatus};
use contract_broker_core::sql::webhooks::{self, Participant, Webhook};
use contract_broker_core::store::{StoreError, Tx};

/// Maximum number of deliveries on the page.
const DELIVERIES: i64 = 50;

pub(in crate::http) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (found, _) = webhooks::list(tx, UNPAGED)?;
    let view = Webhooks {
        webhooks: views(tx, &found)?,
        deliveries: recent(tx, None)?,
    };
    Ok(page(view.page(&rq.shell())))
}

pub(in crate::http) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = webhooks::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?;
    let deliveries = recent(tx, Some(found.id))?;
    let request = sent_request(&WebhookRequest::display(&found.request));
    let view = WebhookDetails {
        request,
        deliveries,
        webhook: views(tx, &[found])?.pop().ok_or_else(not_found)?,
        notice: None,
    };
    Ok(page(view.page(&rq.shell())))
}

/// Returns the page of a delivery with its attempts.
pub(in crate::http) fn delivery(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = deliveries::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?;
    let attempts = deliveries::attempts(tx, found.id, MAX_ATTEMPTS)?;
    let view = DeliveryLog {
        webhook: found.webhook_id.map(|_| found.webhook_uuid.clone()),
        delivery: view(found),
        attempts: attempts
            .into_iter()
            .map(|attempt| Attempt {
                has_succeeded: attempt.success,
                at: attempt.created_at,
                log: attempt.log,
            })
            .collect(),
    };
    Ok(page(view.page(&rq.shell())))
}

/// Redirects to the webhook that a form enabled or disabled.
pub(in crate::http) fn changed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, &address(rq)))
}

/// Responds to a form that tests a webhook. [`tested`] creates the page after the transaction.
pub(in crate::http) fn executed(_: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(Reply::empty(200))
}

/// Converts the result of a test to a page.
pub(in crate::http) fn tested(shell: &Shell, reply: Reply) -> Reply {
    let Ok(body) = serde_json::from_str::<Value>(&reply.body) else {
        return reply;
    };
    if reply.status != 200 {
        return reply;
    }
    let log = body["logs"].as_str().unwrap_or_default();
    let view = TestLog {
        webhook: shell.target.trim_end_matches("/execute").to_owned(),
        has_succeeded: body["success"] == true,
        log: log.to_owned(),
    };
    page(view.page(shell))
}

/// Redirects to the delivery that a form sends again.
pub(in crate::http) fn replayed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    let path = format!("/triggered-webhooks/{}/logs", encode(rq.param(Param::Uuid)));
    Ok(see_other(rq, &path))
}

fn address(rq: &Request) -> String {
    format!("/webhooks/{}", encode(rq.param(Param::Uuid)))
}

fn sent_request(shown: &Value) -> SentRequest {
    let text = |name: &str| shown[name].as_str().unwrap_or_default().to_owned();
    let headers = shown["headers"].as_object().into_iter().flatten();
    SentRequest {
        method: text("method"),
        url: text("url"),
        headers: headers
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect(),
        body: match &shown["body"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        },
    }
}

fn outcome(status: DeliveryStatus) -> Outcome {
    match status {
        DeliveryStatus::Success => Outcome::Delivered,
        DeliveryStatus::Failure => Outcome::Failed,
        DeliveryStatus::NotRun | DeliveryStatus::Retrying => Outcome::Waiting,
    }
}

fn views(tx: &mut Tx<'_>, found: &[Webhook]) -> Result<Vec<ViewWebhook>, StoreError> {
    let ids: Vec<i64> = found.iter().map(|webhook| webhook.id).collect();
    let last = deliveries::last_of_webhooks(tx, &ids)?;
    let view = |webhook: &Webhook| ViewWebhook {
        uuid: webhook.uuid.clone(),
        description: super::super::webhooks::description(webhook),
        target: request_name(&webhook.request),
        subject: format!(
            "contracts between {} and {}",
            participant("consumer", &webhook.consumer),
            participant("provider", &webhook.provider)
        ),
        events: serde_json::from_str(&webhook.events).unwrap_or_default(),
        is_enabled: webhook.enabled,
        last: last.get(&webhook.id).map(|one| (outcome(one.status), one.created_at)),
    };
    Ok(found.iter().map(view).collect())
}

fn participant(role: &str, one: &Participant) -> String {
    match one {
        Participant::Any => format!("any {role}"),
        Participant::Application(_, name) => name.clone(),
        Participant::Label(label) => format!("{role}s with the label {label}"),
    }
}

fn view(one: Delivery) -> ViewDelivery {
    ViewDelivery {
        uuid: one.uuid,
        outcome: outcome(one.status),
        event: one.event,
        consumer: one.consumer,
        provider: one.provider,
        target: one.name,
        attempts: one.attempts,
        at: one.created_at,
    }
}

fn recent(tx: &mut Tx<'_>, webhook: Option<i64>) -> Result<Vec<ViewDelivery>, StoreError> {
    let found = deliveries::newest(tx, webhook, DELIVERIES)?;
    Ok(found.into_iter().map(view).collect())
}
