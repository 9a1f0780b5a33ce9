//! Publishes one contract, and deletes contracts.

use serde_json::json;

use super::{document, of_version};
use crate::action::Prepared;
use crate::params::Param;
use crate::reply::{HandlerError, HandlerResult, Media, Reply, invalid, invalid_field};
use crate::request::{Request, check_name};
use crate::urls::titled;
use contract_broker_core::cases::publish;
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::pacts::{self, PactFilter, PactQuery, PublishEffect};
use contract_broker_core::store::Tx;
use contract_broker_domain::content::{Content, ContentError};
use contract_broker_domain::selector::FieldErrors;

fn sent(rq: &Request) -> Result<Content, HandlerError> {
    let content = rq.known_contents.read(rq.utf8()?.as_bytes().to_vec());
    let content = content.map_err(|error| match error {
        ContentError::Json(text) => Reply::error(400, format!("The contract is not valid JSON: {text}.")),
        other => Reply::error(400, format!("The contract is invalid: {other}.")),
    })?;
    let mut errors = FieldErrors::new();
    for role in [Param::Consumer, Param::Provider] {
        let expected = rq.param(role);
        if let Some(found) = content.name_of(role.name()).filter(|found| *found != expected) {
            let text = format!("must be {expected:?} as in the path, not {found:?}");
            errors.push((format!("{}.name", role.name()), text));
        }
    }
    if errors.is_empty() {
        Ok(content)
    } else {
        Err(invalid(errors).into())
    }
}

pub(crate) fn prepare_put(rq: &Request) -> Result<Prepared, HandlerError> {
    let content = sent(rq)?;
    Ok(Prepared::new(move |rq, tx| keep(rq, tx, &content, false)))
}

pub(crate) fn prepare_merge(rq: &Request) -> Result<Prepared, HandlerError> {
    let content = sent(rq)?;
    Ok(Prepared::new(move |rq, tx| keep(rq, tx, &content, true)))
}

fn keep(rq: &Request, tx: &mut Tx<'_>, content: &Content, merge: bool) -> HandlerResult {
    for param in [Param::Consumer, Param::Provider, Param::Version] {
        check_name(rq.param(param)).map_err(|text| invalid_field(param.name(), text))?;
    }
    let names = (
        rq.param(Param::Consumer),
        rq.param(Param::Version),
        rq.param(Param::Provider),
    );
    let (kept, effect) = publish::publish_contract(tx, rq.publish_settings(), names, content, merge)
        .map_err(|error| HandlerError::from_case(error, |rejection| Reply::error(409, rejection.to_string())))?;
    let text = document(tx, &rq.urls, &kept, None, None)?;
    let status = if effect == PublishEffect::New { 201 } else { 200 };
    Ok(Reply::text(status, Media::Hal, text).with_deliveries(true))
}

/// Creates the response after a deletion, with a link to the latest contract that remains between the consumer and the
/// provider, if any.
fn left(rq: &Request, tx: &mut Tx<'_>, consumer: &Pacticipant, provider: &Pacticipant) -> HandlerResult {
    let mut links = json!({ "index": { "href": rq.urls.base() } });
    if pacts::find(tx, consumer.id, provider.id, PactQuery::Latest)?.is_some() {
        let latest = format!("{}/latest", rq.urls.pair(&provider.name, &consumer.name));
        links["pb:latest-pact-version"] = titled("The latest pact of the integration", latest);
    }
    Ok(Reply::ok(&json!({ "_links": links })))
}

pub(crate) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = of_version(rq, tx)?;
    pacts::delete(
        tx,
        publication.consumer_id,
        publication.provider_id,
        Some(publication.version_id),
        PactFilter::All,
    )?;
    let (consumer, provider) = rq.pair(tx)?;
    left(rq, tx, &consumer, &provider)
}

fn delete_between(rq: &Request, tx: &mut Tx<'_>, filter: PactFilter<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    pacts::delete(tx, consumer.id, provider.id, None, filter)?;
    left(rq, tx, &consumer, &provider)
}

pub(crate) fn delete_all_between(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    pacts::delete(tx, consumer.id, provider.id, None, PactFilter::All)?;
    Ok(Reply::empty(204))
}

pub(crate) fn delete_all_between_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    delete_between(rq, tx, PactFilter::Tag(rq.param(Param::Tag)))
}

pub(crate) fn delete_all_between_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    delete_between(rq, tx, PactFilter::Branch(rq.param(Param::Branch)))
}
