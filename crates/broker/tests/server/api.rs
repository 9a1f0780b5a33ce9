//! Writes and representations that are compatible with the Pact Broker.

use contract_broker::Database;
use serde_json::{Value, json};

use crate::support::{self, Answer, Running};

fn put(broker: &Running, path: &str, body: &Value) -> Value {
    let answer = broker.json("PUT", path, body);
    assert!(matches!(answer.status, 200 | 201), "{path}: {answer:?}");
    answer.json()
}

fn pact(broker: &Running, provider: &str, version: &str, state: &str) {
    let interaction =
        json!({ "description": state, "providerState": state, "request": { "path": format!("/{state}") } });
    let path = format!("/pacts/provider/{provider}/consumer/Foo/version/{version}");
    put(broker, &path, &json!({ "interactions": [interaction] }));
}

fn environment(broker: &Running, name: &str) -> String {
    let made = broker.json("POST", "/environments", &json!({ "name": name, "production": true }));
    made.json()["uuid"].as_str().expect("an id").to_owned()
}

fn verify(broker: &Running, version: &str, provider_version: &str, success: bool) -> Answer {
    let path = format!("/pacts/provider/Bar/consumer/Foo/version/{version}");
    let pact = broker.get(&path).json();
    let results = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a link");
    let body = json!({ "success": success, "providerApplicationVersion": provider_version });
    broker.json("POST", &results.replace(&broker.base(), ""), &body)
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one["name"].as_str().expect("a name")).collect()
}

// Writes

#[test]
fn put_and_patch_of_a_version_replace_its_tags() {
    let broker = support::start(Database::Memory);
    let path = "/pacticipants/Foo/versions/1";
    for method in ["PUT", "PATCH"] {
        put(&broker, path, &json!({ "tags": [{ "name": "a" }, { "name": "b" }] }));
        let changed = broker.json(method, path, &json!({ "tags": [{ "name": "b" }, { "name": "c" }] }));
        assert_eq!(names(&changed.json()["_embedded"]["tags"]), ["b", "c"], "{method}");
        let unchanged = broker.json(method, path, &json!({}));
        assert_eq!(
            names(&unchanged.json()["_embedded"]["tags"]),
            ["b", "c"],
            "{method} without tags"
        );
        let none = broker.json(method, path, &json!({ "tags": [] }));
        assert_eq!(none.json()["_embedded"]["tags"], json!([]), "{method}");
    }
}

#[test]
fn put_and_patch_of_a_version_do_not_move_branches() {
    let broker = support::start(Database::Memory);
    put(&broker, "/pacticipants/Foo/branches/main/versions/1", &json!({}));
    put(&broker, "/pacticipants/Foo/branches/main/versions/2", &json!({}));
    for method in ["PUT", "PATCH"] {
        let answer = broker.json(
            method,
            "/pacticipants/Foo/versions/1",
            &json!({ "branch": "other", "buildUrl": "http://ci" }),
        );
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(names(&answer.json()["_embedded"]["branchVersions"]), ["main"]);
        assert_eq!(answer.json()["buildUrl"], "http://ci");
    }
    assert_eq!(broker.get("/pacticipants/Foo/branches/other").status, 404);
    assert_eq!(
        broker.get("/pacticipants/Foo/branches/main/latest-version").json()["number"],
        "2"
    );
}

#[test]
fn post_of_an_existing_pacticipant_changes_nothing() {
    let broker = support::start(Database::Memory);
    let first = json!({ "name": "Foo", "mainBranch": "trunk", "repositoryUrl": "http://git" });
    assert_eq!(broker.json("POST", "/pacticipants", &first).status, 201);
    let other = json!({ "name": "Foo", "mainBranch": "other", "displayName": "Other" });
    let again = broker.json("POST", "/pacticipants", &other);
    assert_eq!((again.status, again.header("location").is_some()), (201, true));
    for body in [again.json(), broker.get("/pacticipants/Foo").json()] {
        assert_eq!(
            (&body["mainBranch"], &body["displayName"]),
            (&json!("trunk"), &json!("Foo"))
        );
        assert_eq!(body["repositoryUrl"], "http://git");
    }
}

