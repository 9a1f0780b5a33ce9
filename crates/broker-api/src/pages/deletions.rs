//! Collects the data for the page with deletions that can be undone.

use contract_pages::Query;
use contract_pages::pages::Pages;
use contract_pages::pages::admin::deletions::{Deletion as View, Deletions};
use serde_json::Value;

use super::super::problem::Problem;
use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::{list_page, see_other};
use contract_broker_core::cases::deletions::UNDO_TIME;
use contract_broker_core::sql::{Page, deletions};
use contract_broker_core::store::Tx;

/// Maximum number of deletions on a page.
const SIZE: i64 = 50;

pub(crate) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let number = rq.page()?.map_or(1, |page| page.number);
    let (found, total) = deletions::list(tx, Some(Page { number, size: SIZE }))?;
    let view = |deletion: deletions::Deletion| View {
        uuid: deletion.uuid,
        kind: deletion.kind,
        name: deletion.name,
        deleted_at: deletion.created_at,
        undoable_until: deletion.created_at.saturating_add(UNDO_TIME),
    };
    let pages = Pages {
        number,
        size: SIZE,
        total,
    };
    let view = Deletions {
        query: Query::new(rq.query.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
        pages,
        deletions: found.into_iter().map(view).collect(),
        notice: None,
    };
    Ok(list_page(pages, view.page(&rq.shell())))
}

pub(crate) fn undone(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, "/deletions"))
}
