//! The dashboard, relationships, metrics, badges, and health checks.

use std::collections::{HashMap, HashSet};

use contract_pages::BadgeTone;
use serde_json::{Map, Value, json};

use super::matrix;
use super::pacts::{find_publication, of_version};
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Media, Reply, not_found};
use super::request::Request;
use super::urls::{link, titled};
use contract_broker_core::sql::deliveries::{self, DeliveryStatus, LastDelivery};
use contract_broker_core::sql::pacticipants::{self, Integration};
use contract_broker_core::sql::pacts::{self, PactQuery, Publication};
use contract_broker_core::sql::results::{self, VerificationResult};
use contract_broker_core::sql::{Page, UNPAGED, branches, overview, tags};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::content;
use contract_broker_domain::time;
use contract_broker_domain::verdict::Verdict;

// The dashboard.

pub(super) fn dashboard(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (found, total) = pacticipants::integrations(tx, page.unwrap_or(Page { number: 1, size: 100 }))?;
    let mut reply = json!({ "items": items(rq, tx, &found)?, "_links": { "self": link(rq.self_url()) } });
    if let Some(page) = page {
        super::lists::Total { page, total }.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

pub(super) fn dashboard_of_pair(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    let mut found = pacticipants::integrations_of(tx, consumer.id)?;
    found.retain(|one| one.consumer_id == consumer.id && one.provider_id == provider.id);
    Ok(Reply::ok(
        &json!({ "items": items(rq, tx, &found)?, "_links": { "self": link(rq.self_url()) } }),
    ))
}

/// Maximum number of tags per consumer for which the dashboard shows the latest contract.
const MAX_TAGS: i64 = 100;

/// Returns the dashboard's items: the latest contract of each integration, and its latest contract with each tag. The
/// number of SQL statements does not depend on the number of items.
fn items(rq: &Request, tx: &mut Tx<'_>, found: &[Integration]) -> Result<Vec<Value>, StoreError> {
    let consumers: HashSet<i64> = found.iter().map(|publication| publication.consumer_id).collect();
    let consumers: Vec<i64> = consumers.into_iter().collect();
    let mut publications = pacts::latest_of_consumers(tx, &consumers)?;
    publications.extend(pacts::tagged_of_consumers(tx, &consumers, MAX_TAGS)?);
    let mut known = HashSet::new();
    let mut by_pair: HashMap<(i64, i64), Vec<Publication>> = HashMap::new();
    for publication in publications {
        if known.insert(publication.id) {
            by_pair
                .entry((publication.consumer_id, publication.provider_id))
                .or_default()
                .push(publication);
        }
    }
    let visible: Vec<Publication> = found
        .iter()
        .filter_map(|publication| by_pair.remove(&(publication.consumer_id, publication.provider_id)))
        .flatten()
        .collect();
    let contents: Vec<i64> = visible.iter().map(|publication| publication.content_id).collect();
    let versions: Vec<i64> = visible.iter().map(|publication| publication.version_id).collect();
    let results = results::latest_of_each(tx, &contents)?;
    let consumers: Vec<i64> = visible.iter().map(|publication| publication.consumer_id).collect();
    let deliveries: HashMap<(i64, i64), LastDelivery> = deliveries::last_of_consumers(tx, &consumers)?
        .into_iter()
        .map(|last| ((last.consumer_id, last.provider_id), last))
        .collect();
    let mut heads: HashMap<i64, Vec<String>> = HashMap::new();
    for branch in branches::of_versions(tx, &versions)?
        .into_iter()
        .filter(|branch| branch.is_head)
    {
        heads.entry(branch.version_id).or_default().push(branch.name);
    }
    let mut tags: HashMap<i64, Vec<String>> = HashMap::new();
    for tag in tags::of_versions(tx, &versions)?
        .into_iter()
        .filter(|tag| tag.is_latest)
    {
        tags.entry(tag.version_id).or_default().push(tag.name);
    }
    let names = |by_version: &HashMap<i64, Vec<String>>, publication: &Publication| {
        by_version.get(&publication.version_id).cloned().unwrap_or_default()
    };
    Ok(visible
        .iter()
        .map(|publication| {
            let mut item = item(
                rq,
                publication,
                results.get(&publication.content_id),
                &names(&heads, publication),
                &names(&tags, publication),
            );
            add_delivery(
                rq,
                &mut item,
                publication,
                deliveries.get(&(publication.consumer_id, publication.provider_id)),
            );
            item
        })
        .collect())
}

fn item(
    rq: &Request,
    publication: &Publication,
    result: Option<&VerificationResult>,
    heads: &[String],
    tags: &[String],
) -> Value {
    let urls = &rq.urls;
    let tags: Vec<Value> = tags
        .iter()
        .map(|tag| {
            let itself = link(urls.tag(&publication.consumer, &publication.version, tag));
            json!({ "name": tag, "latest": true, "_links": { "self": itself } })
        })
        .collect();
    let (status, provider_version, result_body) = match result {
        None => ("never", Value::Null, Value::Null),
        Some(result) => {
            let (status, body) = (status(result), result_summary(rq, publication, result));
            let number = &result.provider_version;
            let version =
                json!({ "number": number, "_links": { "self": link(urls.version(&publication.provider, number)) } });
            (status, version, body)
        }
    };
    json!({
        "consumer": {
            "name": publication.consumer,
            "version": {
                "number": publication.version,
                "branch": heads.last(),
                "headBranchNames": heads,
                "_links": { "self": link(urls.version(&publication.consumer, &publication.version)) },
            },
            "_links": { "self": link(urls.pacticipant(&publication.consumer)) },
        },
        "provider": {
            "name": publication.provider,
            "version": provider_version,
            "_links": { "self": link(urls.pacticipant(&publication.provider)) },
        },
        "pact": {
            "createdAt": time::iso(publication.created_at),
            "_links": { "self": link(urls.pact(&publication.provider, &publication.consumer, &publication.version)) },
        },
        "pactTags": tags,
        "latestVerificationResult": result_body,
        "latestVerificationResultTags": [],
        "verificationStatus": status,
    })
}

/// Adds the status of the last webhook request for the integration.
fn add_delivery(rq: &Request, item: &mut Value, publication: &Publication, last: Option<&LastDelivery>) {
    item["webhookStatus"] = match last.map(|last| last.status) {
        None => "none",
        Some(DeliveryStatus::NotRun) => "notrun",
        Some(status) => status.name(),
    }
    .into();
    item["latestWebhookExecution"] =
        last.map_or(Value::Null, |last| json!({ "triggeredAt": time::iso(last.created_at) }));
    let pair = rq.urls.pair(&publication.provider, &publication.consumer);
    let title = format!(
        "Status of webhooks for {}/{} pact",
        publication.consumer, publication.provider
    );
    item["_links"] = json!({ "pb:webhook-status": titled(&title, format!("{pair}/webhooks/status")) });
}

fn status(result: &VerificationResult) -> &'static str {
    if result.success { "success" } else { "failed" }
}

fn result_summary(rq: &Request, publication: &Publication, result: &VerificationResult) -> Value {
    let content = rq
        .urls
        .content(&publication.provider, &publication.consumer, &publication.sha);
    json!({
        "success": result.success,
        "verifiedAt": time::iso(result.created_at),
        "_links": { "self": link(format!("{content}/verification-results/{}", result.number)) },
    })
}

// Relationships.

/// Quotes a CSV field if necessary. A leading apostrophe prevents spreadsheet programs from evaluating it as a formula.
fn csv_field(text: &str) -> String {
    // Some programs also separate cells at semicolons and tabs, and ignore spaces before a formula.
    const SEPARATORS: [char; 5] = [',', ';', '\t', '\n', '\r'];
    let is_formula = |cell: &str| {
        let is_ignored = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}' | '"');
        let cell = cell.trim_start_matches(is_ignored);
        cell.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
    };
    let text = if text.starts_with(['\t', '\r']) || is_formula(text) {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    let mut cells = text.split_inclusive(SEPARATORS);
    let mut text = cells.next().unwrap_or_default().to_owned();
    for cell in cells {
        if is_formula(cell) {
            text.push('\'');
        }
        text.push_str(cell);
    }
    if text.contains(['"', ',', ';', '\t', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

fn csv(found: &[Integration]) -> Reply {
    let lines = found
        .iter()
        .map(|one| format!("{},{}\n", csv_field(&one.consumer), csv_field(&one.provider)));
    Reply::text(200, Media::Csv, lines.collect())
}

pub(super) fn relationships(_: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    Ok(csv(&pacticipants::integrations(tx, UNPAGED)?.0))
}

/// Returns, as CSV, all integrations that are directly or indirectly connected to an application.
pub(super) fn group(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let first = rq.pacticipant(tx)?;
    let (all, _) = pacticipants::integrations(tx, UNPAGED)?;
    let mut reached = HashSet::from([first.id]);
    let mut waiting = vec![first.id];
    let mut neighbours: HashMap<i64, Vec<i64>> = HashMap::new();
    for integration in &all {
        neighbours
            .entry(integration.consumer_id)
            .or_default()
            .push(integration.provider_id);
        neighbours
            .entry(integration.provider_id)
            .or_default()
            .push(integration.consumer_id);
    }
    while let Some(next) = waiting.pop() {
        for other in neighbours.get(&next).into_iter().flatten() {
            if reached.insert(*other) {
                waiting.push(*other);
            }
        }
    }
    let group: Vec<Integration> = all
        .into_iter()
        .filter(|integration| reached.contains(&integration.consumer_id))
        .collect();
    Ok(csv(&group))
}

// Metrics.

fn spread(groups: &[(i64, i64)]) -> Value {
    let members: Map<String, Value> = groups
        .iter()
        .map(|(size, count)| (size.to_string(), (*count).into()))
        .collect();
    json!({ "distribution": members })
}

pub(super) fn metrics(_: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let mut sizes = (0, 0);
    for publication in pacts::latest_of_all(tx, Page { number: 1, size: 1_000 })? {
        let (interactions, messages) = content::sizes(&pacts::document(tx, publication.content_id)?);
        sizes = (sizes.0 + interactions, sizes.1 + messages);
    }
    let moment = |at: Option<i64>| at.map(time::iso);
    let (first_pact, last_pact) = overview::span(tx, "publication")?;
    let (first_result, last_result) = overview::span(tx, "result")?;
    let mut count = |source: &str| overview::count(tx, source);
    let branched = count("(SELECT DISTINCT version_id FROM branch_version) b")?;
    let body = json!({
        "interactions": {
            "latestInteractionsCount": sizes.0,
            "latestMessagesCount": sizes.1,
            "latestInteractionsAndMessagesCount": sizes.0 + sizes.1,
        },
        "pacticipants": {
            "count": count("pacticipant")?,
            "withMainBranchSetCount": count("pacticipant WHERE main_branch IS NOT NULL")?,
        },
        "integrations": { "count": count("integration")? },
        "pactPublications": { "count": count("publication")?, "first": moment(first_pact), "last": moment(last_pact) },
        "pactVersions": { "count": count("content")? },
        "verificationResults": {
            "count": count("result")?,
            "successCount": count("result WHERE success = 1")?,
            "failureCount": count("result WHERE success = 0")?,
            "distinctCount": count("latest_result")?,
            "first": moment(first_result),
            "last": moment(last_result),
        },
        "pacticipantVersions": {
            "count": count("version")?,
            "withUserCreatedBranchCount":
                count("(SELECT DISTINCT version_id FROM branch_version WHERE automatic = 0) b")?,
            "withBranchCount": branched,
            "withBranchSetCount": branched,
        },
        "tags": {
            "count": count("tag")?,
            "distinctCount": count("(SELECT DISTINCT name FROM tag) t")?,
            "distinctWithPacticipantCount": count("tag_head")?,
        },
        "webhooks": { "count": count("webhook")? },
        "triggeredWebhooks": { "count": count("delivery")? },
        "webhookExecutions": { "count": count("delivery_attempt")? },
        // Like the Pact Broker, do not count rows: their number grows with the product of the numbers of versions.
        "matrix": { "count": -1 },
        "environments": { "count": count("environment")? },
        "deployedVersions": {
            "count": count("deployment")?,
            "userCreatedCount": count("deployment")?,
            "currentlyDeployedCount": count("deployment WHERE is_current = 1")?,
        },
        "releasedVersions": {
            "count": count("released")?,
            "currentlySupportedCount": count("released WHERE is_current = 1")?,
        },
    });
    let mut body = body;
    body["pactRevisionsPerConsumerVersion"] =
        spread(&overview::distribution(tx, "publication", "version_id, provider_id")?);
    body["verificationResultsPerPactVersion"] = spread(&overview::distribution(tx, "result", "content_id")?);
    Ok(Reply::ok(&body))
}

// Badges.

fn badge(label: &str, text: &str, tone: BadgeTone) -> Reply {
    Reply::text(200, Media::Svg, contract_pages::badge(label, text, tone))
}

/// Truncates a name to 60 characters, for a badge.
fn shortened(name: &str) -> String {
    const MAX: usize = 60;
    if name.chars().count() <= MAX {
        name.to_owned()
    } else {
        name.chars().take(MAX - 1).chain(['…']).collect()
    }
}

fn verification_badge(rq: &Request, tx: &mut Tx<'_>, publication: Option<Publication>) -> HandlerResult {
    let label = rq.query_value("label").map_or_else(
        || {
            format!(
                "{}/{} pact",
                shortened(rq.param(Param::Consumer)),
                shortened(rq.param(Param::Provider))
            )
        },
        shortened,
    );
    let result = match publication {
        Some(publication) => results::latest(tx, publication.content_id)?,
        None => None,
    };
    Ok(badge_of_result(&label, result.map(|result| result.success)))
}

fn badge_of_result(label: &str, success: Option<bool>) -> Reply {
    match success {
        None => badge(label, "unknown", BadgeTone::Neutral),
        Some(true) => badge(label, "verified", BadgeTone::Good),
        Some(false) => badge(label, "failed", BadgeTone::Bad),
    }
}

/// Converts an error with a 4xx status to `None`, so that the badge shows "unknown" instead of an error.
fn or_unknown<T>(found: Result<T, HandlerError>) -> Result<Option<T>, HandlerError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(HandlerError::Rejected(reply)) if (400..500).contains(&reply.status) => Ok(None),
        Err(failure) => Err(failure),
    }
}

pub(super) fn badge_of_latest(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = or_unknown(find_publication(rq, tx, PactQuery::Latest))?;
    verification_badge(rq, tx, publication)
}

pub(super) fn badge_of_latest_untagged(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = or_unknown(find_publication(rq, tx, PactQuery::LatestUntagged))?;
    verification_badge(rq, tx, publication)
}

pub(super) fn badge_of_latest_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = or_unknown(find_publication(rq, tx, PactQuery::LatestWithTag(rq.param(Param::Tag))))?;
    verification_badge(rq, tx, publication)
}

pub(super) fn badge_of_tags(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let success = or_unknown(matrix::verified_between_tags(rq, tx))?.flatten();
    let participant = |role: Param, tag: Param| format!("{} ({})", shortened(rq.param(role)), shortened(rq.param(tag)));
    let label = format!(
        "{}/{} pact",
        participant(Param::Consumer, Param::Tag),
        participant(Param::Provider, Param::To)
    );
    Ok(badge_of_result(
        &rq.query_value("label").map_or(label, shortened),
        success,
    ))
}

pub(super) fn badge_of_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = or_unknown(of_version(rq, tx))?;
    verification_badge(rq, tx, publication)
}

