//! Intentional deviations from the Pact Broker: see docs/decisions/0017-broker-deviations.md.

use crate::support::{self, Answer, Running};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract_broker::Database;
use serde_json::{Value, json};

fn contract(consumer: &str, provider: &str, paths: &[&str]) -> Value {
    let interactions: Vec<Value> = paths
        .iter()
        .map(|path| json!({ "description": path, "request": { "method": "GET", "path": path }, "response": { "status": 200 } }))
        .collect();
    json!({
        "consumer": { "name": consumer },
        "provider": { "name": provider },
        "interactions": interactions,
        "metadata": { "pactSpecification": { "version": "2.0.0" } },
    })
}

fn publishing(version: &str, branch: &str, paths: &[&str], on_conflict: &str) -> Value {
    let content = STANDARD.encode(contract("Foo", "Bar", paths).to_string());
    json!({
        "pacticipantName": "Foo",
        "pacticipantVersionNumber": version,
        "branch": branch,
        "contracts": [{
            "consumerName": "Foo",
            "providerName": "Bar",
            "specification": "pact",
            "contentType": "application/json",
            "content": content,
            "onConflict": on_conflict,
        }],
    })
}

fn publish(broker: &Running, version: &str, branch: &str, paths: &[&str]) {
    let answer = broker.json(
        "POST",
        "/contracts/publish",
        &publishing(version, branch, paths, "overwrite"),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn verify(broker: &Running, version: &str, provider_version: &str, success: bool) -> Answer {
    let pact = broker
        .get(&format!("/pacts/provider/Bar/consumer/Foo/version/{version}"))
        .json();
    let url = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a link")
        .to_owned();
    let path = url.replace(&broker.base(), "");
    let result = json!({ "success": success, "providerApplicationVersion": provider_version });
    let answer = broker.json("POST", &path, &result);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer
}

fn sha_of(broker: &Running, version: &str) -> String {
    let pact = broker
        .get(&format!("/pacts/provider/Bar/consumer/Foo/version/{version}"))
        .json();
    pact["_links"]["pb:pact-version"]["name"]
        .as_str()
        .expect("a hash")
        .to_owned()
}

#[test]
fn a_merged_contract_has_the_hash_of_its_result() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main", &["/a"]);
    let merged = broker.json("POST", "/contracts/publish", &publishing("1", "main", &["/b"], "merge"));
    assert_eq!(merged.status, 200, "{merged:?}");
    publish(&broker, "2", "main", &["/b", "/a"]);
    assert_eq!(sha_of(&broker, "1"), sha_of(&broker, "2"));
    publish(&broker, "3", "main", &["/b"]);
    assert_ne!(sha_of(&broker, "1"), sha_of(&broker, "3"));
}

#[test]
fn a_merge_conflict_names_the_interaction() {
    let broker = support::start(Database::Memory);
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    assert_eq!(broker.json("PUT", path, &contract("Foo", "Bar", &["/a"])).status, 201);
    let mut other = contract("Foo", "Bar", &["/a"]);
    other["interactions"][0]["request"]["method"] = "POST".into();
    let refused = broker.json("PATCH", path, &other);
    assert_eq!(refused.status, 409);
    assert!(
        refused.json()["error"].as_str().expect("a text").contains("\"/a\""),
        "{refused:?}"
    );
}

#[test]
fn fallbacks_apply_per_consumer() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main", &["/a"]);
    let mut other = publishing("1", "feature", &["/z"], "overwrite");
    other["pacticipantName"] = "Qux".into();
    other["contracts"][0]["consumerName"] = "Qux".into();
    other["contracts"][0]["content"] = STANDARD.encode(contract("Qux", "Bar", &["/z"]).to_string()).into();
    assert_eq!(broker.json("POST", "/contracts/publish", &other).status, 200);
    for fallback in [
        json!({ "fallbackBranch": "main" }),
        json!({ "fallbackToMainBranch": true }),
    ] {
        let mut selector = json!({ "branch": "feature" });
        selector
            .as_object_mut()
            .expect("an object")
            .extend(fallback.as_object().expect("an object").clone());
        let wanted = json!({ "consumerVersionSelectors": [selector] });
        let chosen = broker
            .json("POST", "/pacts/provider/Bar/for-verification", &wanted)
            .json();
        let chosen: Vec<&str> = chosen["_embedded"]["pacts"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|pact| pact["_links"]["self"]["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(chosen, ["Pact between Foo (1) and Bar", "Pact between Qux (1) and Bar"]);
    }
}

#[test]
fn the_main_branch_of_each_consumer_is_a_fallback() {
    let broker = support::start(Database::Memory);
    // No branch has a common name for main branches, because the broker would detect it.
    for (consumer, main_branch) in [("Foo", json!("stable")), ("Qux", json!("trunk")), ("Old", Value::Null)] {
        let pacticipant = json!({ "name": consumer, "mainBranch": main_branch });
        assert_eq!(broker.json("POST", "/pacticipants", &pacticipant).status, 201);
        for (version, branch) in [("1", "trunk"), ("2", "stable"), ("3", "other")] {
            let mut publication = publishing(version, branch, &[], "overwrite");
            publication["pacticipantName"] = consumer.into();
            publication["contracts"] = json!([{
                "consumerName": consumer,
                "providerName": "Bar",
                "specification": "pact",
                "contentType": "application/json",
                "content": STANDARD.encode(contract(consumer, "Bar", &[branch]).to_string()),
            }]);
            assert_eq!(broker.json("POST", "/contracts/publish", &publication).status, 200);
        }
    }
    let selected = |selector: Value| {
        let wanted = json!({ "consumerVersionSelectors": [selector] });
        let found = broker
            .json("POST", "/pacts/provider/Bar/for-verification", &wanted)
            .json();
        let name = |pact: &Value| pact["_links"]["self"]["name"].as_str().expect("a name").to_owned();
        let mut names: Vec<String> = found["_embedded"]["pacts"]
            .as_array()
            .expect("a list")
            .iter()
            .map(name)
            .collect();
        names.sort();
        names
    };
    // A consumer without a main branch has no fallback.
    assert_eq!(
        selected(json!({ "branch": "feature", "fallbackToMainBranch": true })),
        ["Pact between Foo (2) and Bar", "Pact between Qux (1) and Bar"]
    );
    assert_eq!(
        selected(json!({ "branch": "feature", "fallbackToMainBranch": true, "consumer": "Qux" })),
        ["Pact between Qux (1) and Bar"]
    );
    assert_eq!(
        selected(json!({ "branch": "other", "fallbackToMainBranch": true, "consumer": "Qux" })),
        ["Pact between Qux (3) and Bar"]
    );
    assert_eq!(
        selected(json!({ "branch": "feature", "fallbackBranch": "nope" })),
        Vec::<String>::new()
    );
}

#[test]
fn publishing_no_contracts_creates_the_version() {
    let broker = support::start(Database::Memory);
    let mut empty = publishing("1", "main", &[], "overwrite");
    empty["contracts"] = json!([]);
    assert_eq!(broker.json("POST", "/contracts/publish", &empty).status, 200);
    assert_eq!(broker.get("/pacticipants/Foo/branches/main/versions/1").status, 200);
}

#[test]
fn an_integration_can_be_deleted_by_clients_that_accept_hal() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main", &["/a"]);
    verify(&broker, "1", "10", true);
    let answer = broker.send(
        "DELETE",
        "/integrations/provider/Bar/consumer/Foo",
        &[("accept", "application/hal+json")],
        None,
    );
    assert_eq!(answer.status, 204);
    assert_eq!(broker.get("/pacts/provider/Bar/consumer/Foo/latest").status, 404);
    // The same contract can be published again.
    publish(&broker, "1", "main", &["/b"]);
}

#[test]
fn the_location_header_of_a_new_application_is_its_url() {
    let broker = support::start(Database::Memory);
    let made = broker.json("POST", "/pacticipants", &json!({ "name": "a/b c" }));
    let location = made.header("location").expect("a location").replace(&broker.base(), "");
    assert_eq!(broker.get(&location).json()["name"], "a/b c");
}

#[test]
fn a_downloaded_contract_is_the_same_contract() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main", &["/a"]);
    let downloaded = broker.get("/pacts/provider/Bar/consumer/Foo/version/1").json();
    let again = broker.json("PUT", "/pacts/provider/Bar/consumer/Foo/version/2", &downloaded);
    assert_eq!(again.status, 201);
    assert_eq!(sha_of(&broker, "1"), sha_of(&broker, "2"));
}

