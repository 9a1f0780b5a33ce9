//! Triggers webhooks. Deliveries are added to the outbox in the same transaction as the change that triggers them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use crate::sql::deliveries::{self, ContractFacts, Deadline, KnownResult, RequiredReason, RequiredVersion, Subject};
use crate::sql::pacts::Publication;
use crate::sql::webhooks::{self, Listener};
use crate::store::{StoreError, Tx};
use contract_broker_domain::rules::Rules;
use contract_broker_domain::webhook::{self, Event, EventData};

/// Creates the URLs that webhook data contains.
pub trait EventLinks {
    /// Returns the URL of the contract content. The URL also identifies the consumer version.
    fn content(&self, contract: &EventContract<'_>) -> String;
    /// Returns the URL of the result with this ID.
    fn result(&self, contract: &EventContract<'_>, result: i64) -> String;
}

/// Settings for triggering webhooks.
#[derive(Clone, Copy)]
pub struct EventSettings<'a> {
    pub rules: &'a Rules,
    pub links: &'a dyn EventLinks,
    /// The time of the event, in milliseconds since 1970.
    pub now: i64,
}

/// The contract that an event is about.
#[derive(Clone, Copy, Debug)]
pub struct EventContract<'a> {
    pub consumer_id: i64,
    pub consumer: &'a str,
    pub provider_id: i64,
    pub provider: &'a str,
    /// The ID of the consumer version.
    pub version_id: i64,
    pub version: &'a str,
    pub content_id: i64,
    pub sha: &'a str,
}

impl<'a> From<&'a Publication> for EventContract<'a> {
    fn from(publication: &'a Publication) -> Self {
        Self {
            consumer_id: publication.consumer_id,
            consumer: &publication.consumer,
            provider_id: publication.provider_id,
            provider: &publication.provider,
            version_id: publication.version_id,
            version: &publication.version,
            content_id: publication.content_id,
            sha: &publication.sha,
        }
    }
}

/// Returns a random ID in the format of the Pact Broker: 16 bytes in URL-safe base64 without padding.
pub fn new_uuid() -> Result<String, StoreError> {
    let mut random = super::tokens::random_bytes()?;
    let bytes: [u8; 16] = std::array::from_fn(|_| random());
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// A webhook that an event has triggered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triggered {
    pub event: Event,
    /// The webhook's description, or the method and host of its request if it has no description.
    pub webhook: String,
    /// The UUID of the delivery.
    pub delivery: String,
}

/// Triggers the webhooks for a published contract. `is_changed` also triggers `contract_content_changed`.
pub fn contract_published(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    contract: &EventContract<'_>,
    is_changed: bool,
) -> Result<Vec<Triggered>, StoreError> {
    let listeners = Listeners::find(tx, contract)?;
    let reports_required = listeners.listen([Event::RequiringVerification, Event::VerificationOverdue]);
    let reports_change = is_changed && listeners.listen([Event::ContentChanged]);
    if !(reports_required || reports_change || listeners.listen([Event::Published])) {
        return Ok(Vec::new());
    }
    let required = if reports_required {
        deliveries::required_versions(tx, contract.content_id, contract.provider_id)?
    } else {
        Vec::new()
    };
    let facts = facts(tx, contract)?;
    let data = published_data(tx, settings, contract, &facts)?;
    let mut trigger = Trigger {
        listeners: &listeners,
        subject: contract.subject(None),
        now: settings.now,
        triggered: Vec::new(),
    };
    trigger.event(tx, Event::Published, &data)?;
    for required in &required {
        let data = required_data(tx, data.clone(), required)?;
        trigger.event(tx, Event::RequiringVerification, &data)?;
        if listeners.listen([Event::VerificationOverdue]) {
            expect_verification(tx, settings, contract, required, data)?;
        }
    }
    if is_changed {
        trigger.event(tx, Event::ContentChanged, &data)?;
    }
    Ok(trigger.triggered)
}

/// Triggers the webhooks for a verification result, once for each contract. All `contracts` must have the content that
/// was verified.
pub fn result_published(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    contracts: &[Publication],
    result: &KnownResult,
) -> Result<Vec<Triggered>, StoreError> {
    let outcome = if result.success {
        Event::VerificationSucceeded
    } else {
        Event::VerificationFailed
    };
    let mut triggered = Vec::new();
    let Some(first) = contracts.first() else {
        return Ok(triggered);
    };
    // All contracts have the same consumer and provider.
    let listeners = Listeners::find(tx, &first.into())?;
    if !listeners.listen([Event::VerificationPublished, outcome]) {
        return Ok(triggered);
    }
    for contract in contracts {
        let event_contract = EventContract::from(contract);
        let facts = facts(tx, &event_contract)?;
        let data = result_data(tx, settings, &event_contract, &facts, Some(result))?;
        let mut trigger = Trigger {
            listeners: &listeners,
            subject: event_contract.subject(Some(result.id)),
            now: settings.now,
            triggered: Vec::new(),
        };
        trigger.event(tx, Event::VerificationPublished, &data)?;
        trigger.event(tx, outcome, &data)?;
        triggered.append(&mut trigger.triggered);
    }
    Ok(triggered)
}

