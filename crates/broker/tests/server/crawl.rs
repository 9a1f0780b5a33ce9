//! Follows all links of all responses, and checks that each relation is documented.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use contract_broker::Database;
use serde_json::{Value, json};

use crate::support::{self, Running};

/// Relations whose target does not always exist. It must exist at least once in the crawl.
const MAY_BE_MISSING: [&str; 6] = [
    "pb:previous-distinct",
    "pb:diff-previous-distinct",
    "pb:latest-verification-results",
    "pb:latest-untagged-pact-version",
    "pb:tag",
    "pb:tag-version",
];
/// Relations that are used for writing. GET returns 404 until something was written.
const FOR_WRITING: [&str; 1] = ["pb:tag-prod-version"];
/// Relations that have no prefix such as `pb:`.
const OLD: [&str; 8] = [
    "self",
    "next",
    "previous",
    "curies",
    "pacts",
    "provider",
    "pact-versions",
    "consumer",
];

const ANYTHING: &str = "application/hal+json, application/json, text/plain, text/csv, image/svg+xml";

fn contract(at: u32) -> Value {
    let states = json!([{ "name": "orders exist", "params": { "count": at } }]);
    json!({ "interactions": [{ "description": "orders", "providerStates": states, "request": { "path": format!("/{at}") } }] })
}

/// Creates at least one resource of each kind. Returns the values for URL templates.
fn filled(broker: &Running) -> BTreeMap<&'static str, String> {
    let done = |method: &str, path: &str, body: &Value| {
        let answer = broker.json(method, path, body);
        assert_eq!(answer.status / 100, 2, "{method} {path}: {answer:?}");
        answer
    };
    let production = json!({ "name": "prod", "production": true, "contacts": [{ "name": "us" }] });
    let uuid = done("POST", "/environments", &production).json()["uuid"]
        .as_str()
        .expect("an id")
        .to_owned();
    let mut sha = String::new();
    let webhook = |participants: Value| {
        let mut webhook = participants;
        webhook["events"] = json!([{ "name": "contract_published" }, { "name": "provider_verification_published" }]);
        webhook["request"] = json!({ "method": "POST", "url": "https://localhost:1/" });
        // The value of the variable `uuid` is the ID of the environment.
        done("PUT", &format!("/webhooks/{uuid}"), &webhook);
    };
    webhook(json!({}));
    for version in 1..=4 {
        let branch = if version < 3 { "main" } else { "feat%2Fx" };
        done(
            "PUT",
            &format!("/pacticipants/Foo/branches/{branch}/versions/{version}"),
            &json!({}),
        );
        for provider in ["Bar", "Baz"] {
            let path = format!("/pacts/provider/{provider}/consumer/Foo/version/{version}");
            let pact = done("PUT", &path, &contract(version / 2)).json();
            pact["_links"]["pb:pact-version"]["name"]
                .as_str()
                .expect("a hash")
                .clone_into(&mut sha);
        }
        if version > 2 {
            continue;
        }
        done(
            "PUT",
            &format!("/pacticipants/Foo/versions/{version}/tags/dev"),
            &json!({}),
        );
        done("PUT", "/pacticipants/Bar/branches/main/versions/10", &json!({}));
        let results = format!("/pacts/provider/Bar/consumer/Foo/pact-version/{sha}/verification-results");
        let result = json!({ "success": version > 1, "providerApplicationVersion": "10", "buildUrl": "http://ci/1" });
        // The contract with the other provider has the same hash because the contents are equal.
        done("POST", &results, &result);
        let present = format!("/pacticipants/Foo/versions/{version}/deployed-versions/environment/{uuid}");
        done("POST", &present, &json!({ "applicationInstance": "blue" }));
        done("POST", &present.replace("deployed", "released"), &json!({}));
    }
    for name in ["Foo", "Bar", "Baz"] {
        done("PUT", &format!("/pacticipants/{name}/labels/web"), &json!({}));
        done(
            "PUT",
            &format!("/pacticipants/{name}/branches/main/versions/1"),
            &json!({}),
        );
        done("PUT", &format!("/pacticipants/{name}/versions/1/tags/dev"), &json!({}));
    }
    webhook(json!({ "consumer": { "label": "web" }, "provider": { "label": "web" } }));
    done(
        "POST",
        "/webhooks/provider/Bar/consumer/Foo",
        &json!({ "request": { "method": "POST", "url": "https://localhost:1/" } }),
    );
    done(
        "PATCH",
        "/pacticipants/Bar",
        &json!({ "mainBranch": "main", "repositoryUrl": "http://git/bar" }),
    );
    BTreeMap::from([
        ("uuid", uuid),
        ("pactVersion", sha),
        ("provider", "Bar".to_owned()),
        ("consumer", "Foo".to_owned()),
        ("pacticipant", "Foo".to_owned()),
        ("version", "1".to_owned()),
        ("consumerApplicationVersion", "1".to_owned()),
        ("tag", "dev".to_owned()),
        ("environmentTag", "dev".to_owned()),
        ("branch", "main".to_owned()),
        ("environment", "prod".to_owned()),
        ("label", "web".to_owned()),
    ])
}

