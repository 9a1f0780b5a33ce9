//! Retention deletes everything that no rule keeps, and nothing else.

use contract_broker::{CleanPace, Deleted, KeepRule, Limits, Options, Preview, Retention, RetentionPolicy};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::history::{Shared, fill, publish, runtime, verify, versions};
use crate::support;

/// A policy without a minimum age, so that everything that no rule keeps is deleted.
fn everything_is_old() -> RetentionPolicy {
    RetentionPolicy {
        days: 0,
        ..RetentionPolicy::default()
    }
}

fn clean(shared: &Shared, policy: &RetentionPolicy) -> Deleted {
    // Rows created in the same millisecond are not old yet.
    std::thread::sleep(Duration::from_millis(2));
    let cleaned = runtime().block_on(contract_broker::clean(
        &shared.database,
        &Limits::default(),
        policy,
        CleanPace::Fast,
    ));
    cleaned.expect("a database").expect("no other process")
}

fn preview(shared: &Shared, policy: &RetentionPolicy) -> Preview {
    std::thread::sleep(Duration::from_millis(2));
    let previewed = runtime().block_on(contract_broker::preview(&shared.database, &Limits::default(), policy));
    previewed.expect("a database")
}

#[test]
fn versions_stay_for_each_reason_and_no_longer() {
    let shared = Shared::new("retention_reasons");
    let broker = shared.start();
    fill(&broker);
    let all = versions(&broker, "web");
    assert_eq!(clean(&shared, &RetentionPolicy::default()), Deleted::default());
    assert_eq!(versions(&broker, "web"), all);

    let shown = preview(&shared, &everything_is_old());
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

    let deleted = clean(&shared, &everything_is_old());
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
        clean(&shared, &everything_is_old()),
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
        let shared = Shared::new(&format!("retention_{}", rule.name().replace('-', "_")));
        let broker = shared.start();
        fill(&broker);
        let mut policy = everything_is_old();
        policy.keep.retain(|kept| *kept != rule);
        clean(&shared, &policy);
        let left = versions(&broker, "web");
        assert!(!left.contains(&freed.to_owned()), "{freed} is in {left:?}");
        assert_eq!(left.len(), 4);
        // The newest remaining versions become the heads.
        let latest = broker.get("/pacticipants/web/branches/feature/latest-version").status;
        assert_eq!(latest, if rule == KeepRule::BranchHead { 404 } else { 200 });
    }
}

#[test]
fn verdicts_and_pending_contracts_stay_the_same() {
    let shared = Shared::new("retention_verdicts");
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
    let deleted = clean(&shared, &everything_is_old());
    // u1 verified the contract first, and u4 is the latest version.
    assert_eq!(versions(&broker, "users"), ["u1", "u4"]);
    assert_eq!(deleted.versions, 3, "1, u2, and u3");
    assert_eq!(answers(), before);
}

#[test]
fn replaced_results_and_revisions_are_deleted() {
    let shared = Shared::new("retention_replaced");
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
    let shown = preview(&shared, &everything_is_old());
    assert_eq!((shown.results, shown.revisions), (3, 1));
    let deleted = clean(&shared, &everything_is_old());
    // The first success and the last result are not leftovers. They are deleted with their contract.
    assert_eq!((deleted.results, deleted.revisions), (3, 1));
    let contract = broker.get("/pacts/provider/users/consumer/web/version/2").json();
    assert_eq!(contract["interactions"][0]["description"], "/c");
    assert_eq!(clean(&shared, &everything_is_old()), Deleted::default());
}

#[test]
fn stale_branches_are_deleted_except_main_branches() {
    let shared = Shared::new("retention_stale");
    let broker = shared.start();
    publish(&broker, "1", Some("main"), "/a");
    publish(&broker, "2", Some("feature"), "/b");
    publish(&broker, "3", Some("main"), "/c");
    let policy = RetentionPolicy {
        branch_days: Some(0),
        ..everything_is_old()
    };
    assert_eq!(
        preview(&shared, &policy).branches,
        [("web".to_owned(), "feature".to_owned())]
    );
    let deleted = clean(&shared, &policy);
    assert_eq!((deleted.branches, deleted.versions), (1, 2));
    assert_eq!(versions(&broker, "web"), ["3"]);
    assert_eq!(broker.get("/pacticipants/web/branches/feature").status, 404);
    assert_eq!(broker.get("/pacticipants/web/branches/main").status, 200);
}

#[test]
fn a_broker_deletes_at_each_interval() {
    let shared = Shared::new("retention_interval");
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
    let deleted = loop {
        let entries = broker.get("/admin/audit?actor=retention").json();
        let found = entries["_embedded"]["entries"].as_array().expect("entries").clone();
        if !found.is_empty() {
            break found;
        }
        assert!(Instant::now() < until, "there is no entry in the audit log");
        std::thread::sleep(Duration::from_millis(20));
    };
    let texts: Vec<&str> = deleted.iter().filter_map(|entry| entry["reason"].as_str()).collect();
    assert!(
        texts.iter().any(|text| text.starts_with("deleted 0 branches, ")),
        "{deleted:?}"
    );
}