/// Triggers webhooks for verifications that are overdue. Processes up to 50 passed deadlines and returns their number.
pub fn check_deadlines(tx: &mut Tx<'_>, now: i64) -> Result<usize, StoreError> {
    const BATCH: i64 = 50;
    let passed = deliveries::take_deadlines(tx, now, BATCH)?;
    for deadline in &passed {
        let required = deliveries::required_versions(tx, deadline.content_id, deadline.provider_id)?;
        let is_required = required
            .iter()
            .any(|version| version.id == deadline.provider_version_id);
        // The contract may have been deleted or replaced since.
        if !is_required || !deliveries::is_published(tx, deadline.version_id, deadline.content_id)? {
            continue;
        }
        let listeners = webhooks::listeners(tx, deadline.consumer_id, deadline.provider_id)?;
        let mut trigger = Trigger {
            listeners: &Listeners(listeners),
            subject: Subject {
                consumer_id: deadline.consumer_id,
                provider_id: deadline.provider_id,
                version_id: deadline.version_id,
                result_id: None,
            },
            now,
            triggered: Vec::new(),
        };
        trigger.event(tx, Event::VerificationOverdue, &EventData::parse(&deadline.data))?;
    }
    Ok(passed.len())
}

/// Returns the event data for testing a webhook: the data of `contract`, or example data if `contract` is `None`.
/// `with_result` adds the contract's latest result, if there is one.
pub fn test_data(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    contract: Option<&Publication>,
    with_result: bool,
) -> Result<EventData, StoreError> {
    let mut data = match contract {
        Some(contract) => {
            let event_contract = EventContract::from(contract);
            let facts = facts(tx, &event_contract)?;
            let latest = facts.latest.clone();
            result_data(
                tx,
                settings,
                &event_contract,
                &facts,
                latest.as_ref().filter(|_| with_result),
            )?
        }
        None => example_data(settings),
    };
    data.set("eventName", "test");
    Ok(data)
}

fn example_data(settings: EventSettings<'_>) -> EventData {
    let contract = EventContract {
        consumer_id: 0,
        consumer: "consumer",
        provider_id: 0,
        provider: "provider",
        version_id: 0,
        version: "1",
        content_id: 0,
        sha: "0000000000000000000000000000000000000000",
    };
    let facts = ContractFacts {
        tags: vec!["example".to_owned()],
        branch: Some("main".to_owned()),
        ..ContractFacts::default()
    };
    let mut data = contract_data(settings, &contract, &facts);
    data.set("providerVersionNumber", "1");
    data.set("providerVersionBranch", "main");
    data.set_verification(Some(true));
    data
}

struct Listeners(Vec<Listener>);

impl Listeners {
    fn find(tx: &mut Tx<'_>, contract: &EventContract<'_>) -> Result<Self, StoreError> {
        webhooks::listeners(tx, contract.consumer_id, contract.provider_id).map(Self)
    }

    /// Returns whether at least one webhook is triggered by one of the events.
    fn listen<const N: usize>(&self, events: [Event; N]) -> bool {
        let listens = |listener: &Listener| events.iter().any(|event| listens(listener, *event));
        self.0.iter().any(listens)
    }
}

fn listens(listener: &Listener, event: Event) -> bool {
    listener.events.iter().any(|name| name == event.name())
}

/// Returns the method and the host of a stored request, such as `POST ci.example.com`. The Pact Broker uses them as the
/// webhook's name.
pub fn request_name(request: &str) -> String {
    let request: Value = serde_json::from_str(request).unwrap_or_default();
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let host = webhook::host(text("url")).unwrap_or_default();
    format!("{} {host}", text("method"))
}

struct Trigger<'a> {
    listeners: &'a Listeners,
    subject: Subject,
    now: i64,
    triggered: Vec<Triggered>,
}