#[expect(clippy::unnecessary_wraps, reason = "all handlers have this signature")]
fn verdict_badge(label: &str, verdict: Option<&Verdict>) -> HandlerResult {
    let is_deployable = |verdict: &Verdict| match verdict.deployable {
        // A missing result cannot repair a failure. The page says the same.
        None if verdict.failed > 0 => Some(false),
        answer => answer,
    };
    Ok(match verdict.and_then(is_deployable) {
        Some(true) => badge(label, "yes", BadgeTone::Good),
        Some(false) => badge(label, "no", BadgeTone::Bad),
        None => badge(label, "unknown", BadgeTone::Neutral),
    })
}

pub(super) fn badge_of_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let verdict = or_unknown(matrix::verdict_of_tag(rq, tx))?;
    let label = format!(
        "can-i-deploy {} {}",
        shortened(rq.param(Param::Tag)),
        shortened(rq.param(Param::To))
    );
    verdict_badge(&shortened(rq.query_value("label").unwrap_or(&label)), verdict.as_ref())
}

pub(super) fn badge_of_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let verdict = or_unknown(matrix::verdict_of_branch(rq, tx))?;
    let label = format!(
        "can-i-deploy {} {}",
        shortened(rq.param(Param::Branch)),
        shortened(rq.param(Param::Environment))
    );
    verdict_badge(&shortened(rq.query_value("label").unwrap_or(&label)), verdict.as_ref())
}

