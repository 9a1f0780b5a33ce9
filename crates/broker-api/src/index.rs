//! The index of the API and the documentation of its link relations.

use serde_json::{Map, Value, json};

use super::params::Param;
use super::reply::{HandlerResult, Media, Reply, not_found};
use super::request::Request;
use contract_broker_core::store::Tx;

/// The index's link relations, each with its path and description.
const RELATIONS: &[(&str, &str, &str)] = &[
    (
        "pb:publish-pact",
        "/pacts/provider/{provider}/consumer/{consumer}/version/{consumerApplicationVersion}",
        "Publish a contract",
    ),
    (
        "pb:publish-contracts",
        "/contracts/publish",
        "Publish the contracts of a consumer version, and set its branch and tags",
    ),
    (
        "pb:latest-pact-versions",
        "/pacts/latest",
        "The latest contract of each integration",
    ),
    (
        "pb:tagged-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/tag/{tag}",
        "Contracts of an integration from consumer versions with a tag",
    ),
    (
        "pb:branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/{branch}",
        "Contracts of an integration from a consumer branch",
    ),
    (
        "pb:latest-branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/{branch}/latest/versions",
        "The latest contract of an integration from a consumer branch",
    ),
    (
        "pb:main-branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/versions",
        "Contracts of an integration from the consumer's main branch",
    ),
    (
        "pb:latest-main-branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/latest/versions",
        "The latest contract of an integration from the consumer's main branch",
    ),
    (
        "pb:provider-pacts-with-main-branch",
        "/pacts/provider/{provider}/branch",
        "Contracts of a provider from the main branches of its consumers",
    ),
    (
        "pb:provider-pacts-with-branch",
        "/pacts/provider/{provider}/branch/{branch}",
        "Contracts of a provider from a branch of its consumers",
    ),
    (
        "pb:latest-provider-pacts-with-main-branch",
        "/pacts/provider/{provider}/branch/latest",
        "The latest contracts of a provider from the main branches of its consumers",
    ),
    (
        "pb:latest-provider-pacts-with-branch",
        "/pacts/provider/{provider}/branch/{branch}/latest",
        "The latest contracts of a provider from a branch of its consumers",
    ),
    ("pb:pacticipants", "/pacticipants", "All applications"),
    ("pb:pacticipant", "/pacticipants/{pacticipant}", "An application"),
    (
        "pb:latest-provider-pacts",
        "/pacts/provider/{provider}/latest",
        "The latest contract between a provider and each of its consumers",
    ),
    (
        "pb:latest-provider-pacts-with-tag",
        "/pacts/provider/{provider}/latest/{tag}",
        "The latest contract between a provider and each of its consumers, considering only consumer versions with a tag",
    ),
    (
        "pb:provider-pacts-with-tag",
        "/pacts/provider/{provider}/tag/{tag}",
        "Contracts of a provider from consumer versions with a tag",
    ),
    (
        "pb:provider-pacts",
        "/pacts/provider/{provider}",
        "All contracts of a provider",
    ),
    (
        "pb:latest-version",
        "/pacticipants/{pacticipant}/latest-version",
        "The latest version of an application",
    ),
    (
        "pb:latest-tagged-version",
        "/pacticipants/{pacticipant}/latest-version/{tag}",
        "The latest version of an application with a tag",
    ),
    ("pb:webhooks", "/webhooks", "List or create webhooks"),
    (
        "pb:webhook",
        "/webhooks/{uuid}",
        "Get, create, change, or delete a webhook",
    ),
    ("pb:integrations", "/integrations", "All integrations"),
    (
        "pb:pacticipant-version-tag",
        "/pacticipants/{pacticipant}/versions/{version}/tags/{tag}",
        "Get, create, or delete a tag of a version",
    ),
    (
        "pb:pacticipant-branch",
        "/pacticipants/{pacticipant}/branches/{branch}",
        "A branch: get or delete it",
    ),
    (
        "pb:pacticipant-branch-version",
        "/pacticipants/{pacticipant}/branches/{branch}/versions/{version}",
        "Get, add, or remove a version on a branch",
    ),
    (
        "pb:pacticipant-version",
        "/pacticipants/{pacticipant}/versions/{version}",
        "Get, create, or delete a version",
    ),
    ("pb:metrics", "/metrics", "Counts of all resources"),
    (
        "pb:can-i-deploy-pacticipant-version-to-tag",
        "/can-i-deploy?pacticipant={pacticipant}&version={version}&to={tag}",
        "Whether a version is compatible with the latest versions of other applications that have a tag",
    ),
    (
        "pb:can-i-deploy-pacticipant-version-to-environment",
        "/can-i-deploy?pacticipant={pacticipant}&version={version}&environment={environment}",
        "Whether a version can be deployed to an environment",
    ),
    (
        "pb:provider-pacts-for-verification",
        "/pacts/provider/{provider}/for-verification",
        "The contracts that a provider must verify",
    ),
    (
        "beta:provider-pacts-for-verification",
        "/pacts/provider/{provider}/for-verification",
        "Deprecated name of pb:provider-pacts-for-verification",
    ),
    ("pb:environments", "/environments", "All environments"),
    ("pb:environment", "/environments/{uuid}", "An environment"),
];

