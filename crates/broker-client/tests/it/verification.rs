//! Tests fetching contracts and publishing results.

use contract_broker::Permissions;
use contract_broker_client::{
    BrokerClient, BrokerErrorKind, BrokerOptions, Credentials, ProviderVersion, Selection, VerificationResult,
};
use contract_model::Json;

use crate::support::stub::{Reply, Stub};
use crate::support::{broker, client, options, recorded};

#[tokio::test]
async fn fetches_and_publishes_with_recorded_pact_broker_replies() {
    let Some(stub) = recorded::start().await else {
        return;
    };
    let client = client(&stub.url);
    let selection = Selection {
        consumer_versions: vec![Json::parse(br#"{"mainBranch": true}"#).unwrap()],
        include_pending: true,
        provider_branch: Some("main".to_owned()),
        ..Selection::default()
    };
    let selected = client.for_verification("Bar", &selection).await.unwrap();
    assert_eq!(selected.len(), 1);
    let one = &selected[0];
    assert_eq!(one.pending, Some(true));
    assert_eq!(one.short_description.as_deref(), Some("latest from main branch"));
    assert!(
        one.notices
            .iter()
            .any(|notice| notice.when == "after_verification:success_true_published_false")
    );
    let url = "/pacts/provider/Bar/consumer/Foo/pact-version/83a7641217510348dfdded834bd6ece951e0d6bd/metadata/cyU1QiU1RCU1QmwlNUQ9dHJ1ZSZzJTVCJTVEJTVCY3YlNUQ9NCZwPXRydWU";
    let contract = client.contract(url).await.unwrap();
    let version = ProviderVersion {
        number: "10".to_owned(),
        branch: Some("main".to_owned()),
        tags: vec!["prod".to_owned()],
    };
    client.create_provider_version(&contract, &version).await.unwrap();
    let result = VerificationResult {
        success: true,
        provider_version: "10".to_owned(),
        ..VerificationResult::default()
    };
    let published = client.publish_result(&contract, &result).await.unwrap();
    assert!(published.unwrap().ends_with("/verification-results/101"));
    let asked: Vec<String> = stub
        .asked()
        .iter()
        .map(|asked| format!("{} {}", asked.method, asked.target))
        .collect();
    assert_eq!(
        asked[3..6],
        [
            "GET /pacticipants/Bar",
            "PUT /pacticipants/Bar/branches/main/versions/10",
            "PUT /pacticipants/Bar/versions/10/tags/prod"
        ]
    );
    assert_eq!(asked[6], format!("POST {url}/verification-results"));
}

#[tokio::test]
async fn reports_unknown_providers_and_bad_selectors() {
    let Some(stub) = recorded::start().await else {
        return;
    };
    let client = client(&stub.url);
    let error = client
        .for_verification("Nope", &Selection::default())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::NotFound);
    let selection = Selection {
        consumer_versions: vec![Json::object()],
        ..Selection::default()
    };
    let error = client.for_verification("Bar", &selection).await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Refused, "{error}");
    assert!(!error.reasons().is_empty());
}

#[tokio::test]
async fn fetches_latest_contracts_from_old_brokers() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/" => Reply::json(
            200,
            r#"{"_links": {"pb:latest-provider-pacts": {"href": "/latest/{provider}", "templated": true}}}"#,
        ),
        _ => Reply::json(
            200,
            r#"{"_links": {"pb:pacts": [{"href": "/a", "title": "A"}], "pacts": [{"href": "/a"}, {"href": "/b", "name": "B"}]}}"#,
        ),
    })
    .await;
    let client = client(&stub.url);
    let found = client.for_verification("orders", &Selection::default()).await.unwrap();
    let names: Vec<_> = found.iter().map(|one| (one.url.as_str(), one.name.as_str())).collect();
    assert_eq!(names, [("/a", "A"), ("/b", "B")]);
    let selection = Selection {
        include_pending: true,
        ..Selection::default()
    };
    let error = client.for_verification("orders", &selection).await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Unsupported);
}

