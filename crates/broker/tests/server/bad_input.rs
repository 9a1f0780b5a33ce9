//! Invalid input is rejected with the errors of the Pact Broker, and nothing is written.

use crate::support::{self, Running};
use contract_broker::{Credentials, Database, Permissions};
use serde_json::{Value, json};

const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

fn assert_nothing_written(broker: &Running) {
    for (path, list) in [
        ("/pacticipants", "pacticipants"),
        ("/environments", "environments"),
        ("/integrations", "integrations"),
    ] {
        assert_eq!(broker.get(path).json()["_embedded"][list], json!([]), "{path}");
    }
}

#[test]
fn rejects_invalid_bodies() {
    let broker = support::start(Database::Memory);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!("{{\"a\":[{}1]}}", "1,".repeat(100_000));
    let bodies: &[(&[u8], &str)] = &[
        (b"", "empty"),
        (b"{", "cut off"),
        (b"[]", "a list"),
        (b"null", "null"),
        (b"\"text\"", "text"),
        (b"{\"a\": \xff}", "not UTF-8"),
        (deep.as_bytes(), "deep"),
        (wide.as_bytes(), "wide"),
        (
            b"{\"name\": {\"a\": 1}, \"pacticipantName\": 5, \"contracts\": {}}",
            "of other types",
        ),
        (
            b"{\"name\": \"a\\u0000b\", \"production\": true, \"pacticipantName\": \"a\\u0000\"}",
            "with U+0000",
        ),
        (b"{\"name\": \" \", \"pacticipantName\": \"\\n\"}", "blank"),
    ];
    for path in ["/contracts/publish", "/pacticipants", "/environments"] {
        for (body, what) in bodies {
            let answer = broker.send("POST", path, JSON, Some(body));
            assert_eq!(answer.status, 400, "{what} to {path}: {answer:?}");
            let body = answer.json();
            assert!(body.get("errors").or_else(|| body.get("error")).is_some(), "{body}");
        }
    }
    assert_nothing_written(&broker);
}

#[test]
fn rejects_invalid_contracts() {
    let broker = support::start(Database::Memory);
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    let deep = format!("{{\"interactions\": {}{}}}", "[".repeat(60), "]".repeat(60));
    for body in ["", "{", "[]", "5", deep.as_str(), r#"{"consumer": {"name": "Other"}}"#] {
        let answer = broker.send("PUT", path, JSON, Some(body.as_bytes()));
        assert_eq!(answer.status, 400, "{body:.60}: {answer:?}");
    }
    let mut publishing = json!({ "pacticipantName": "Foo", "pacticipantVersionNumber": "1", "contracts": [{}] });
    for content in [
        json!("%%%"),
        json!("bm90IGpzb24="),
        json!("/w=="),
        json!(5),
        Value::Null,
    ] {
        publishing["contracts"][0] = json!({
            "consumerName": "Foo", "providerName": "Bar", "specification": "pact", "contentType": "application/json", "content": content,
        });
        let answer = broker.json("POST", "/contracts/publish", &publishing);
        assert_eq!(answer.status, 400, "{content}: {answer:?}");
    }
    assert_nothing_written(&broker);
}

