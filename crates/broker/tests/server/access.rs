//! Credentials: API tokens, their scopes, and the audit log.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract_broker::{Credentials, Database, Options, Pattern, Permissions, Rules};
use serde_json::{Value, json};

use crate::support::{self, Answer, Running};

fn with(broker: &Running, token: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let authorization = format!("Bearer {token}");
    let headers = [
        ("authorization", authorization.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/hal+json"),
    ];
    let body = body.map(Value::to_string);
    broker.send(method, path, &headers, body.as_deref().map(str::as_bytes))
}

fn create(broker: &Running, admin: Option<&str>, label: &str, scopes: &[&str]) -> Value {
    let request = json!({ "label": label, "scopes": scopes });
    let created = match admin {
        Some(admin) => with(broker, admin, "POST", "/admin/tokens", Some(&request)),
        None => broker.json("POST", "/admin/tokens", &request),
    };
    assert_eq!(created.status, 201, "{created:?}");
    created.json()
}

fn token(created: &Value) -> &str {
    created["token"].as_str().expect("a token")
}

/// Starts a broker, and creates an administrator's token, after which all requests need credentials.
fn restricted() -> (Running, String) {
    let broker = support::start(Database::Memory);
    assert_eq!(broker.get("/pacticipants").status, 200);
    let admin = create(&broker, None, "admin", &["admin"]);
    let admin = token(&admin).to_owned();
    (broker, admin)
}

fn error(answer: &Answer) -> String {
    answer.json()["error"].as_str().unwrap_or_default().to_owned()
}

fn publication(consumer: &str, tags: &[&str]) -> Value {
    json!({ "pacticipantName": consumer, "pacticipantVersionNumber": "1", "tags": tags, "contracts": [] })
}

#[test]
fn the_first_token_ends_open_access() {
    let (broker, admin) = restricted();
    let refused = broker.get("/pacticipants");
    assert_eq!(refused.status, 401);
    assert!(error(&refused).starts_with("Credentials are required"), "{refused:?}");
    assert_eq!(
        refused.header("www-authenticate"),
        Some("Basic realm=\"Contract Broker\"")
    );
    assert_eq!(with(&broker, &admin, "GET", "/pacticipants", None).status, 200);
    assert_eq!(broker.get("/diagnostic/status/heartbeat").status, 200);
}

#[test]
fn tokens_are_limited_to_their_scopes() {
    let (broker, admin) = restricted();
    let web = create(&broker, Some(&admin), "web CI", &["publish:web-*", "deploy:test"]);
    let publish = |name: &str| {
        with(
            &broker,
            token(&web),
            "POST",
            "/contracts/publish",
            Some(&publication(name, &[])),
        )
    };
    assert_eq!(publish("web-shop").status, 200);
    let refused = publish("users");
    assert_eq!(refused.status, 403);
    assert_eq!(
        error(&refused),
        "These credentials cannot publish contracts of \"users\". Required scope: publish:users or write."
    );
    assert_eq!(
        with(&broker, token(&web), "GET", "/pacticipants/users", None).status,
        404
    );
    assert_eq!(
        with(&broker, token(&web), "GET", "/pacticipants/web-shop", None).status,
        200
    );
    // The name in the path is decoded only once.
    let encoded = with(
        &broker,
        token(&web),
        "PUT",
        "/pacticipants/web%2Dcart",
        Some(&json!({})),
    );
    assert_eq!(encoded.status, 201);
    // If a JSON object contains a name twice, both the rule and the handler use the last one.
    let twice =
        br#"{"pacticipantName":"web-shop","pacticipantName":"users","pacticipantVersionNumber":"1","contracts":[]}"#;
    let authorization = format!("Bearer {}", token(&web));
    let headers = [
        ("authorization", authorization.as_str()),
        ("content-type", "application/json"),
    ];
    let refused = broker.send("POST", "/contracts/publish", &headers, Some(twice));
    assert_eq!(refused.status, 403, "{refused:?}");
    // Administration requires the `admin` scope.
    let refused = with(&broker, token(&web), "GET", "/admin/tokens", None);
    assert_eq!(refused.status, 403);
    let request = json!({ "label": "more", "scopes": ["admin"] });
    assert_eq!(
        with(&broker, token(&web), "POST", "/admin/tokens", Some(&request)).status,
        403
    );
}

#[test]
fn tokens_are_shown_once_listed_and_revoked() {
    let (broker, admin) = restricted();
    let created = create(&broker, Some(&admin), "reader", &["read"]);
    let reader = token(&created).to_owned();
    assert_eq!(with(&broker, &reader, "GET", "/", None).status, 200);
    let path = format!("/admin/tokens/{}", created["id"].as_str().expect("an id"));
    let list = with(&broker, &admin, "GET", "/admin/tokens", None);
    assert!(!list.text.contains(&reader) && !list.text.contains(&admin), "{list:?}");
    assert!(!list.text.contains("hash"), "{list:?}");
    let listed = &list.json()["_embedded"]["tokens"][0];
    assert_eq!(
        (&listed["label"], &listed["scopes"]),
        (&json!("reader"), &json!(["read"]))
    );
    assert_eq!(listed["createdBy"], "token \"admin\"");
    // The time of the last use is written in the background.
    while with(&broker, &admin, "GET", &path, None).json()["lastUsedAt"] == Value::Null {
        std::thread::yield_now();
    }
    assert_eq!(with(&broker, &admin, "DELETE", &path, None).status, 204);
    let refused = with(&broker, &reader, "GET", "/", None);
    assert_eq!(refused.status, 401, "a revocation has effect at once");
    assert_eq!(
        error(&refused),
        "The API token \"reader\" was revoked. Create a new one."
    );
    assert_eq!(with(&broker, &admin, "DELETE", &path, None).status, 204);
    assert!(with(&broker, &admin, "GET", &path, None).json()["revokedAt"].is_string());
    assert_eq!(
        with(&broker, &admin, "DELETE", "/admin/tokens/nobody", None).status,
        404
    );
    // Without any valid token, the broker stays closed.
    let own = with(&broker, &admin, "GET", "/admin/tokens", None).json()["_embedded"]["tokens"][1]["id"].clone();
    let own = format!("/admin/tokens/{}", own.as_str().expect("an id"));
    assert_eq!(with(&broker, &admin, "DELETE", &own, None).status, 204);
    assert_eq!(with(&broker, &admin, "GET", "/", None).status, 401);
    assert_eq!(broker.get("/").status, 401);
}

#[test]
fn invalid_token_requests_name_the_field() {
    let (broker, admin) = restricted();
    for (request, field, text) in [
        (json!({ "scopes": ["read"] }), "label", "must have 1 to 200 bytes"),
        (
            json!({ "label": "a\nb", "scopes": ["read"] }),
            "label",
            "control characters",
        ),
        (json!({ "label": "a", "scopes": [] }), "scopes", "at least 1"),
        (
            json!({ "label": "a", "scopes": ["sudo"] }),
            "scopes",
            "\"sudo\" is not a scope. Scopes: read, ",
        ),
        (json!({ "label": "a", "scopes": "read" }), "scopes", "must be an array"),
        (
            json!({ "label": "a", "scopes": vec!["read"; 101] }),
            "scopes",
            "at most 100",
        ),
        (
            json!({ "label": "a", "scopes": ["read"], "expiresInDays": 0 }),
            "expiresInDays",
            "between 1 and 3650",
        ),
        (
            json!({ "label": "a", "scopes": ["read"], "expiresInDays": "soon" }),
            "expiresInDays",
            "number of days",
        ),
    ] {
        let refused = with(&broker, &admin, "POST", "/admin/tokens", Some(&request));
        assert_eq!(refused.status, 400, "{request}");
        let found = refused.json()["errors"][field][0]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(found.contains(text), "{request}: {refused:?}");
    }
    assert_eq!(
        with(&broker, &admin, "GET", "/admin/tokens", None).json()["_embedded"]["tokens"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn invalid_tokens_are_rejected_with_one_message() {
    let (broker, admin) = restricted();
    let other = {
        let (_other, token) = restricted();
        token
    };
    let last = if admin.ends_with('a') { "b" } else { "a" };
    let incomplete = "The API token is incomplete or mistyped. Copy the whole token.";
    for (sent, expected) in [
        (admin[..admin.len() - 1].to_owned(), incomplete),
        (format!("{}{last}", &admin[..admin.len() - 1]), incomplete),
        (format!("{admin}{admin}"), incomplete),
        (format!("cbt_{}", "0".repeat(100_000)), incomplete),
        (other, "The API token is not valid."),
        (String::new(), "The Authorization header is not supported"),
        ("secret".to_owned(), "The token has an unknown format"),
    ] {
        let refused = with(&broker, &sent, "GET", "/pacticipants", None);
        assert_eq!(refused.status, 401, "{sent}");
        assert!(error(&refused).starts_with(expected), "{sent}: {refused:?}");
        assert!(sent.is_empty() || !refused.text.contains(&sent), "{refused:?}");
        assert_eq!(
            with(&broker, &admin, "GET", "/pacticipants", None).status,
            200,
            "the next request"
        );
    }
    for header in ["Basic !!!", "Basic Og==", "Digest x", "Bearer", "\u{7f}"] {
        let refused = broker.send("GET", "/pacticipants", &[("authorization", header)], None);
        assert!(matches!(refused.status, 400 | 401), "{header}: {refused:?}");
    }
}

#[test]
fn protected_environments_need_their_scope() {
    let credentials = |name: &str| Credentials {
        username: name.to_owned(),
        password: "x".to_owned(),
    };
    let broker = support::start_as(Options {
        permissions: Permissions {
            read_write: Some(credentials("rw")),
            ..Permissions::default()
        },
        rules: Rules {
            protected_environments: vec![Pattern::parse("prod*").expect("a pattern")],
            ..Rules::default()
        },
        ..support::options(Database::Memory)
    });
    let basic = |method: &str, path: &str, body: &Value| {
        // rw:x
        let headers = [
            ("authorization", "Basic cnc6eA=="),
            ("content-type", "application/json"),
        ];
        broker.send(method, path, &headers, Some(body.to_string().as_bytes()))
    };
    let environment = |name: &str| json!({ "name": name, "production": true });
    assert_eq!(basic("PUT", "/pacticipants/web/versions/1", &json!({})).status, 201);
    let test = basic("POST", "/environments", &environment("test"));
    assert_eq!(test.status, 201);
    let refused = basic("POST", "/environments", &environment("prod"));
    assert_eq!(refused.status, 403);
    assert!(
        error(&refused).contains("the protected environment \"prod\". Required scope: admin"),
        "{refused:?}"
    );
    // Renaming an environment cannot make it a protected one.
    let path = format!("/environments/{}", test.json()["uuid"].as_str().expect("an id"));
    assert_eq!(basic("PUT", &path, &environment("production")).status, 403);
    assert_eq!(basic("PUT", &path, &environment("test")).status, 200);
    // The read-write user is not an administrator.
    assert_eq!(
        basic("POST", "/admin/tokens", &json!({ "label": "a", "scopes": ["admin"] })).status,
        403
    );
}

/// Deleting a deployed version also ends its deployment, so it requires the scope for the environment.
#[test]
fn what_is_in_a_protected_environment_is_deleted_only_with_its_scope() {
    for place in ["deployed-versions", "released-versions"] {
        let broker = support::start_as(Options {
            rules: Rules {
                protected_environments: vec![Pattern::parse("prod").expect("a pattern")],
                ..Rules::default()
            },
            ..support::options(Database::Memory)
        });
        let mut environments = Vec::new();
        for name in ["prod", "test"] {
            let environment = broker.json("POST", "/environments", &json!({ "name": name, "production": true }));
            environments.push(environment.json()["uuid"].as_str().expect("an ID").to_owned());
        }
        let content =
            STANDARD.encode(json!({ "consumer": { "name": "web" }, "provider": { "name": "users" } }).to_string());
        for version in ["1", "2"] {
            let contract = json!({
                "consumerName": "web",
                "providerName": "users",
                "specification": "pact",
                "contentType": "application/json",
                "content": content,
            });
            let publication = json!({
                "pacticipantName": "web",
                "pacticipantVersionNumber": version,
                "contracts": [contract],
            });
            assert_eq!(broker.json("POST", "/contracts/publish", &publication).status, 200);
        }
        for (version, environment) in ["1", "2"].iter().zip(&environments) {
            let path = format!("/pacticipants/web/versions/{version}/{place}/environment/{environment}");
            assert_eq!(broker.json("POST", &path, &json!({})).status, 201);
        }
        let admin = create(&broker, None, "admin", &["admin"]);
        let (writer, deployer) = (
            create(&broker, Some(token(&admin)), "writer", &["write"]),
            create(&broker, Some(token(&admin)), "deployer", &["write", "deploy:prod"]),
        );
        let delete = |token: &str, path: &str| with(&broker, token, "DELETE", path, None);
        for path in [
            "/pacticipants/web/versions/1",
            "/pacticipants/web",
            "/integrations/provider/users/consumer/web",
            "/integrations",
        ] {
            let refused = delete(token(&writer), path);
            assert_eq!(refused.status, 403, "{path}: {refused:?}");
            assert!(
                error(&refused).contains("Required scope: deploy:prod or admin"),
                "{refused:?}"
            );
        }
        let version = with(&broker, token(&writer), "GET", "/pacticipants/web/versions/1", None);
        assert_eq!(version.status, 200, "nothing is deleted");
        assert_eq!(delete(token(&writer), "/pacticipants/web/versions/2").status, 204);
        assert_eq!(
            delete(token(&deployer), "/integrations/provider/users/consumer/web").status,
            204
        );
        let version = with(&broker, token(&writer), "GET", "/pacticipants/web/versions/1", None);
        assert_eq!(version.status, 404);
    }
}

/// Undoing a deletion restores deployments, so it requires the permission to record them.
#[test]
fn deletions_in_a_protected_environment_are_undone_only_with_its_scope() {
    let broker = support::start_as(Options {
        rules: Rules {
            protected_environments: vec![Pattern::parse("prod").expect("a pattern")],
            ..Rules::default()
        },
        ..support::options(Database::Memory)
    });
    let environment = broker.json("POST", "/environments", &json!({ "name": "prod", "production": true }));
    let environment = environment.json()["uuid"].as_str().expect("an ID").to_owned();
    assert_eq!(
        broker.json("PUT", "/pacticipants/web/versions/1", &json!({})).status,
        201
    );
    let path = format!("/pacticipants/web/versions/1/deployed-versions/environment/{environment}");
    assert_eq!(broker.json("POST", &path, &json!({})).status, 201);
    let admin = create(&broker, None, "admin", &["admin"]);
    let (writer, deployer) = (
        create(&broker, Some(token(&admin)), "writer", &["write"]),
        create(&broker, Some(token(&admin)), "deployer", &["write", "deploy:prod"]),
    );
    let send = |created: &Value, method: &str, path: &str| with(&broker, token(created), method, path, None);
    let undo = |created: &Value| {
        let list = send(created, "GET", "/deletions").json();
        let uuid = list["_embedded"]["deletions"][0]["uuid"]
            .as_str()
            .expect("a deletion")
            .to_owned();
        send(created, "POST", &format!("/deletions/{uuid}/undo"))
    };
    assert_eq!(send(&admin, "DELETE", "/pacticipants/web").status, 204);
    let refused = undo(&writer);
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(
        send(&writer, "GET", "/pacticipants/web").status,
        404,
        "nothing is restored"
    );
    assert_eq!(undo(&deployer).status, 204);
    assert_eq!(
        send(&admin, "DELETE", &format!("/environments/{environment}")).status,
        204
    );
    let refused = undo(&deployer);
    assert!(
        refused.status == 403 && error(&refused).contains("Required scope: admin"),
        "{refused:?}"
    );
    assert_eq!(undo(&admin).status, 204);
}

#[test]
fn the_audit_log_names_what_was_created_and_who_failed_to_sign_in() {
    let (broker, admin) = restricted();
    let created = with(
        &broker,
        &admin,
        "POST",
        "/admin/tokens",
        Some(&json!({ "label": "a", "scopes": ["read"] })),
    );
    let id = created.json()["id"].as_str().expect("an ID").to_owned();
    // A typing error must not create a token that never expires.
    let body = json!({ "label": "b", "scopes": ["read"], "expires_in_days": 1 });
    let rejected = with(&broker, &admin, "POST", "/admin/tokens", Some(&body));
    let text = rejected.json()["errors"]["expires_in_days"][0].clone();
    assert_eq!(text, "is unknown. Known members: label, scopes, expiresInDays");
    let user = json!({ "name": "rosa", "password": "a long password", "scopes": ["read"] });
    assert_eq!(with(&broker, &admin, "POST", "/admin/users", Some(&user)).status, 201);
    let published = with(
        &broker,
        &admin,
        "POST",
        "/contracts/publish",
        Some(&publication("web", &[])),
    );
    assert_eq!(published.status, 200, "{published:?}");
    for pair in ["rosa:wrong", "a\0b:c"] {
        let header = format!("Basic {}", STANDARD.encode(pair));
        let refused = broker.send("GET", "/pacticipants", &[("authorization", &header)], None);
        assert_eq!(refused.status, 401, "{refused:?}");
    }
    let entries = || with(&broker, &admin, "GET", "/admin/audit", None).json();
    let list = entries()["_embedded"]["entries"].as_array().expect("entries").clone();
    let resources: Vec<&str> = list.iter().filter_map(|entry| entry["resource"].as_str()).collect();
    let token = format!("/admin/tokens/{id}");
    assert_eq!(
        resources[..3],
        ["/pacticipants/web/versions/1", "/admin/users/rosa", &token]
    );
    // Denied requests are stored after at most a second.
    let begun = std::time::Instant::now();
    loop {
        let denied = with(&broker, &admin, "GET", "/admin/audit?actor=rosa&outcome=denied", None).json();
        if let Some(entry) = denied["_embedded"]["entries"].get(0) {
            assert_eq!(entry["actor"], json!({ "kind": "anonymous", "name": "rosa" }));
            break;
        }
        assert!(begun.elapsed().as_secs() < 20, "no entry");
        std::thread::yield_now();
    }
}

#[test]
fn tags_record_deployments_only_with_the_scope() {
    let (broker, admin) = restricted();
    let environment = json!({ "name": "test", "production": false });
    assert_eq!(
        with(&broker, &admin, "POST", "/environments", Some(&environment)).status,
        201
    );
    let publisher = create(&broker, Some(&admin), "publisher", &["publish:web"]);
    let deployer = create(&broker, Some(&admin), "deployer", &["publish:web", "deploy:test"]);
    let tag = "/pacticipants/web/versions/1/tags/test";
    let refused = with(&broker, token(&publisher), "PUT", tag, Some(&json!({})));
    assert_eq!(refused.status, 403);
    assert!(
        error(&refused).ends_with(
            "Required scope: deploy:test or write. Tagging a version with the name of an environment records a deployment."
        ),
        "{refused:?}"
    );
    assert_eq!(
        with(&broker, &admin, "GET", "/pacticipants/web", None).status,
        404,
        "nothing is written"
    );
    // Tags in publications and in version updates do not record deployments.
    let tags = json!({ "tags": [{ "name": "test" }] });
    let publisher_token = token(&publisher);
    assert_eq!(
        with(
            &broker,
            publisher_token,
            "PUT",
            "/pacticipants/web/versions/2",
            Some(&tags)
        )
        .status,
        201
    );
    let tagged = publication("web", &["test"]);
    assert_eq!(
        with(&broker, publisher_token, "POST", "/contracts/publish", Some(&tagged)).status,
        200
    );
    // The permission is also required for a tag that the version already has.
    assert_eq!(with(&broker, publisher_token, "PUT", tag, Some(&json!({}))).status, 403);
    assert_eq!(
        with(&broker, token(&deployer), "PUT", tag, Some(&json!({}))).status,
        200
    );
    assert_eq!(
        with(
            &broker,
            token(&publisher),
            "PUT",
            "/pacticipants/web/versions/1/tags/dev",
            Some(&json!({}))
        )
        .status,
        201
    );
}

#[test]
fn the_audit_log_has_writes_and_denied_requests() {
    let (broker, admin) = restricted();
    let created = create(&broker, Some(&admin), "web CI", &["publish:web"]);
    assert_eq!(
        with(&broker, token(&created), "PUT", "/pacticipants/web", Some(&json!({}))).status,
        201
    );
    assert_eq!(
        with(
            &broker,
            token(&created),
            "PUT",
            "/pacticipants/web%3A",
            Some(&json!({}))
        )
        .status,
        403
    );
    assert_eq!(
        with(&broker, token(&created), "DELETE", "/pacticipants/web?x=secret", None).status,
        403
    );
    for _ in 0..3 {
        assert_eq!(broker.get("/pacticipants").status, 401);
    }
    // A rejected request is neither a write nor a denied request.
    assert_eq!(
        with(&broker, token(&created), "PUT", "/pacticipants/web", Some(&json!([]))).status,
        400
    );
    let entries = |query: &str| {
        let list = with(&broker, &admin, "GET", &format!("/admin/audit?{query}"), None);
        assert_eq!(list.status, 200, "{list:?}");
        list.json()["_embedded"]["entries"].as_array().expect("a list").clone()
    };
    let denied = loop {
        let denied = entries("outcome=denied");
        if denied.iter().any(|entry| entry["occurrences"] == 3) {
            break denied;
        }
        std::thread::yield_now();
    };
    let text = Value::from(denied.clone()).to_string();
    assert!(!text.contains("secret"), "{text}");
    let deletion = denied
        .iter()
        .find(|entry| entry["method"] == "DELETE")
        .expect("an entry");
    assert_eq!(deletion["actor"]["kind"], "token");
    assert_eq!(deletion["actor"]["name"], "web CI");
    assert_eq!(deletion["actor"]["credential"], created["id"]);
    assert_eq!(deletion["address"], "127.0.0.1");
    assert_eq!(deletion["path"], "/pacticipants/web");
    assert_eq!(deletion["route"], "/pacticipants/{pacticipant}");
    assert_eq!(deletion["status"], 403);
    assert!(
        deletion["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("Required scope: write")),
        "{deletion}"
    );
    let writes = entries("outcome=written");
    let paths: Vec<&str> = writes.iter().filter_map(|entry| entry["path"].as_str()).collect();
    assert_eq!(paths, ["/pacticipants/web", "/admin/tokens", "/admin/tokens"]);
    assert_eq!(writes[2]["actor"]["kind"], "anonymous");
}

#[test]
fn the_audit_log_has_filters_pages_and_lines() {
    let (broker, admin) = restricted();
    let created = create(&broker, Some(&admin), "web CI", &["publish:web"]);
    assert_eq!(
        with(&broker, token(&created), "PUT", "/pacticipants/web", Some(&json!({}))).status,
        201
    );
    let entries = |query: &str| {
        let list = with(&broker, &admin, "GET", &format!("/admin/audit?{query}"), None);
        assert_eq!(list.status, 200, "{list:?}");
        list.json()["_embedded"]["entries"].as_array().expect("a list").clone()
    };
    assert_eq!(entries("actor=web%20CI&outcome=written").len(), 1);
    assert_eq!(entries("method=POST").len(), 2);
    assert_eq!(entries("path=/admin/tokens").len(), 2);
    assert_eq!(entries("from=2000-01-01&to=2001-01-01").len(), 0);
    let first = with(
        &broker,
        &admin,
        "GET",
        "/admin/audit?after=0&size=2&outcome=written",
        None,
    )
    .json();
    let next = first["_links"]["next"]["href"].as_str().expect("a next page");
    let next = with(
        &broker,
        &admin,
        "GET",
        next.split_once(&broker.base()).expect("a URL").1,
        None,
    )
    .json();
    assert_eq!(next["_embedded"]["entries"][0]["path"], "/pacticipants/web");
    assert_eq!(next["_links"]["next"], Value::Null);
    for query in ["from=yesterday", "outcome=maybe", "after=x"] {
        assert_eq!(
            with(&broker, &admin, "GET", &format!("/admin/audit?{query}"), None).status,
            400
        );
    }
    let lines = broker.send(
        "GET",
        "/admin/audit?outcome=written",
        &[
            ("authorization", &format!("Bearer {admin}")),
            ("accept", "application/x-ndjson"),
        ],
        None,
    );
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(lines.text.lines().count(), 3);
    assert!(
        lines
            .text
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
}

#[test]
fn users_are_managed_over_http() {
    let (broker, admin) = restricted();
    let send = |method: &str, path: &str, body: Option<&Value>| with(&broker, &admin, method, path, body);
    let ana = json!({ "name": "ana b", "password": "a long password", "scopes": ["read"] });
    let created = send("POST", "/admin/users", Some(&ana));
    assert_eq!(created.status, 201, "{created:?}");
    assert!(
        created
            .header("location")
            .is_some_and(|url| url.ends_with("/admin/users/ana%20b"))
    );
    assert!(!created.text.contains("password"), "{created:?}");
    let sign_in = |password: &str, method: &str| {
        let credentials = STANDARD.encode(format!("ana b:{password}"));
        let header = format!("Basic {credentials}");
        let headers = [("authorization", header.as_str()), ("content-type", "application/json")];
        broker.send(method, "/pacticipants/new", &headers, Some(b"{}")).status
    };
    assert_eq!(sign_in("a long password", "PUT"), 403);
    assert_eq!(sign_in("another password", "PUT"), 401);

    let changed = send("PATCH", "/admin/users/ana%20b", Some(&json!({ "scopes": ["write"] })));
    assert_eq!((changed.status, &changed.json()["scopes"]), (200, &json!(["write"])));
    assert_eq!(sign_in("a long password", "PUT"), 201);
    let changed = send(
        "PATCH",
        "/admin/users/ana%20b",
        Some(&json!({ "password": "another password" })),
    );
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(sign_in("a long password", "PUT"), 401);
    assert_eq!(sign_in("another password", "PUT"), 200);

    let listed = send("GET", "/admin/users", None).json();
    assert_eq!(listed["_embedded"]["users"][0]["name"], "ana b");
    assert_eq!(
        send("GET", "/admin/users/ana%20b", None).json()["scopes"],
        json!(["write"])
    );
    assert_eq!(send("DELETE", "/admin/users/ana%20b", None).status, 204);
    assert_eq!(send("GET", "/admin/users/ana%20b", None).status, 404);
    assert_eq!(sign_in("another password", "PUT"), 401);
}

#[test]
fn invalid_users_are_rejected() {
    let (broker, admin) = restricted();
    let send = |method: &str, path: &str, body: &Value| with(&broker, &admin, method, path, Some(body));
    let valid = json!({ "name": "ana", "password": "a long password", "scopes": ["read"] });
    for (field, value) in [
        ("name", json!("a:b")),
        ("name", json!("")),
        ("password", json!("short")),
        ("password", Value::Null),
        ("scopes", json!(["everything"])),
        ("scopes", json!([])),
        ("scopes", json!("read")),
    ] {
        let mut body = valid.clone();
        body[field] = value;
        let answer = send("POST", "/admin/users", &body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(answer.json()["errors"][field][0].is_string(), "{answer:?}");
    }
    assert_eq!(send("POST", "/admin/users", &valid).status, 201);
    let again = send("POST", "/admin/users", &valid);
    assert_eq!(
        (again.status, error(&again)),
        (409, "The user \"ana\" already exists.".to_owned())
    );
    assert_eq!(
        send("PATCH", "/admin/users/ana", &json!({ "name": "other" })).status,
        400
    );
    assert_eq!(
        send("PATCH", "/admin/users/nobody", &json!({ "scopes": ["read"] })).status,
        404
    );
    assert_eq!(send("DELETE", "/admin/users/nobody", &json!({})).status, 404);
    let reader = create(&broker, Some(&admin), "reader", &["read"]);
    assert_eq!(with(&broker, token(&reader), "GET", "/admin/users", None).status, 403);
}
