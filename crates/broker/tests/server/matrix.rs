//! The rules of verdicts, one at a time. `verdict.rs` compares random histories with a reference implementation.

use crate::support::{self, Running};
use contract_broker::Database;
use serde_json::{Value, json};

struct Place(Running);

impl Place {
    fn new() -> Self {
        Self(support::start(Database::Memory))
    }

    fn put(&self, path: &str, body: &Value) -> Value {
        let answer = self.0.json("PUT", path, body);
        assert_eq!(answer.status / 100, 2, "{path}: {answer:?}");
        answer.json()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.0.json("POST", path, body);
        assert_eq!(answer.status, 201, "{path}: {answer:?}");
        answer.json()
    }

    fn version(&self, app: &str, version: &str, branch: &str) {
        self.put(
            &format!("/pacticipants/{app}/branches/{branch}/versions/{version}"),
            &json!({}),
        );
    }

    fn tag(&self, app: &str, version: &str, tag: &str) {
        self.put(
            &format!("/pacticipants/{app}/versions/{version}/tags/{tag}"),
            &json!({}),
        );
    }

    /// Publishes a contract with distinct content.
    fn publish(&self, consumer: &str, version: &str, provider: &str) {
        let content = json!({ "interactions": [{ "description": format!("{consumer} {version}") }] });
        self.put(
            &format!("/pacts/provider/{provider}/consumer/{consumer}/version/{version}"),
            &content,
        );
    }

    fn verify(&self, (consumer, version): (&str, &str), (provider, provider_version): (&str, &str), success: bool) {
        let path = format!("/pacts/provider/{provider}/consumer/{consumer}/version/{version}");
        let pact = self.0.get(&path).json();
        let url = pact["_links"]["pb:publish-verification-results"]["href"]
            .as_str()
            .expect("a link");
        let result = json!({ "success": success, "providerApplicationVersion": provider_version });
        self.post(&url.replace(&self.0.base(), ""), &result);
    }

    fn environment(&self, name: &str) -> String {
        let made = self.post("/environments", &json!({ "name": name, "production": true }));
        made["uuid"].as_str().expect("an id").to_owned()
    }

    fn release(&self, app: &str, version: &str, environment: &str) {
        self.post(
            &format!("/pacticipants/{app}/versions/{version}/released-versions/environment/{environment}"),
            &json!({}),
        );
    }