impl Trigger<'_> {
    /// Enqueues a delivery for each webhook that listens to the event.
    fn event(&mut self, tx: &mut Tx<'_>, event: Event, data: &EventData) -> Result<(), StoreError> {
        if !self.listeners.listen([event]) {
            return Ok(());
        }
        let mut data = data.clone();
        data.set("eventName", event.name());
        let data = data.to_json();
        for listener in self.listeners.0.iter().filter(|listener| listens(listener, event)) {
            let name = request_name(&listener.request);
            let delivery = deliveries::enqueue(tx, listener, &name, (event.name(), &data), self.subject, self.now)?;
            let description = listener.description.clone().filter(|text| !text.is_empty());
            self.triggered.push(Triggered {
                event,
                webhook: description.unwrap_or(name),
                delivery,
            });
        }
        Ok(())
    }
}

impl EventContract<'_> {
    fn subject(&self, result_id: Option<i64>) -> Subject {
        Subject {
            consumer_id: self.consumer_id,
            provider_id: self.provider_id,
            version_id: self.version_id,
            result_id,
        }
    }
}

fn facts(tx: &mut Tx<'_>, contract: &EventContract<'_>) -> Result<ContractFacts, StoreError> {
    deliveries::facts(
        tx,
        (contract.consumer_id, contract.version_id),
        (contract.provider_id, contract.content_id),
    )
}

/// Returns the data that does not depend on a provider version.
fn contract_data(settings: EventSettings<'_>, contract: &EventContract<'_>, facts: &ContractFacts) -> EventData {
    let mut data = EventData::default();
    data.set("pactUrl", settings.links.content(contract));
    data.set("consumerName", contract.consumer);
    data.set("providerName", contract.provider);
    data.set("consumerVersionNumber", contract.version);
    data.set("consumerVersionTags", facts.tags.join(", "));
    data.set("consumerVersionBranch", facts.branch.clone().unwrap_or_default());
    data.set("consumerLabels", facts.consumer_labels.join(", "));
    data.set("providerLabels", facts.provider_labels.join(", "));
    data.set("currentlyDeployedProviderVersionNumber", facts.deployed.join(", "));
    data.set_verification(None);
    data
}

fn published_data(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    contract: &EventContract<'_>,
    facts: &ContractFacts,
) -> Result<EventData, StoreError> {
    result_data(tx, settings, contract, facts, facts.latest.as_ref())
}

fn result_data(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    contract: &EventContract<'_>,
    facts: &ContractFacts,
    result: Option<&KnownResult>,
) -> Result<EventData, StoreError> {
    let mut data = contract_data(settings, contract, facts);
    if let Some(result) = result {
        set_provider_version(tx, &mut data, result.version_id, &result.version)?;
        data.set("verificationResultUrl", settings.links.result(contract, result.id));
        data.set("buildUrl", result.build_url.clone().unwrap_or_default());
        data.set_verification(Some(result.success));
    }
    Ok(data)
}

fn set_provider_version(tx: &mut Tx<'_>, data: &mut EventData, version: i64, number: &str) -> Result<(), StoreError> {
    let (tags, branch) = deliveries::labels_of_version(tx, version)?;
    data.set("providerVersionNumber", number);
    data.set("providerVersionTags", tags.join(", "));
    data.set("providerVersionBranch", branch.unwrap_or_default());
    Ok(())
}

/// Adds to the event data a provider version that must verify the contract, and the reasons why. Clears the previous
/// result.
fn required_data(tx: &mut Tx<'_>, mut data: EventData, required: &RequiredVersion) -> Result<EventData, StoreError> {
    set_provider_version(tx, &mut data, required.id, &required.number)?;
    let reason = |reason: &RequiredReason| match reason {
        RequiredReason::MainBranch => "latest from main branch".to_owned(),
        RequiredReason::Deployed(environment) => format!("deployed in {environment}"),
        RequiredReason::Released(environment) => format!("released in {environment}"),
    };
    let reasons: Vec<String> = required.reasons.iter().map(reason).collect();
    data.set("providerVersionDescriptions", reasons.join(", "));
    data.set("verificationResultUrl", "");
    data.set("buildUrl", "");
    data.set_verification(None);
    Ok(data)
}

/// Stores a deadline for the verification, unless overdue verifications are turned off.
fn expect_verification(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    contract: &EventContract<'_>,
    required: &RequiredVersion,
    mut data: EventData,
) -> Result<(), StoreError> {
    let Some(after) = settings.rules.webhooks.overdue_after else {
        return Ok(());
    };
    data.set("verificationOverdueMinutes", (after.as_secs() / 60).to_string());
    let deadline = Deadline {
        id: 0,
        content_id: contract.content_id,
        consumer_id: contract.consumer_id,
        provider_id: contract.provider_id,
        version_id: contract.version_id,
        provider_version_id: required.id,
        data: data.to_json(),
    };
    let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
    deliveries::add_deadline(tx, &deadline, settings.now.saturating_add(after))
}
