//! Collects the data for the pages of webhooks and their deliveries.

use contract_pages::Shell;
use contract_pages::pages::webhooks::{
    Applications, Attempt, Delivery as ViewDelivery, DeliveryLog, Outcome, SentRequest, TestLog,
    Webhook as ViewWebhook, WebhookDetails, WebhookForm, Webhooks,
};
use serde_json::{Value, json};

use super::super::fields::FormFields;
use super::super::params::Param;
use super::super::problem::Problem;
use super::super::reply::{HandlerError, HandlerResult, Reply, not_found};
use super::super::request::Request;
use super::super::urls::encode;
use super::super::webhooks::deliveries::MAX_ATTEMPTS;
use super::{page, reply, see_other};
use contract_broker_core::cases::webhooks::request_name;
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::deliveries::{self, Delivery, DeliveryStatus};
use contract_broker_core::sql::pacticipants;
use contract_broker_core::sql::webhooks::{self, Participant, Webhook};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::webhook::{Event, WebhookRequest};

/// Maximum number of deliveries that a page lists.
const DELIVERIES: i64 = 50;

pub(crate) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (found, _) = webhooks::list(tx, UNPAGED)?;
    let view = Webhooks {
        webhooks: views(tx, &found)?,
        deliveries: recent(tx, None)?,
    };
    Ok(page(view.page(&rq.shell())))
}

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
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

/// Returns the page about a delivery, with the logs of its attempts.
pub(crate) fn delivery(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
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

/// Redirects to the page of a webhook that was enabled or disabled.
pub(crate) fn changed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, &address(rq)))
}

/// Accepts a form that tests a webhook. The request is sent after the transaction, and then [`tested`] creates the
/// page.
pub(crate) fn executed(_: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(Reply::empty(200))
}

/// Converts the API response to a test to a page with the test's log.
pub fn tested(shell: &Shell, reply: Reply) -> Reply {
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

/// Redirects to the page of a delivery that will be sent again.
pub(crate) fn replayed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    let path = format!("/triggered-webhooks/{}/logs", encode(rq.param(Param::Uuid)));
    Ok(see_other(rq, &path))
}

/// Returns the page with the form for a new webhook.
pub(crate) fn create(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let form = WebhookForm {
        events: vec![Event::RequiringVerification.name().to_owned()],
        is_enabled: true,
        method: "POST".to_owned(),
        headers: "Content-Type: application/json".to_owned(),
        ..empty_form(tx)?
    };
    Ok(page(form.page(&rq.shell())))
}

/// Returns the page with the form for changing a webhook.
pub(crate) fn edit(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let form = stored_form(rq, tx)?;
    Ok(page(form.page(&rq.shell())))
}

fn empty_form(tx: &mut Tx<'_>) -> Result<WebhookForm, StoreError> {
    Ok(WebhookForm {
        all_events: Event::ALL.iter().map(|event| (event.name(), meaning(*event))).collect(),
        applications: pacticipants::names(tx)?,
        ..WebhookForm::default()
    })
}

fn stored_form(rq: &Request, tx: &mut Tx<'_>) -> Result<WebhookForm, HandlerError> {
    let found = webhooks::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?;
    let display = WebhookRequest::display(&found.request);
    let request = sent_request(&display);
    let headers: Vec<String> = request
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let chosen = |participant: &Participant| {
        let (attribute, value) = match participant {
            Participant::Any => ("", ""),
            Participant::Application(_, name) => ("name", name.as_str()),
            Participant::Label(label) => ("label", label.as_str()),
        };
        Applications {
            by: attribute.to_owned(),
            value: value.to_owned(),
        }
    };
    Ok(WebhookForm {
        description: found.description.clone().unwrap_or_default(),
        consumer: chosen(&found.consumer),
        provider: chosen(&found.provider),
        events: serde_json::from_str(&found.events).unwrap_or_default(),
        is_enabled: found.enabled,
        method: request.method,
        url: request.url,
        headers: headers.join("\n"),
        body: request.body,
        username: display["username"].as_str().unwrap_or_default().to_owned(),
        has_password: display.get("password").is_some(),
        has_signing_secret: display.get("signingSecret").is_some(),
        uuid: Some(found.uuid),
        ..empty_form(tx)?
    })
}

fn meaning(event: Event) -> &'static str {
    match event {
        Event::Published => "A contract was published.",
        Event::ContentChanged => "A contract changed.",
        Event::RequiringVerification => "A contract must be verified by a provider version.",
        Event::VerificationOverdue => "A required verification result is overdue.",
        Event::VerificationPublished => "A verification result was published.",
        Event::VerificationSucceeded => "A verification passed.",
        Event::VerificationFailed => "A verification failed.",
    }
}

