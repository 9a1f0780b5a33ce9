//! Tests publishing contracts to brokers of different versions.

use contract_broker_client::{BrokerErrorKind, ContractToPublish, Publication};

use crate::support::client;
use crate::support::stub::{Reply, Stub};

fn publication(providers: &[&str]) -> Publication {
    Publication {
        consumer: "web".to_owned(),
        version: "1/2".to_owned(),
        tags: vec!["t".to_owned()],
        contracts: providers
            .iter()
            .map(|provider| ContractToPublish {
                provider: (*provider).to_owned(),
                content: r#"{"interactions": []}"#.into(),
            })
            .collect(),
        ..Publication::default()
    }
}

fn lines(stub: &Stub) -> Vec<String> {
    stub.asked()
        .iter()
        .map(|asked| format!("{} {}", asked.method, asked.target))
        .collect()
}

#[tokio::test]
async fn merges_with_patch_after_a_conflict() {
    let stub = Stub::start(|asked, _| match (asked.method.as_str(), asked.target.as_str()) {
        ("GET", _) => Reply::json(
            200,
            r#"{"_links": {"pb:publish-contracts": {"href": "/contracts/publish"}}}"#,
        ),
        ("POST", _) => Reply::json(
            409,
            r#"{"errors": {"contracts": ["no"]}, "notices": [{"type": "error", "text": "no"}]}"#,
        ),
        ("PATCH", _) => Reply::json(200, r#"{"_links": {"self": {"href": "/it"}}}"#),
        _ => Reply::json(201, "{}"),
    })
    .await;
    let client = client(&stub.url);
    let mut publication = publication(&["orders"]);
    publication.branch = Some("feat/x".to_owned());
    let error = client.publish(&publication).await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Conflict);
    assert_eq!(error.notices()[0].text, "no");
    publication.merge = true;
    let published = client.publish(&publication).await.unwrap();
    assert_eq!(published.contracts[0].url.as_deref(), Some("/it"));
    assert_eq!(
        lines(&stub)[2..],
        [
            "POST /contracts/publish",
            "PUT /pacticipants/web/branches/feat%2Fx/versions/1%2F2",
            "PUT /pacticipants/web/versions/1%2F2/tags/t",
            "PATCH /pacts/provider/orders/consumer/web/version/1%2F2",
        ]
    );
}

#[tokio::test]
async fn publishes_contracts_separately_to_old_brokers() {
    let stub = Stub::start(|asked, _| match (asked.method.as_str(), asked.target.as_str()) {
        ("GET", _) => Reply::json(200, r#"{"_links": {"self": {"href": "/"}}}"#),
        (_, target) if target.contains("/provider/users/") => Reply::json(409, "{}"),
        _ => Reply::json(201, "{}"),
    })
    .await;
    let client = client(&stub.url);
    client.publish(&publication(&["orders"])).await.unwrap();
    assert_eq!(
        lines(&stub)[1..],
        [
            "PUT /pacticipants/web/versions/1%2F2/tags/t",
            "PUT /pacts/provider/orders/consumer/web/version/1%2F2",
        ]
    );
    let error = client.publish(&publication(&["orders", "users"])).await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Conflict);
    assert!(
        error
            .to_string()
            .contains("(already published: the contracts with orders)"),
        "{error}"
    );
    let mut on_branch = publication(&["orders"]);
    on_branch.branch = Some("main".to_owned());
    let error = client.publish(&on_branch).await.unwrap_err();
    assert_eq!(error.kind(), BrokerErrorKind::Unsupported);
}
