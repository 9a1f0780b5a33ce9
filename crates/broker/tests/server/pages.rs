//! Tests the HTML pages.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::support::{self, Answer, Running};
use contract_broker::{Credentials, Database, Permissions};

/// The `Accept` header of a browser.
const BROWSER: (&str, &str) = (
    "accept",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
);

fn visit(broker: &Running, path: &str) -> Answer {
    broker.send("GET", path, &[BROWSER], None)
}

/// Returns a page. Asserts that the status is 200.
fn page(broker: &Running, path: &str) -> String {
    let answer = visit(broker, path);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    assert_eq!(answer.header("content-type"), Some("text/html;charset=utf-8"), "{path}");
    text(&answer)
}

fn text(answer: &Answer) -> String {
    answer.text.clone()
}

fn contract(consumer: &str, provider: &str, body: &Value) -> Value {
    json!({
        "consumer": { "name": consumer },
        "provider": { "name": provider },
        "interactions": [{
            "type": "Synchronous/HTTP",
            "description": "a request for a user",
            "providerStates": [{ "name": "user 1 exists" }],
            "request": { "method": "GET", "path": "/users/1" },
            "response": {
                "status": 200,
                "body": { "content": body, "contentType": "application/json", "encoded": false },
                "matchingRules": { "body": { "$.id": { "combine": "AND", "matchers": [{ "match": "integer" }] } } },
            },
        }],
        "metadata": { "pactSpecification": { "version": "4.0" } },
    })
}

fn publish(broker: &Running, (consumer, version): (&str, &str), provider: &str, body: &Value) {
    let path = format!("/pacts/provider/{provider}/consumer/{consumer}/version/{version}");
    let answer = broker.json("PUT", &path, &contract(consumer, provider, body));
    assert!(answer.status < 300, "{answer:?}");
    let branch = format!("/pacticipants/{consumer}/branches/main/versions/{version}");
    assert!(broker.json("PUT", &branch, &json!({})).status < 300);
}

fn verify(broker: &Running, (consumer, version): (&str, &str), provider: &str, result: &Value) {
    let path = format!("/pacts/provider/{provider}/consumer/{consumer}/version/{version}");
    let links = broker.get(&path).json()["_links"].clone();
    let url = links["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a link")
        .to_owned();
    let answer = broker.json("POST", url.strip_prefix(&broker.base()).expect("a path"), result);
    assert_eq!(answer.status, 201, "{answer:?}");
}

/// A broker with a failed contract whose versions run in an environment.
fn filled() -> Running {
    let broker = support::start(Database::Memory);
    for name in ["web", "users"] {
        let created = broker.json("POST", "/pacticipants", &json!({ "name": name, "mainBranch": "main" }));
        assert_eq!(created.status, 201);
    }
    publish(&broker, ("web", "1"), "users", &json!({ "id": 1 }));
    let passed = json!({ "success": true, "providerApplicationVersion": "7" });
    verify(&broker, ("web", "1"), "users", &passed);
    publish(&broker, ("web", "2"), "users", &json!({ "id": 1, "name": "Ann" }));
    let mismatch =
        json!({ "attribute": "body", "identifier": "$.name", "description": "Expected $.name, but it is missing" });
    let failed = json!({
        "success": false,
        "providerApplicationVersion": "7",
        "testResults": [{
            "interactionDescription": "a request for a user", "success": false, "mismatches": [mismatch],
        }],
    });
    verify(&broker, ("web", "2"), "users", &failed);
    assert!(
        broker
            .json("PUT", "/pacticipants/users/branches/main/versions/7", &json!({}))
            .status
            < 300
    );
    let environment = json!({ "name": "production", "displayName": "Production", "production": true });
    let uuid = broker.json("POST", "/environments", &environment).json()["uuid"]
        .as_str()
        .expect("a UUID")
        .to_owned();
    for (name, version) in [("web", "2"), ("users", "7")] {
        let path = format!("/pacticipants/{name}/versions/{version}/deployed-versions/environment/{uuid}");
        assert_eq!(broker.json("POST", &path, &json!({})).status, 201);
    }
    broker
}

