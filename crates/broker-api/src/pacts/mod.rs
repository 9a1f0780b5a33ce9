//! Handlers that read one contract.

pub(super) mod diff;
pub(super) mod lists;
pub(super) mod writes;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Media, Reply, not_found, to_json};
use super::request::Request;
use super::urls::{Urls, link, named, template, titled};
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::pacts::{self, PactQuery, Publication};
use contract_broker_core::sql::versions;
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::query;
use contract_broker_domain::time;

/// Why a contract was selected for verification. This is encoded in the contract's URL, which clients send back with
/// the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    /// IDs of the consumer versions that the selectors matched.
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

    /// Decodes the metadata in a URL. Invalid parts are ignored.
    pub(super) fn parse(text: &str) -> Self {
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

/// Returns the JSON of a contract with its links.
fn document(
    tx: &mut Tx<'_>,
    urls: &Urls,
    publication: &Publication,
    metadata: Option<&Metadata>,
    all_versions: Option<&[Publication]>,
) -> Result<String, StoreError> {
    let (consumer, provider, number) = (
        publication.consumer.as_str(),
        publication.provider.as_str(),
        publication.version.as_str(),
    );
    let pair = urls.pair(provider, consumer);
    let url = urls.pact(provider, consumer, number);
    let content_url = urls.content(provider, consumer, &publication.sha);
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
        "pb:pact-version": named("Content of the pact", &publication.sha, &content_url),
        "pb:latest-pact-version": titled("The latest pact of the integration", format!("{pair}/latest")),
        "pb:all-pact-versions": titled("All pacts of the integration", format!("{pair}/versions")),
        "pb:latest-untagged-pact-version": titled("The latest pact without tags", format!("{pair}/latest-untagged")),
        "pb:latest-tagged-pact-version": template("The latest pact with a tag", format!("{pair}/latest/{{tag}}")),
        "pb:previous-distinct": titled("The previous pact with different content", format!("{url}/previous-distinct")),
        "pb:diff-previous-distinct": titled("The diff between the previous pact with different content and this one", format!("{url}/diff/previous-distinct")),
        "pb:diff": template("The diff with other content", format!("{content_url}/diff/pact-version/{{pactVersion}}")),
        "pb:pact-webhooks": titled(
            &format!("Webhooks for the pact between {consumer} and {provider}"),
            urls.pair_webhooks(provider, consumer),
        ),
        "pb:consumer-webhooks": titled(
            &format!("Webhooks for all pacts with consumer {consumer}"),
            urls.at(&format!("/webhooks/consumer/{}", super::urls::encode(consumer))),
        ),
        "pb:triggered-webhooks":
            titled("Webhooks triggered by the publication of the contract", format!("{url}/triggered-webhooks")),
        "pb:tag-prod-version": titled("Tags the version with prod (PUT)", urls.tag(consumer, number, "prod")),
        "pb:tag-version": template("Tags the version (PUT)", urls.tag(consumer, number, "") + "{tag}"),
        "pb:publish-verification-results":
            titled("Publishes a verification result (POST)", format!("{content_url}{with_metadata}/verification-results")),
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
    let mut text = pacts::document(tx, publication.content_id)?;
    // The stored text is an object. Its members are preserved byte for byte, and new members follow.
    text.pop();
    if text.len() > 1 {
        text.push(',');
    }
    let created_at = time::iso(publication.created_at);
    let members = ["\"createdAt\":\"", &created_at, "\",\"_links\":", &to_json(&links), "}"];
    text.push_str(&members.concat());
    Ok(text)
}

fn answer(rq: &Request, tx: &mut Tx<'_>, publication: Option<Publication>) -> HandlerResult {
    let publication = publication.ok_or_else(not_found)?;
    let text = document(tx, &rq.urls, &publication, None, None)?;
    Ok(Reply::text(200, Media::Hal, text))
}

fn answer_latest(rq: &Request, tx: &mut Tx<'_>, query: PactQuery<'_>) -> HandlerResult {
    let publication = find_publication(rq, tx, query)?;
    let metadata = Metadata {
        versions: vec![publication.version_id],
        ..Metadata::default()
    };
    let text = document(tx, &rq.urls, &publication, Some(&metadata), None)?;
    Ok(Reply::text(200, Media::Hal, text).with("x-pact-consumer-version", header_safe(&publication.version)))
}

/// Returns a version number for a header value. Non-ASCII characters are percent-encoded.
fn header_safe(number: &str) -> String {
    if number.is_ascii() {
        number.to_owned()
    } else {
        super::urls::encode(number)
    }
}

fn pair(rq: &Request, tx: &mut Tx<'_>) -> Result<(Pacticipant, Pacticipant), HandlerError> {
    match rq.find_pair(tx)? {
        [Some(consumer), Some(provider)] => Ok((consumer, provider)),
        _ => Err(not_found().into()),
    }
}

pub(super) fn find_publication(
    rq: &Request,
    tx: &mut Tx<'_>,
    query: PactQuery<'_>,
) -> Result<Publication, HandlerError> {
    let named = (rq.param(Param::Consumer), rq.param(Param::Provider));
    Ok(pacts::find_named(tx, named, query)?.ok_or_else(not_found)?)
}

pub(super) fn of_version(rq: &Request, tx: &mut Tx<'_>) -> Result<Publication, HandlerError> {
    named_version(rq, tx, Param::Version)
}

pub(super) fn named_version(rq: &Request, tx: &mut Tx<'_>, param: Param) -> Result<Publication, HandlerError> {
    let (consumer, provider) = pair(rq, tx)?;
    let version = versions::find(tx, consumer.id, rq.param(param))?.ok_or_else(not_found)?;
    Ok(pacts::of_version(tx, version.id, provider.id)?.ok_or_else(not_found)?)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = of_version(rq, tx)?;
    answer(rq, tx, Some(found))
}

pub(super) fn latest(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    answer_latest(rq, tx, PactQuery::Latest)
}

pub(super) fn latest_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    answer_latest(rq, tx, PactQuery::LatestWithTag(rq.param(Param::Tag)))
}

