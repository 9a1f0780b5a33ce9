//! Publishes all contracts of a consumer version.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::action::Prepared;
use super::reply::{HandlerError, HandlerResult, Media, Reply};
use super::request::{Fields, Request, check_name};
use super::urls::{link, named};
use contract_broker_core::cases::publish::{self, ContractToPublish, PublishRejection, VersionToPublish};
use contract_broker_core::store::Tx;
use contract_broker_domain::content::{Content, ContentError, KnownContents};
use contract_broker_domain::verdict::Notice;

/// Maximum number of contracts in one request.
const MAX_CONTRACTS: usize = 1_000;

fn parse_version(
    sent: &serde_json::Map<String, Value>,
    known: &KnownContents,
) -> Result<VersionToPublish, HandlerError> {
    let mut fields = Fields::new(sent);
    let consumer = fields.name("pacticipantName");
    let number = fields.name("pacticipantVersionNumber");
    let branch = fields.text("branch");
    if let Some(problem) = branch.and_then(|branch| check_name(branch).err()) {
        fields.error("branch", problem);
    }
    let build_url = fields.text("buildUrl");
    let tags = fields.tags(Value::as_str, "must be a string").unwrap_or_default();
    let mut contracts = Vec::new();
    match sent.get("contracts") {
        None => fields.error("contracts", "is missing"),
        Some(Value::Array(list)) if list.len() > MAX_CONTRACTS => {
            fields.error(
                "contracts",
                format!("must have at most {MAX_CONTRACTS} entries, not {}", list.len()),
            );
        }
        Some(Value::Array(list)) => {
            for (at, contract) in list.iter().enumerate() {
                match parse_contract(contract, consumer, known) {
                    Ok(contract) => contracts.push(contract),
                    Err(texts) => {
                        for text in texts {
                            fields.error("contracts", format!("{text} (at index {at})"));
                        }
                    }
                }
            }
        }
        Some(_) => fields.error("contracts", "must be an array"),
    }
    fields.finish()?;
    Ok(VersionToPublish {
        consumer: consumer.to_owned(),
        number: number.to_owned(),
        branch: branch.map(str::to_owned),
        tags: tags.into_iter().map(str::to_owned).collect(),
        build_url: build_url.map(str::to_owned),
        contracts,
    })
}

fn parse_contract(value: &Value, consumer: &str, known: &KnownContents) -> Result<ContractToPublish, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["must be an object".to_owned()]);
    };
    let mut fields = Fields::new(object);
    let consumer_name = fields.name("consumerName");
    if !consumer.is_empty() && !consumer_name.is_empty() && consumer_name != consumer {
        fields.error(
            "consumerName",
            format!("must be equal to pacticipantName ({consumer:?}), not {consumer_name:?}"),
        );
    }
    let provider = fields.name("providerName");
    for (name, only) in [("specification", "pact"), ("contentType", "application/json")] {
        let declared = fields.name(name);
        if !declared.is_empty() && declared != only {
            fields.error(name, format!("must be {only}"));
        }
    }
    let merge = match fields.text("onConflict") {
        None | Some("overwrite") => false,
        Some("merge") => true,
        Some(_) => {
            fields.error("onConflict", "must be merge or overwrite");
            false
        }
    };
    let encoded = match object.get("content") {
        Some(Value::String(text)) => text.as_str(),
        Some(_) => {
            fields.error("content", "must be a base64 string");
            ""
        }
        None => {
            fields.error("content", "is missing");
            ""
        }
    };
    let content = if encoded.is_empty() {
        None
    } else {
        decoded(encoded, known, &mut fields)
    };
    if let Some(content) = &content {
        for (role, expected) in [("consumer", consumer_name), ("provider", provider)] {
            if let Some(found) = content
                .name_of(role)
                .filter(|found| *found != expected && !expected.is_empty())
            {
                fields.error("content", format!("has the {role} {found:?} instead of {expected:?}"));
            }
        }
    }
    let errors = std::mem::take(&mut fields.errors);
    match content {
        Some(content) if errors.is_empty() => Ok(ContractToPublish {
            provider: provider.to_owned(),
            content,
            merge,
        }),
        _ => Err(errors
            .into_iter()
            .map(|(field, text)| format!("{field} {text}"))
            .collect()),
    }
}

