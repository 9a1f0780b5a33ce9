//! Lists of contracts: of a provider, of an integration, and of all integrations.

use serde_json::{Value, json};

use crate::http::lists::Total;
use crate::http::pacticipants::short_version;
use crate::http::params::Param;
use crate::http::reply::{HandlerResult, Reply};
use crate::http::request::Request;
use crate::http::urls::{Urls, link, named, titled};
use contract_broker_core::domain::time;
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::pacts::{self, PactFilter, PactQuery, Publication};
use contract_broker_core::store::Tx;

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

fn between(rq: &Request, tx: &mut Tx<'_>, filter: PactFilter<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    let page = rq.page()?;
    let (found, total) = pacts::list(tx, provider.id, Some(consumer.id), filter, page.unwrap_or(UNPAGED))?;
    let total = page.map(|page| Total { page, total });
    Ok(Reply::ok(&between_body(
        rq,
        (&consumer, &provider),
        filter,
        &found,
        total,
    )))
}

fn between_body(
    rq: &Request,
    (consumer, provider): (&Pacticipant, &Pacticipant),
    filter: PactFilter<'_>,
    found: &[Publication],
    total: Option<Total>,
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
            "self": titled(&format!("Contracts between {} and {}", consumer.name, provider.name), rq.self_url()),
        },
    });
    // The Pact Broker prefixes the relations of one of these lists.
    let prefix = if matches!(filter, PactFilter::Tag(_)) {
        "pb:"
    } else {
        ""
    };
    let mut add = |relation: &str, link: Value| reply["_links"][format!("{prefix}{relation}")] = link;
    add(
        "consumer",
        named("Consumer", &consumer.name, urls.pacticipant(&consumer.name)),
    );
    add(
        "provider",
        named("Provider", &provider.name, urls.pacticipant(&provider.name)),
    );
    add("pact-versions", links.into());
    if let Some(total) = total {
        total.add_to(rq, &mut reply);
    }
    reply
}

pub(in crate::http) fn all_between(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::All)
}

pub(in crate::http) fn all_between_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::Tag(rq.param(Param::Tag)))
}

pub(in crate::http) fn all_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::Branch(rq.param(Param::Branch)))
}

pub(in crate::http) fn all_between_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::MainBranch)
}

fn latest_between(rq: &Request, tx: &mut Tx<'_>, which: PactQuery<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    let found: Vec<Publication> = pacts::find(tx, consumer.id, provider.id, which)?.into_iter().collect();
    Ok(Reply::ok(&between_body(
        rq,
        (&consumer, &provider),
        PactFilter::All,
        &found,
        None,
    )))
}

pub(in crate::http) fn latest_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    latest_between(rq, tx, PactQuery::LatestOnBranch(rq.param(Param::Branch)))
}

pub(in crate::http) fn latest_between_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    latest_between(rq, tx, PactQuery::LatestOnMainBranch)
}

fn of_provider(rq: &Request, provider: &Pacticipant, found: &[Publication], total: Option<Total>) -> Reply {
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

fn provider_latest(rq: &Request, tx: &mut Tx<'_>, which: PactQuery<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let found = pacts::latest_of_each(tx, provider.id, which)?;
    Ok(of_provider(rq, &provider, &found, None))
}

fn provider_all(rq: &Request, tx: &mut Tx<'_>, filter: PactFilter<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let page = rq.page()?;
    let (mut found, total) = pacts::list(tx, provider.id, None, filter, page.unwrap_or(UNPAGED))?;
    found.reverse();
    Ok(of_provider(
        rq,
        &provider,
        &found,
        page.map(|page| Total { page, total }),
    ))
}

pub(in crate::http) fn latest_of_provider(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::Latest)
}

pub(in crate::http) fn latest_of_provider_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::LatestWithTag(rq.param(Param::Tag)))
}

pub(in crate::http) fn latest_of_provider_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::HeadOfBranch(rq.param(Param::Branch)))
}

pub(in crate::http) fn latest_of_provider_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::HeadOfMainBranch)
}

pub(in crate::http) fn all_of_provider(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::All)
}

pub(in crate::http) fn all_of_provider_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::Tag(rq.param(Param::Tag)))
}

pub(in crate::http) fn all_of_provider_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::Branch(rq.param(Param::Branch)))
}

pub(in crate::http) fn all_of_provider_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::MainBranch)
}

pub(in crate::http) fn latest_of_all(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let urls = &rq.urls;
    let found = pacts::latest_of_all(tx, rq.page()?.unwrap_or(UNPAGED))?;
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
    let title = |one: &Publication| format!("The latest contract between {} and {}", one.consumer, one.provider);
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
