//! Contracts: one, many, what changed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::lists;
use super::pacticipants::short_version;
use super::reply::{Failure, Media, Outcome, Reply, invalid, not_found};
use super::request::Request;
use super::urls::{Urls, link, named, template, titled};
use crate::domain::content::{self, Content, ContentError};
use crate::domain::query;
use crate::domain::selector::FieldErrors;
use crate::domain::time;
use crate::sql::pacticipants::{self, Pacticipant};
use crate::sql::pacts::{self, Filter, Publication, Published, Which};
use crate::sql::{WHOLE, versions};
use crate::store::{StoreError, Tx};

/// Why a contract was handed out for verification. It travels in the address and comes back with the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    /// Ids of the consumer versions that were chosen.
    pub(super) versions: Vec<i64>,
    pub(super) pending: bool,
    pub(super) wip: bool,
}

impl Metadata {
    pub(super) fn to_text(&self) -> String {
        let mut parts: Vec<String> = self.versions.iter().map(|id| format!("cv={id}")).collect();
        parts.extend(self.pending.then(|| "p=true".to_owned()));
        parts.extend(self.wip.then(|| "w=true".to_owned()));
        URL_SAFE_NO_PAD.encode(parts.join("&"))
    }

    /// What is in an address; what is not understood says nothing.
    pub(super) fn of(text: &str) -> Self {
        let decoded = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).unwrap_or_default();
        let pairs = query::pairs(&String::from_utf8_lossy(&decoded)).unwrap_or_default();
        let is_true = |name: &str| query::value(&pairs, name) == Some("true");
        let versions = pairs
            .iter()
            .filter(|(name, _)| name == "cv")
            .filter_map(|(_, id)| id.parse().ok())
            .take(1_000)
            .collect();
        Self {
            versions,
            pending: is_true("p"),
            wip: is_true("w"),
        }
    }
}

/// A contract with the links that its readers follow.
fn document(
    tx: &mut Tx<'_>,
    urls: &Urls,
    of: &Publication,
    metadata: Option<&Metadata>,
    all_versions: Option<&[Publication]>,
) -> Result<String, StoreError> {
    let (consumer, provider, number) = (of.consumer.as_str(), of.provider.as_str(), of.version.as_str());
    let pair = urls.pair(provider, consumer);
    let url = urls.pact(provider, consumer, number);
    let content_url = urls.content(provider, consumer, &of.sha);
    let with_metadata = metadata.map_or_else(String::new, |metadata| format!("/metadata/{}", metadata.to_text()));
    let matrix = format!(
        "/matrix?q%5B%5D%5Bpacticipant%5D={}&q%5B%5D%5Bversion%5D={}&latestby=cvpv",
        super::urls::encode(consumer),
        super::urls::encode(number)
    );
    let mut links = json!({
        "self": named("Pact", &format!("Pact between {consumer} ({number}) and {provider}"), &url),
        "pb:consumer": named("Consumer", consumer, urls.pacticipant(consumer)),
        "pb:consumer-version": named("Consumer version", number, urls.version(consumer, number)),
        "pb:provider": named("Provider", provider, urls.pacticipant(provider)),
        "pb:pact-version": named("The content, for good", &of.sha, &content_url),
        "pb:latest-pact-version": titled("The newest of the pair", format!("{pair}/latest")),
        "pb:all-pact-versions": titled("All of the pair", format!("{pair}/versions")),
        "pb:latest-untagged-pact-version": titled("The newest without tags", format!("{pair}/latest-untagged")),
        "pb:latest-tagged-pact-version": template("The newest with a tag", format!("{pair}/latest/{{tag}}")),
        "pb:previous-distinct": titled("The one before that says something else", format!("{url}/previous-distinct")),
        "pb:diff-previous-distinct": titled("What changed since then", format!("{url}/diff/previous-distinct")),
        "pb:diff": template("What another one says differently", format!("{content_url}/diff/pact-version/{{pactVersion}}")),
        "pb:tag-prod-version": titled("PUT tags the version with prod", urls.tag(consumer, number, "prod")),
        "pb:tag-version": template("PUT tags the version", urls.tag(consumer, number, "") + "{tag}"),
        "pb:publish-verification-results":
            titled("POST the result of verifying it", format!("{content_url}{with_metadata}/verification-results")),
        "pb:latest-verification-results": link(format!("{content_url}/verification-results/latest")),
        "pb:matrix-for-consumer-version": titled("All results for the version", urls.at(&matrix)),
        "curies": urls.curies(),
    });
    if let Some(all) = all_versions {
        links["pb:consumer-versions"] = all
            .iter()
            .map(|one| named("Consumer version", &one.version, urls.version(consumer, &one.version)))
            .collect();
    }
    let mut text = pacts::document(tx, of.content_id)?;
    // The stored text is an object: its members stay byte for byte, ours follow.
    text.pop();
    if text.len() > 1 {
        text.push(',');
    }
    let created_at = time::iso(of.created_at);
    Ok(format!("{text}\"createdAt\":\"{created_at}\",\"_links\":{links}}}"))
}

