//! The notices of contracts to verify: why each is listed, and the effect of a failure.

use crate::support::{self, Running};
use contract_broker::Database;
use serde_json::{Value, json};

fn publish(broker: &Running, version: &str, branch: &str) {
    let content = json!({ "interactions": [{ "description": version }] });
    let path = format!("/pacts/provider/bill/consumer/web/version/{version}");
    assert_eq!(broker.json("PUT", &path, &content).status, 201);
    let path = format!("/pacticipants/web/branches/{branch}/versions/{version}");
    assert_eq!(broker.json("PUT", &path, &json!({})).status / 100, 2);
}

/// Returns the notices of each contract and when they are printed, without the URL of the contract.
fn notices(broker: &Running, wanted: &Value) -> Vec<Vec<(String, String)>> {
    let answer = broker.json("POST", "/pacts/provider/bill/for-verification", wanted);
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    let of = |pact: &Value| {
        let notices = pact["verificationProperties"]["notices"].as_array().expect("notices");
        notices.iter().map(notice).collect()
    };
    body["_embedded"]["pacts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(of)
        .collect()
}

fn notice(notice: &Value) -> (String, String) {
    let text = notice["text"].as_str().expect("a text");
    let words: Vec<&str> = text
        .split(' ')
        .map(|word| if word.starts_with("http://") { "URL" } else { word })
        .collect();
    (
        notice["when"].as_str().expect("a condition").to_owned(),
        words.join(" "),
    )
}

fn verify(broker: &Running, version: &str) {
    let branch = "/pacticipants/bill/branches/main/versions/b1";
    assert_eq!(broker.json("PUT", branch, &json!({})).status / 100, 2);
    let path = format!("/pacts/provider/bill/consumer/web/version/{version}");
    let pact = broker.get(&path).json();
    let url = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a link");
    let result = json!({ "success": true, "providerApplicationVersion": "b1" });
    assert_eq!(
        broker.json("POST", &url.replace(&broker.base(), ""), &result).status,
        201
    );
}

fn expected(notices: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(when, text): &(&str, &str)| ((*when).to_owned(), (*text).to_owned());
    notices.iter().map(owned).collect()
}

const BEFORE: &str = "before_verification";

#[test]
fn notices_describe_pending_and_work_in_progress() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main");
    let wanted = json!({
        "consumerVersionSelectors": [{ "mainBranch": true }],
        "providerVersionBranch": "main",
        "includePendingStatus": true,
        "includeWipPactsSince": "2020-01-01",
    });
    let belongs = "The contract URL is being verified because it belongs to:\n    * web 1: latest version on the main branch main";
    let after = [
        (
            "after_verification:success_true_published_false",
            "This contract is still pending for branch main of bill: the result was not published.",
        ),
        (
            "after_verification:success_false_published_false",
            "This contract is still pending for branch main of bill: the result was not published.",
        ),
        (
            "after_verification:success_true_published_true",
            "This contract is no longer pending for branch main of bill. From now on, a failure fails the build.",
        ),
        (
            "after_verification:success_false_published_true",
            "This contract is still pending for branch main of bill: the verification failed.",
        ),
    ];
    let pending = (
        BEFORE,
        "This contract is pending: it has not been verified successfully for branch main of bill. A failure does not fail the build.",
    );
    let all = [&[(BEFORE, belongs), pending], &after[..]].concat();
    assert_eq!(notices(&broker, &wanted), [expected(&all)]);

    verify(&broker, "1");
    publish(&broker, "2", "spike");
    let verified = [
        (BEFORE, belongs),
        (
            BEFORE,
            "This contract has been verified successfully for branch main of bill. A failure fails the build.",
        ),
    ];
    let progress = "The contract URL is work in progress: it has not been verified successfully for branch main of bill. It belongs to:\n    * web 2: latest version on branch spike";
    let all = [&[(BEFORE, progress), pending], &after[..]].concat();
    assert_eq!(notices(&broker, &wanted), [expected(&verified), expected(&all)]);
}

#[test]
fn a_get_request_has_a_deprecation_notice() {
    let broker = support::start(Database::Memory);
    publish(&broker, "1", "main");
    let body = broker
        .get("/pacts/provider/bill/for-verification?include_pending_status=false")
        .json();
    let first = &body["_embedded"]["pacts"][0]["verificationProperties"]["notices"][0];
    assert_eq!(
        notice(first),
        (
            BEFORE.to_owned(),
            "The verifier requested this list with GET, which is deprecated. Update the verifier to use POST."
                .to_owned()
        )
    );
}
