//! Handlers that manage and test webhooks.

pub(super) mod deliveries;
mod parse;

use serde_json::{Value, json};

use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, invalid_field, not_found};
use super::request::Request;
use super::results;
use super::urls::{Urls, encode, named, titled};
use contract_broker_core::cases::webhooks::{self, EventContract, EventLinks, EventSettings};
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::pacts;
use contract_broker_core::sql::results::number_of;
use contract_broker_core::sql::webhooks::{self as rows, Participant, Webhook};
use contract_broker_core::store::Tx;
use contract_broker_domain::keyring::SecretError;
use contract_broker_domain::time;
use contract_broker_domain::webhook::{Event, MissingSecret, Replaced, WebhookRequest, origin};
use contract_broker_remote::webhooks::Execution;
use parse::Sent;

impl EventLinks for Urls {
    fn content(&self, contract: &EventContract<'_>) -> String {
        let metadata = super::pacts::Metadata {
            versions: vec![contract.version_id],
            ..Default::default()
        };
        let content = Self::content(self, contract.provider, contract.consumer, contract.sha);
        format!("{content}/metadata/{}", metadata.to_text())
    }

    fn result(&self, contract: &EventContract<'_>, result: i64) -> String {
        let content = Self::content(self, contract.provider, contract.consumer, contract.sha);
        results::at(&content, number_of(result))
    }
}

impl Request {
    pub(crate) fn event_settings(&self) -> EventSettings<'_> {
        EventSettings {
            rules: &self.rules,
            links: &self.urls,
            now: self.now,
        }
    }
}

fn url(urls: &Urls, uuid: &str) -> String {
    urls.at(&format!("/webhooks/{}", encode(uuid)))
}

pub(super) fn description(webhook: &Webhook) -> String {
    let description = webhook.description.clone().filter(|text| !text.is_empty());
    description.unwrap_or_else(|| webhooks::request_name(&webhook.request))
}

fn participant(participant: &Participant) -> Option<Value> {
    match participant {
        Participant::Any => None,
        Participant::Application(_, name) => Some(json!({ "name": name })),
        Participant::Label(label) => Some(json!({ "label": label })),
    }
}

/// Adds the link to the consumer or provider, or to the applications with its label. Adds nothing if the webhook
/// applies to any application.
fn link_participant(urls: &Urls, links: &mut Value, role: &str, linked: &Participant) {
    let mut title = role.to_owned();
    title[..1].make_ascii_uppercase();
    match linked {
        Participant::Any => {}
        Participant::Application(_, name) => {
            links[format!("pb:{role}")] = named(&title, name, urls.pacticipant(name));
        }
        Participant::Label(label) => {
            let href = urls.at(&format!("/pacticipants/label/{}", encode(label)));
            let title = format!("{title}s by label");
            links[format!("pb:{role}s")] = named(&title, label, href);
        }
    }
}

fn body(urls: &Urls, webhook: &Webhook) -> Value {
    let events: Vec<String> = serde_json::from_str(&webhook.events).unwrap_or_default();
    let events: Vec<Value> = events.iter().map(|name| json!({ "name": name })).collect();
    let (href, description) = (url(urls, &webhook.uuid), description(webhook));
    let mut links = json!({
        "self": titled(&description, &href),
        "pb:execute": titled("Tests the webhook with the latest matching contract or result (POST)", format!("{href}/execute")),
    });
    for (role, webhook_participant) in [("consumer", &webhook.consumer), ("provider", &webhook.provider)] {
        link_participant(urls, &mut links, role, webhook_participant);
    }
    if let (Participant::Application(_, consumer), Participant::Application(_, provider)) =
        (&webhook.consumer, &webhook.provider)
    {
        let title = format!("All webhooks for consumer {consumer} and provider {provider}");
        links["pb:pact-webhooks"] = titled(&title, urls.pair_webhooks(provider, consumer));
    }
    links["pb:webhooks"] = titled("All webhooks", urls.at("/webhooks"));
    let mut body = json!({
        "uuid": webhook.uuid,
        "description": description,
        "enabled": webhook.enabled,
        "request": WebhookRequest::display(&webhook.request),
        "events": events,
        "createdAt": time::iso(webhook.created_at),
        "_links": links,
    });
    for (role, webhook_participant) in [("consumer", &webhook.consumer), ("provider", &webhook.provider)] {
        if let Some(webhook_participant) = participant(webhook_participant) {
            body[role] = webhook_participant;
        }
    }
    if let Some(updated_at) = webhook.updated_at {
        body["updatedAt"] = time::iso(updated_at).into();
    }
    body
}