fn answer(rq: &Request, tx: &mut Tx<'_>, of: Option<Publication>) -> Outcome {
    let of = of.ok_or_else(not_found)?;
    let text = document(tx, &rq.urls, &of, None, None)?;
    Ok(Reply::text(200, Media::Hal, text))
}

fn answer_latest(rq: &Request, tx: &mut Tx<'_>, which: Which<'_>) -> Outcome {
    let of = which_one(rq, tx, which)?;
    let metadata = Metadata {
        versions: vec![of.version_id],
        ..Metadata::default()
    };
    let text = document(tx, &rq.urls, &of, Some(&metadata), None)?;
    Ok(Reply::text(200, Media::Hal, text).with("x-pact-consumer-version", header_safe(&of.version)))
}

/// A version's number as the value of a header, which holds no text of other scripts.
fn header_safe(number: &str) -> String {
    if number.is_ascii() {
        number.to_owned()
    } else {
        super::urls::encode(number)
    }
}

fn pair(rq: &Request, tx: &mut Tx<'_>) -> Result<(Pacticipant, Pacticipant), Failure> {
    let find = |tx: &mut Tx<'_>, role| pacticipants::find(tx, rq.name(role));
    match (find(tx, "consumer")?, find(tx, "provider")?) {
        (Some(consumer), Some(provider)) => Ok((consumer, provider)),
        _ => Err(not_found().into()),
    }
}

pub(super) fn which_one(rq: &Request, tx: &mut Tx<'_>, which: Which<'_>) -> Result<Publication, Failure> {
    let (consumer, provider) = pair(rq, tx)?;
    Ok(pacts::find(tx, consumer.id, provider.id, which)?.ok_or_else(not_found)?)
}

pub(super) fn of_version(rq: &Request, tx: &mut Tx<'_>) -> Result<Publication, Failure> {
    named_version(rq, tx, "version")
}

fn named_version(rq: &Request, tx: &mut Tx<'_>, role: &str) -> Result<Publication, Failure> {
    let (consumer, provider) = pair(rq, tx)?;
    let version = versions::find(tx, consumer.id, rq.name(role))?.ok_or_else(not_found)?;
    Ok(pacts::of_version(tx, version.id, provider.id)?.ok_or_else(not_found)?)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let found = of_version(rq, tx)?;
    answer(rq, tx, Some(found))
}

pub(super) fn latest(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    answer_latest(rq, tx, Which::Latest)
}

pub(super) fn latest_with_tag(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    answer_latest(rq, tx, Which::LatestWithTag(rq.name("tag")))
}

pub(super) fn latest_untagged(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    answer_latest(rq, tx, Which::LatestUntagged)
}

pub(super) fn latest_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    answer_latest(rq, tx, Which::LatestOnBranch(rq.name("branch")))
}

pub(super) fn latest_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    answer_latest(rq, tx, Which::LatestOnMainBranch)
}