#[test]
fn patch_does_not_restore_ended_support() {
    let broker = support::start(Database::Memory);
    let uuid = environment(&broker, "prod");
    put(&broker, "/pacticipants/Foo/versions/1", &json!({}));
    let path = format!("/pacticipants/Foo/versions/1/released-versions/environment/{uuid}");
    let released = broker.json("POST", &path, &json!({})).json();
    let path = format!("/released-versions/{}", released["uuid"].as_str().expect("an id"));
    let set = |supported: bool| broker.json("PATCH", &path, &json!({ "currentlySupported": supported }));
    assert_eq!(set(true).status, 200, "it is supported");
    assert_eq!(set(false).json()["currentlySupported"], false);
    let refused = set(true);
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(refused.json()["errors"]["currentlySupported"].is_array(), "{refused:?}");
    assert_eq!(broker.get(&path).json()["currentlySupported"], false);
}

#[test]
fn the_branch_of_a_version_is_the_last_added() {
    let broker = support::start(Database::Memory);
    pact(&broker, "Bar", "1", "a");
    for branch in ["zebra", "apple", "main"] {
        put(
            &broker,
            &format!("/pacticipants/Foo/branches/{branch}/versions/1"),
            &json!({}),
        );
    }
    let matrix = broker
        .get("/matrix?q[][pacticipant]=Foo&q[][version]=1&latestby=cvpv")
        .json();
    let version = &matrix["matrix"][0]["consumer"]["version"];
    assert_eq!(version["branch"], "main", "{matrix}");
    assert_eq!(names(&version["branchVersions"]), ["zebra", "apple", "main"]);
    assert_eq!(
        broker.get("/dashboard").json()["items"][0]["consumer"]["version"]["branch"],
        "main"
    );
}

#[test]
fn deleting_all_contracts_of_an_integration_returns_204() {
    let broker = support::start(Database::Memory);
    pact(&broker, "Bar", "1", "a");
    put(&broker, "/pacticipants/Foo/versions/1/tags/dev", &json!({}));
    pact(&broker, "Bar", "2", "b");
    let pair = "/pacts/provider/Bar/consumer/Foo";
    let tagged = broker.send("DELETE", &format!("{pair}/tag/dev"), &[], None);
    assert_eq!(tagged.status, 200, "{tagged:?}");
    let all = broker.send("DELETE", &format!("{pair}/versions"), &[], None);
    assert_eq!((all.status, all.text.as_str()), (204, ""));
    assert_eq!(broker.get(&format!("{pair}/latest")).status, 404);
}

// Representations

#[test]
fn lists_of_versions_link_their_environments() {
    let broker = support::start(Database::Memory);
    let uuid = environment(&broker, "prod");
    for version in ["1", "2"] {
        put(
            &broker,
            &format!("/pacticipants/Foo/versions/{version}/tags/dev"),
            &json!({}),
        );
        put(
            &broker,
            &format!("/pacticipants/Foo/branches/main/versions/{version}"),
            &json!({}),
        );
    }
    let present = format!("/pacticipants/Foo/versions/1/deployed-versions/environment/{uuid}");
    assert_eq!(broker.json("POST", &present, &json!({})).status, 201);
    assert_eq!(
        broker
            .json("POST", &present.replace("deployed", "released"), &json!({}))
            .status,
        201
    );
    for path in ["/versions", "/tags/dev/versions", "/branches/main/versions"] {
        let list = broker.get(&format!("/pacticipants/Foo{path}")).json();
        let versions = &list["_embedded"]["versions"];
        let links = &versions[1]["_links"];
        assert_eq!(links["pb:deployed-environments"][0]["name"], "Prod", "{path}: {list}");
        assert_eq!(links["pb:deployed-environments"][0]["currently_deployed"], true);
        assert_eq!(links["pb:released-environments"][0]["currently_supported"], true);
        assert_eq!(versions[0]["_links"].get("pb:deployed-environments"), None, "{path}");
    }
    let alone = broker.get("/pacticipants/Foo/versions/2").json();
    assert_eq!(alone["_links"]["pb:released-environments"], json!([]));
}