pub(super) fn badge_of_merge(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let verdict = or_unknown(matrix::verdict_of_merge(rq, tx))?;
    verdict_badge(
        &shortened(rq.query_value("label").unwrap_or("can-i-merge")),
        verdict.as_ref(),
    )
}

// Health checks.

pub(super) fn heartbeat(rq: &Request) -> Reply {
    let url = rq.urls.at("/diagnostic/status/heartbeat");
    let body = json!({ "ok": true, "_links": { "self": link(url) } });
    Reply::text(200, Media::Hal, body.to_string())
}

pub(super) fn dependencies(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    if tx.number("SELECT count(*) FROM schema_version", &[])? == 0 {
        return Err(not_found().into());
    }
    let url = rq.urls.at("/diagnostic/status/dependencies");
    Ok(Reply::ok(
        &json!({ "database": { "ok": true }, "_links": { "self": link(url) } }),
    ))
}

#[cfg(test)]
mod tests {
    use super::csv_field;

    #[test]
    fn cells_are_never_formulas() {
        for (name, cell) in [
            ("web-shop", "web-shop"),
            ("a; b", "\"a; b\""),
            ("=1", "'=1"),
            ("a;=1", "\"a;'=1\""),
            ("a,=1", "\"a,'=1\""),
            ("a\t@b", "\"a\t'@b\""),
            (" =1", "' =1"),
            ("\u{a0}+1", "'\u{a0}+1"),
            ("\u{feff}-1", "'\u{feff}-1"),
            ("\"=1", "\"'\"\"=1\""),
            ("\r=1", "\"'\r'=1\""),
            ("＝1", "'＝1"),
        ] {
            assert_eq!(csv_field(name), cell);
        }
    }
}