#[test]
fn browsers_get_pages_and_clients_get_hal() {
    let broker = filled();
    assert!(page(&broker, "/").contains("<h1>Overview</h1>"));
    for accept in [
        "application/hal+json",
        "*/*",
        "application/hal+json, text/html",
        "application/json, text/html;q=0.5",
    ] {
        let answer = broker.send("GET", "/", &[("accept", accept)], None);
        assert!(answer.json()["_links"].is_object(), "{accept}");
        assert_eq!(answer.header("vary"), Some("Accept"));
    }
    let raw = visit(&broker, "/pacts/provider/users/consumer/web/version/2?format=json");
    assert_eq!(raw.json()["consumer"]["name"], "web");
}

#[test]
fn each_page_answers_its_question() {
    let broker = filled();
    for (path, expected) in [
        (
            "/",
            &[
                "1 integration between 2 applications",
                "are incompatible in",
                "Pending, 1 of 1 failed",
                "production",
            ][..],
        ),
        ("/?status=verified", &["No integration matches"]),
        ("/?q=nobody", &["No integration matches", "Clear filters"]),
        (
            "/pacticipants/users",
            &[
                "Provides for",
                "/users/{id}",
                "user 1 exists",
                "fails the contract with",
            ],
        ),
        (
            "/pacticipants/web/versions",
            &["/pacticipants/web/versions/2", "1 of 1 failed"],
        ),
        ("/pacticipants/web/branches", &["main branch"]),
        ("/pacticipants/web/versions/2", &["Published contracts"]),
        (
            "/pacts/provider/users/consumer/web/version/2",
            &[
                "an integer",
                "Expected $.name, but it is missing",
                "new in this version",
            ],
        ),
        ("/pacts/provider/users/consumer/web/latest", &["a request for a user"]),
        (
            "/pacts/provider/users/consumer/web/version/2/diff/previous-distinct",
            &["New field", "response body $.name"],
        ),
        ("/matrix", &["Application 2"]),
        (
            "/matrix?q[][pacticipant]=web&q[][version]=2&q[][pacticipant]=users&latestby=cvpv",
            &["Not deployable", "1 contract fails."],
        ),
        ("/can-i-deploy", &["Can I deploy?"]),
        (
            "/can-i-deploy?pacticipant=web&version=2&environment=production",
            &[
                "Not deployable",
                "fails the contract with",
                "Waits for",
                "--to-environment production",
            ],
        ),
        ("/can-i-deploy?pacticipant=web&environment=production", &["value=\"2\""]),
        ("/environments", &["Incompatible right now", "incompatible with users"]),
        ("/graph", &["2 applications"]),
        ("/graph?focus=web&environment=production", &["consumes 1 provider"]),
        (
            "/graph?focus=we",
            &["Applications whose names contain this text", "1 integration"],
        ),
        ("/pacticipants/users/provider-states", &["user 1 exists", "web"]),
        ("/pacticipants/web/provider-states", &["No provider states"]),
        (
            "/pacticipants/web/activity",
            &[
                "2 published a contract with users",
                "2 was deployed to production",
                "7 failed the contract of 2",
            ],
        ),
        (
            "/pacticipants/users/activity",
            &["7 verified the contract with web", "7 failed the contract with web"],
        ),
        ("/webhooks", &["No webhooks"]),
        (
            "/webhooks/new",
            &["New webhook", "contract_requiring_verification_published"],
        ),
        ("/graph?show=failed", &["No integrations"]),
        ("/admin/tokens", &["No tokens"]),
        ("/admin/users", &["No users"]),
        ("/admin/audit", &["Written", "/pacticipants"]),
        ("/first-steps", &["contract-broker publish", "Read on"]),
    ] {
        let found = page(&broker, path);
        // Elements can separate words, so also compare the text without tags.
        let plain = without_tags(&found);
        for text in expected {
            assert!(
                found.contains(text) || plain.contains(text),
                "{path}: {text:?} in {plain}"
            );
        }
    }
}

