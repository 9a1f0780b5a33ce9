//! Retention deletes what no rule keeps, and nothing else.

use contract_broker::{
    Database, Deleted, KeepRule, Limits, Options, Preview, Retention, RetentionPolicy, clean, preview,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::support::{self, Running};

/// Everything that is not kept by a rule is old.
fn everything_is_old() -> RetentionPolicy {
    RetentionPolicy {
        days: 0,
        ..RetentionPolicy::default()
    }
}

/// A database that several processes can open: PostgreSQL if configured, a SQLite file otherwise.
struct Shared {
    database: Database,
    _folder: tempfile::TempDir,
}

impl Shared {
    fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Database::Sqlite(folder.path().join("broker.sqlite"));
        Self {
            database: support::postgres(&format!("retention_{name}")).unwrap_or(file),
            _folder: folder,
        }
    }

    fn start(&self) -> Running {
        support::start_as(support::options(self.database.clone()))
    }

    fn clean(&self, policy: &RetentionPolicy) -> Deleted {
        // Rows of the same millisecond are not older.
        std::thread::sleep(Duration::from_millis(2));
        let cleaned = runtime().block_on(clean(&self.database, &Limits::default(), policy));
        cleaned.expect("a database").expect("no other process")
    }

    fn preview(&self, policy: &RetentionPolicy) -> Preview {
        std::thread::sleep(Duration::from_millis(2));
        let previewed = runtime().block_on(preview(&self.database, &Limits::default(), policy));
        previewed.expect("a database")
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

fn publish(broker: &Running, version: &str, branch: Option<&str>, path: &str) {
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

fn verify(broker: &Running, consumer: &str, provider: &str, success: bool) {
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

fn versions(broker: &Running, application: &str) -> Vec<String> {
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

fn environment(broker: &Running, name: &str) -> String {
    let environment = broker
        .json("POST", "/environments", &json!({ "name": name, "production": true }))
        .json();
    environment["uuid"].as_str().expect("a UUID").to_owned()
}

/// Each version but the last has one reason to stay, or none.
fn fill(broker: &Running) {
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

#[test]
fn versions_stay_for_each_reason_and_no_longer() {
    let shared = Shared::new("reasons");
    let broker = shared.start();
    fill(&broker);
    let all = versions(&broker, "web");
    assert_eq!(shared.clean(&RetentionPolicy::default()), Deleted::default());
    assert_eq!(versions(&broker, "web"), all);

    let shown = shared.preview(&everything_is_old());
    let web = &shown.applications["web"];
    assert_eq!(web.deleted, ["5-none", "6-deployed-before"]);
    assert_eq!((web.young, web.old_kept), (0, 5));
    assert_eq!(
        web.kept_by
            .iter()
            .map(|(rule, count)| (rule.name(), *count))
            .collect::<Vec<_>>(),
        [
            ("deployed", 1),
            ("released", 1),
            ("latest", 1),
            ("branch-heads", 2),
            ("tag-heads", 1)
        ]
    );
    assert_eq!(shown.contents, 2);
    assert_eq!(versions(&broker, "web"), all, "a preview deletes nothing");

    let deleted = shared.clean(&everything_is_old());
    assert_eq!((deleted.versions, deleted.contents, deleted.branches), (2, 2, 0));
    assert_eq!(
        versions(&broker, "web"),
        ["1-deployed", "2-released", "3-tagged", "4-head", "7-latest"]
    );
    assert_eq!(
        broker.get("/pacts/provider/users/consumer/web/version/5-none").status,
        404
    );
    assert_eq!(
        broker
            .get("/pacts/provider/users/consumer/web/version/1-deployed")
            .status,
        200
    );
    assert_eq!(
        shared.clean(&everything_is_old()),
        Deleted::default(),
        "a second run finds nothing"
    );

    // A deleted version can be published again.
    publish(&broker, "5-none", Some("main"), "/5-none");
    assert_eq!(
        broker.get("/pacts/provider/users/consumer/web/version/5-none").status,
        200
    );
}

#[test]
fn each_rule_can_be_turned_off() {
    for (rule, freed) in [
        (KeepRule::Deployed, "1-deployed"),
        (KeepRule::Released, "2-released"),
        (KeepRule::TagHead, "3-tagged"),
        (KeepRule::BranchHead, "4-head"),
    ] {
        let shared = Shared::new(rule.name().replace('-', "_").as_str());
        let broker = shared.start();
        fill(&broker);
        let mut policy = everything_is_old();
        policy.keep.retain(|kept| *kept != rule);
        shared.clean(&policy);
        let left = versions(&broker, "web");
        assert!(!left.contains(&freed.to_owned()), "{freed} is in {left:?}");
        assert_eq!(left.len(), 4);
        // The heads are those of the versions that are left.
        let latest = broker.get("/pacticipants/web/branches/feature/latest-version").status;
        assert_eq!(latest, if rule == KeepRule::BranchHead { 404 } else { 200 });
    }
}

#[test]
fn verdicts_and_pending_contracts_stay_the_same() {
    let shared = Shared::new("verdicts");
    let broker = shared.start();
    publish(&broker, "1", Some("main"), "/a");
    let put = broker.json("PUT", "/pacticipants/users/branches/main/versions/u1", &json!({}));
    assert_eq!(put.status / 100, 2);
    verify(&broker, "1", "u1", true);
    for provider in ["u2", "u3", "u4"] {
        let put = broker.json(
            "PUT",
            &format!("/pacticipants/users/branches/main/versions/{provider}"),
            &json!({}),
        );
        assert_eq!(put.status / 100, 2);
        verify(&broker, "1", provider, provider != "u4");
    }
    publish(&broker, "2", Some("main"), "/a");
    let wanted = json!({
        "consumerVersionSelectors": [{ "mainBranch": true }],
        "providerVersionBranch": "main",
        "includePendingStatus": true,
    });
    let answers = || -> (Value, Value) {
        let selection = broker
            .json("POST", "/pacts/provider/users/for-verification", &wanted)
            .json();
        let pending = selection["_embedded"]["pacts"][0]["verificationProperties"]["pending"].clone();
        let question =
            "/matrix?q[][pacticipant]=web&q[][version]=2&q[][pacticipant]=users&q[][latest]=true&latestby=cvpv";
        (pending, broker.get(question).json()["summary"]["deployable"].clone())
    };
    let before = answers();
    assert_eq!(before, (json!(false), json!(false)));
    let deleted = shared.clean(&everything_is_old());
    // u1 verified the contract first, and u4 is the latest version.
    assert_eq!(versions(&broker, "users"), ["u1", "u4"]);
    assert_eq!(deleted.versions, 3, "1, u2, and u3");
    assert_eq!(answers(), before);
}

#[test]
fn replaced_results_and_revisions_are_deleted() {
    let shared = Shared::new("replaced");
    let mut options = support::options(shared.database.clone());
    options.rules.contracts_may_change = true;
    let broker = support::start_as(options);
    publish(&broker, "1", Some("main"), "/a");
    for success in [true, false, false, true, false] {
        verify(&broker, "1", "u1", success);
    }
    for path in ["/b", "/c"] {
        publish(&broker, "2", Some("main"), path);
    }
    let shown = shared.preview(&everything_is_old());
    assert_eq!((shown.results, shown.revisions), (3, 1));
    let deleted = shared.clean(&everything_is_old());
    // The first success and the last result are not leftovers. They are deleted with their contract.
    assert_eq!((deleted.results, deleted.revisions), (3, 1));
    let contract = broker.get("/pacts/provider/users/consumer/web/version/2").json();
    assert_eq!(contract["interactions"][0]["description"], "/c");
    assert_eq!(shared.clean(&everything_is_old()), Deleted::default());
}

#[test]
fn stale_branches_are_deleted_except_main_branches() {
    let shared = Shared::new("stale");
    let broker = shared.start();
    publish(&broker, "1", Some("main"), "/a");
    publish(&broker, "2", Some("feature"), "/b");
    publish(&broker, "3", Some("main"), "/c");
    let policy = RetentionPolicy {
        branch_days: Some(0),
        ..everything_is_old()
    };
    assert_eq!(
        shared.preview(&policy).branches,
        [("web".to_owned(), "feature".to_owned())]
    );
    let deleted = shared.clean(&policy);
    assert_eq!((deleted.branches, deleted.versions), (1, 2));
    assert_eq!(versions(&broker, "web"), ["3"]);
    assert_eq!(broker.get("/pacticipants/web/branches/feature").status, 404);
    assert_eq!(broker.get("/pacticipants/web/branches/main").status, 200);
}

#[test]
fn a_broker_deletes_at_each_interval() {
    let shared = Shared::new("interval");
    let broker = support::start_as(Options {
        retention: Some(Retention {
            policy: everything_is_old(),
            interval: Duration::from_millis(50),
        }),
        ..support::options(shared.database.clone())
    });
    for version in ["1", "2", "3"] {
        publish(&broker, version, Some("main"), &format!("/{version}"));
    }
    let until = Instant::now() + Duration::from_secs(30);
    while versions(&broker, "web") != ["3"] {
        assert!(Instant::now() < until, "the versions are still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}