/// The content that the address names, and the newest of the versions in the metadata that published it.
pub(super) fn of_content(
    rq: &Request,
    tx: &mut Tx<'_>,
    role: &str,
    metadata: Option<&Metadata>,
) -> Result<Publication, Failure> {
    let (consumer, provider) = pair(rq, tx)?;
    let content = pacts::content_id(tx, consumer.id, provider.id, rq.name(role))?.ok_or_else(not_found)?;
    let chosen = match metadata {
        Some(metadata) => pacts::of_content_in(tx, content, &metadata.versions)?,
        None => None,
    };
    if let Some(chosen) = chosen {
        return Ok(chosen);
    }
    Ok(pacts::newest_of_content(tx, content)?.ok_or_else(not_found)?)
}

pub(super) fn metadata_of(rq: &Request) -> Option<Metadata> {
    query::value(&rq.names, "metadata").map(Metadata::of)
}

pub(super) fn show_content(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let metadata = metadata_of(rq);
    let of = of_content(rq, tx, "sha", metadata.as_ref())?;
    let chosen = match &metadata {
        Some(metadata) => {
            let mut chosen = pacts::of_versions(tx, &metadata.versions)?;
            chosen.retain(|one| one.content_id == of.content_id);
            chosen
        }
        None => Vec::new(),
    };
    let all = if chosen.is_empty() {
        std::slice::from_ref(&of)
    } else {
        &chosen
    };
    let text = document(tx, &rq.urls, &of, metadata.as_ref(), Some(all))?;
    Ok(Reply::text(200, Media::Hal, text))
}

pub(super) fn previous_distinct(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let of = of_version(rq, tx)?;
    let before = pacts::previous_distinct(tx, &of)?;
    answer(rq, tx, before)
}

fn difference(tx: &mut Tx<'_>, older: &Publication, newer: &Publication) -> Outcome {
    let name = |one: &Publication| format!("{} {} with {}", one.consumer, one.version, one.provider);
    let text = if older.content_id == newer.content_id {
        format!("{} and {} say the same.\n", name(older), name(newer))
    } else {
        let (before, after) = (
            pacts::document(tx, older.content_id)?,
            pacts::document(tx, newer.content_id)?,
        );
        format!(
            "From {} to {}:\n\n{}",
            name(older),
            name(newer),
            content::text_diff(&before, &after)
        )
    };
    Ok(Reply::text(200, Media::Text, text))
}

pub(super) fn diff_previous_distinct(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let newer = of_version(rq, tx)?;
    let older = pacts::previous_distinct(tx, &newer)?.ok_or_else(not_found)?;
    difference(tx, &older, &newer)
}

pub(super) fn diff_with_version(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let (newer, older) = (of_version(rq, tx)?, named_version(rq, tx, "other")?);
    difference(tx, &older, &newer)
}

pub(super) fn diff_of_contents(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let (newer, older) = (of_content(rq, tx, "sha", None)?, of_content(rq, tx, "other", None)?);
    difference(tx, &older, &newer)
}

// Many.

fn body_in_list(urls: &Urls, one: &Publication) -> Value {
    let version = short_version(urls, &one.consumer, &one.version);
    json!({
        "createdAt": time::iso(one.created_at),
        "_embedded": { "consumerVersion": version },
        "_links": { "self": {
            "href": urls.pact(&one.provider, &one.consumer, &one.version),
            "title": format!("Pact between {} ({}) and {}", one.consumer, one.version, one.provider),
        } },
    })
}

fn between(rq: &Request, tx: &mut Tx<'_>, filter: Filter<'_>) -> Outcome {
    let (consumer, provider) = rq.pair(tx)?;
    let page = rq.page()?;
    let (found, total) = pacts::list(tx, provider.id, Some(consumer.id), filter, page.unwrap_or(WHOLE))?;
    let total = page.map(|page| lists::Total { page, total });
    Ok(Reply::ok(&between_body(rq, &consumer, &provider, &found, total)))
}