fn without_tags(page: &str) -> String {
    let mut plain = String::new();
    let mut is_tag = false;
    for character in page.chars() {
        match character {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ if !is_tag => plain.push(character),
            _ => (),
        }
    }
    plain
}

#[test]
fn a_version_shows_all_its_contracts() {
    let broker = support::start(Database::Memory);
    for provider in ["users", "orders", "stock"] {
        publish(&broker, ("web", "1"), provider, &json!({ "id": 1 }));
    }
    let found = page(&broker, "/pacticipants/web/versions/1");
    for provider in ["users", "orders", "stock"] {
        assert!(
            found.contains(&format!("/pacts/provider/{provider}/consumer/web/version/1")),
            "{found}"
        );
    }
    assert!(without_tags(&found).contains("3 providers"));
}

#[test]
fn an_empty_broker_shows_the_first_steps() {
    let broker = support::start(Database::Memory);
    let found = page(&broker, "/");
    assert!(
        found.contains("First steps") && found.contains(&broker.base()),
        "{found}"
    );
    for path in ["/environments", "/graph", "/matrix", "/can-i-deploy", "/webhooks"] {
        page(&broker, path);
    }
}

#[test]
fn the_first_steps_learn_what_is_done() {
    let broker = support::start(Database::Memory);
    let listen = || {
        let found = page(&broker, "/first-steps");
        let (_, rest) = found.split_once("data-live=\"").expect("the address of the events");
        let events = rest.split('"').next().expect("a value").to_owned();
        broker.send("GET", &events, &[("accept", "text/event-stream")], None)
    };
    let (sender, received) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(listen()).expect("a receiver"));
        assert!(
            received.recv_timeout(Duration::from_millis(300)).is_err(),
            "nothing has changed"
        );
        publish(&broker, ("web", "1"), "users", &json!({ "id": 1 }));
        let answer = received.recv_timeout(Duration::from_secs(20)).expect("an event");
        assert!(answer.text.contains("event: changed\ndata: 2\n\n"), "{answer:?}");
    });
    let found = page(&broker, "/first-steps");
    assert_eq!(found.matches("(done)").count(), 1, "{found}");
    assert!(found.contains("/first-steps/events?done=2\""), "{found}");
    let broker = filled();
    let found = page(&broker, "/first-steps");
    assert_eq!(found.matches("(done)").count(), 3, "{found}");
    assert!(!found.contains("data-live"), "all steps are done");
}