fn decoded(encoded: &str, known: &KnownContents, fields: &mut Fields<'_>) -> Option<Content> {
    let Ok(bytes) = STANDARD.decode(encoded) else {
        fields.error("content", "is not valid base64");
        return None;
    };
    if std::str::from_utf8(&bytes).is_err() {
        fields.error("content", "is not valid UTF-8");
        return None;
    }
    match known.read(bytes) {
        Ok(content) => Some(content),
        Err(ContentError::Json(text)) => {
            fields.error("content", format!("is not valid JSON: {text}"));
            None
        }
        Err(other) => {
            fields.error("content", format!("is not a contract: {other}"));
            None
        }
    }
}

fn conflict(rejection: &PublishRejection) -> Reply {
    let body = json!({
        "notices": notices_body(&rejection.notices()),
        "errors": { "contracts": [rejection.to_string()] },
    });
    Reply::text(409, Media::Json, body.to_string())
}

fn notices_body(notices: &[Notice]) -> Vec<Value> {
    let body = |notice: &Notice| json!({ "type": notice.kind, "text": notice.text });
    notices.iter().map(body).collect()
}

pub(super) fn prepare(rq: &Request) -> Result<Prepared, HandlerError> {
    let publishing = parse_version(&rq.object()?, &rq.known_contents)?;
    let consumer = publishing.consumer.clone();
    Ok(Prepared::new(move |rq, tx| publish(rq, tx, &publishing)).with_subject(consumer))
}

fn publish(rq: &Request, tx: &mut Tx<'_>, publishing: &VersionToPublish) -> HandlerResult {
    let published = publish::publish_version(tx, rq.publish_settings(), publishing)
        .map_err(|error| HandlerError::from_case(error, |rejection| conflict(&rejection)))?;
    let (consumer, number) = (&publishing.consumer, &publishing.number);
    let url = |provider: &str| rq.urls.pact(provider, consumer, number);
    let link_to = |contract: &ContractToPublish| {
        let provider = &contract.provider;
        let title = format!("Pact between {consumer} ({number}) and {provider}");
        named("Pact", &title, url(provider))
    };
    let links: Vec<Value> = publishing.contracts.iter().map(link_to).collect();
    let log_url = |delivery: &str| super::webhooks::deliveries::log_url(&rq.urls, delivery);
    let notices = published.notices(publishing, url, log_url);
    let triggers = published
        .contracts
        .iter()
        .any(|contract| !contract.triggered.is_empty());
    let reply = Reply::ok(&answer(rq, publishing, &notices, &links)).with_deliveries(triggers);
    Ok(reply.with_changed(&rq.urls.version(consumer, number)))
}

fn answer(rq: &Request, publishing: &VersionToPublish, notices: &[Notice], pacts: &[Value]) -> Value {
    let (urls, consumer, number) = (&rq.urls, publishing.consumer.as_str(), publishing.number.as_str());
    let logs: Vec<Value> = notices
        .iter()
        .map(|notice| {
            json!({ "level": notice.kind, "message": notice.text, "deprecationWarning": "Deprecated: see notices" })
        })
        .collect();
    let tags: Vec<Value> = publishing
        .tags
        .iter()
        .map(|tag| named("Tag", tag, urls.tag(consumer, number, tag)))
        .collect();
    json!({
        "logs": logs,
        "notices": notices_body(notices),
        "_embedded": {
            "pacticipant": { "name": consumer, "_links": { "self": link(urls.pacticipant(consumer)) } },
            "version": super::pacticipants::short_version(urls, consumer, number),
        },
        "_links": {
            "pb:pacticipant": named("Pacticipant", consumer, urls.pacticipant(consumer)),
            "pb:pacticipant-version": named("Pacticipant version", number, urls.version(consumer, number)),
            "pb:pacticipant-version-tags": tags,
            "pb:contracts": pacts,
        },
    })
}