#[test]
fn results_belong_to_the_content_and_the_latest_counts() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main", &["/a"]);
    verify(&broker, "1", "10", true);
    publish(&broker, "2", "main", &["/a"]);
    let question = "/matrix?q[][pacticipant]=Foo&q[][version]=2&q[][pacticipant]=Bar&q[][version]=10&latestby=cvpv";
    assert_eq!(broker.get(question).json()["summary"]["deployable"], true);
    let failed = verify(&broker, "2", "10", false);
    assert_eq!(broker.get(question).json()["summary"]["deployable"], false);
    // After the failure is deleted, the success counts again.
    let path = failed
        .header("location")
        .expect("a location")
        .replace(&broker.base(), "");
    assert_eq!(broker.send("DELETE", &path, &[], None).status, 204);
    assert_eq!(broker.get(question).json()["summary"]["deployable"], true);
}

#[test]
fn a_limit_does_not_change_the_verdict() {
    let broker = support::start(Database::Memory);
    let environment = broker
        .json("POST", "/environments", &json!({ "name": "prod", "production": true }))
        .json();
    let uuid = environment["uuid"].as_str().expect("an id");
    for (version, success) in [("1", true), ("2", false), ("3", true)] {
        publish(&broker, version, "main", &[&format!("/{version}")]);
        verify(&broker, version, "10", success);
        let path = format!("/pacticipants/Foo/versions/{version}/released-versions/environment/{uuid}");
        assert_eq!(broker.json("POST", &path, &json!({})).status, 201);
    }
    let answer = broker
        .get("/matrix?q[][pacticipant]=Bar&q[][version]=10&latestby=cvpv&environment=prod&limit=1")
        .json();
    assert_eq!(answer["matrix"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["summary"]["deployable"], false);
}

#[test]
fn work_in_progress_stays_until_it_is_selected() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main", &["/a"]);
    publish(&broker, "2", "feature", &["/b"]);
    let wanted = json!({
        "consumerVersionSelectors": [{ "mainBranch": true }],
        "providerVersionBranch": "main",
        "includePendingStatus": true,
        "includeWipPactsSince": "2020-01-01",
    });
    let entries = || {
        broker
            .json("POST", "/pacts/provider/Bar/for-verification", &wanted)
            .json()["_embedded"]["pacts"]
            .clone()
    };
    let first = entries();
    assert_eq!(
        (
            first[1]["verificationProperties"]["wip"].clone(),
            first.as_array().map(Vec::len)
        ),
        (json!(true), Some(2))
    );
    for entry in first.as_array().expect("a list") {
        let path = entry["_links"]["self"]["href"]
            .as_str()
            .expect("a link")
            .replace(&broker.base(), "");
        let pact = broker.get(&path).json();
        let results = pact["_links"]["pb:publish-verification-results"]["href"]
            .as_str()
            .expect("a link");
        assert_eq!(
            broker
                .json("PUT", "/pacticipants/Bar/branches/main/versions/10", &json!({}))
                .status
                / 100,
            2
        );
        let result = json!({ "success": true, "providerApplicationVersion": "10" });
        assert_eq!(
            broker
                .json("POST", &results.replace(&broker.base(), ""), &result)
                .status,
            201
        );
    }
    let second = entries();
    assert_eq!(second[0]["verificationProperties"]["pending"], false);
    assert_eq!(
        second[1]["verificationProperties"]["wip"], true,
        "a success as work in progress does not end it"
    );
}