fn between_body(
    rq: &Request,
    consumer: &Pacticipant,
    provider: &Pacticipant,
    found: &[Publication],
    total: Option<lists::Total>,
) -> Value {
    let urls = &rq.urls;
    let links: Vec<Value> = found
        .iter()
        .map(|one| {
            let name = format!("Version {} - {}", one.version, time::day(one.created_at));
            named("Pact", &name, urls.pact(&one.provider, &one.consumer, &one.version))
        })
        .collect();
    let mut reply = json!({
        "_embedded": { "pacts": found.iter().map(|one| body_in_list(urls, one)).collect::<Vec<_>>() },
        "_links": {
            "self": titled(&format!("Contracts of {} with {}", consumer.name, provider.name), rq.self_url()),
            "consumer": named("Consumer", &consumer.name, urls.pacticipant(&consumer.name)),
            "provider": named("Provider", &provider.name, urls.pacticipant(&provider.name)),
            "pact-versions": links,
        },
    });
    if let Some(total) = total {
        total.add_to(rq, &mut reply);
    }
    reply
}

pub(super) fn all_between(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    between(rq, tx, Filter::All)
}

pub(super) fn all_between_with_tag(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    between(rq, tx, Filter::Tag(rq.name("tag")))
}

pub(super) fn all_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    between(rq, tx, Filter::Branch(rq.name("branch")))
}

pub(super) fn all_between_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    between(rq, tx, Filter::MainBranch)
}

fn latest_between(rq: &Request, tx: &mut Tx<'_>, which: Which<'_>) -> Outcome {
    let (consumer, provider) = rq.pair(tx)?;
    let found: Vec<Publication> = pacts::find(tx, consumer.id, provider.id, which)?.into_iter().collect();
    Ok(Reply::ok(&between_body(rq, &consumer, &provider, &found, None)))
}

pub(super) fn latest_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    latest_between(rq, tx, Which::LatestOnBranch(rq.name("branch")))
}

pub(super) fn latest_between_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    latest_between(rq, tx, Which::LatestOnMainBranch)
}

fn of_provider(rq: &Request, provider: &Pacticipant, found: &[Publication], total: Option<lists::Total>) -> Reply {
    let urls = &rq.urls;
    let to = |one: &Publication, before: &str| {
        let title = format!(
            "{before}Pact between {} ({}) and {}",
            one.consumer, one.version, one.provider
        );
        json!({ "href": urls.pact(&one.provider, &one.consumer, &one.version), "title": title, "name": one.consumer })
    };
    let links: Vec<Value> = found.iter().map(|one| to(one, "")).collect();
    let old_links: Vec<Value> = found.iter().map(|one| to(one, "Deprecated: see pb:pacts. ")).collect();
    let mut reply = json!({
        "_links": {
            "self": titled(&format!("Contracts with {}", provider.name), rq.self_url()),
            "pb:provider": { "href": urls.pacticipant(&provider.name), "name": provider.name },
            "pb:pacts": links,
            "provider": {
                "href": urls.pacticipant(&provider.name),
                "title": provider.name,
                "name": "DEPRECATED: see pb:provider",
            },
            "pacts": old_links,
        },
    });
    if let Some(total) = total {
        total.add_to(rq, &mut reply);
    }
    Reply::ok(&reply)
}

fn provider_latest(rq: &Request, tx: &mut Tx<'_>, which: Which<'_>) -> Outcome {
    let provider = rq.party(tx, "provider")?;
    let found = pacts::latest_of_each(tx, provider.id, which)?;
    Ok(of_provider(rq, &provider, &found, None))
}

fn provider_all(rq: &Request, tx: &mut Tx<'_>, filter: Filter<'_>) -> Outcome {
    let provider = rq.party(tx, "provider")?;
    let page = rq.page()?;
    let (mut found, total) = pacts::list(tx, provider.id, None, filter, page.unwrap_or(WHOLE))?;
    found.reverse();
    Ok(of_provider(
        rq,
        &provider,
        &found,
        page.map(|page| lists::Total { page, total }),
    ))
}

pub(super) fn latest_of_provider(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_latest(rq, tx, Which::Latest)
}

pub(super) fn latest_of_provider_with_tag(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_latest(rq, tx, Which::LatestWithTag(rq.name("tag")))
}

pub(super) fn latest_of_provider_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_latest(rq, tx, Which::LatestOnBranch(rq.name("branch")))
}

