//! The contracts for a provider to verify, with the reasons and the effect of a failure.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::pacts::Metadata;
use super::reply::{HandlerError, HandlerResult, Reply, invalid, invalid_field};
use super::request::Request;
use super::urls::titled;
use crate::domain::query;
use crate::domain::selector::{Criterion, Group, SelectionRequest, VerificationScope};
use crate::sql::environments;
use crate::sql::selection::{self, Chosen};
use crate::store::Tx;

pub(super) fn post(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let provider = rq.party(tx, "provider")?;
    let wanted = SelectionRequest::parse(&rq.object()?).map_err(invalid)?;
    answer(rq, tx, &provider.name, provider.id, &wanted, false)
}

/// The deprecated form, which some verifiers call first.
pub(super) fn get(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let provider = rq.party(tx, "provider")?;
    let wanted = SelectionRequest::parse(&of_query(&rq.query)).map_err(invalid)?;
    answer(rq, tx, &provider.name, provider.id, &wanted, true)
}

fn of_query(pairs: &[(String, String)]) -> Map<String, Value> {
    let typed = |text: &str| match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => Value::from(text),
    };
    let mut body = Map::new();
    let objects = query::objects(pairs, "consumer_version_selectors");
    let selectors: Vec<Value> = objects
        .iter()
        .map(|fields| {
            fields
                .iter()
                .map(|(name, value)| (camel_case(name), typed(value)))
                .collect::<Map<_, _>>()
                .into()
        })
        .collect();
    if !selectors.is_empty() {
        body.insert("consumerVersionSelectors".to_owned(), selectors.into());
    }
    let tags = query::list(pairs, "provider_version_tags");
    body.insert("providerVersionTags".to_owned(), tags.into());
    for name in ["provider_version_branch", "include_wip_pacts_since"] {
        if let Some(value) = query::value(pairs, name).filter(|value| !value.is_empty()) {
            body.insert(camel_case(name), value.into());
        }
    }
    if let Some(value) = query::value(pairs, "include_pending_status").filter(|value| !value.is_empty()) {
        body.insert("includePendingStatus".to_owned(), typed(value));
    }
    body
}

fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.chars() {
        match c {
            '_' => upper = true,
            c if std::mem::take(&mut upper) => out.extend(c.to_uppercase()),
            c => out.push(c),
        }
    }
    out
}

fn check_environments(tx: &mut Tx<'_>, wanted: &SelectionRequest) -> Result<(), HandlerError> {
    for (at, selector) in wanted.selectors.iter().enumerate() {
        if let Criterion::Present {
            environment: Some(name),
            ..
        } = &selector.criterion
            && environments::find_named(tx, name)?.is_none()
        {
            let text = format!("environment {name:?} does not exist (at index {at})");
            return Err(invalid_field("consumerVersionSelectors", text).into());
        }
    }
    Ok(())
}

fn answer(
    rq: &Request,
    tx: &mut Tx<'_>,
    provider: &str,
    id: i64,
    wanted: &SelectionRequest,
    is_old: bool,
) -> HandlerResult {
    check_environments(tx, wanted)?;
    let chosen = selection::choose(tx, id, wanted)?;
    let scopes = selection::scopes(tx, id, wanted)?;
    let can_have_wip = scopes.iter().all(|scope| scope.group != Group::Any);
    let mut candidates = match wanted.wip_since.filter(|_| can_have_wip) {
        Some(since) => selection::candidates(tx, id, since, &chosen)?,
        None => Vec::new(),
    };
    let contents: HashSet<i64> = chosen
        .iter()
        .map(|one| one.publication.content_id)
        .chain(candidates.iter().map(|one| one.content))
        .collect();
    let contents: Vec<i64> = contents.into_iter().collect();
    let successes = selection::successes(tx, &contents)?;
    let of = |content: i64| successes.get(&content).map(Vec::as_slice).unwrap_or_default();
    let unverified = |content: i64| -> Vec<&VerificationScope> {
        let scopes = scopes.iter();
        scopes
            .filter(|scope| scope.is_unverified_when_chosen(of(content)))
            .collect()
    };
    candidates.retain(|one| !unverified(one.content).is_empty());
    let in_progress = selection::in_full(tx, candidates)?;
    let mut pacts = Vec::new();
    for one in &chosen {
        let pending: Vec<&VerificationScope> = scopes
            .iter()
            .filter(|scope| scope.is_pending(of(one.publication.content_id)))
            .collect();
        let state = if !wanted.include_pending {
            State::NotAsked
        } else if pending.is_empty() {
            State::Verified
        } else {
            State::Pending
        };
        let concerned: Vec<&VerificationScope> = if pending.is_empty() {
            scopes.iter().collect()
        } else {
            pending
        };
        pacts.push(entry(rq, provider, one, state, &concerned, is_old));
    }
    for one in &in_progress {
        let unverified = unverified(one.publication.content_id);
        pacts.push(entry(rq, provider, one, State::WorkInProgress, &unverified, is_old));
    }
    let url = format!("{}/for-verification", rq.urls.provider(provider));
    Ok(Reply::ok(&json!({
        "_embedded": { "pacts": pacts },
        "_links": { "self": titled("Contracts to verify", url) },
    })))
}

