//! Converts error responses to pages.

use contract_pages::Shell;
use contract_pages::pages::problem::Problem;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::super::problem::details;
use super::super::reply::{NOT_FOUND, Reply};
use super::super::urls::encode;
use super::reply;

/// Converts an error response for API clients to a page with the same status and headers.
pub fn error(shell: &Shell, found: Reply) -> Reply {
    let body: Value = serde_json::from_str(&found.body).unwrap_or_default();
    let names = body["suggestions"].as_array().into_iter().flatten();
    let mut details = details(&found.body);
    let mut links = Vec::new();
    if body["error"] == NOT_FOUND
        && let Some((text, elsewhere)) = missing(&shell.target)
    {
        details = vec![text];
        links = elsewhere;
    }
    let problem = Problem {
        status: found.status,
        details,
        applications: names.filter_map(Value::as_str).map(str::to_owned).collect(),
        deleted_at: body["deletedAt"].as_i64(),
        links,
    };
    let mut page = reply(found.status, problem.page(shell));
    page.headers.extend(found.headers);
    page.denial = found.denial;
    page
}

/// A link: its path and its text.
type Link = (String, String);

/// Describes the resource that does not exist at `target`, and returns links to related pages. Returns `None` for other
/// paths.
fn missing(target: &str) -> Option<(String, Vec<Link>)> {
    let path = target.split('?').next().unwrap_or_default();
    let decoded: Vec<String> = path
        .split('/')
        .skip(1)
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
        .collect();
    let segments: Vec<&str> = decoded.iter().map(String::as_str).collect();
    let application = |name: &str| (format!("/pacticipants/{}", encode(name)), name.to_owned());
    let webhooks = || ("/webhooks".to_owned(), "Webhooks".to_owned());
    match segments.as_slice() {
        ["pacts" | "pact", "provider", provider, "consumer", consumer, rest @ ..] => {
            let latest = format!(
                "/pacts/provider/{}/consumer/{}/latest",
                encode(provider),
                encode(consumer)
            );
            let text = match rest {
                ["version" | "versions", number] => {
                    format!("{consumer} {number} has not published a contract with {provider}.")
                }
                ["version" | "versions", number, "diff", "previous-distinct"] => {
                    format!(
                        "{consumer} {number} has not published a contract with {provider}, or no earlier contract has different content."
                    )
                }
                _ => format!("This contract between {consumer} and {provider} does not exist."),
            };
            let mut links = vec![application(consumer), application(provider)];
            if *rest != ["latest"] {
                links.insert(0, (latest, "Latest contract".to_owned()));
            }
            Some((text, links))
        }
        ["pacticipants", name, "versions", number] => {
            let versions = (
                format!("/pacticipants/{}/versions", encode(name)),
                format!("Versions of {name}"),
            );
            Some((
                format!("Version {number} of {name} does not exist."),
                vec![versions, application(name)],
            ))
        }
        ["webhooks", ..] => Some((
            "The webhook does not exist, or was deleted.".to_owned(),
            vec![webhooks()],
        )),
        ["triggered-webhooks", ..] => Some((
            "The delivery does not exist, or its log was deleted.".to_owned(),
            vec![webhooks()],
        )),
        ["admin", "users", name, ..] => {
            let users = ("/admin/users".to_owned(), "Users".to_owned());
            Some((format!("User {name} does not exist."), vec![users]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn names_what_is_missing() {
        for (target, text, link) in [
            (
                "/pacts/provider/users/consumer/web%20shop/version/1?page=2",
                "web shop 1 has not published a contract with users.",
                "/pacts/provider/users/consumer/web%20shop/latest",
            ),
            (
                "/pacts/provider/users/consumer/web/latest",
                "This contract between web and users does not exist.",
                "/pacticipants/web",
            ),
            (
                "/pacticipants/web/versions/9",
                "Version 9 of web does not exist.",
                "/pacticipants/web/versions",
            ),
            (
                "/webhooks/x/edit",
                "The webhook does not exist, or was deleted.",
                "/webhooks",
            ),
            ("/admin/users/tom/change", "User tom does not exist.", "/admin/users"),
        ] {
            let (found, links) = missing(target).unwrap_or_default();
            assert_eq!((found.as_str(), links[0].0.as_str()), (text, link));
        }
        assert_eq!(missing("/nowhere"), None);
    }
}
