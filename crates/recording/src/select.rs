//! Selects the exchanges with one API from all exchanges of an application.

use std::collections::BTreeSet;

use contract_model::Query;

use crate::exchange::{Captured, Exchange, Skipped};

/// Maximum number of origins that an error lists.
const ORIGINS: usize = 20;

/// The exchanges with one API, and those that were skipped.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    pub exchanges: Vec<Exchange>,
    pub skipped: Vec<Skipped>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// No target is set, and the requests go to multiple origins.
    #[error("the requests go to multiple origins: {}. Set the target to one of them", .0.join(", "))]
    SeveralOrigins(Vec<String>),
    #[error("there are no requests to {0}")]
    NoRequests(String),
}

/// Selects the exchanges whose URLs start with `target`, and makes their paths relative to it. Without a target, all
/// requests must go to one origin. Pages, scripts, styles, images, and fonts are skipped.
pub fn select(captured: Vec<Captured>, target: Option<&str>) -> Result<Selected, SelectionError> {
    let Some(target) = target
        .map(str::to_owned)
        .map_or_else(|| only_origin(&captured), |target| Ok(Some(target)))?
    else {
        return Ok(Selected::default());
    };
    let mut selected = Selected::default();
    for Captured { url, mut exchange } in captured {
        let Some(rest) = below(&url, &target) else {
            continue;
        };
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        exchange.path = if path.is_empty() { "/" } else { path }.into();
        exchange.query = Query::parse(query);
        // The bodies are decoded.
        for name in ["content-encoding", "content-length", "transfer-encoding"] {
            exchange.response_headers.remove(name);
        }
        match unsuitable(&exchange) {
            Some(reason) => selected.skipped.push(Skipped {
                request: format!("{} {}", exchange.method, contract_report::redact::text(&exchange.path)),
                reason: reason.to_owned(),
            }),
            None => selected.exchanges.push(exchange),
        }
    }
    Ok(selected)
}

/// Returns the only origin to which API requests were sent, or `None` if there are no API requests.
fn only_origin(captured: &[Captured]) -> Result<Option<String>, SelectionError> {
    let suitable = captured
        .iter()
        .filter(|Captured { exchange, .. }| exchange.status != 0 && exchange.problem.is_none())
        .filter(|one| unsuitable(&one.exchange).is_none());
    let mut origins: BTreeSet<String> = suitable.filter_map(|one| origin(&one.url)).collect();
    match origins.len() {
        0 | 1 => Ok(origins.pop_first()),
        _ => Err(SelectionError::SeveralOrigins(
            origins.into_iter().take(ORIGINS).collect(),
        )),
    }
}

/// Returns the scheme and the authority of a URL, without a user name and password. Returns `None` if it is not an HTTP
/// or HTTPS URL.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    matches!(scheme, "http" | "https").then(|| format!("{scheme}://{host}"))
}

/// Returns the part of a URL after `target`: a path and a query. Returns `None` if the URL is not below `target`.
fn below<'a>(url: &'a str, target: &str) -> Option<&'a str> {
    let target = target.trim_end_matches('/');
    // The URL of the archive may contain a user name, and the target does not.
    let without_user = || {
        let (_, after) = url.split_once("://")?;
        let path = &after[after.find(['/', '?', '#']).unwrap_or(after.len())..];
        path.strip_prefix(target.strip_prefix(origin(url)?.as_str())?)
    };
    let rest = url.strip_prefix(target).or_else(without_user)?;
    let rest = rest.split('#').next().unwrap_or_default();
    match rest {
        "" => Some("/"),
        rest if rest.starts_with('/') || rest.starts_with('?') => Some(rest),
        _ => None,
    }
}

/// Returns why an exchange is not a request to an API, or `None` if it is one.
fn unsuitable(exchange: &Exchange) -> Option<&'static str> {
    let declared = exchange.response_headers.content_type();
    let is_static = declared.is_some_and(|declared| {
        matches!(declared.main_type(), "image" | "font" | "audio" | "video")
            || matches!(
                declared.subtype(),
                "html" | "css" | "javascript" | "x-javascript" | "ecmascript" | "wasm"
            )
    });
    if exchange.method == "GET" && is_static && (200..400).contains(&exchange.status) {
        return Some("it is a page, script, style, image, or font");
    }
    (exchange.status == 304).then_some("the response came from a cache (304)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(url: &str, kind: &str) -> Captured {
        Captured {
            url: url.into(),
            exchange: Exchange {
                method: "GET".into(),
                status: 200,
                response_headers: [("Content-Type", kind), ("Content-Encoding", "gzip")]
                    .into_iter()
                    .collect(),
                ..Exchange::default()
            },
        }
    }

    #[test]
    fn the_only_origin_of_api_requests_is_selected() {
        let page = captured("https://shop.example/", "text/html");
        let api = captured("https://me:pw@api.example/v1/orders?page=2#top", "application/json");
        let selected = select(vec![page.clone(), api.clone()], None).unwrap();
        assert_eq!(selected.exchanges[0].path, "/v1/orders");
        assert_eq!(selected.exchanges[0].query.to_text(), "page=2");
        assert_eq!(selected.exchanges[0].response_headers.get("content-encoding"), None);
        let below = select(vec![page.clone(), api.clone()], Some("https://api.example/v1/")).unwrap();
        assert_eq!(below.exchanges[0].path, "/orders");
        let other = captured("https://other.example/", "application/json");
        assert_eq!(
            select(vec![api, other], None).unwrap_err().to_string(),
            "the requests go to multiple origins: https://api.example, https://other.example. Set the target to one of them"
        );
        assert!(select(vec![page], None).unwrap().exchanges.is_empty());
    }
}
