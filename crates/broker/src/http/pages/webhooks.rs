//! Webhooks and their deliveries.

use contract_pages::pages::webhooks::{Delivery as ViewDelivery, Outcome, Webhook as ViewWebhook, Webhooks};

use super::super::params::Param;
use super::super::reply::{HandlerResult, not_found};
use super::super::request::Request;
use super::page;
use contract_broker_core::cases::webhooks::request_name;
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::deliveries::{self, Delivery, DeliveryStatus};
use contract_broker_core::sql::webhooks::{self, Participant, Webhook};
use contract_broker_core::store::{StoreError, Tx};

/// Deliveries on the page.
const DELIVERIES: i64 = 50;

pub(in crate::http) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (found, _) = webhooks::list(tx, UNPAGED)?;
    let view = Webhooks {
        webhooks: views(tx, &found)?,
        deliveries: recent(tx, None)?,
        of_one: false,
    };
    Ok(page(view.page(&rq.shell())))
}

pub(in crate::http) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = webhooks::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?;
    let view = Webhooks {
        deliveries: recent(tx, Some(found.id))?,
        webhooks: views(tx, &[found])?,
        of_one: true,
    };
    Ok(page(view.page(&rq.shell())))
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
        description: webhook
            .description
            .clone()
            .unwrap_or_else(|| request_name(&webhook.request)),
        target: request_name(&webhook.request),
        subject: format!(
            "{} to {}",
            participant(&webhook.consumer),
            participant(&webhook.provider)
        ),
        events: serde_json::from_str(&webhook.events).unwrap_or_default(),
        is_enabled: webhook.enabled,
        last: last.get(&webhook.id).map(|one| (outcome(one.status), one.created_at)),
    };
    Ok(found.iter().map(view).collect())
}

fn participant(one: &Participant) -> String {
    match one {
        Participant::Any => "any application".to_owned(),
        Participant::Application(_, name) => name.clone(),
        Participant::Label(label) => format!("applications with the label {label}"),
    }
}

fn recent(tx: &mut Tx<'_>, webhook: Option<i64>) -> Result<Vec<ViewDelivery>, StoreError> {
    let view = |one: Delivery| ViewDelivery {
        uuid: one.uuid,
        outcome: outcome(one.status),
        event: one.event,
        consumer: one.consumer,
        provider: one.provider,
        target: one.name,
        attempts: one.attempts,
        at: one.created_at,
    };
    Ok(deliveries::newest(tx, webhook, DELIVERIES)?
        .into_iter()
        .map(view)
        .collect())
}
