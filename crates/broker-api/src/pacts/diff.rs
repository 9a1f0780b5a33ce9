//! Handlers that compare two contracts.

use super::{named_version, of_content, of_version};
use crate::params::Param;
use crate::reply::{HandlerResult, Media, Reply, not_found};
use crate::request::Request;
use contract_broker_core::sql::pacts::{self, Publication};
use contract_broker_core::store::Tx;
use contract_broker_domain::content;

fn difference(tx: &mut Tx<'_>, older: &Publication, newer: &Publication) -> HandlerResult {
    let name = |publication: &Publication| {
        format!(
            "{} {} with {}",
            publication.consumer, publication.version, publication.provider
        )
    };
    let text = if older.content_id == newer.content_id {
        format!("{} and {} have the same content.\n", name(older), name(newer))
    } else {
        let (before, after) = (
            pacts::document(tx, older.content_id)?,
            pacts::document(tx, newer.content_id)?,
        );
        format!(
            "Changes from {} to {}:\n\n{}",
            name(older),
            name(newer),
            content::text_diff(&before, &after)
        )
    };
    Ok(Reply::text(200, Media::Text, text))
}

pub(crate) fn previous_distinct(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let newer = of_version(rq, tx)?;
    let older = pacts::previous_distinct(tx, &newer)?.ok_or_else(not_found)?;
    difference(tx, &older, &newer)
}

pub(crate) fn with_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (newer, older) = (of_version(rq, tx)?, named_version(rq, tx, Param::Other)?);
    difference(tx, &older, &newer)
}

pub(crate) fn between_contents(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (newer, older) = (
        of_content(rq, tx, Param::Sha, None)?,
        of_content(rq, tx, Param::Other, None)?,
    );
    difference(tx, &older, &newer)
}
