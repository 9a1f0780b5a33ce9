//! Lists of contracts: of a provider, of an integration, and of all integrations.

use serde_json::{Value, json};

use crate::lists::Total;
use crate::pacticipants::short_version;
use crate::params::Param;
use crate::reply::{HandlerResult, Reply};
use crate::request::Request;
use crate::urls::{Urls, link, named, titled};
use contract_broker_core::sql::UNPAGED;
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::pacts::{self, PactFilter, PactQuery, Publication};
use contract_broker_core::store::Tx;
use contract_broker_domain::time;

fn body_in_list(urls: &Urls, publication: &Publication) -> Value {
    let version = short_version(urls, &publication.consumer, &publication.version);
    json!({
        "createdAt": time::iso(publication.created_at),
        "_embedded": { "consumerVersion": version },
        "_links": { "self": {
            "href": urls.pact(&publication.provider, &publication.consumer, &publication.version),
            "title": format!("Pact between {} ({}) and {}", publication.consumer, publication.version, publication.provider),
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
        .map(|publication| {
            let name = format!(
                "Version {} - {}",
                publication.version,
                time::day(publication.created_at)
            );
            named(
                "Pact",
                &name,
                urls.pact(&publication.provider, &publication.consumer, &publication.version),
            )
        })
        .collect();
    let mut reply = json!({
        "_embedded": { "pacts": found.iter().map(|publication| body_in_list(urls, publication)).collect::<Vec<_>>() },
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

pub(crate) fn all_between(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::All)
}

pub(crate) fn all_between_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::Tag(rq.param(Param::Tag)))
}

pub(crate) fn all_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::Branch(rq.param(Param::Branch)))
}

pub(crate) fn all_between_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    between(rq, tx, PactFilter::MainBranch)
}

fn latest_between(rq: &Request, tx: &mut Tx<'_>, query: PactQuery<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    let found: Vec<Publication> = pacts::find(tx, consumer.id, provider.id, query)?.into_iter().collect();
    Ok(Reply::ok(&between_body(
        rq,
        (&consumer, &provider),
        PactFilter::All,
        &found,
        None,
    )))
}

pub(crate) fn latest_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    latest_between(rq, tx, PactQuery::LatestOnBranch(rq.param(Param::Branch)))
}

pub(crate) fn latest_between_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    latest_between(rq, tx, PactQuery::LatestOnMainBranch)
}

fn of_provider(rq: &Request, provider: &Pacticipant, found: &[Publication], total: Option<Total>) -> Reply {
    let urls = &rq.urls;
    let to = |publication: &Publication, before: &str| {
        let title = format!(
            "{before}Pact between {} ({}) and {}",
            publication.consumer, publication.version, publication.provider
        );
        json!({ "href": urls.pact(&publication.provider, &publication.consumer, &publication.version), "title": title, "name": publication.consumer })
    };
    let links: Vec<Value> = found.iter().map(|publication| to(publication, "")).collect();
    let old_links: Vec<Value> = found
        .iter()
        .map(|publication| to(publication, "Deprecated: see pb:pacts. "))
        .collect();
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

fn provider_latest(rq: &Request, tx: &mut Tx<'_>, query: PactQuery<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let found = pacts::latest_of_each(tx, provider.id, query)?;
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

pub(crate) fn latest_of_provider(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::Latest)
}

pub(crate) fn latest_of_provider_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::LatestWithTag(rq.param(Param::Tag)))
}

pub(crate) fn latest_of_provider_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::HeadOfBranch(rq.param(Param::Branch)))
}

pub(crate) fn latest_of_provider_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_latest(rq, tx, PactQuery::HeadOfMainBranch)
}

pub(crate) fn all_of_provider(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::All)
}

pub(crate) fn all_of_provider_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::Tag(rq.param(Param::Tag)))
}

pub(crate) fn all_of_provider_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::Branch(rq.param(Param::Branch)))
}

pub(crate) fn all_of_provider_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    provider_all(rq, tx, PactFilter::MainBranch)
}

pub(crate) fn latest_of_all(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let urls = &rq.urls;
    let found = pacts::latest_of_all(tx, rq.page()?.unwrap_or(UNPAGED))?;
    let latest =
        |publication: &Publication| format!("{}/latest", urls.pair(&publication.provider, &publication.consumer));
    let bodies: Vec<Value> = found
        .iter()
        .map(|publication| {
            let version = short_version(urls, &publication.consumer, &publication.version);
            json!({
                "createdAt": time::iso(publication.created_at),
                "_embedded": {
                    "consumer": {
                        "name": publication.consumer,
                        "_embedded": { "version": version },
                        "_links": { "self": link(urls.pacticipant(&publication.consumer)) },
                    },
                    "provider": { "name": publication.provider, "_links": { "self": link(urls.pacticipant(&publication.provider)) } },
                },
                "_links": {
                    "self": [link(latest(publication)), link(urls.pact(&publication.provider, &publication.consumer, &publication.version))],
                },
            })
        })
        .collect();
    let title = |publication: &Publication| {
        format!(
            "The latest contract between {} and {}",
            publication.consumer, publication.provider
        )
    };
    let links: Vec<Value> = found
        .iter()
        .map(|publication| titled(&title(publication), latest(publication)))
        .collect();
    let old: Vec<Value> = found
        .iter()
        .map(|publication| named(&title(publication), "DEPRECATED: see pb:pacts", latest(publication)))
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
