//! Collects the data for the HTML pages. `contract-pages` renders them.

pub(super) mod application;
mod assets;
pub(super) mod audit;
pub(super) mod can_i_deploy;
pub(super) mod deletions;
pub(super) mod diff;
pub(super) mod environments;
mod errors;
pub(super) mod first_steps;
pub(super) mod graph;
mod labels;
pub(super) mod matrix;
mod overview;
mod owners;
pub(super) mod pact;
pub(super) mod retention;
pub(super) mod samples;
pub(super) mod tokens;
pub(super) mod users;
pub(super) mod webhooks;

pub(super) use assets::{favicon, script, style};
pub use errors::error;
pub(super) use overview::show as overview;
pub use webhooks::tested;

use contract_pages::pages::Pages;
use contract_pages::{Scopes, Status};

use super::fields::FormFields;
use super::reply::{HandlerError, Media, Reply, invalid};
use super::request::Request;
use contract_broker_core::cases::integrations::ContractStatus;

/// The Content-Security-Policy header. It forbids content from other sites, inline scripts and styles, and embedding in
/// frames.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Creates the response with an HTML page.
pub fn reply(status: u16, text: String) -> Reply {
    Reply::text(status, Media::Html, text)
        .with("content-security-policy", POLICY)
        .with("cache-control", "no-store")
        .with("referrer-policy", "same-origin")
        .with("x-frame-options", "DENY")
}

/// Rejects query parameters with values other than the allowed ones. `choices` contains names with their allowed
/// values.
fn check_choices(rq: &Request, choices: &[(&str, &[&str])]) -> Result<(), HandlerError> {
    let errors = choices.iter().filter_map(|(name, values)| {
        let sent = rq.query_value(name)?;
        let is_known = sent.is_empty() || values.contains(&sent);
        (!is_known).then(|| ((*name).to_owned(), format!("must be one of: {}", values.join(", "))))
    });
    let errors: Vec<(String, String)> = errors.collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(invalid(errors).into())
    }
}

/// Creates a redirect (status 303) to another page of the broker.
fn see_other(rq: &Request, path: &str) -> Reply {
    Reply::empty(303).with("location", rq.urls.at(path))
}

/// Parses a JSON array of strings. Returns an empty list if it is invalid.
fn names(array: &str) -> Vec<String> {
    serde_json::from_str(array).unwrap_or_default()
}

/// Returns the scopes that were selected in a form.
fn scopes_of(fields: &FormFields) -> Scopes {
    Scopes::from_form(|scope| fields.has("scope", scope), |scope| fields.text(scope))
}

fn page(text: String) -> Reply {
    reply(200, text)
}

/// Creates the response with a page of a list. Its status is 404 if the page number is too high.
fn list_page(pages: Pages, text: String) -> Reply {
    reply(if pages.is_beyond_end() { 404 } else { 200 }, text)
}

fn status(status: ContractStatus) -> Status {
    match status {
        ContractStatus::Verified => Status::Verified,
        ContractStatus::Failed => Status::Failed,
        ContractStatus::Changed => Status::Stale,
        ContractStatus::Pending => Status::Pending,
        ContractStatus::Wip => Status::Wip,
        ContractStatus::Unverified => Status::Unverified,
    }
}
