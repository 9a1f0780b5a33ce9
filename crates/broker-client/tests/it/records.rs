//! Tests environments, records, and lists, with and without links.

use contract_broker_client::{BrokerErrorKind, Occupancy};

use crate::support::client;
use crate::support::stub::{Reply, Stub};

const INDEX: &str = r#"{"_links": {"self": {"href": "/"}}}"#;
const ENVIRONMENTS: &str = r#"{"_embedded": {"environments": [{"uuid": "u", "name": "prod"}]}}"#;

#[tokio::test]
async fn falls_back_to_fixed_paths() {
    let stub = Stub::start(|asked, _| match (asked.method.as_str(), asked.target.as_str()) {
        (_, "/") => Reply::json(200, INDEX),
        (_, "/environments") => Reply::json(200, ENVIRONMENTS),
        ("GET", "/pacticipants/web/versions/1") => Reply::json(200, r#"{"number": "1"}"#),
        ("POST", "/pacticipants/web/versions/1/deployed-versions/environment/u") => Reply::json(201, r#"{"uuid": "d"}"#),
        (_, "/environments/u/released-versions/currently-supported?pacticipant=web") => Reply::json(
            200,
            r#"{"_embedded": {"releasedVersions": [
                {"_embedded": {"pacticipant": {"name": "web"}, "version": {"number": "1"}}, "_links": {"self": {"href": "/released-versions/r"}}},
                {"_embedded": {"pacticipant": {"name": "other"}, "version": {"number": "2"}}, "_links": {"self": {"href": "/released-versions/s"}}}
            ]}}"#,
        ),
        ("PATCH", "/released-versions/r") => Reply::json(200, "{}"),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let client = client(&stub.url);
    let recorded = client
        .record(Occupancy::Deployed, "web", "1", "prod", Some("blue"))
        .await
        .unwrap();
    assert_eq!(recorded.text("uuid"), Some("d"));
    let asked = stub.asked();
    let post = asked.iter().find(|asked| asked.method == "POST").unwrap();
    assert_eq!(post.body, r#"{"applicationInstance":"blue"}"#);
    let current = client.current(Occupancy::Released, Some("web"), "prod").await.unwrap();
    assert_eq!(current.len(), 1, "what is of another pacticipant is left out");
    client.end(Occupancy::Released, &current[0]).await.unwrap();
    let patch = stub.asked().pop().unwrap();
    assert_eq!(patch.body, r#"{"currentlySupported":false}"#);
    assert_eq!(patch.headers["content-type"], "application/merge-patch+json");
    let error = client
        .record(Occupancy::Deployed, "web", "1", "test", None)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment \"test\" not found. Known environments: prod"
    );
    let error = client
        .record(Occupancy::Deployed, "web", "2", "prod", None)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::NotFound);
}

#[tokio::test]
async fn reads_all_pages_of_a_list() {
    let stub = Stub::start(|asked, _| {
        let page = |name: &str, next: &str| {
            let text = format!(
                r#"{{"_embedded": {{"pacticipants": [{{"name": "{name}"}}]}}, "_links": {{"next": {{"href": "{next}"}}}}}}"#
            );
            Reply::json(200, &text)
        };
        match asked.target.as_str() {
            "/" => Reply::json(200, INDEX),
            "/pacticipants" => page("a", "/pacticipants?page=2"),
            // The next page of this broker is the first page again.
            _ => page("b", "/pacticipants?page=2"),
        }
    })
    .await;
    let found = client(&stub.url).pacticipants().await.unwrap();
    assert_eq!(found.len(), 2);
}

#[tokio::test]
async fn rejects_names_that_cannot_be_in_a_url() {
    let stub = Stub::start(|_, _| Reply::json(200, INDEX)).await;
    for name in ["", ".", ".."] {
        let error = client(&stub.url).pacticipant(name).await.unwrap_err();
        assert_eq!(error.kind(), BrokerErrorKind::Settings, "{error}");
    }
}