    fn matrix(&self, query: &str) -> Value {
        let path = format!("/matrix?{query}");
        let answer = self.0.get(&path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Returns the numbers in the summary: deployable, success, failed, and unknown.
    fn summary(&self, query: &str) -> (Option<bool>, u64, u64, u64) {
        let summary = self.matrix(query)["summary"].clone();
        let count = |key: &str| summary[key].as_u64().expect("a count");
        (
            summary["deployable"].as_bool(),
            count("success"),
            count("failed"),
            count("unknown"),
        )
    }

    fn reason(&self, query: &str) -> String {
        let reason = self.matrix(query)["summary"]["reason"].clone();
        reason.as_str().expect("a reason").to_owned()
    }
}

/// Returns the query parameters that select one version of an application.
fn selector(app: &str, version: &str) -> String {
    format!("q[][pacticipant]={app}&q[][version]={version}")
}

fn pair(consumer: (&str, &str), provider: (&str, &str)) -> String {
    format!(
        "{}&{}&latestby=cvpv",
        selector(consumer.0, consumer.1),
        selector(provider.0, provider.1)
    )
}

#[test]
fn only_consumer_versions_with_a_contract_require_its_provider() {
    let place = Place::new();
    place.publish("web", "1", "bill");
    place.version("web", "2", "main");
    place.version("bill", "b1", "main");
    assert_eq!(
        place.summary(&pair(("web", "2"), ("bill", "b1"))),
        (Some(true), 0, 0, 0)
    );
    assert_eq!(place.summary(&pair(("web", "1"), ("bill", "b1"))), (None, 0, 0, 1));
}

#[test]
fn filters_of_rows_do_not_change_the_verdict() {
    let place = Place::new();
    place.publish("c", "1", "p");
    let shown = |query: &str| place.matrix(query)["matrix"].as_array().map(Vec::len);
    let alone = format!("{}&latestby=cvp", selector("c", "1"));
    let filtered = format!("{alone}&success[]=true");
    assert_eq!((place.summary(&filtered), shown(&filtered)), ((None, 0, 0, 1), Some(0)));
    place.publish("c", "1", "q");
    place.verify(("c", "1"), ("p", "1"), true);
    place.verify(("c", "1"), ("q", "1"), false);
    for (filter, rows) in [
        ("", 2),
        ("&success[]=true", 1),
        ("&success[]=false", 1),
        ("&success[]=true&success[]=false", 2),
        ("&success[]=", 0),
        ("&limit=1", 1),
    ] {
        let query = format!("{alone}{filter}");
        assert_eq!(
            (place.summary(&query), shown(&query)),
            ((Some(false), 1, 1, 0), Some(rows)),
            "{query}"
        );
    }
    let text = place.0.send(
        "GET",
        &format!("/matrix?{alone}&success[]=true"),
        &[("accept", "text/plain")],
        None,
    );
    assert_eq!(
        text.text.lines().take_while(|line| !line.is_empty()).count(),
        3,
        "{text:?}"
    );
    assert!(text.text.contains("Deployable: false"), "{text:?}");
}

#[test]
fn deleting_an_integration_deletes_empty_versions_and_applications() {
    let place = Place::new();
    let delete = |pair: &str| {
        let answer = place.0.send("DELETE", &format!("/integrations/{pair}"), &[], None);
        assert_eq!(answer.status, 204, "{answer:?}");
    };
    let status = |path: &str| place.0.get(path).status;
    place.publish("web", "1", "bill");
    place.publish("web", "2", "bill");
    place.publish("web", "1", "mail");
    place.version("web", "1", "main");
    place.version("web", "2", "main");
    place.tag("web", "1", "dev");
    place.tag("web", "2", "dev");
    place.verify(("web", "2"), ("bill", "b1"), true);
    place.verify(("web", "1"), ("mail", "m1"), true);
    let prod = place.environment("prod");
    place.release("web", "2", &prod);

    delete("provider/bill/consumer/web");
    assert_eq!(status("/pacticipants/web/versions/1"), 200);
    assert_eq!(status("/pacticipants/web/versions/2"), 404);
    assert_eq!(status("/pacticipants/bill"), 404);
    assert_eq!(
        place.summary(&format!("{}&latestby=cvpv&environment=prod", selector("web", "2"))),
        (Some(false), 0, 0, 0)
    );
    // The remaining versions become the heads of the branch and the tag.
    for latest in ["branch]=main", "tag]=dev"] {
        let query = format!("q[][pacticipant]=web&q[][{latest}&q[][latest]=true&q[][pacticipant]=mail&latestby=cvpv");
        assert_eq!(place.summary(&query), (Some(true), 1, 0, 0), "{query}");
    }

    delete("provider/mail/consumer/web");
    assert_eq!((status("/pacticipants/web"), status("/pacticipants/mail")), (404, 404));
}

#[test]
fn deleting_all_integrations_deletes_all_versions_with_contracts_or_results() {
    let place = Place::new();
    place.publish("web", "1", "bill");
    place.publish("bill", "1", "mail");
    place.verify(("web", "1"), ("bill", "2"), true);
    assert_eq!(place.0.send("DELETE", "/integrations", &[], None).status, 204);
    for app in ["web", "bill", "mail"] {
        assert_eq!(place.0.get(&format!("/pacticipants/{app}")).status, 404, "{app}");
    }
}

#[test]
fn an_ignored_application_may_lack_the_selected_version() {
    let place = Place::new();
    place.publish("web", "1", "bill");
    place.publish("web", "1", "mail");
    place.verify(("web", "1"), ("bill", "b1"), true);
    let query = format!(
        "{}&{}&{}&latestby=cvpv",
        selector("web", "1"),
        selector("bill", "b1"),
        selector("mail", "m9")
    );
    // The other rows are still counted.
    assert_eq!(place.summary(&query), (Some(false), 1, 0, 1));
    assert_eq!(place.reason(&query), "Version m9 of mail does not exist.");
    let ignoring = format!("{query}&ignore[][pacticipant]=mail");
    assert_eq!(place.summary(&ignoring), (Some(true), 1, 0, 0));
    assert_eq!(
        place.reason(&ignoring),
        "Ignored: Version m9 of mail does not exist.\nAll required verifications passed."
    );
}

#[test]
fn an_ignored_version_can_be_selected_by_its_branch() {
    let place = Place::new();
    place.publish("web", "1", "bill");
    place.publish("web", "2", "bill");
    place.version("web", "1", "main");
    place.version("web", "2", "spike");
    place.verify(("web", "1"), ("bill", "b1"), true);
    let query = format!("q[][pacticipant]=web&{}&latestby=cvpv", selector("bill", "b1"));
    assert_eq!(place.summary(&query), (None, 1, 0, 1));
    let ignoring = format!("{query}&ignore[][pacticipant]=web&ignore[][branch]=spike");
    assert_eq!(place.summary(&ignoring), (Some(true), 1, 0, 0));
    let other = format!("{query}&ignore[][pacticipant]=web&ignore[][branch]=main");
    assert_eq!(place.summary(&other), (None, 0, 0, 1));
}

#[test]
fn each_reason_is_one_sentence() {
    let place = Place::new();
    let (prod, _) = (place.environment("prod"), place.environment("empty"));
    place.publish("web", "1", "bill");
    place.version("web", "1", "main");
    place.tag("web", "1", "live");
    place.release("web", "1", &prod);
    place.version("bill", "b2", "main");
    place.verify(("web", "1"), ("bill", "b1"), false);
    let select = |app: &str, more: &str| format!("q[][pacticipant]={app}{more}&latestby=cvpv");
    let to =
        |app: &str, version: &str, destination: &str| format!("{}&latestby=cvpv&{destination}", selector(app, version));

    for (more, reason) in [
        ("&q[][version]=9", "Version 9 of p does not exist."),
        ("&q[][latest]=true", "p has no versions."),
        ("&q[][tag]=nope&q[][latest]=true", "No version of p has tag nope."),
        ("&q[][tag]=nope", "No version of p has tag nope."),
        (
            "&q[][branch]=nope&q[][latest]=true",
            "No version of p is on branch nope.",
        ),
        ("&q[][mainBranch]=true", "p has no main branch."),
        (
            "&q[][version]=9&q[][branch]=main",
            "No version of p matches version 9 and branch main.",
        ),
        (
            "&q[][tag]=live&q[][mainBranch]=true&q[][environment]=empty",
            "No version of p matches tag live and the main branch and environment empty.",
        ),
        (
            "&q[][environment]=empty",
            "No version of p is deployed to or released in empty.",
        ),
    ] {
        place.put("/pacticipants/p", &json!({}));
        assert_eq!(place.reason(&select("p", more)), reason);
    }
    place.put("/pacticipants/p", &json!({ "mainBranch": "main" }));
    assert_eq!(
        place.reason(&select("p", "&q[][mainBranch]=true&q[][latest]=true")),
        "No version of p is on its main branch main."
    );

    assert_eq!(
        place.reason(&pair(("web", "1"), ("bill", "b1"))),
        "The contract between version 1 of web and version b1 of bill failed verification."
    );
    assert_eq!(
        place.reason(&to("bill", "b1", "environment=prod")),
        "The contract between version 1 of web in prod and version b1 of bill failed verification."
    );
    assert_eq!(
        place.reason(&to("bill", "b2", "environment=prod")),
        "The contract between version 1 of web in prod and bill is not verified by version b2 of bill."
    );
    assert_eq!(
        place.reason(&to("web", "1", "environment=prod")),
        "The contract between version 1 of web and bill is not verified. No version of bill is deployed to or released in prod."
    );
    assert_eq!(
        place.reason(&to("web", "1", "mainBranch=true&latest=true")),
        "The contract between version 1 of web and bill is not verified by version b2 of bill on branch main."
    );
    assert_eq!(
        place.reason(&to("bill", "b2", "tag=live")),
        "The contract between version 1 of web with tag live and bill is not verified by version b2 of bill."
    );
    place.publish("web", "2", "bill");
    assert_eq!(
        place.reason(&format!("{}&q[][pacticipant]=bill&latestby=cvpv", selector("web", "2"))),
        "The contract between version 2 of web and bill is not verified by any version of bill."
    );
    place.version("bill", "b3", "main");
    assert_eq!(
        place.reason(&to("web", "2", "mainBranch=true")),
        "The contract between version 2 of web and bill is not verified by any of the versions of bill on branch main (b3, b2)."
    );
    assert_eq!(
        place.reason(&to("web", "2", "environment=prod&ignore[][pacticipant]=bill")),
        "No contracts apply."
    );
    place.verify(("web", "2"), ("bill", "b2"), true);
    assert_eq!(
        place.reason(&pair(("web", "2"), ("bill", "b2"))),
        "All required verifications passed."
    );
}

#[test]
fn each_warning_is_one_line() {
    let place = Place::new();
    place.version("web", "1", "main");
    let warnings = |query: &str| {
        let reason = place.reason(query);
        let (warnings, rest) = reason.rsplit_once('\n').expect("warnings and a reason");
        assert_eq!(rest, "No contracts apply.");
        warnings.to_owned()
    };
    assert_eq!(
        warnings(&format!("{}&latest=true&latestby=cvp", selector("web", "1"))),
        "Warning: no environment is set. The versions are compared with the latest versions of other applications, which might not be deployed."
    );
    assert_eq!(
        warnings("q[][pacticipant]=web&q[][branch]=main&q[][latest]=true&tag=live&latestby=cvp"),
        "Warning: no version number is set. By the time you deploy, the branch, tag, or environment may select a different version."
    );
    let ignoring = |more: &str| format!("{}&ignore[][pacticipant]={more}", selector("web", "1"));
    assert_eq!(
        warnings(&ignoring("zed")),
        "Warning: nothing to ignore. zed does not exist."
    );
    assert_eq!(
        warnings(&ignoring("web&ignore[][version]=9")),
        "Warning: nothing to ignore. Version 9 of web does not exist."
    );
}

#[test]
fn unknown_names_in_queries_are_errors() {
    let place = Place::new();
    place.version("web", "1", "main");
    for (query, error) in [
        ("q[][pacticipant]=zed", "Pacticipant \"zed\" does not exist."),
        (
            "q[][pacticipant]=web&environment=zed",
            "Environment \"zed\" does not exist.",
        ),
        (
            "q[][pacticipant]=web&ignore[][pacticipant]=web&ignore[][environment]=zed",
            "Environment \"zed\" does not exist.",
        ),
        (
            "",
            "At least one selector is required, for example q[][pacticipant]=NAME&q[][version]=NUMBER.",
        ),
        (
            "q[][pacticipant]=web&limit=0",
            "The limit must be an integer of at least 1.",
        ),
    ] {
        let answer = place.0.get(&format!("/matrix?{query}"));
        assert_eq!(
            (answer.status, answer.json()),
            (400, json!({ "errors": [error] })),
            "{query}"
        );
    }
}