/// The effect of a failed verification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NotAsked,
    Verified,
    Pending,
    WorkInProgress,
}

fn entry(
    rq: &Request,
    provider: &str,
    one: &Chosen,
    state: State,
    scopes: &[&VerificationScope],
    is_old: bool,
) -> Value {
    let publication = &one.publication;
    let short: Vec<String> = one.choices.iter().map(|choice| choice.reason.short()).collect();
    let is_pending = matches!(state, State::Pending | State::WorkInProgress);
    let mut versions: Vec<i64> = one.choices.iter().map(|choice| choice.version_id).collect();
    versions.sort_unstable();
    versions.dedup();
    let is_wip = state == State::WorkInProgress;
    let metadata = Metadata {
        versions,
        pending: is_pending,
        wip: is_wip,
    };
    let url = rq.urls.content(provider, &publication.consumer, &publication.sha);
    let mut properties = json!({ "notices": notices(provider, &url, one, state, scopes, is_old) });
    if state != State::NotAsked {
        properties["pending"] = is_pending.into();
    }
    if is_wip {
        properties["wip"] = true.into();
    }
    json!({
        "shortDescription": short.join(", "),
        "verificationProperties": properties,
        "_links": { "self": {
            "href": format!("{url}/metadata/{}", metadata.to_text()),
            "name": format!("Pact between {} ({}) and {provider}", publication.consumer, publication.version),
        } },
    })
}

/// Maximum number of versions and of names that one notice lists.
const MAX_LISTED: usize = 20;

/// Returns the first texts, followed by the number of omitted ones.
fn listed(mut texts: Vec<String>, more: impl Fn(usize) -> String) -> Vec<String> {
    let cut = texts.len().saturating_sub(MAX_LISTED);
    texts.truncate(MAX_LISTED);
    if cut > 0 {
        texts.push(more(cut));
    }
    texts
}

/// Describes the provider versions for which pending and work in progress are computed.
fn who(provider: &str, scopes: &[&VerificationScope]) -> String {
    let names: Vec<String> = scopes
        .iter()
        .filter_map(|scope| match &scope.group {
            Group::Branch(name) => Some(format!("branch {name}")),
            Group::Tag(name) => Some(format!("tag {name}")),
            Group::Any => None,
        })
        .collect();
    let names = listed(names, |more| format!("{more} more"));
    if names.is_empty() {
        provider.to_owned()
    } else {
        format!("{} of {provider}", names.join(" and "))
    }
}

fn notices(
    provider: &str,
    url: &str,
    one: &Chosen,
    state: State,
    scopes: &[&VerificationScope],
    is_old: bool,
) -> Vec<Value> {
    let who = who(provider, scopes);
    let consumer = &one.publication.consumer;
    let reasons: Vec<String> = one
        .choices
        .iter()
        .map(|choice| format!("\n    * {consumer} {}: {}", choice.version, choice.reason.long()))
        .collect();
    let reasons = listed(reasons, |more| format!("\n    * and {more} more versions")).concat();
    let before = |text: String| json!({ "when": "before_verification", "text": text });
    let mut notices = Vec::new();
    if is_old {
        notices.push(before(
            "The verifier requested this list with GET, which is deprecated. Update the verifier to use POST."
                .to_owned(),
        ));
    }
    if state == State::WorkInProgress {
        notices.push(before(format!(
            "The contract {url} is work in progress: it has not been verified successfully for {who}. It belongs to:{reasons}"
        )));
    } else {
        notices.push(before(format!(
            "The contract {url} is being verified because it belongs to:{reasons}"
        )));
    }
    match state {
        State::NotAsked => return notices,
        State::Verified => {
            notices.push(before(format!(
                "This contract has been verified successfully for {who}. A failure fails the build."
            )));
            return notices;
        }
        State::Pending | State::WorkInProgress => {
            notices.push(before(format!(
                "This contract is pending: it has not been verified successfully for {who}. A failure does not fail the build."
            )));
        }
    }
    let not_published = format!("This contract is still pending for {who}: the result was not published.");
    for (success, published, text) in [
        (true, false, not_published.clone()),
        (false, false, not_published),
        (
            true,
            true,
            format!("This contract is no longer pending for {who}. From now on, a failure fails the build."),
        ),
        (
            false,
            true,
            format!("This contract is still pending for {who}: the verification failed."),
        ),
    ] {
        let when = format!("after_verification:success_{success}_published_{published}");
        notices.push(json!({ "when": when, "text": text }));
    }
    notices
}