/// Converts the form to the body of the API request.
pub(crate) fn sent(fields: &FormFields) -> Value {
    let participant = |role: &str| match fields.text(&format!("{role}-by")) {
        attribute @ ("name" | "label") => json!({ attribute: fields.text(role) }),
        _ => Value::Null,
    };
    // A line without a colon becomes an invalid header.
    let headers = fields
        .exact("headers")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let headers = headers.map(|line| match line.split_once(':') {
        Some((name, value)) => (name.trim().to_owned(), value.trim().into()),
        None => (line.to_owned(), Value::Null),
    });
    let mut request = json!({
        "method": fields.text("method"),
        "url": fields.text("url"),
        "headers": headers.collect::<serde_json::Map<_, _>>(),
    });
    let body = fields.exact("body").replace("\r\n", "\n");
    if !body.trim().is_empty() {
        request["body"] = serde_json::from_str(&body).unwrap_or_else(|_| body.into());
    }
    for (name, field) in [
        ("username", "username"),
        ("password", "password"),
        ("signingSecret", "signing-secret"),
    ] {
        let value = fields.exact(field);
        if !value.is_empty() {
            request[name] = value.into();
        }
    }
    if fields.has("remove-signature", "true") {
        request["signingSecret"] = Value::Null;
    }
    json!({
        "description": fields.text("description"),
        "enabled": fields.has("enabled", "true"),
        "consumer": participant("consumer"),
        "provider": participant("provider"),
        "events": fields.all("event").map(|name| json!({ "name": name })).collect::<Vec<_>>(),
        "request": request,
    })
}

/// Redirects to the new webhook, or shows the form with its errors.
pub(crate) fn created(rq: &Request, tx: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    match result {
        Ok(created) => {
            let uuid = created["uuid"].as_str().unwrap_or_default();
            Ok(see_other(rq, &format!("/webhooks/{}", encode(uuid))))
        }
        Err(problem) => rejected(rq, empty_form(tx)?, problem),
    }
}

/// Redirects to the changed webhook, or shows the form with its errors.
pub(crate) fn edited(rq: &Request, tx: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    match result {
        Ok(_) => Ok(see_other(rq, &address(rq))),
        Err(problem) => {
            let form = stored_form(rq, tx)?;
            rejected(rq, form, problem)
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the result of a handler")]
fn rejected(rq: &Request, form: WebhookForm, problem: &Problem) -> HandlerResult {
    let fields = rq.form_fields();
    let text = |name: &str| fields.text(name).to_owned();
    let chosen = |role: &str| Applications {
        by: text(&format!("{role}-by")),
        value: text(role),
    };
    let view = WebhookForm {
        description: text("description"),
        consumer: chosen("consumer"),
        provider: chosen("provider"),
        events: fields.all("event").map(str::to_owned).collect(),
        is_enabled: fields.has("enabled", "true"),
        method: text("method"),
        url: text("url"),
        headers: fields.exact("headers").replace("\r\n", "\n"),
        body: fields.exact("body").replace("\r\n", "\n"),
        username: text("username"),
        errors: problem.fields.clone(),
        problems: if problem.fields.is_empty() {
            problem.details.clone()
        } else {
            vec!["Correct the marked fields.".to_owned()]
        },
        ..form
    };
    Ok(reply(problem.status, view.page(&rq.shell())))
}

/// Redirects to the list of webhooks after a webhook was deleted.
pub(crate) fn removed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, "/webhooks"))
}

fn address(rq: &Request) -> String {
    format!("/webhooks/{}", encode(rq.param(Param::Uuid)))
}

fn sent_request(display: &Value) -> SentRequest {
    let text = |name: &str| display[name].as_str().unwrap_or_default().to_owned();
    let headers = display["headers"].as_object().into_iter().flatten();
    SentRequest {
        method: text("method"),
        url: text("url"),
        headers: headers
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect(),
        body: match &display["body"] {
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

fn participant(role: &str, participant: &Participant) -> String {
    match participant {
        Participant::Any => format!("any {role}"),
        Participant::Application(_, name) => name.clone(),
        Participant::Label(label) => format!("{role}s with the label {label}"),
    }
}

fn view(delivery: Delivery) -> ViewDelivery {
    ViewDelivery {
        uuid: delivery.uuid,
        outcome: outcome(delivery.status),
        event: delivery.event,
        consumer: delivery.consumer,
        provider: delivery.provider,
        target: delivery.name,
        attempts: delivery.attempts,
        at: delivery.created_at,
    }
}

fn recent(tx: &mut Tx<'_>, webhook: Option<i64>) -> Result<Vec<ViewDelivery>, StoreError> {
    let found = deliveries::newest(tx, webhook, DELIVERIES)?;
    Ok(found.into_iter().map(view).collect())
}