fn fill_template(href: &str, values: &BTreeMap<&'static str, String>) -> String {
    let mut filled = String::new();
    let mut rest = href;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').expect("a closing brace");
        let value = values
            .get(name)
            .unwrap_or_else(|| panic!("unknown variable {name} in {href}"));
        filled += before;
        filled += value;
        rest = after;
    }
    filled + rest
}

/// Adds all links in a response body to `found`, with their relations.
fn links(body: &Value, found: &mut Vec<(String, String)>) {
    match body {
        Value::Object(members) => {
            for (key, value) in members {
                if key == "_links" {
                    for (relation, link) in value.as_object().into_iter().flatten() {
                        let one = std::slice::from_ref(link);
                        for link in link.as_array().map_or(one, Vec::as_slice) {
                            let href = link["href"]
                                .as_str()
                                .unwrap_or_else(|| panic!("no href: {relation} {link}"));
                            found.push((relation.clone(), href.to_owned()));
                        }
                    }
                } else {
                    links(value, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links(item, found)),
        _ => {}
    }
}

#[test]
fn every_link_resolves_and_every_relation_is_documented() {
    let broker = support::start(Database::Memory);
    let values = filled(&broker);
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut relations: BTreeMap<String, BTreeSet<u16>> = BTreeMap::new();
    let question = "/matrix?q[][pacticipant]=Foo&q[][version]=1&environment=prod&latestby=cvpv";
    let begin = [
        "/",
        question,
        "/dashboard",
        "/labels",
        "/pacticipants?size=1",
        "/pacts/provider/Bar/for-verification",
    ];
    let mut waiting: VecDeque<(String, String)> = begin
        .iter()
        .map(|path| ("self".to_owned(), format!("{}{path}", broker.base())))
        .collect();
    while let Some((relation, href)) = waiting.pop_front() {
        let path = href
            .strip_prefix(&broker.base())
            .unwrap_or_else(|| panic!("{relation} leads elsewhere: {href}"));
        let path = if path.is_empty() { "/" } else { path };
        if relation == "curies" || !seen.insert((relation.clone(), path.to_owned())) {
            continue;
        }
        let answer = broker.send("GET", path, &[("accept", ANYTHING)], None);
        relations.entry(relation.clone()).or_default().insert(answer.status);
        match answer.status {
            200 => {}
            // The resource can only be written.
            405 => assert!(
                answer.header("allow").is_some_and(|allow| allow != "OPTIONS"),
                "{relation}: {answer:?}"
            ),
            404 if MAY_BE_MISSING.contains(&relation.as_str()) || FOR_WRITING.contains(&relation.as_str()) => continue,
            status => {
                wrong.push(format!("{relation} leads to {path}: {status} {}", answer.text));
                continue;
            }
        }
        let mut found = Vec::new();
        if answer.header("content-type").is_some_and(|kind| kind.contains("json")) {
            links(&answer.json(), &mut found);
        }
        waiting.extend(
            found
                .into_iter()
                .map(|(relation, href)| (relation, fill_or_keep(&href, &values))),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen.len() > 150, "only {} links were found", seen.len());
    for relation in MAY_BE_MISSING {
        assert!(relations[relation].contains(&200), "{relation} never existed");
    }
    for relation in relations.keys().filter(|relation| relation.contains(':')) {
        let (_, name) = relation.split_once(':').expect("a prefix");
        let explained = broker.send("GET", &format!("/doc/{name}"), &[("accept", "text/plain")], None);
        assert_eq!(explained.status, 200, "{relation} is not documented");
    }
    let others: Vec<&String> = relations.keys().filter(|relation| !relation.contains(':')).collect();
    assert!(
        others
            .iter()
            .all(|relation| OLD.contains(&relation.as_str()) || is_of_resource(relation)),
        "relations without a prefix: {others:?}"
    );
}

/// Returns true for unprefixed relations that existing clients use, such as `pacticipants`.
fn is_of_resource(relation: &str) -> bool {
    matches!(
        relation,
        "pacticipant" | "version" | "versions" | "pacticipants" | "index" | "logs"
    )
}

/// Fills in a URL template, except for the one with the documentation of relations.
fn fill_or_keep(href: &str, values: &BTreeMap<&'static str, String>) -> String {
    if href.contains("{rel}") {
        href.to_owned()
    } else {
        fill_template(href, values)
    }
}