#[test]
fn relations_of_the_list_by_tag_have_a_prefix() {
    let broker = support::start(Database::Memory);
    pact(&broker, "Bar", "1", "a");
    put(&broker, "/pacticipants/Foo/versions/1/tags/dev", &json!({}));
    let pair = "/pacts/provider/Bar/consumer/Foo";
    let by_tag = broker.get(&format!("{pair}/tag/dev")).json();
    for relation in ["consumer", "provider", "pact-versions"] {
        assert_eq!(by_tag["_links"].get(relation), None, "{by_tag}");
        assert!(by_tag["_links"].get(format!("pb:{relation}")).is_some(), "{by_tag}");
        assert!(
            broker.get(&format!("{pair}/versions")).json()["_links"]
                .get(relation)
                .is_some()
        );
    }
    assert_eq!(by_tag["_links"]["pb:pact-versions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_result_links_to_the_contract_of_its_consumer_version() {
    let broker = support::start(Database::Memory);
    pact(&broker, "Bar", "1", "a");
    let result = verify(&broker, "1", "10", true).json();
    pact(&broker, "Bar", "2", "a");
    let link = result["_links"]["pb:pact-version"]["href"].as_str().expect("a link");
    assert!(link.contains("/metadata/"), "{link}");
    let pact = broker.get(&link.replace(&broker.base(), "")).json();
    assert_eq!(pact["_links"]["pb:consumer-version"]["name"], "1");
}

#[test]
fn metrics_have_the_keys_of_the_pact_broker() {
    let broker = support::start(Database::Memory);
    let metrics = broker.get("/metrics").json();
    assert_eq!(metrics["matrix"]["count"], -1);
    for key in ["webhooks", "triggeredWebhooks", "webhookExecutions"] {
        assert_eq!(metrics[key]["count"], 0, "{key}");
    }
}

#[test]
fn updated_at_is_initially_created_at() {
    let broker = support::start(Database::Memory);
    let uuid = environment(&broker, "prod");
    put(&broker, "/pacticipants/Foo/versions/1", &json!({}));
    for path in [
        "/pacticipants/Foo".to_owned(),
        "/pacticipants/Foo/versions/1".to_owned(),
        format!("/environments/{uuid}"),
    ] {
        let body = broker.get(&path).json();
        assert_eq!(body["updatedAt"], body["createdAt"], "{path}");
        assert!(body["updatedAt"].is_string(), "{path}");
    }
}

#[test]
fn display_names_are_derived() {
    let broker = support::start(Database::Memory);
    let made = |path: &str, body: Value| broker.json("POST", path, &body).json()["displayName"].clone();
    assert_eq!(made("/pacticipants", json!({ "name": "mobile app" })), "Mobile App");
    assert_eq!(
        made(
            "/pacticipants",
            json!({ "name": "orders", "displayName": "The orders" })
        ),
        "The orders"
    );
    assert_eq!(
        made("/environments", json!({ "name": "eu-west", "production": false })),
        "Eu West"
    );
    let cleared = put(&broker, "/pacticipants/orders", &json!({}));
    assert_eq!(cleared["displayName"], "Orders");
}

#[test]
fn provider_states_come_from_the_branch_head() {
    let broker = support::start(Database::Memory);
    put(&broker, "/pacticipants/Foo", &json!({ "mainBranch": "main" }));
    let states = ["/provider-states", "/provider-states/branch/main"];
    let lists = ["/branch/main/latest", "/branch/latest"];
    let counts = || {
        let count = |path: &str, pointer: &str| {
            let body = broker.get(&format!("/pacts/provider/Bar{path}")).json();
            body.pointer(pointer).and_then(Value::as_array).expect("a list").len()
        };
        let states = states.map(|path| count(path, "/providerStates"));
        (states, lists.map(|path| count(path, "/_links/pb:pacts")))
    };
    pact(&broker, "Bar", "1", "a");
    put(&broker, "/pacticipants/Foo/branches/main/versions/1", &json!({}));
    assert_eq!(counts(), ([1, 1], [1, 1]));
    put(&broker, "/pacticipants/Foo/branches/main/versions/2", &json!({}));
    assert_eq!(counts(), ([0, 0], [0, 0]), "the head has no contract with the provider");
    // With a consumer in the path, the newest contract on the branch is returned.
    assert_eq!(
        broker.get("/pacts/provider/Bar/consumer/Foo/branch/main/latest").status,
        200
    );
}

#[test]
fn names_in_paths_must_exist() {
    let broker = support::start(Database::Memory);
    environment(&broker, "prod");
    put(&broker, "/pacticipants/Foo/branches/main/versions/1", &json!({}));
    put(&broker, "/pacticipants/Foo/versions/1/tags/dev", &json!({}));
    for (path, status) in [
        ("/branches/main/latest-version/can-i-deploy/to-environment/prod", 200),
        ("/branches/none/latest-version/can-i-deploy/to-environment/prod", 404),
        ("/branches/main/latest-version/can-i-deploy/to-environment/none", 404),
        ("/latest-version/dev/can-i-deploy/to/prod", 200),
        ("/latest-version/none/can-i-deploy/to/prod", 404),
        ("/tags/dev/versions", 200),
        ("/tags/none/versions", 404),
        // A badge shows "unknown".
        ("/latest-version/none/can-i-deploy/to/prod/badge.svg", 200),
    ] {
        let accept = if status == 200 && path.ends_with("svg") {
            "image/svg+xml"
        } else {
            "application/hal+json"
        };
        let answer = broker.send("GET", &format!("/pacticipants/Foo{path}"), &[("accept", accept)], None);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
    }
}

#[test]
fn conditions_of_one_selector_of_the_matrix_are_combined() {
    let broker = support::start(Database::Memory);
    let uuid = environment(&broker, "prod");
    for version in ["1", "2"] {
        pact(&broker, "Bar", version, version);
        put(
            &broker,
            &format!("/pacticipants/Foo/branches/main/versions/{version}"),
            &json!({}),
        );
        assert_eq!(verify(&broker, version, "10", true).status, 201);
    }
    let present = format!("/pacticipants/Foo/versions/1/deployed-versions/environment/{uuid}");
    assert_eq!(broker.json("POST", &present, &json!({})).status, 201);
    for (conditions, deployable, rows) in [
        ("q[][version]=1&q[][branch]=main", true, 1),
        ("q[][version]=1&q[][branch]=other", false, 0),
        ("q[][version]=1&q[][environment]=prod", true, 1),
        ("q[][version]=2&q[][environment]=prod", false, 0),
        ("q[][branch]=main&q[][environment]=prod", true, 1),
        // An unknown environment contains no versions.
        ("q[][environment]=none", false, 0),
    ] {
        let answer = broker.get(&format!("/matrix?q[][pacticipant]=Foo&{conditions}&latestby=cvpv"));
        assert_eq!(answer.status, 200, "{conditions}: {answer:?}");
        let body = answer.json();
        assert_eq!(body["summary"]["deployable"], deployable, "{conditions}: {body}");
        assert_eq!(body["matrix"].as_array().map(Vec::len), Some(rows), "{conditions}");
    }
    let destination = "/matrix?q[][pacticipant]=Foo&q[][version]=1&latestby=cvpv&environment=none";
    assert_eq!(broker.get(destination).status, 400);
    let latest = "/matrix?q[][pacticipant]=Foo&q[][version]=1&q[][latest]=true&latestby=cvpv";
    assert_eq!(broker.get(latest).status, 400);
}

#[test]
fn errors_of_can_i_deploy_are_grouped_by_parameter() {
    let broker = support::start(Database::Memory);
    environment(&broker, "prod");
    put(&broker, "/pacticipants/Foo/versions/1", &json!({}));
    for (query, keys) in [
        ("", vec!["", "pacticipant", "version"]),
        ("pacticipant=none&version=1&environment=prod", vec!["pacticipant"]),
        ("pacticipant=Foo&version=1&environment=none", vec!["environment"]),
        (
            "pacticipant=none&version=1&environment=none",
            vec!["environment", "pacticipant"],
        ),
        ("pacticipant=Foo&version=1&environment=prod&to=dev", vec![""]),
        ("pacticipant=Foo&version=1&environment=prod&limit=none", vec!["limit"]),
    ] {
        let answer = broker.get(&format!("/can-i-deploy?{query}"));
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
        let errors = answer.json()["errors"].as_object().cloned().expect("an object");
        assert_eq!(
            errors.keys().map(String::as_str).collect::<Vec<_>>(),
            keys,
            "{query}: {answer:?}"
        );
    }
    // The other options of the matrix have no effect.
    let query = "pacticipant=Foo&version=1&environment=prod&latestby=none&latest=true&success[]=perhaps";
    assert_eq!(broker.get(&format!("/can-i-deploy?{query}")).status, 200);
}

#[test]
fn supports_older_paths_and_the_badge_of_two_tags() {
    let broker = support::start(Database::Memory);
    pact(&broker, "Bar", "1", "a");
    let latest = broker.get("/pact/provider/Bar/consumer/Foo/latest");
    assert_eq!(
        (latest.status, latest.header("x-pact-consumer-version")),
        (200, Some("1"))
    );
    let badge = |suffix: &str| {
        let path = format!("/matrix/provider/Bar/latest/prod/consumer/Foo/latest/dev/badge{suffix}");
        let answer = broker.send("GET", &path, &[("accept", "image/svg+xml")], None);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.text
    };
    assert!(badge("").contains("unknown"));
    put(&broker, "/pacticipants/Foo/versions/1/tags/dev", &json!({}));
    assert!(badge("").contains("unknown"));
    assert_eq!(verify(&broker, "1", "10", true).status, 201);
    put(&broker, "/pacticipants/Bar/versions/10/tags/prod", &json!({}));
    assert!(badge(".svg").contains("verified"), "{}", badge(".svg"));
    assert_eq!(verify(&broker, "1", "10", false).status, 201);
    assert!(badge("").contains("failed"));
    assert!(badge("?label=mine").contains("mine"));
}

#[test]
fn the_dashboard_shows_the_newest_and_the_tagged_contracts() {
    let broker = support::start(Database::Memory);
    for provider in ["Bar", "Baz"] {
        for version in ["1", "2", "3"] {
            pact(&broker, provider, version, version);
        }
    }
    for (version, tag) in [("1", "prod"), ("2", "test"), ("2", "stage")] {
        put(
            &broker,
            &format!("/pacticipants/Foo/versions/{version}/tags/{tag}"),
            &json!({}),
        );
    }
    put(&broker, "/pacticipants/Foo/branches/main/versions/3", &json!({}));
    assert_eq!(verify(&broker, "2", "10", false).status, 201);
    let shown = |path: &str| {
        let body = broker.get(path).json();
        let items = body["items"].as_array().expect("a list").clone();
        let of = |item: &Value| {
            let text = |pointer: &str| {
                item.pointer(pointer)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            let mut tags = names(&item["pactTags"]);
            tags.sort_unstable();
            [
                text("/provider/name"),
                text("/consumer/version/number"),
                text("/consumer/version/branch"),
                tags.join(" "),
                text("/verificationStatus"),
                text("/provider/version/number"),
            ]
            .join(",")
        };
        items.iter().map(of).collect::<Vec<_>>()
    };
    let bar = [
        "Bar,3,main,,never,",
        "Bar,2,test,stage test,failed,10",
        "Bar,1,prod,prod,never,",
    ];
    let baz = [
        "Baz,3,main,,never,",
        "Baz,2,test,stage test,never,",
        "Baz,1,prod,prod,never,",
    ];
    assert_eq!(shown("/dashboard"), [bar, baz].concat());
    assert_eq!(shown("/dashboard/provider/Baz/consumer/Foo"), baz);
    assert_eq!(shown("/dashboard?size=1&page=2"), baz);
}

// Limits

#[test]
fn the_number_of_tags_in_a_request_is_limited() {
    let broker = support::start(Database::Memory);
    let tags = |count: usize| (0..count).map(|at| format!("t{at}")).collect::<Vec<_>>();
    let publish = |tags: Vec<String>| {
        let body = json!({ "pacticipantName": "Foo", "pacticipantVersionNumber": "1", "tags": tags, "contracts": [] });
        broker.json("POST", "/contracts/publish", &body)
    };
    let change = |tags: Vec<String>| {
        let tags: Vec<Value> = tags.iter().map(|name| json!({ "name": name })).collect();
        broker.json("PATCH", "/pacticipants/Foo/versions/1", &json!({ "tags": tags }))
    };
    for rejected in [publish(tags(101)), publish(tags(100_000)), change(tags(101))] {
        assert_eq!(rejected.status, 400, "{rejected:?}");
        let errors = &rejected.json()["errors"]["tags"];
        assert!(
            errors[0].as_str().is_some_and(|text| text.contains("at most 100")),
            "{errors}"
        );
    }
    assert_eq!(broker.get("/pacticipants/Foo").status, 404, "nothing was written");
    assert_eq!(publish(tags(100)).status, 200);
    assert_eq!(change(tags(100)).status, 200);
}

#[test]
fn embedded_texts_and_lists_are_limited() {
    let broker = support::start(Database::Memory);
    let long = "x".repeat(4_097);
    for (method, path, body, field) in [
        (
            "PUT",
            "/pacticipants/Foo",
            json!({ "repositoryUrl": long }),
            "repositoryUrl",
        ),
        (
            "PUT",
            "/pacticipants/Foo/versions/1",
            json!({ "buildUrl": long }),
            "buildUrl",
        ),
        (
            "POST",
            "/environments",
            json!({ "name": "a", "production": true, "contacts": vec![json!({ "name": "us" }); 101] }),
            "contacts",
        ),
        (
            "POST",
            "/environments",
            json!({ "name": "a", "production": true, "contacts": [{ "name": "us", "details": "x".repeat(65_536) }] }),
            "contacts",
        ),
    ] {
        let answer = broker.json(method, path, &body);
        assert_eq!(answer.status, 400, "{field}: {answer:?}");
        assert!(answer.json()["errors"][field].is_array(), "{answer:?}");
    }
    put(
        &broker,
        "/pacticipants/Foo/versions/1",
        &json!({ "buildUrl": &long[1..] }),
    );
    let tags: Vec<String> = (0..101).map(|at| at.to_string()).collect();
    for (field, list) in [
        ("providerVersionTags", json!(tags)),
        ("consumerVersionSelectors", json!(vec![json!({}); 10_001])),
    ] {
        let mut body = json!({});
        body[field] = list;
        let answer = broker.json("POST", "/pacts/provider/Foo/for-verification", &body);
        let errors = answer.json()["errors"][field].clone();
        assert_eq!(
            (answer.status, errors.as_array().map(Vec::len)),
            (400, Some(1)),
            "{field}: {errors:.300}"
        );
    }
}

#[test]
fn rejects_dot_segments_as_names() {
    let broker = support::start(Database::Memory);
    for name in [".", ".."] {
        assert_eq!(
            broker.json("POST", "/pacticipants", &json!({ "name": name })).status,
            400
        );
        for path in [
            format!("/pacticipants/{name}"),
            format!("/pacticipants/Foo/versions/{name}"),
            format!("/pacticipants/Foo/branches/{name}/versions/1"),
            format!("/pacticipants/Foo/versions/1/tags/{name}"),
            format!("/pacticipants/Foo/labels/{name}"),
            format!("/pacts/provider/{name}/consumer/Foo/version/1"),
        ] {
            let answer = broker.json("PUT", &path, &json!({}));
            assert_eq!(answer.status, 400, "{path}: {answer:?}");
        }
    }
    assert_eq!(
        broker.get("/pacticipants").json()["_embedded"]["pacticipants"],
        json!([])
    );
}

#[test]
fn csv_cells_are_not_formulas() {
    let broker = support::start(Database::Memory);
    for name in ["=1+1", "+2", "-3", "@sum", "=a,b\"", "x=y"] {
        let path = format!("/pacts/provider/Bar/consumer/{}/version/1", name.replace('"', "%22"));
        put(&broker, &path, &json!({ "interactions": [] }));
    }
    let csv = broker
        .send("GET", "/relationships", &[("accept", "text/csv")], None)
        .text;
    let mut lines: Vec<&str> = csv.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "\"'=a,b\"\"\",Bar",
            "'+2,Bar",
            "'-3,Bar",
            "'=1+1,Bar",
            "'@sum,Bar",
            "x=y,Bar"
        ]
    );
}
