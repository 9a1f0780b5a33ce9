//! Test data for commands that read and write whole databases.

use contract_broker::Database;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{self, Running};

/// A database that several processes can open: PostgreSQL if configured, or a SQLite file.
pub(crate) struct Shared {
    pub database: Database,
    pub folder: TempDir,
}

impl Shared {
    pub(crate) fn new(schema: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Database::Sqlite(folder.path().join("broker.sqlite"));
        Self {
            database: support::postgres(schema).unwrap_or(file),
            folder,
        }
    }

    pub(crate) fn start(&self) -> Running {
        support::start_as(support::options(self.database.clone()))
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

pub(crate) fn publish(broker: &Running, version: &str, branch: Option<&str>, path: &str) {
    let contract = json!({
        "consumer": { "name": "web" }, "provider": { "name": "users" },
        "interactions": [{ "description": path, "request": { "method": "GET", "path": path }, "response": { "status": 200 } }],
        "metadata": { "pactSpecification": { "version": "2.0.0" } },
    });
    let mut body = json!({ "pacticipantName": "web", "pacticipantVersionNumber": version, "contracts": [{
        "consumerName": "web", "providerName": "users", "specification": "pact", "contentType": "application/json",
        "content": base64(&contract.to_string()),
    }] });
    if let Some(branch) = branch {
        body["branch"] = json!(branch);
    }
    assert_eq!(broker.json("POST", "/contracts/publish", &body).status, 200);
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

pub(crate) fn verify(broker: &Running, consumer: &str, provider: &str, success: bool) {
    let pact = broker
        .get(&format!("/pacts/provider/users/consumer/web/version/{consumer}"))
        .json();
    let results = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a link");
    let result = json!({ "success": success, "providerApplicationVersion": provider });
    assert_eq!(
        broker
            .json("POST", &results.replace(&broker.base(), ""), &result)
            .status,
        201
    );
}

pub(crate) fn versions(broker: &Running, application: &str) -> Vec<String> {
    let list = broker
        .get(&format!("/pacticipants/{application}/versions?size=100"))
        .json();
    let versions = list["_embedded"]["versions"].as_array().cloned().unwrap_or_default();
    let mut numbers: Vec<String> = versions
        .iter()
        .filter_map(|version| version["number"].as_str().map(str::to_owned))
        .collect();
    numbers.sort();
    numbers
}

pub(crate) fn environment(broker: &Running, name: &str) -> String {
    let environment = broker
        .json("POST", "/environments", &json!({ "name": name, "production": true }))
        .json();
    environment["uuid"].as_str().expect("a UUID").to_owned()
}

/// Publishes versions. Each one except the last has at most one reason to be kept.
pub(crate) fn fill(broker: &Running) {
    for (version, branch) in [
        ("1-deployed", Some("main")),
        ("2-released", Some("main")),
        ("3-tagged", Some("main")),
        ("4-head", Some("feature")),
        ("5-none", Some("main")),
        ("6-deployed-before", Some("main")),
        ("7-latest", Some("main")),
    ] {
        publish(broker, version, branch, &format!("/{version}"));
    }
    let prod = environment(broker, "prod");
    for version in ["6-deployed-before", "1-deployed"] {
        let path = format!("/pacticipants/web/versions/{version}/deployed-versions/environment/{prod}");
        assert_eq!(broker.json("POST", &path, &json!({})).status, 201);
    }
    let path = format!("/pacticipants/web/versions/2-released/released-versions/environment/{prod}");
    assert_eq!(broker.json("POST", &path, &json!({})).status, 201);
    assert_eq!(
        broker
            .json("PUT", "/pacticipants/web/versions/3-tagged/tags/stable", &json!({}))
            .status,
        201
    );
}