/// Describes the contracts to which a webhook applies.
fn scope(webhook: &Webhook) -> String {
    let name = |participant: &Participant| match participant {
        Participant::Any => None,
        Participant::Application(_, name) => Some(name.clone()),
        Participant::Label(label) => Some(format!("labeled '{label}'")),
    };
    match (name(&webhook.consumer), name(&webhook.provider)) {
        (Some(consumer), Some(provider)) => format!("A webhook for the pact between {consumer} and {provider}"),
        (Some(consumer), None) => format!("A webhook for all pacts with consumer {consumer}"),
        (None, Some(provider)) => format!("A webhook for all pacts with provider {provider}"),
        (None, None) => "A webhook for all pacts".to_owned(),
    }
}

fn list_body(rq: &Request, title: &str, webhooks: &[Webhook]) -> Value {
    let urls = &rq.urls;
    let link = |webhook: &Webhook| named(&scope(webhook), &description(webhook), url(urls, &webhook.uuid));
    let all: Vec<Value> = webhooks.iter().map(link).collect();
    let curies = json!([{ "name": "pb", "href": urls.at("/doc/webhooks-{rel}"), "templated": true }]);
    json!({
        "_links": {
            "self": titled(title, rq.self_url()),
            "pb:create": titled("Creates a webhook (POST)", rq.self_url()),
            "pb:webhooks": all,
            "curies": curies,
        },
    })
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (webhooks, total) = rows::list(tx, page.unwrap_or(UNPAGED))?;
    let mut body = list_body(rq, "Webhooks", &webhooks);
    if let Some(page) = page {
        super::lists::Total { page, total }.add_to(rq, &mut body);
    }
    Ok(Reply::ok(&body))
}

/// Returns the consumer and the provider that the path names, or `None` for each that it does not name.
fn of_path(rq: &Request, tx: &mut Tx<'_>) -> Result<[Option<Pacticipant>; 2], HandlerError> {
    let mut find = |role: Param| match rq.params.get(role) {
        Some(_) => rq.find_role(tx, role).map(Some),
        None => Ok(None),
    };
    Ok([find(Param::Consumer)?, find(Param::Provider)?])
}

/// Lists the webhooks that are defined for exactly the consumer and the provider that the path names.
pub(super) fn list_of_path(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let [consumer, provider] = of_path(rq, tx)?;
    let id = |pacticipant: &Option<Pacticipant>| pacticipant.as_ref().map(|pacticipant| pacticipant.id);
    let webhooks = rows::of_pair(tx, id(&consumer), id(&provider), UNPAGED)?;
    let title = match (&consumer, &provider) {
        (Some(consumer), Some(provider)) => {
            format!("Webhooks for the pact between {} and {}", consumer.name, provider.name)
        }
        (Some(participant), None) | (None, Some(participant)) => format!("Webhooks for {}", participant.name),
        (None, None) => "Webhooks".to_owned(),
    };
    Ok(Reply::ok(&list_body(rq, &title, &webhooks)))
}

