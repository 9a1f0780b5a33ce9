//! Pagination of lists.

use serde_json::{Value, json};

use super::request::Request;
use super::urls::titled;
use contract_broker_core::sql::Page;

/// The requested page of a list, and the total number of its entries.
#[derive(Clone, Copy)]
pub(super) struct Total {
    pub(super) page: Page,
    pub(super) total: i64,
}

impl Total {
    /// Adds `page` with the page number and the totals, and the links to the next and previous pages.
    pub(super) fn add_to(self, rq: &Request, reply: &mut Value) {
        let Self { page, total } = self;
        let pages = (total + page.size - 1) / page.size;
        reply["page"] =
            json!({ "number": page.number, "size": page.size, "totalElements": total, "totalPages": pages });
        let path = rq.target.split('?').next().unwrap_or_default();
        // Other query parameters, such as a search, also apply to the other pages.
        let other_parameters: Vec<String> = rq
            .query
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "page" | "size" | "pageNumber" | "pageSize"))
            .map(|(name, value)| format!("&{}={}", super::urls::encode(name), super::urls::encode(value)))
            .collect();
        let other_parameters = other_parameters.concat();
        let at = |number: i64| {
            rq.urls
                .at(&format!("{path}?size={}&page={number}{other_parameters}", page.size))
        };
        if page.number < pages {
            reply["_links"]["next"] = titled("Next page", at(page.number + 1));
        }
        if page.number > 1 && page.number <= pages + 1 {
            reply["_links"]["previous"] = titled("Previous page", at(page.number - 1));
        }
    }
}