pub(super) fn latest_of_provider_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_latest(rq, tx, Which::LatestOnMainBranch)
}

pub(super) fn all_of_provider(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_all(rq, tx, Filter::All)
}

pub(super) fn all_of_provider_with_tag(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_all(rq, tx, Filter::Tag(rq.name("tag")))
}

pub(super) fn all_of_provider_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_all(rq, tx, Filter::Branch(rq.name("branch")))
}

pub(super) fn all_of_provider_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    provider_all(rq, tx, Filter::MainBranch)
}

pub(super) fn latest_of_all(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let urls = &rq.urls;
    let found = pacts::latest_of_all(tx, rq.page()?.unwrap_or(WHOLE))?;
    let latest = |one: &Publication| format!("{}/latest", urls.pair(&one.provider, &one.consumer));
    let bodies: Vec<Value> = found
        .iter()
        .map(|one| {
            let version = short_version(urls, &one.consumer, &one.version);
            json!({
                "createdAt": time::iso(one.created_at),
                "_embedded": {
                    "consumer": {
                        "name": one.consumer,
                        "_embedded": { "version": version },
                        "_links": { "self": link(urls.pacticipant(&one.consumer)) },
                    },
                    "provider": { "name": one.provider, "_links": { "self": link(urls.pacticipant(&one.provider)) } },
                },
                "_links": {
                    "self": [link(latest(one)), link(urls.pact(&one.provider, &one.consumer, &one.version))],
                },
            })
        })
        .collect();
    let title = |one: &Publication| format!("The newest contract of {} with {}", one.consumer, one.provider);
    let links: Vec<Value> = found.iter().map(|one| titled(&title(one), latest(one))).collect();
    let old: Vec<Value> = found
        .iter()
        .map(|one| named(&title(one), "DEPRECATED: see pb:pacts", latest(one)))
        .collect();
    Ok(Reply::ok(&json!({
        "pacts": bodies,
        "_links": {
            "self": link(urls.at("/pacts/latest")),
            "pb:pacts": links,
            "pacts": old,
            "curies": urls.curies(),
        },
    })))
}

// Writing one.

fn sent(rq: &Request) -> Result<Content, Failure> {
    let content = Content::read(rq.utf8()?.as_bytes()).map_err(|error| match error {
        ContentError::Json(text) => Reply::error(400, format!("The contract is not JSON: {text}.")),
        other => Reply::error(400, format!("The contract cannot be kept: {other}.")),
    })?;
    let mut errors = FieldErrors::new();
    for role in ["consumer", "provider"] {
        let expected = rq.name(role);
        if let Some(found) = content.name_of(role).filter(|found| *found != expected) {
            let text = format!("{found:?} in the contract is not {expected:?} in the address");
            errors.push((format!("{role}.name"), text));
        }
    }
    if errors.is_empty() {
        Ok(content)
    } else {
        Err(invalid(errors).into())
    }
}

fn keep(rq: &Request, tx: &mut Tx<'_>, merge: bool) -> Outcome {
    let mut content = sent(rq)?;
    for role in ["consumer", "provider", "version"] {
        super::request::check_name(rq.name(role)).map_err(|text| super::reply::invalid_field(role, text))?;
    }
    super::publish::refuse_similar(tx, [rq.name("consumer"), rq.name("provider")].into_iter()).map_err(|text| {
        match text {
            super::publish::Similar::Names(text) => Failure::from(Reply::error(409, text)),
            super::publish::Similar::Store(error) => Failure::Store(error),
        }
    })?;
    let (consumer, _) = pacticipants::find_or_create(tx, rq.name("consumer"), rq.now)?;
    let (provider, _) = pacticipants::find_or_create(tx, rq.name("provider"), rq.now)?;
    let (version, _) = versions::find_or_create(tx, consumer.id, rq.name("version"), rq.now)?;
    // What is there is read and replaced by one at a time.
    tx.hold("version", version.id)?;
    let before = pacts::of_version(tx, version.id, provider.id)?;
    if let Some(before) = before.filter(|before| before.sha != content.sha) {
        if !merge {
            let text = super::publish::cannot_change(&consumer.name, &version.number, &provider.name);
            return Err(Reply::error(409, text).into());
        }
        content = super::publish::merged(tx, &before, &content).map_err(|failed| match failed {
            super::publish::NotMerged::Conflict(text) => Failure::from(Reply::error(409, text)),
            super::publish::NotMerged::Store(error) => Failure::Store(error),
        })?;
    }
    let published = pacts::publish(tx, &version, provider.id, &content, rq.now)?;
    let kept = pacts::of_version(tx, version.id, provider.id)?.ok_or_else(not_found)?;
    let text = document(tx, &rq.urls, &kept, None, None)?;
    let status = if published == Published::New { 201 } else { 200 };
    Ok(Reply::text(status, Media::Hal, text))
}