fn find(rq: &Request, tx: &mut Tx<'_>) -> Result<Webhook, HandlerError> {
    Ok(rows::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let webhook = find(rq, tx)?;
    Ok(Reply::ok(&body(&rq.urls, &webhook)))
}

pub(super) fn create(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let webhook = parsed(rq, tx, webhooks::new_uuid()?, None)?;
    rows::save(tx, &webhook)?;
    Ok(Reply::created(&body(&rq.urls, &webhook), url(&rq.urls, &webhook.uuid)))
}

pub(super) fn put(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let uuid = rq.param(Param::Uuid);
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if uuid.len() < 16 || uuid.len() > 200 || !uuid.bytes().all(is_valid) {
        let text =
            "The UUID can only contain the characters A-Z, a-z, 0-9, _ and -, and must be 16 to 200 characters long.";
        return Err(invalid_field("uuid", text).into());
    }
    let old = rows::find(tx, uuid)?;
    let webhook = parsed(rq, tx, uuid.to_owned(), old.as_ref())?;
    rows::save(tx, &webhook)?;
    let body = body(&rq.urls, &webhook);
    match old {
        Some(_) => Ok(Reply::ok(&body)),
        None => Ok(Reply::created(&body, url(&rq.urls, uuid))),
    }
}

/// Replaces a webhook. Unlike `put`, returns a 404 response if it does not exist.
pub(super) fn replace(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    find(rq, tx)?;
    put(rq, tx)
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let webhook = find(rq, tx)?;
    rows::delete(tx, webhook.id)?;
    Ok(Reply::empty(204))
}

pub(super) fn enable(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    set_enabled(rq, tx, true)
}

pub(super) fn disable(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    set_enabled(rq, tx, false)
}

fn set_enabled(rq: &Request, tx: &mut Tx<'_>, enabled: bool) -> HandlerResult {
    let webhook = Webhook {
        enabled,
        updated_at: Some(rq.now),
        ..find(rq, tx)?
    };
    rows::save(tx, &webhook)?;
    Ok(Reply::ok(&body(&rq.urls, &webhook)))
}

/// Parses the request body as a webhook. `old` is the webhook to replace, or `None` if the webhook is new.
fn parsed(rq: &Request, tx: &mut Tx<'_>, uuid: String, old: Option<&Webhook>) -> Result<Webhook, HandlerError> {
    let sent = rq.object()?;
    let of_path = of_path(rq, tx)?;
    let Sent {
        description,
        enabled,
        participants,
        events,
        request,
        removes_signature,
    } = Sent::parse(rq, tx, &sent)?;
    let mut request = request;
    if let Some(old) = old {
        let old_request = read_request(rq, old)?;
        let replaced = Replaced {
            has_same_host: origin(&old_request.url) == origin(&request.url),
            request: &old_request,
            removes_signature,
        };
        request
            .keep_secrets(&replaced)
            .map_err(|missing| masked_field(&missing))?;
    }
    request.check_masks().map_err(|missing| masked_field(&missing))?;
    let (open, secrets) = request.to_stored();
    let secrets = secrets
        .map(|secrets| rq.sender.options.keys.encrypt(&format!("webhook {uuid}"), &secrets))
        .transpose()
        .map_err(|error| no_key(&error))?;
    let [sent_consumer, sent_provider] = participants;
    let [consumer, provider] = of_path;
    let choose = |path: Option<Pacticipant>, sent: Participant| match path {
        Some(path) => Participant::Application(path.id, path.name),
        None => sent,
    };
    let events = events.or_else(|| old.map(|old| old.events.clone()));
    Ok(Webhook {
        id: 0,
        uuid,
        description: description.or_else(|| old.and_then(|old| old.description.clone())),
        consumer: choose(consumer, sent_consumer),
        provider: choose(provider, sent_provider),
        enabled,
        events: events.unwrap_or_else(|| json!([Event::ContentChanged.name()]).to_string()),
        request: open,
        secrets,
        created_at: old.map_or(rq.now, |old| old.created_at),
        updated_at: old.map(|_| rq.now),
    })
}

fn masked_field(missing: &MissingSecret) -> HandlerError {
    invalid_field(missing.field, missing.to_string()).into()
}

fn no_key(error: &SecretError) -> HandlerError {
    let text = format!(
        "contains a password or another secret, which cannot be stored: {error}. Start the broker with \
         --secret-key-file or CONTRACT_BROKER_SECRET_KEY"
    );
    invalid_field("request", text).into()
}

fn read_request(rq: &Request, webhook: &Webhook) -> Result<WebhookRequest, HandlerError> {
    let read = rq.sender.read_request(webhook);
    read.map_err(|text| Reply::error(409, format!(
        "{} Start the broker with this key, for example on the second line of --secret-key-file, or delete the webhook and create it again.", text.trim())).into())
}

/// Sends the webhook's request now, as a test.
pub(super) fn execute(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let webhook = find(rq, tx)?;
    let request = read_request(rq, &webhook)?;
    let href = url(&rq.urls, &webhook.uuid);
    let links = json!({
        "webhook": { "href": href },
        "try-again": titled("Tests the webhook again (POST)", format!("{href}/execute")),
    });
    execution(rq, tx, &webhook, request, links)
}

/// Sends the request of the webhook in the request body, as a test. The webhook is not stored.
pub(super) fn execute_sent(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let sent = rq.object()?;
    let Sent {
        participants,
        events,
        request,
        ..
    } = Sent::parse(rq, tx, &sent)?;
    request.check_masks().map_err(|missing| masked_field(&missing))?;
    let [consumer, provider] = participants;
    let webhook = Webhook {
        id: 0,
        uuid: "test".to_owned(),
        description: None,
        consumer,
        provider,
        enabled: true,
        events: events.unwrap_or_else(|| "[]".to_owned()),
        request: String::new(),
        secrets: None,
        created_at: rq.now,
        updated_at: None,
    };
    let links = json!({ "try-again": titled("Tests the webhook again (POST)", rq.self_url()) });
    execution(rq, tx, &webhook, request, links)
}

fn execution(rq: &Request, tx: &mut Tx<'_>, webhook: &Webhook, request: WebhookRequest, links: Value) -> HandlerResult {
    let example = rows::example(tx, &webhook.consumer, &webhook.provider)?;
    let example: Vec<i64> = example.into_iter().collect();
    let contract = pacts::by_ids(tx, &example)?.pop();
    let with_result = webhook.events.contains("provider_verification");
    let data = webhooks::test_data(tx, rq.event_settings(), contract.as_ref(), with_result)?;
    Ok(Reply::empty(200).with_execution(Execution {
        request,
        data,
        id: format!("test-{:016x}", fastrand::u64(..)),
        links,
    }))
}
