//! Publishes all contracts of a consumer version.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::action::Work;
use super::reply::{HandlerError, HandlerResult, Media, Reply};
use super::request::{Fields, Request, check_name};
use super::urls::{link, named};
use crate::cases::publish::{
    self, ContentChange, ContractToPublish, PublishRejection, PublishedContract, VersionToPublish,
};
use crate::domain::content::{self, Content, ContentError};
use crate::sql::pacts::PublishEffect;
use crate::store::Tx;

/// Maximum number of contracts in one request.
const MAX_CONTRACTS: usize = 1_000;
/// Maximum number of notices in one response. The rest is counted.
const MAX_NOTICES: usize = 200;
/// Maximum size of a diff in a notice, in bytes.
const MAX_DIFF: usize = 64 * 1024;

fn parse_version(sent: &serde_json::Map<String, Value>) -> Result<VersionToPublish, HandlerError> {
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
                match parse_contract(contract, consumer) {
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

fn parse_contract(value: &Value, consumer: &str) -> Result<ContractToPublish, Vec<String>> {
    let Some(object) = value.as_object() else {
        return Err(vec!["must be an object".to_owned()]);
    };
    let mut fields = Fields::new(object);
    let consumer_name = fields.name("consumerName");
    if !consumer.is_empty() && !consumer_name.is_empty() && consumer_name != consumer {
        fields.error(
            "consumerName",
            format!("must be equal to pacticipantName, {consumer:?}, not {consumer_name:?}"),
        );
    }
    let provider = fields.name("providerName");
    for (name, only) in [("specification", "pact"), ("contentType", "application/json")] {
        let given = fields.name(name);
        if !given.is_empty() && given != only {
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
        decoded(encoded, &mut fields)
    };
    if let Some(content) = &content {
        for (role, expected) in [("consumer", consumer_name), ("provider", provider)] {
            if let Some(found) = content
                .name_of(role)
                .filter(|found| *found != expected && !expected.is_empty())
            {
                fields.error("content", format!("names {found:?} as its {role}, not {expected:?}"));
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

fn decoded(encoded: &str, fields: &mut Fields<'_>) -> Option<Content> {
    let Ok(bytes) = STANDARD.decode(encoded) else {
        fields.error("content", "is not valid base64");
        return None;
    };
    if std::str::from_utf8(&bytes).is_err() {
        fields.error("content", "is not valid UTF-8");
        return None;
    }
    match Content::read(&bytes) {
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
    let text = rejection.to_string();
    let mut notices = vec![notice("error", &text)];
    if let PublishRejection::ContentChanged(changed) = rejection {
        let diff = content::text_diff(&changed.published, &changed.rejected);
        notices.push(notice("info", &cut(&diff)));
    }
    let body = json!({ "notices": notices, "errors": { "contracts": [text] } });
    Reply::text(409, Media::Json, body.to_string())
}

pub(super) fn prepare(rq: &Request) -> Result<Work, HandlerError> {
    let publishing = parse_version(&rq.object()?)?;
    Ok(Box::new(move |rq, tx| publish(rq, tx, &publishing)))
}

fn publish(rq: &Request, tx: &mut Tx<'_>, publishing: &VersionToPublish) -> HandlerResult {
    let published = publish::publish_version(tx, rq.publish_settings(), publishing)
        .map_err(|error| HandlerError::from_case(error, |rejection| conflict(&rejection)))?;
    let (consumer, number) = (&publishing.consumer, &publishing.number);
    let mut notices = vec![notice("debug", &version_text(publishing, published.is_new))];
    let mut links = Vec::new();
    for (contract, published) in publishing.contracts.iter().zip(&published.contracts) {
        let provider = &contract.provider;
        let url = rq.urls.pact(provider, consumer, number);
        add_notices(&mut notices, publishing, contract, published, &url);
        links.push(named(
            "Pact",
            &format!("Pact between {consumer} ({number}) and {provider}"),
            url,
        ));
    }
    let more = notices.len().saturating_sub(MAX_NOTICES);
    if more > 0 {
        notices.truncate(MAX_NOTICES);
        notices.push(notice("debug", &format!("{more} more notices are omitted.")));
    }
    Ok(Reply::ok(&answer(rq, publishing, &notices, &links)))
}

/// Cuts a long diff at a line break.
fn cut(diff: &str) -> String {
    if diff.len() <= MAX_DIFF {
        return diff.to_owned();
    }
    let end = (0..=MAX_DIFF).rev().find(|at| diff.is_char_boundary(*at));
    let start = &diff[..end.unwrap_or(0)];
    let lines = start.rsplit_once('\n').map_or(start, |(lines, _)| lines);
    format!("{lines}\nThe rest of the diff is omitted.")
}

fn notice(kind: &str, text: &str) -> Value {
    json!({ "type": kind, "text": text })
}

fn version_text(publishing: &VersionToPublish, is_new: bool) -> String {
    let (consumer, number) = (&publishing.consumer, &publishing.number);
    let what = if is_new { "was created" } else { "already existed" };
    let branch = publishing
        .branch
        .as_ref()
        .map_or_else(String::new, |branch| format!(", on branch {branch}"));
    let tags = match publishing.tags.as_slice() {
        [] => String::new(),
        tags => format!(", with tags {}", tags.join(", ")),
    };
    format!("{consumer} {number} {what}{branch}{tags}.")
}

fn add_notices(
    notices: &mut Vec<Value>,
    publishing: &VersionToPublish,
    contract: &ContractToPublish,
    published: &PublishedContract,
    url: &str,
) {
    let (consumer, number, provider) = (&publishing.consumer, &publishing.number, &contract.provider);
    let effect = match published.effect {
        PublishEffect::New => "was published",
        PublishEffect::Unchanged => "was published before with the same content",
        PublishEffect::Changed if contract.merge => "was merged into the published contract",
        PublishEffect::Changed => "replaced the published contract",
    };
    notices.push(notice(
        "success",
        &format!("The contract of {consumer} {number} with {provider} {effect}."),
    ));
    notices.push(notice("debug", &format!("  View the contract at {url}")));
    let events = match (published.effect, published.change) {
        (PublishEffect::Unchanged, _) => "contract_published",
        (_, ContentChange::First) => "contract_published, contract_content_changed (first contract of the integration)",
        (_, ContentChange::Same) => "contract_published (same content as the previous version)",
        (_, ContentChange::Different) => {
            "contract_published, contract_content_changed (different content than the previous version)"
        }
    };
    notices.push(notice("debug", &format!("  Events: {events}")));
    if !published.is_verified {
        notices.push(notice("prompt", "  Next steps:"));
        notices.push(notice(
            "prompt",
            &format!("    * Verify the contract in the build of {provider} and publish the result"),
        ));
    }
}

fn answer(rq: &Request, publishing: &VersionToPublish, notices: &[Value], pacts: &[Value]) -> Value {
    let (urls, consumer, number) = (&rq.urls, publishing.consumer.as_str(), publishing.number.as_str());
    let logs: Vec<Value> = notices
        .iter()
        .map(|notice| {
            json!({ "level": notice["type"], "message": notice["text"], "deprecationWarning": "Deprecated: see notices" })
        })
        .collect();
    let tags: Vec<Value> = publishing
        .tags
        .iter()
        .map(|tag| named("Tag", tag, urls.tag(consumer, number, tag)))
        .collect();
    json!({
        "logs": logs,
        "notices": notices,
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