pub(super) fn latest_untagged(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    answer_latest(rq, tx, PactQuery::LatestUntagged)
}

pub(super) fn latest_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    answer_latest(rq, tx, PactQuery::LatestOnBranch(rq.param(Param::Branch)))
}

pub(super) fn latest_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    answer_latest(rq, tx, PactQuery::LatestOnMainBranch)
}

/// Finds the contract content whose SHA is in the path. Of the consumer versions that published it, prefers the latest
/// one in the metadata, and otherwise uses the newest one.
pub(super) fn of_content(
    rq: &Request,
    tx: &mut Tx<'_>,
    param: Param,
    metadata: Option<&Metadata>,
) -> Result<Publication, HandlerError> {
    let named = (rq.param(Param::Consumer), rq.param(Param::Provider));
    let content = pacts::content_named(tx, named, rq.param(param))?.ok_or_else(not_found)?;
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
    rq.params.get(Param::Metadata).map(Metadata::parse)
}

pub(super) fn show_content(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let metadata = metadata_of(rq);
    let publication = of_content(rq, tx, Param::Sha, metadata.as_ref())?;
    let chosen = match &metadata {
        Some(metadata) => {
            let mut chosen = pacts::of_versions(tx, &metadata.versions)?;
            chosen.retain(|one| one.content_id == publication.content_id);
            chosen
        }
        None => Vec::new(),
    };
    let all = if chosen.is_empty() {
        std::slice::from_ref(&publication)
    } else {
        &chosen
    };
    let text = document(tx, &rq.urls, &publication, metadata.as_ref(), Some(all))?;
    Ok(Reply::text(200, Media::Hal, text))
}

pub(super) fn previous_distinct(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = of_version(rq, tx)?;
    let before = pacts::previous_distinct(tx, &publication)?;
    answer(rq, tx, before)
}