#[test]
fn removing_sample_data_keeps_other_applications_with_its_label() {
    let broker = support::start(Database::Memory);
    assert!(broker.json("POST", "/sample-data", &json!({})).status < 300);
    publish(&broker, ("web", "1"), "users", &json!({ "id": 1 }));
    let labeled = broker.json("PUT", "/pacticipants/web/labels/sample-data", &json!({}));
    assert_eq!(labeled.status, 201, "{labeled:?}");
    assert!(broker.json("DELETE", "/sample-data", &json!({})).status < 300);
    let left = broker.get("/pacticipants").json();
    let names: Vec<_> = left["pacticipants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(names, ["users", "web"]);
    assert!(!page(&broker, "/").contains("Remove sample data"));
}

#[test]
fn sample_data_fills_an_empty_broker_and_is_removed() {
    let broker = support::start(Database::Memory);
    let headers = [
        BROWSER,
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
    ];
    let post = |path: &str| broker.send("POST", path, &headers, Some(b""));
    assert!(page(&broker, "/").contains("Load sample data"));
    assert_eq!(post("/sample-data").status, 303);
    let overview = page(&broker, "/");
    assert!(overview.contains("Remove sample data"), "{overview}");
    assert!(
        without_tags(&overview).contains("79 integrations between 40 applications: 74 verified, 2 failed"),
        "{overview}"
    );
    // One contract fails, and one has no result.
    let badge = "/pacticipants/checkout/branches/main/latest-version/can-i-deploy/to-environment/production/badge.svg";
    let found = broker.send("GET", badge, &[("accept", "image/svg+xml")], None).text;
    assert!(found.contains(": no</title>"), "{found}");
    for (path, expected) in [
        (
            "/can-i-deploy?pacticipant=checkout&version=4.12.0&environment=production",
            "Not deployable",
        ),
        (
            "/pacts/provider/payments/consumer/checkout/version/4.12.0",
            "$.authorization.expiresAt",
        ),
        ("/environments", "incompatible with returns"),
        ("/first-steps", "Remove sample data"),
    ] {
        assert!(without_tags(&page(&broker, path)).contains(expected), "{path}");
    }
    let again = post("/sample-data");
    assert_eq!(again.status, 409);
    assert!(
        text(&again).contains("can only be loaded into an empty broker"),
        "{again:?}"
    );
    assert_eq!(post("/sample-data/remove").status, 303);
    assert!(page(&broker, "/").contains("Load sample data"));
    assert_eq!(broker.get("/pacticipants").json()["pacticipants"], json!([]));

    publish(&broker, ("web", "1"), "users", &json!({ "id": 1 }));
    assert_eq!(broker.json("POST", "/sample-data", &json!({})).status, 409);
    assert!(!page(&broker, "/first-steps").contains("sample data"));
}

/// Paths with errors, their statuses, and parts of their pages.
const ERRORS: &[(&str, u16, &str)] = &[
    ("/pacticipants/nobody", 404, "Application nobody does not exist."),
    ("/pacticipants/webb", 404, "Did you mean <a href=\"/pacticipants/web\">"),
    ("/nowhere", 404, "Not found"),
    (
        "/pacts/provider/users/consumer/web/version/9",
        404,
        "web 9 has not published a contract with users.",
    ),
    (
        "/pacts/provider/users/consumer/web/version/9",
        404,
        "href=\"/pacts/provider/users/consumer/web/latest\"",
    ),
    (
        "/pacts/provider/users/consumer/web/version/2/diff/version/9",
        404,
        "This contract between ",
    ),
    (
        "/pacts/provider/nobody/consumer/web/latest",
        404,
        "This contract between ",
    ),
    (
        "/pacts/provider/users/consumer/web/pact-version/abc",
        404,
        "This contract between ",
    ),
    (
        "/pacts/provider/users/consumer/web/version/2?page=9",
        404,
        "Page 9 does not exist",
    ),
    ("/pacticipants/web/versions/9", 404, "Version 9 of web does not exist."),
    ("/pacticipants/web/versions?page=9", 404, "Page 9 does not exist"),
    ("/pacticipants/web/branches?page=9", 404, "Page 9 does not exist"),
    (
        "/pacticipants/users/provider-states?page=9",
        404,
        "Page 9 does not exist",
    ),
    (
        "/pacticipants/web/branches/none/latest-version/can-i-deploy/to-environment/production",
        404,
        "Branch none of web does not exist.",
    ),
    ("/webhooks/none", 404, "The webhook does not exist"),
    ("/webhooks/none/edit", 404, "The webhook does not exist"),
    ("/triggered-webhooks/none/logs", 404, "The delivery does not exist"),
    ("/admin/users/none/change", 404, "User none does not exist."),
    ("/admin/audit?from=x", 400, "must be a date"),
    ("/deletions?page=9", 404, "Page 9 does not exist"),
    ("/matrix?q[][pacticipant]=web&latestby=x", 400, "latestby"),
    ("/matrix?q[][pacticipant]=web&limit=x", 400, "limit"),
    ("/matrix?q[][pacticipant]=nobody", 400, "does not exist"),
    ("/matrix?q[][version]=1", 400, "pacticipant"),
    (
        "/can-i-deploy?pacticipant=nobody&environment=production",
        400,
        "This application does not exist.",
    ),
    (
        "/can-i-deploy?pacticipant=web&version=9&environment=nowhere",
        400,
        "This environment does not exist.",
    ),
    ("/?page=x", 400, "must be an integer"),
    ("/?page=0", 400, "must be an integer"),
    ("/?page=9", 404, "Page 9 does not exist"),
    ("/?size=-1", 400, "must be an integer"),
    ("/?q=%FF", 400, "not valid UTF-8"),
    ("/?status=none", 400, "must be one of: failed, unverified"),
    ("/?role=none", 400, "must be one of: consumer, provider"),
    ("/?sort=none", 400, "must be one of: consumer"),
    (
        "/?environment=nowhere",
        400,
        "Environment <bdi>nowhere</bdi> does not exist.",
    ),
    ("/environments?page=9", 404, "Page 9 does not exist"),
    ("/environments?show=none", 400, "must be one of: incompatible"),
    ("/graph?show=none", 400, "must be one of: neighbors"),
    ("/graph?focus=nobody", 400, "This application does not exist."),
    (
        "/graph?environment=nowhere",
        400,
        "Environment <bdi>nowhere</bdi> does not exist.",
    ),
    (
        "/environments?from=nowhere",
        400,
        "Environment <bdi>nowhere</bdi> does not exist.",
    ),
    (
        "/pacticipants/nobody/activity",
        404,
        "Application nobody does not exist.",
    ),
    (
        "/pacticipants/nobody/provider-states",
        404,
        "Application nobody does not exist.",
    ),
    ("/pacticipants/nobody", 404, "href=\"/deletions\""),
];

#[test]
fn errors_are_pages_with_the_status_of_the_error() {
    let broker = filled();
    for (path, status, expected) in ERRORS {
        let (path, status) = (*path, *status);
        let answer = visit(&broker, path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert_eq!(answer.header("content-type"), Some("text/html;charset=utf-8"), "{path}");
        assert!(text(&answer).contains(expected), "{path}: {}", text(&answer));
        assert!(
            text(&answer).contains("Go to the overview") || text(&answer).contains("aria-label=\"Main\""),
            "{path}"
        );
        assert_eq!(broker.get("/pacticipants/web").status, 200, "the next request");
    }
    let deleted = broker.send("DELETE", "/pacticipants/web", &[], None);
    assert_eq!(deleted.status, 204, "{deleted:?}");
    let answer = visit(&broker, "/pacticipants/web");
    assert_eq!(answer.status, 404);
    assert!(
        text(&answer).contains("was deleted") && text(&answer).contains("can be restored"),
        "{}",
        text(&answer)
    );
    assert_eq!(
        broker.get("/nowhere").header("content-type"),
        Some("application/json;charset=utf-8")
    );
}

#[test]
fn instances_with_the_same_version_are_named_once() {
    let broker = filled();
    let environments = broker.get("/environments").json();
    let uuid = environments["_embedded"]["environments"][0]["uuid"]
        .as_str()
        .expect("a UUID");
    for instance in ["blue", "green"] {
        let path = format!("/pacticipants/web/versions/2/deployed-versions/environment/{uuid}");
        let body = json!({ "applicationInstance": instance });
        assert_eq!(broker.json("POST", &path, &body).status, 201);
    }
    let plain = without_tags(&page(&broker, "/environments"));
    assert!(plain.contains("Both run in production."), "{plain}");
    let application = page(&broker, "/pacticipants/web");
    assert_eq!(application.matches("<dd class=\"cell\">").count(), 1, "{application}");
}

#[test]
fn a_large_contract_has_a_small_page_with_links() {
    let broker = filled();
    let interaction = |number: usize| {
        let items: Vec<Value> = (0..100)
            .map(|at| json!({ "id": at, "name": format!("item {at}"), "tags": {} }))
            .collect();
        json!({
            "type": "Synchronous/HTTP",
            "description": format!("a request for list {number}"),
            "request": { "method": "GET", "path": format!("/lists/{number}") },
            "response": {
                "status": 200,
                "body": { "content": items, "contentType": "application/json", "encoded": false },
            },
        })
    };
    let mut document = contract("web", "users", &json!({}));
    document["interactions"] = (0..120).map(interaction).collect();
    let path = "/pacts/provider/users/consumer/web/version/3";
    assert!(broker.json("PUT", path, &document).status < 300);
    let first = page(&broker, path);
    assert!(first.len() < 100 * 1024, "{}", first.len());
    assert!(first.contains("1–50 of 120"));
    let link = "?full=50#interaction-50";
    assert!(
        first.contains(&format!("{link}\">Show the example and its rules")),
        "{link}"
    );
    assert!((1..20).contains(&first.matches("item 99").count()));
    let full = page(&broker, &format!("{path}?full=50"));
    assert!(!full.contains(&format!("{link}\">Show the example")));
    assert!(full.contains("item 99"));
    let last = page(&broker, &format!("{path}?page=3"));
    assert!(
        last.contains("?full=120&amp;page=3#interaction-120") || last.contains("?page=3&amp;full=120#interaction-120")
    );
    let beyond = visit(&broker, &format!("{path}?page=99"));
    assert_eq!(beyond.status, 404);
    assert!(text(&beyond).contains("Page 99 does not exist"), "{}", text(&beyond));
}

#[test]
fn hostile_names_and_contents_are_text() {
    let broker = support::start(Database::Memory);
    let evil = "<script>alert(1)</script>\"'&";
    let body = json!({
        "description": evil, "text": "\u{1b}[31m\u{202e}", "html": "<img src=x onerror=alert(2)>",
    });
    let mut document = contract(evil, evil, &body);
    document["interactions"][0]["description"] = evil.into();
    document["interactions"][0]["comments"] = json!({ "text": ["[x](javascript:alert(3)) <b>"], "testname": evil });
    document["interactions"][0]["providerStates"][0]["name"] = evil.into();
    let encoded = "%3Cscript%3Ealert%281%29%3C%2Fscript%3E%22%27%26";
    let pact = format!("/pacts/provider/{encoded}/consumer/{encoded}/version/{encoded}");
    assert_eq!(broker.json("PUT", &pact, &document).status, 201);
    let label = format!("/pacticipants/{encoded}/labels/{encoded}");
    assert_eq!(broker.json("PUT", &label, &json!({})).status, 201);
    let application = format!("/pacticipants/{encoded}");
    for path in [
        "/".to_owned(),
        format!("/?q={encoded}"),
        application.clone(),
        format!("{application}/versions/{encoded}"),
        pact,
        format!("/graph?focus={encoded}"),
        format!("/matrix?q[][pacticipant]={encoded}&q[][version]={encoded}"),
        format!("/can-i-deploy?pacticipant={encoded}&version={encoded}"),
        "/admin/audit".to_owned(),
    ] {
        let found = page(&broker, &path);
        for code in ["<script>alert", "<img src=x", "href=\"javascript:"] {
            assert!(!found.contains(code), "{path}: {code}");
        }
        assert_eq!(found.matches("<script").count(), 1, "{path}");
    }
}

#[test]
fn pages_allow_only_their_own_parts() {
    let broker = filled();
    let answer = visit(&broker, "/");
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let found = text(&answer);
    for forbidden in [" style=", " onclick=", "<style", "http://fonts", "data:"] {
        assert!(!found.contains(forbidden), "{forbidden}");
    }
    for (path, media) in [
        ("/assets/style.css", "text/css;charset=utf-8"),
        ("/assets/app.js", "text/javascript;charset=utf-8"),
        ("/assets/favicon.svg", "image/svg+xml;charset=utf-8"),
    ] {
        let asset = broker.send("GET", path, &[("accept", "*/*")], None);
        assert_eq!((asset.status, asset.header("content-type")), (200, Some(media)));
        assert!(found.contains(path), "{path}");
    }
}

#[test]
fn pages_are_compressed_for_browsers() {
    let broker = filled();
    let mut stream = TcpStream::connect(broker.address).expect("a connection");
    let head = "GET / HTTP/1.1\r\nhost: broker\r\nconnection: close\r\naccept: text/html\r\naccept-encoding: br, gzip;q=0.8\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("a request");
    let mut received = Vec::new();
    stream.read_to_end(&mut received).expect("a response");
    let end = received
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .expect("the end of the head");
    let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
    assert!(
        head.contains("content-encoding: gzip") && head.contains("vary: accept, accept-encoding"),
        "{head}"
    );
    let mut plain = String::new();
    GzDecoder::new(&received[end + 4..])
        .read_to_string(&mut plain)
        .expect("gzip");
    assert!(plain.contains("<h1>Overview</h1>"));
    let refused = visit(&broker, "/");
    assert_eq!(refused.header("content-encoding"), None);
    let client = broker.send("GET", "/", &[("accept-encoding", "gzip")], None);
    assert_eq!(client.header("content-encoding"), None, "only pages are compressed");
}

#[test]
fn the_theme_is_a_cookie() {
    let broker = filled();
    let form: &[(&str, &str)] = &[
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
        BROWSER,
    ];
    let set = broker.send("POST", "/theme", form, Some(b"theme=dark&next=%2Fmatrix"));
    assert_eq!(set.status, 303, "{set:?}");
    assert_eq!(
        set.header("location"),
        Some(format!("{}/matrix", broker.base()).as_str())
    );
    let cookie = set
        .header("set-cookie")
        .expect("a cookie")
        .split(';')
        .next()
        .expect("a value")
        .to_owned();
    let dark = broker.send("GET", "/", &[BROWSER, ("cookie", &cookie)], None);
    assert!(text(&dark).contains("data-theme=\"dark\""));
    assert!(!page(&broker, "/").contains("data-theme"));
    let foreign = broker.send(
        "POST",
        "/theme",
        &[form[0], ("sec-fetch-site", "cross-site"), BROWSER],
        Some(b"theme=dark"),
    );
    assert_eq!(foreign.status, 403);
}

#[test]
fn pages_require_the_permissions_of_the_api() {
    let permissions = Permissions {
        read_only: Some(Credentials {
            username: "reader".to_owned(),
            password: "secret".to_owned(),
        }),
        ..Permissions::default()
    };
    let broker = support::start_with(Database::Memory, permissions);
    let denied = visit(&broker, "/environments");
    assert_eq!(denied.status, 401);
    assert!(
        text(&denied).contains("/login?next=%2Fenvironments"),
        "{}",
        text(&denied)
    );
    let reader = ("authorization", "Basic cmVhZGVyOnNlY3JldA==");
    let seen = broker.send("GET", "/environments", &[BROWSER, reader], None);
    assert_eq!(seen.status, 200);
    assert!(!text(&seen).contains("/admin/tokens"), "the link is for administrators");
    let admin = broker.send("GET", "/admin/tokens", &[BROWSER, reader], None);
    assert_eq!(admin.status, 403);
    assert!(text(&admin).contains("You are not allowed to do this"));
}

#[test]
fn a_page_learns_when_its_verdict_changes() {
    let broker = filled();
    let verdict = "/can-i-deploy?pacticipant=web&version=2&environment=production";
    let shown = page(&broker, verdict);
    let (_, rest) = shown.split_once("data-live=\"").expect("the address of the events");
    let events = rest.split('"').next().expect("a value").replace("&amp;", "&");
    let listen = |path: &str| broker.send("GET", path, &[("accept", "text/event-stream")], None);

    let (sender, received) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(listen(&events)).expect("a receiver"));
        assert!(
            received.recv_timeout(Duration::from_millis(300)).is_err(),
            "nothing has changed"
        );
        let passed = json!({ "success": true, "providerApplicationVersion": "7" });
        verify(&broker, ("web", "2"), "users", &passed);
        let answer = received.recv_timeout(Duration::from_secs(20)).expect("an event");
        assert_eq!(answer.header("content-type"), Some("text/event-stream;charset=utf-8"));
        assert!(answer.text.contains("event: changed\ndata: 0.0.1\n\n"), "{answer:?}");
    });
    assert!(listen(&events).text.contains("event: changed"), "without waiting");
    assert!(
        !page(&broker, verdict).contains("data-live"),
        "a version that can be deployed waits for nothing"
    );
    for path in [
        "/can-i-deploy/events",
        "/can-i-deploy/events?pacticipant=web&version=9&environment=production",
    ] {
        assert_eq!(listen(path).status, 404, "{path}");
    }
}
