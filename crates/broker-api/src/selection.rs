//! Lists the contracts that a provider must verify, with the reason for each, and whether a failure fails the build.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::pacts::Metadata;
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, invalid, invalid_field};
use super::request::Request;
use super::urls::titled;
use contract_broker_core::cases::selection::{self, PendingStatus, SelectedContract, SelectionNotice};
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::store::Tx;
use contract_broker_domain::query;
use contract_broker_domain::selector::SelectionRequest;

pub(super) fn post(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let request = SelectionRequest::parse(&rq.object()?).map_err(invalid)?;
    answer(rq, tx, &provider, &request, false)
}

/// Handles the deprecated GET request. Some verifiers send it before they use POST.
pub(super) fn get(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let request = SelectionRequest::parse(&body_from_query(&rq.query)).map_err(invalid)?;
    answer(rq, tx, &provider, &request, true)
}

fn body_from_query(pairs: &[(String, String)]) -> Map<String, Value> {
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

/// The response. It is not built from JSON values, because it has thousands of entries for providers with many consumers.
#[derive(Serialize)]
struct ContractsToVerify {
    #[serde(rename = "_embedded")]
    embedded: Embedded,
    #[serde(rename = "_links")]
    links: Value,
}

#[derive(Serialize)]
struct Embedded {
    pacts: Vec<Entry>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    short_description: String,
    verification_properties: VerificationProperties,
    #[serde(rename = "_links")]
    links: EntryLinks,
}

#[derive(Serialize)]
struct VerificationProperties {
    notices: Vec<Notice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wip: Option<bool>,
}

#[derive(Serialize)]
struct Notice {
    when: String,
    text: String,
}

#[derive(Serialize)]
struct EntryLinks {
    #[serde(rename = "self")]
    own: EntryLink,
}

#[derive(Serialize)]
struct EntryLink {
    href: String,
    name: String,
}

fn answer(
    rq: &Request,
    tx: &mut Tx<'_>,
    provider: &Pacticipant,
    request: &SelectionRequest,
    is_old: bool,
) -> HandlerResult {
    let selected = selection::select(tx, provider.id, request).map_err(|error| {
        HandlerError::from_case(error, |unknown| {
            invalid_field("consumerVersionSelectors", unknown.to_string())
        })
    })?;
    let name = &provider.name;
    let pacts = selected.iter().map(|one| entry(rq, name, one, is_old)).collect();
    let url = format!("{}/for-verification", rq.urls.provider(name));
    Ok(Reply::ok(&ContractsToVerify {
        embedded: Embedded { pacts },
        links: json!({ "self": titled("Contracts to verify", url) }),
    }))
}

fn entry(rq: &Request, provider: &str, selected: &SelectedContract, is_old: bool) -> Entry {
    let status = selected.status;
    let publication = &selected.publication;
    let short: Vec<String> = selected.choices.iter().map(|choice| choice.reason.short()).collect();
    let is_pending = matches!(status, PendingStatus::Pending | PendingStatus::WorkInProgress);
    let mut versions: Vec<i64> = selected.choices.iter().map(|choice| choice.version_id).collect();
    versions.sort_unstable();
    versions.dedup();
    let is_wip = status == PendingStatus::WorkInProgress;
    let metadata = Metadata {
        versions,
        pending: is_pending,
        wip: is_wip,
    };
    let url = rq.urls.content(provider, &publication.consumer, &publication.sha);
    Entry {
        short_description: short.join(", "),
        verification_properties: VerificationProperties {
            notices: notices(provider, &url, selected, is_old),
            pending: (status != PendingStatus::NotRequested).then_some(is_pending),
            wip: is_wip.then_some(true),
        },
        links: EntryLinks {
            own: EntryLink {
                href: format!("{url}/metadata/{}", metadata.to_text()),
                name: format!(
                    "Pact between {} ({}) and {provider}",
                    publication.consumer, publication.version
                ),
            },
        },
    }
}

fn notices(provider: &str, url: &str, selected: &SelectedContract, is_old: bool) -> Vec<Notice> {
    let deprecated = is_old.then(|| {
        SelectionNotice::before(
            "The verifier requested this list with GET, which is deprecated. Update the verifier to use POST.",
        )
    });
    deprecated
        .into_iter()
        .chain(selected.notices(provider, url))
        .map(|SelectionNotice { when, text }| Notice { when, text })
        .collect()
}
