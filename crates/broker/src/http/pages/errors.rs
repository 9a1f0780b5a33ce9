//! Converts error responses to pages.

use contract_pages::Shell;
use contract_pages::pages::problem::Problem;
use serde_json::Value;

use super::super::problem::details;
use super::super::reply::Reply;
use super::reply;

/// Replaces an error for API clients with a page, and keeps its headers.
pub(in crate::http) fn error(shell: &Shell, found: Reply) -> Reply {
    let problem = Problem {
        status: found.status,
        details: details(&found.body),
        applications: suggestions(&found.body),
    };
    let mut page = reply(found.status, problem.page(shell));
    page.headers.extend(found.headers);
    page.denial = found.denial;
    page
}

/// Returns the names of applications that the user may have meant.
fn suggestions(body: &str) -> Vec<String> {
    let parsed: Value = serde_json::from_str(body).unwrap_or_default();
    let names = parsed["suggestions"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