#[test]
fn rejects_unsupported_media_types() {
    let broker = support::start(Database::Memory);
    for kind in ["text/plain", "application/xml", "application/merge-patch+json"] {
        assert_eq!(
            broker
                .send("POST", "/pacticipants", &[("content-type", kind)], Some(b"{}"))
                .status,
            415,
            "{kind}"
        );
    }
    assert_eq!(broker.send("PUT", "/pacticipants/a/labels/b", &[], None).status, 415);
    let packed = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let refused = broker.send("POST", "/pacticipants", &packed, Some(b"\x1f\x8b"));
    assert_eq!(refused.status, 415);
    assert!(refused.text.contains("gzip"), "{refused:?}");
    assert_nothing_written(&broker);
    assert_eq!(
        broker
            .send("GET", "/pacticipants", &[("accept", "image/png")], None)
            .status,
        406
    );
    for (method, path, accept, status, form, expected) in [
        (
            "PATCH",
            "/environments",
            "application/json",
            405,
            "json",
            "/environments does not support PATCH. Supported methods: GET, POST, OPTIONS.",
        ),
        (
            "POST",
            "/metrics",
            "text/plain",
            405,
            "text/plain",
            "/metrics does not support POST. Supported methods: GET, OPTIONS.",
        ),
        (
            "DELETE",
            "/metrics/prometheus",
            "*/*",
            405,
            "json",
            "Supported methods: GET, HEAD.",
        ),
        (
            "GET",
            "/relationships",
            "application/hal+json",
            406,
            "json",
            "/relationships is available only as text/csv. Change the Accept header.",
        ),
        (
            "GET",
            "/pacticipants",
            "text/plain",
            406,
            "text/plain",
            "only as application/hal+json or application/json.",
        ),
        (
            "POST",
            "/pacticipants",
            "text/plain",
            415,
            "text/plain",
            "The body of POST /pacticipants has the content type \"text/csv\". Send JSON",
        ),
        (
            "PATCH",
            "/pacticipants/a",
            "*/*",
            415,
            "json",
            "application/json or application/merge-patch+json.",
        ),
    ] {
        let headers = [("accept", accept), ("content-type", "text/csv; charset=utf-8")];
        let refused = broker.send(method, path, &headers, Some(b"a"));
        assert_eq!(refused.status, status, "{refused:?}");
        assert!(
            refused.header("content-type").is_some_and(|kind| kind.contains(form)),
            "{refused:?}"
        );
        let text = match form {
            "json" => refused.json()["error"].as_str().expect("a text").to_owned(),
            _ => refused.text.clone(),
        };
        assert!(text.contains(expected), "{refused:?}");
        assert_eq!(refused.header("allow").is_some(), status == 405, "{refused:?}");
    }
    let untyped = broker.send("PUT", "/pacticipants/a/labels/b", &[], None);
    assert!(untyped.text.contains("has no content type"), "{untyped:?}");
    assert_nothing_written(&broker);
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    assert_eq!(
        broker.send("GET", "/pacticipants", &[("accept", browser)], None).status,
        200
    );
}

#[test]
fn rejects_large_bodies() {
    let broker = support::start(Database::Memory);
    let body = vec![b' '; 33 * 1024 * 1024];
    let answer = broker.send("POST", "/contracts/publish", JSON, Some(&body));
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_nothing_written(&broker);
}

#[test]
fn supports_names_with_special_characters() {
    let broker = support::start(Database::Memory);
    let names = [
        "a/b",
        "a b",
        "a%2Fb",
        "quote\"s'",
        "<script>alert(1)</script>",
        "'; DROP TABLE pacticipant; --",
        "日本語 🎉",
        "...",
        ".a",
        "%",
        "a?b#c",
        "_",
        "{tag}",
        "latest",
    ];
    for name in names {
        let made = broker.json("POST", "/pacticipants", &json!({ "name": name }));
        assert_eq!(made.status, 201, "{name}: {made:?}");
        let url = made.json()["_links"]["self"]["href"]
            .as_str()
            .expect("a link")
            .replace(&broker.base(), "");
        let version = broker.json(
            "PUT",
            &format!("{url}/versions/{}", &url["/pacticipants/".len()..]),
            &json!({}),
        );
        assert_eq!(version.status, 201, "{name}: {version:?}");
        assert_eq!(broker.get(&url).json()["name"], name);
        let tag = broker.json(
            "PUT",
            &format!("{url}/versions/1/tags/{}", &url["/pacticipants/".len()..]),
            &json!({}),
        );
        assert_eq!(tag.json()["name"], name, "{tag:?}");
    }
    let all = broker.get("/pacticipants").json();
    assert_eq!(
        all["_embedded"]["pacticipants"].as_array().map(Vec::len),
        Some(names.len())
    );
    let found = broker.get("/pacticipants?q=%25").json();
    assert_eq!(
        found["_embedded"]["pacticipants"].as_array().map(Vec::len),
        Some(2),
        "a percent sign is not a wildcard"
    );
}

#[test]
fn responds_404_for_unknown_resources() {
    let broker = support::start(Database::Memory);
    for path in [
        "/nothing",
        "/pacticipants/nobody",
        "/pacticipants/nobody/versions/1",
        "/environments/none",
        "/deployed-versions/none",
        "/released-versions/none",
        "/pacts/provider/a/consumer/b/version/1",
        "/pacts/provider/a/consumer/b/pact-version/zz",
        "/pacts/provider/a/consumer/b/pact-version/zz/metadata/%20/verification-results/x",
        "/pacts/provider/a/latest",
        "/pacts/provider/a/for-verification",
        "/doc/nothing",
        "/matrix/provider/a/consumer/b",
    ] {
        let answer = broker.get(path);
        assert_eq!(
            answer.status,
            if path.starts_with("/doc/") { 406 } else { 404 },
            "{path}: {answer:?}"
        );
    }
    for path in ["/pacticipants/a%00b", "/pacticipants/%ff"] {
        let answer = broker.get(path);
        assert_eq!(answer.status, 400, "{path}: {answer:?}");
    }
}