#[tokio::test]
async fn publishes_results_without_the_link() {
    let stub = Stub::start(|asked, _| match (asked.method.as_str(), asked.target.as_str()) {
        ("GET", "/named") => Reply::json(
            200,
            r#"{"_links": {"self": {"href": "/pacts/provider/a/consumer/b/pact-version/c"}}}"#,
        ),
        ("GET", _) => Reply::json(200, "{}"),
        _ => Reply::json(201, "{}"),
    })
    .await;
    let client = client(&stub.url);
    let result = VerificationResult::default();
    let contract = client.contract("/named").await.unwrap();
    assert_eq!(client.publish_result(&contract, &result).await.unwrap(), None);
    assert_eq!(
        stub.asked()[1].target,
        "/pacts/provider/a/consumer/b/pact-version/c/verification-results"
    );
    let contract = client.contract("/bare").await.unwrap();
    let error = client.publish_result(&contract, &result).await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Unsupported);
}

#[tokio::test]
async fn reports_missing_and_wrong_credentials() {
    let permissions = Permissions {
        read_write: Some(contract_broker::Credentials {
            username: "ci".to_owned(),
            password: "hush".to_owned(),
        }),
        ..Permissions::default()
    };
    let url = broker::start(permissions).await;
    let error = client(&url)
        .for_verification("orders", &Selection::default())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Unauthorized);
    // The broker's response says what to do, so no general advice is added.
    let text = error.to_string();
    assert!(
        text.ends_with("Credentials are required: an API token, or a user name and password"),
        "{text}"
    );
    for (password, kind, words) in [
        (
            "hash",
            BrokerErrorKind::Unauthorized,
            "The user name or the password is wrong",
        ),
        ("hush", BrokerErrorKind::NotFound, "orders"),
    ] {
        let asking = BrokerOptions {
            credentials: Credentials::basic("ci", password),
            ..options(&url)
        };
        let client = BrokerClient::new(asking).unwrap();
        let error = client
            .for_verification("orders", &Selection::default())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(
            error.to_string().contains(words) && !error.to_string().contains(password),
            "{error}"
        );
    }
}

#[tokio::test]
async fn redacts_credentials_that_a_broker_echoes() {
    let stub = Stub::start(|asked, _| match (asked.method.as_str(), asked.target.as_str()) {
        ("POST", "/results") => Reply::json(
            201,
            r#"{"_links": {"self": {"href": "http://h/results/s3cret-token"}}}"#,
        ),
        ("POST", _) => Reply::json(
            200,
            r#"{"_embedded": {"pacts": [{
                "shortDescription": "for s3cret-token",
                "verificationProperties": {"notices": [{"when": "before_verification", "text": "Bearer s3cret-token"}]},
                "_links": {"self": {"href": "/contract", "name": "s3cret-token"}}
            }]}}"#,
        ),
        (_, "/contract") => Reply::json(
            200,
            r#"{"provider": {"name": "orders"}, "_links": {"pb:publish-verification-results": {"href": "/results"}}}"#,
        ),
        (_, "/") => Reply::json(200, r#"{"_links": {"self": {"href": "/"}}}"#),
        _ => Reply::json(
            400,
            r#"{"error": "czNjcmV0LXRva2Vu", "notices": [{"text": "s3cret-token"}]}"#,
        ),
    })
    .await;
    let client = BrokerClient::new(BrokerOptions {
        credentials: Credentials::token("s3cret-token"),
        ..options(&stub.url)
    })
    .unwrap();
    let selected = client.for_verification("orders", &Selection::default()).await.unwrap();
    let shown = format!(
        "{:?} {:?} {:?}",
        selected[0].name, selected[0].short_description, selected[0].notices
    );
    assert!(
        !shown.contains("s3cret") && shown.contains("Bearer [redacted]"),
        "{shown}"
    );
    let contract = client.contract(&selected[0].url).await.unwrap();
    let url = client
        .publish_result(&contract, &VerificationResult::default())
        .await
        .unwrap();
    assert_eq!(url.as_deref(), Some("http://h/results/[redacted]"));
    let error = client.get("/else").await.unwrap_err();
    let shown = format!("{error} {:?} {:?}", error.reasons(), error.notices());
    assert!(shown.contains("status 400: [redacted]"), "{shown}");
    assert!(!shown.contains("s3cret") && !shown.contains("czNjcmV0"), "{shown}");
}
