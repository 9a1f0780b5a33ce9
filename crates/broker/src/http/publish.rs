//! Publishes all contracts of a consumer version.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::action::Work;
use super::reply::{HandlerError, HandlerResult, Media, Reply};
use super::request::{Fields, Request, check_name};
use super::urls::{link, named};
use crate::domain::content::{self, Content, ContentError};
use crate::domain::names;
use crate::sql::pacticipants::{self, Pacticipant};
use crate::sql::pacts::{self, Publication, Published};
use crate::sql::versions::{self, Version};
use crate::sql::{branches, tags};
use crate::store::{StoreError, Tx};

/// Maximum number of contracts in one request.
const MAX_CONTRACTS: usize = 1_000;
/// Maximum number of notices in one response. The rest is counted.
const MAX_NOTICES: usize = 200;
/// Maximum size of a diff in a notice, in bytes.
const MAX_DIFF: usize = 64 * 1024;

struct Sent {
    provider: String,
    content: Content,
    merge: bool,
}

struct Publishing {
    consumer: String,
    number: String,
    branch: Option<String>,
    tags: Vec<String>,
    build_url: Option<String>,
    contracts: Vec<Sent>,
}

impl Publishing {
    fn parse(sent: &serde_json::Map<String, Value>) -> Result<Self, HandlerError> {
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
                    match self::contract(contract, consumer) {
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
        Ok(Self {
            consumer: consumer.to_owned(),
            number: number.to_owned(),
            branch: branch.map(str::to_owned),
            tags: tags.into_iter().map(str::to_owned).collect(),
            build_url: build_url.map(str::to_owned),
            contracts,
        })
    }
}

fn contract(value: &Value, consumer: &str) -> Result<Sent, Vec<String>> {
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
        Some(content) if errors.is_empty() => Ok(Sent {
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

/// Why application names were rejected.
pub(super) enum Similar {
    /// A new name is similar to a known one.
    Names(String),
    Store(StoreError),
}

/// Finds the applications with these names. Rejects new names that are similar to known ones, which are usually typing errors.
pub(super) fn known_or_new(rq: &Request, tx: &mut Tx<'_>, names: &[&str]) -> Result<Vec<Option<Pacticipant>>, Similar> {
    let found = pacticipants::find_all(tx, names).map_err(Similar::Store)?;
    if !rq.rules.refuse_similar_names {
        return Ok(found);
    }
    let mut known: Option<Vec<String>> = None;
    for (name, _) in names.iter().zip(&found).filter(|(_, found)| found.is_none()) {
        if known.is_none() {
            known = Some(pacticipants::names(tx).map_err(Similar::Store)?);
        }
        let known = known.iter().flatten().map(String::as_str);
        let similar = names::similar(name, known);
        if !similar.is_empty() {
            return Err(Similar::Names(format!(
                "The application {name:?} does not exist, and its name is similar to {}. If you mean that application, correct the name in the \
                 contract. Otherwise create the application first: contract-broker create-or-update-pacticipant --name {name:?}, \
                 or POST {{\"name\": {name:?}}} to /pacticipants.",
                similar
                    .iter()
                    .map(|known| format!("{known:?}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )));
        }
    }
    Ok(found)
}

pub(super) fn cannot_change(consumer: &str, number: &str, provider: &str) -> String {
    format!(
        "{consumer} {number} has already published a different contract with {provider}. The contracts of a version cannot change, \
         because verdicts may be based on them. Publish under a new version number. To combine parts of one contract from parallel \
         builds, use onConflict: merge. If nothing should have changed, look for generated values, such as dates, in the examples."
    )
}

/// Why two contents were not merged.
pub(super) enum NotMerged {
    Conflict(String),
    Store(StoreError),
}

/// Merges a new content into the published one.
pub(super) fn merged(tx: &mut Tx<'_>, before: &Publication, newer: &Content) -> Result<Content, NotMerged> {
    let text = pacts::document(tx, before.content_id).map_err(NotMerged::Store)?;
    let older = Content::read(text.as_bytes()).map_err(|error| NotMerged::Conflict(error.to_string()))?;
    older.merge(newer).map_err(|conflict| {
        let (consumer, number, provider) = (&before.consumer, &before.version, &before.provider);
        NotMerged::Conflict(format!("{consumer} {number} with {provider}: {conflict}."))
    })
}

fn conflict(text: &str, diff: Option<&str>) -> Reply {
    let mut notices = vec![notice("error", text)];
    notices.extend(diff.map(|diff| notice("info", &cut(diff))));
    let body = json!({ "notices": notices, "errors": { "contracts": [text] } });
    Reply::text(409, Media::Json, body.to_string())
}

pub(super) fn prepare(rq: &Request) -> Result<Work, HandlerError> {
    let publishing = Publishing::parse(&rq.object()?)?;
    Ok(Box::new(move |rq, tx| publish(rq, tx, &publishing)))
}

fn publish(rq: &Request, tx: &mut Tx<'_>, publishing: &Publishing) -> HandlerResult {
    let providers = publishing.contracts.iter().map(|contract| contract.provider.as_str());
    let names: Vec<&str> = std::iter::once(publishing.consumer.as_str()).chain(providers).collect();
    let mut found = known_or_new(rq, tx, &names)
        .map_err(|similar| match similar {
            Similar::Names(text) => HandlerError::from(conflict(&text, None)),
            Similar::Store(error) => HandlerError::Store(error),
        })?
        .into_iter();
    let consumer = pacticipants::or_create(tx, found.next().flatten(), &publishing.consumer, rq.now)?;
    let owner = (consumer.id, consumer.name.as_str());
    let (version, is_new) = versions::find_or_create(tx, owner, &publishing.number, rq.now)?;
    if publishing.build_url.is_some() {
        versions::set_build_url(tx, &version, publishing.build_url.as_deref(), rq.now)?;
    }
    if let Some(branch) = &publishing.branch {
        branches::add(tx, &rq.rules, &version, branch, rq.now)?;
    }
    for tag in &publishing.tags {
        if tags::add(tx, &rq.rules, &version, tag, rq.now)? {
            tags::begin_branch(tx, &rq.rules, &version, tag, rq.now)?;
        }
    }
    let mut notices = vec![notice("debug", &version_text(publishing, is_new))];
    let mut links = Vec::new();
    for (contract, found) in publishing.contracts.iter().zip(found) {
        let (consumer, number, provider) = (&publishing.consumer, &publishing.number, &contract.provider);
        let owner = pacticipants::or_create(tx, found, provider, rq.now)?;
        publish_one(rq, tx, &version, &owner, contract, &mut notices)?;
        let name = format!("Pact between {consumer} ({number}) and {provider}");
        links.push(named("Pact", &name, rq.urls.pact(provider, consumer, number)));
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

fn version_text(publishing: &Publishing, is_new: bool) -> String {
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

fn publish_one(
    rq: &Request,
    tx: &mut Tx<'_>,
    version: &Version,
    owner: &Pacticipant,
    sent: &Sent,
    notices: &mut Vec<Value>,
) -> Result<(), HandlerError> {
    let (consumer, number, provider) = (&version.pacticipant, &version.number, sent.provider.as_str());
    // Concurrent publications for the version run one after the other.
    tx.lock_row("version", version.id)?;
    let mut before = pacts::before(tx, version, owner.id, &sent.content.sha)?;
    let mut merged_content = None;
    let other = before.publication.as_ref();
    if let Some(other) = other.filter(|other| other.sha != sent.content.sha) {
        if sent.merge {
            merged_content = Some(merged(tx, other, &sent.content).map_err(|failed| match failed {
                NotMerged::Conflict(text) => HandlerError::from(conflict(&text, None)),
                NotMerged::Store(error) => HandlerError::Store(error),
            })?);
            // The merged content has a different hash.
            before.content = None;
        } else if !rq.rules.contracts_may_change {
            let text = cannot_change(consumer, number, provider);
            let known = pacts::document(tx, other.content_id)?;
            let diff = content::text_diff(&known, &sent.content.text());
            return Err(conflict(&text, Some(&diff)).into());
        }
    }
    let content = merged_content.as_ref().unwrap_or(&sent.content);
    let (published, content) = pacts::publish(tx, version, owner.id, content, &before, rq.now)?;
    let what = match published {
        Published::New => "was published",
        Published::Unchanged => "was published before with the same content",
        Published::Changed if sent.merge => "was merged into the published contract",
        Published::Changed => "replaced the published contract",
    };
    notices.push(notice(
        "success",
        &format!("The contract of {consumer} {number} with {provider} {what}."),
    ));
    notices.push(notice(
        "debug",
        &format!("  View the contract at {}", rq.urls.pact(provider, consumer, number)),
    ));
    let around = pacts::history(tx, version, owner.id)?;
    let events = match (published, around.content_before) {
        (Published::Unchanged, _) => "contract_published",
        (_, None) => "contract_published, contract_content_changed (first contract of the integration)",
        (_, Some(before)) if before == content => "contract_published (same content as the previous version)",
        (_, Some(_)) => "contract_published, contract_content_changed (different content than the previous version)",
    };
    notices.push(notice("debug", &format!("  Events: {events}")));
    if !around.is_verified {
        notices.push(notice("prompt", "  Next steps:"));
        notices.push(notice(
            "prompt",
            &format!("    * Verify the contract in the build of {provider} and publish the result"),
        ));
    }
    Ok(())
}

fn answer(rq: &Request, publishing: &Publishing, notices: &[Value], pacts: &[Value]) -> Value {
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