#[test]
fn rejects_invalid_queries() {
    let broker = support::start(Database::Memory);
    broker.json("POST", "/pacticipants", &json!({ "name": "A" }));
    for query in [
        "",
        "q",
        "q[]",
        "q[][pacticipant]",
        "q[][pacticipant]=nobody",
        "q[][pacticipant]=A&limit=-1",
        "q[][pacticipant]=A&limit=zz",
        "q[][pacticipant]=A&latestby=x",
        "q[][pacticipant]=A&environment=none",
        "q[][pacticipant]=%ff",
        "q[][version]=1",
        "q[][pacticipant]=A&success[]=perhaps",
        "q[][pacticipant]=a%00",
    ] {
        let answer = broker.get(&format!("/matrix?{query}"));
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
    }
    for query in ["page=0", "page=x", "size=0", "page=-1", "size=99999999999999999999"] {
        assert_eq!(broker.get(&format!("/pacticipants?{query}")).status, 400, "{query}");
    }
    let beyond = broker.get("/pacticipants?page=1000000000&size=1000").json();
    assert_eq!(beyond["_embedded"]["pacticipants"], json!([]));
    let unknown = broker.get("/pacticipants?something=else").json();
    assert_eq!(unknown["_embedded"]["pacticipants"].as_array().map(Vec::len), Some(1));
}

#[test]
fn supports_many_selectors_and_query_parameters() {
    let broker = support::start(Database::Memory);
    broker.json(
        "PUT",
        "/pacts/provider/B/consumer/A/version/1",
        &json!({ "interactions": [] }),
    );
    let selectors = vec![json!({ "latest": true }); 2_000];
    let chosen = broker.json(
        "POST",
        "/pacts/provider/B/for-verification",
        &json!({ "consumerVersionSelectors": selectors }),
    );
    assert_eq!(chosen.json()["_embedded"]["pacts"].as_array().map(Vec::len), Some(1));
    let different: Vec<Value> = (0..1_000)
        .map(|at| json!({ "tag": format!("{at}"), "latest": true }))
        .collect();
    let refused = broker.json(
        "POST",
        "/pacts/provider/B/for-verification",
        &json!({ "consumerVersionSelectors": different }),
    );
    assert_eq!(refused.status, 400, "{refused:?}");
    let query = "q[][pacticipant]=A&".repeat(1_500);
    assert_eq!(broker.get(&format!("/matrix?{query}latestby=cvp")).status, 200);
}

#[test]
fn accounts_have_their_permissions() {
    let credentials = |name: &str| {
        Some(Credentials {
            username: name.to_owned(),
            password: "p".to_owned(),
        })
    };
    let permissions = Permissions {
        read_write: credentials("rw"),
        read_only: credentials("ro"),
        ..Permissions::default()
    };
    let broker = support::start_with(Database::Memory, permissions);
    let reader = ("authorization", "Basic cm86cA==");
    let writer = ("authorization", "Basic cnc6cA==");
    let json = ("content-type", "application/json");
    let refused = broker.send("GET", "/", &[], None);
    assert_eq!(
        (refused.status, refused.header("www-authenticate").is_some()),
        (401, true)
    );
    assert_eq!(
        broker.send("GET", "/nothing/here", &[], None).status,
        401,
        "unknown paths also require credentials"
    );
    assert_eq!(broker.send("GET", "/metrics/prometheus", &[], None).status, 401);
    assert_eq!(
        broker.send("GET", "/diagnostic/status/heartbeat", &[], None).status,
        200
    );
    assert_eq!(broker.send("GET", "/", &[reader], None).status, 200);
    assert_eq!(
        broker
            .send("POST", "/pacticipants", &[reader, json], Some(b"{\"name\": \"A\"}"))
            .status,
        403
    );
    assert_eq!(
        broker
            .send("POST", "/pacticipants", &[writer, json], Some(b"{\"name\": \"A\"}"))
            .status,
        201
    );
    assert_eq!(
        broker
            .send(
                "POST",
                "/pacts/provider/A/for-verification",
                &[reader, json],
                Some(b"{}")
            )
            .status,
        200
    );
}

#[test]
fn requests_after_invalid_ones_succeed() {
    let broker = support::start(Database::Memory);
    for _ in 0..3 {
        assert_eq!(broker.send("POST", "/contracts/publish", JSON, Some(b"{")).status, 400);
        assert_eq!(broker.get("/diagnostic/status/heartbeat").status, 200);
        assert_eq!(
            broker.get("/diagnostic/status/dependencies").json()["database"]["ok"],
            true
        );
        assert!(
            broker
                .send("GET", "/metrics/prometheus", &[], None)
                .text
                .contains("status=\"4xx\"}")
        );
    }
}