const OTHER_RELATIONS: &[(&str, &str)] = &[
    ("consumer", "The application that published the contract"),
    ("consumer-version", "The version that published the contract"),
    (
        "consumer-versions",
        "The selected consumer versions that published this content",
    ),
    ("provider", "The application that must satisfy the contract"),
    ("pact-version", "The immutable content of the contract"),
    ("latest-pact-version", "The latest contract of the integration"),
    ("all-pact-versions", "All contracts of the integration"),
    (
        "latest-untagged-pact-version",
        "The latest contract of the integration from a consumer version without tags",
    ),
    (
        "latest-tagged-pact-version",
        "The latest contract of the integration from a consumer version with a tag",
    ),
    ("previous-distinct", "The previous contract with different content"),
    (
        "diff-previous-distinct",
        "The diff between the previous contract with different content and this one",
    ),
    (
        "diff",
        "The diff between another contract of the integration and this one",
    ),
    ("tag-prod-version", "Tags the consumer version with prod (PUT)"),
    ("tag-version", "Tags the consumer version (PUT)"),
    (
        "publish-verification-results",
        "Publishes a verification result for this contract (POST)",
    ),
    (
        "latest-verification-results",
        "The latest verification result for this content",
    ),
    (
        "matrix-for-consumer-version",
        "All verification results for the contracts of the consumer version",
    ),
    ("consumers", "The consumers to which the webhook applies"),
    ("providers", "The providers to which the webhook applies"),
    ("pact-webhooks", "Webhooks for the contracts of the integration"),
    ("consumer-webhooks", "Webhooks for all contracts of the consumer"),
    ("triggered-webhooks", "Webhook requests that the publication triggered"),
    ("webhook-status", "The latest webhook requests for the integration"),
    ("create", "Creates a webhook (POST)"),
    ("webhooks-create", "Creates a webhook (POST)"),
    ("webhooks-webhooks", "The webhooks in the list"),
    ("execute", "Sends the webhook request now (POST)"),
    ("logs", "The log of a webhook request"),
    ("error-logs", "Logs of failed webhook requests"),
    ("retry", "Sends the webhook request again (POST)"),
    ("versions", "Versions of an application"),
    ("branches", "Branches of an application"),
    ("version", "A version of an application"),
    ("version-tag", "A tag of a version"),
    ("branch-version", "A version on a branch"),
    ("label", "A label of an application"),
    ("tag", "A tag of a version"),
    (
        "deployed-environments",
        "Environments that the version is or was deployed to",
    ),
    (
        "released-environments",
        "Environments that the version is or was released in",
    ),
    (
        "record-deployment",
        "Records a deployment of the version to an environment (POST)",
    ),
    (
        "record-release",
        "Records a release of the version in an environment (POST)",
    ),
    ("pact-versions", "The contracts that the version published"),
    (
        "latest-verification-results-where-pacticipant-is-consumer",
        "The latest verification results for the contracts of the version",
    ),
    ("branch", "The branch"),
    ("contracts", "The published contracts"),
    ("pacticipant-version-tags", "The tags of the published version"),
    ("pacts", "Contracts"),
    ("pacticipants-with-label", "Applications with the label"),
    (
        "currently-deployed-deployed-versions",
        "Versions currently deployed to the environment",
    ),
    (
        "currently-supported-released-versions",
        "Versions currently supported in the environment",
    ),
    (
        "dashboard",
        "The contracts of the integration with their latest results",
    ),
    ("matrix", "All contracts and results of the integration"),
    ("group", "The consumer of the integration"),
    (
        "delete_integration",
        "Deletes the integration with its contracts and results (DELETE)",
    ),
    (
        "can-i-deploy-badge",
        "A badge that shows whether the latest version with one tag is compatible with the latest versions of other applications with another tag",
    ),
    (
        "can-i-deploy-branch-to-environment-badge",
        "A badge that shows whether the head of a branch can be deployed to an environment",
    ),
];

#[expect(clippy::unnecessary_wraps, reason = "all handlers have this signature")]
pub(super) fn show(rq: &Request, _: &mut Tx<'_>) -> HandlerResult {
    let mut links = Map::new();
    links.insert(
        "self".to_owned(),
        json!({ "href": rq.urls.base(), "title": "Index", "templated": false }),
    );
    for (relation, path, title) in RELATIONS {
        let mut link = json!({ "href": rq.urls.at(path), "title": title, "templated": path.contains('{') });
        if relation.starts_with("beta:") {
            link["name"] = "beta".into();
        }
        links.insert((*relation).to_owned(), link);
    }
    let curie = |name: &str| json!({ "name": name, "href": rq.urls.at("/doc/{rel}"), "templated": true });
    links.insert("curies".to_owned(), Value::Array(vec![curie("pb"), curie("beta")]));
    Ok(Reply::ok(&json!({ "_links": links })))
}

/// Returns the description of a link relation as one line of text.
pub(super) fn relation(rq: &Request, _: &mut Tx<'_>) -> HandlerResult {
    let name = rq.param(Param::Relation);
    let of_index = RELATIONS
        .iter()
        .find(|(relation, ..)| relation.split_once(':').is_some_and(|(_, short)| short == name))
        .map(|(_, path, title)| format!("{title}: {}\n", rq.urls.at(path)));
    let of_others = || {
        OTHER_RELATIONS
            .iter()
            .find(|(relation, _)| *relation == name)
            .map(|(_, title)| format!("{title}\n"))
    };
    let text = of_index.or_else(of_others).ok_or_else(not_found)?;
    Ok(Reply::text(200, Media::Text, text))
}