pub(super) fn put(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    keep(rq, tx, false)
}

pub(super) fn merge(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    keep(rq, tx, true)
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let of = of_version(rq, tx)?;
    pacts::delete(tx, of.consumer_id, of.provider_id, Some(of.version_id), Filter::All)?;
    Ok(Reply::empty(204))
}

fn delete_between(rq: &Request, tx: &mut Tx<'_>, filter: Filter<'_>) -> Outcome {
    let (consumer, provider) = rq.pair(tx)?;
    pacts::delete(tx, consumer.id, provider.id, None, filter)?;
    Ok(Reply::empty(204))
}

pub(super) fn delete_all_between(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    delete_between(rq, tx, Filter::All)
}

pub(super) fn delete_all_between_with_tag(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    delete_between(rq, tx, Filter::Tag(rq.name("tag")))
}

pub(super) fn delete_all_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    delete_between(rq, tx, Filter::Branch(rq.name("branch")))
}

pub(super) fn provider_states(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    states(rq, tx, Which::LatestOnMainBranch)
}

pub(super) fn provider_states_on_branch(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    states(rq, tx, Which::LatestOnBranch(rq.name("branch")))
}

pub(super) fn provider_states_in_environment(rq: &Request, tx: &mut Tx<'_>) -> Outcome {
    let provider = rq.party(tx, "provider")?;
    let environment = super::environments::named(rq, tx)?;
    let wanted = crate::domain::selector::Wanted {
        selectors: vec![crate::domain::selector::Selector {
            consumer: None,
            criterion: crate::domain::selector::Criterion::Present {
                deployed: true,
                released: true,
                environment: Some(environment.name),
            },
        }],
        ..Default::default()
    };
    let chosen = crate::sql::selection::choose(tx, provider.id, &wanted)?;
    let found: Vec<Publication> = chosen.into_iter().map(|one| one.publication).collect();
    Ok(Reply::ok(&json!({ "providerStates": states_of(tx, &found)? })))
}

fn states(rq: &Request, tx: &mut Tx<'_>, which: Which<'_>) -> Outcome {
    let provider = rq.party(tx, "provider")?;
    let found = pacts::latest_of_each(tx, provider.id, which)?;
    Ok(Reply::ok(&json!({ "providerStates": states_of(tx, &found)? })))
}

/// Each state once, with the consumers that name it.
fn states_of(tx: &mut Tx<'_>, found: &[Publication]) -> Result<Vec<Value>, StoreError> {
    let mut known: Vec<(content::State, Vec<String>)> = Vec::new();
    for one in found {
        for state in content::provider_states(&pacts::document(tx, one.content_id)?) {
            match known.iter_mut().find(|(other, _)| *other == state) {
                None => known.push((state, vec![one.consumer.clone()])),
                Some((_, consumers)) if consumers.contains(&one.consumer) => {}
                Some((_, consumers)) => consumers.push(one.consumer.clone()),
            }
        }
    }
    known.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    let body = |(state, consumers): (content::State, Vec<String>)| {
        let mut body = json!({ "name": state.name, "consumers": consumers });
        if let Some(parameters) = state
            .parameters
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        {
            body["params"] = parameters;
        }
        body
    };
    Ok(known.into_iter().map(body).collect())
}
