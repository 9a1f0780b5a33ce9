//! Where clients begin: every relation they may follow, and what each means.

use serde_json::{Map, Value, json};

use super::reply::{Media, Outcome, Reply, not_found};
use super::request::Request;
use crate::store::Tx;

/// Relations of the index with their addresses and meanings.
const RELATIONS: &[(&str, &str, &str)] = &[
    (
        "pb:publish-pact",
        "/pacts/provider/{provider}/consumer/{consumer}/version/{consumerApplicationVersion}",
        "Publish a contract",
    ),
    (
        "pb:publish-contracts",
        "/contracts/publish",
        "Publish the contracts of a consumer version with its branch and tags",
    ),
    (
        "pb:latest-pact-versions",
        "/pacts/latest",
        "The newest contract of every integration",
    ),
    (
        "pb:tagged-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/tag/{tag}",
        "Contracts between a pair by consumer versions with a tag",
    ),
    (
        "pb:branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/{branch}",
        "Contracts between a pair from a branch of the consumer",
    ),
    (
        "pb:latest-branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/{branch}/latest/versions",
        "The newest contract between a pair from a branch of the consumer",
    ),
    (
        "pb:main-branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/versions",
        "Contracts between a pair from the consumer's main branch",
    ),
    (
        "pb:latest-main-branch-pact-versions",
        "/pacts/provider/{provider}/consumer/{consumer}/branch/latest/versions",
        "The newest contract between a pair from the consumer's main branch",
    ),
    (
        "pb:provider-pacts-with-main-branch",
        "/pacts/provider/{provider}/branch",
        "A provider's contracts from its consumers' main branches",
    ),
    (
        "pb:provider-pacts-with-branch",
        "/pacts/provider/{provider}/branch/{branch}",
        "A provider's contracts from a branch of its consumers",
    ),
    (
        "pb:latest-provider-pacts-with-main-branch",
        "/pacts/provider/{provider}/branch/latest",
        "A provider's newest contracts from its consumers' main branches",
    ),
    (
        "pb:latest-provider-pacts-with-branch",
        "/pacts/provider/{provider}/branch/{branch}/latest",
        "A provider's newest contracts from a branch of its consumers",
    ),
    ("pb:pacticipants", "/pacticipants", "All applications"),
    ("pb:pacticipant", "/pacticipants/{pacticipant}", "An application"),
    (
        "pb:latest-provider-pacts",
        "/pacts/provider/{provider}/latest",
        "A provider's newest contract with each consumer",
    ),
    (
        "pb:latest-provider-pacts-with-tag",
        "/pacts/provider/{provider}/latest/{tag}",
        "A provider's newest contract with each consumer, by versions with a tag",
    ),
    (
        "pb:provider-pacts-with-tag",
        "/pacts/provider/{provider}/tag/{tag}",
        "A provider's contracts by consumer versions with a tag",
    ),
    (
        "pb:provider-pacts",
        "/pacts/provider/{provider}",
        "All contracts of a provider",
    ),
    (
        "pb:latest-version",
        "/pacticipants/{pacticipant}/latest-version",
        "The newest version of an application",
    ),
    (
        "pb:latest-tagged-version",
        "/pacticipants/{pacticipant}/latest-version/{tag}",
        "The newest version of an application with a tag",
    ),
    ("pb:integrations", "/integrations", "All pairs that have a contract"),
    (
        "pb:pacticipant-version-tag",
        "/pacticipants/{pacticipant}/versions/{version}/tags/{tag}",
        "A tag of a version: get, create or delete it",
    ),
    (
        "pb:pacticipant-branch",
        "/pacticipants/{pacticipant}/branches/{branch}",
        "A branch: get or delete it",
    ),
    (
        "pb:pacticipant-branch-version",
        "/pacticipants/{pacticipant}/branches/{branch}/versions/{version}",
        "A version on a branch: get it, or put it there",
    ),
    (
        "pb:pacticipant-version",
        "/pacticipants/{pacticipant}/versions/{version}",
        "A version: get, create or delete it",
    ),
    ("pb:metrics", "/metrics", "How much of everything there is"),
    (
        "pb:can-i-deploy-pacticipant-version-to-tag",
        "/can-i-deploy?pacticipant={pacticipant}&version={version}&to={tag}",
        "Whether a version gets on with the newest versions that have a tag",
    ),
    (
        "pb:can-i-deploy-pacticipant-version-to-environment",
        "/can-i-deploy?pacticipant={pacticipant}&version={version}&environment={environment}",
        "Whether a version gets on with everything in an environment",
    ),
    (
        "pb:provider-pacts-for-verification",
        "/pacts/provider/{provider}/for-verification",
        "The contracts that a provider is to verify",
    ),
    (
        "beta:provider-pacts-for-verification",
        "/pacts/provider/{provider}/for-verification",
        "The same, under its old name",
    ),
    ("pb:environments", "/environments", "All environments"),
    ("pb:environment", "/environments/{uuid}", "An environment"),
];

/// Relations of other resources.
const OTHER_RELATIONS: &[(&str, &str)] = &[
    ("consumer", "The application that published the contract"),
    ("consumer-version", "The version that published the contract"),
    (
        "consumer-versions",
        "The versions, of those chosen, that published this content",
    ),
    ("provider", "The application that is to honour the contract"),
    ("pact-version", "The content of the contract; it never changes"),
    ("latest-pact-version", "The newest contract between the pair"),
    ("all-pact-versions", "All contracts between the pair"),
    (
        "latest-untagged-pact-version",
        "The newest contract between the pair by a version without tags",
    ),
    (
        "latest-tagged-pact-version",
        "The newest contract between the pair by a version with a tag",
    ),
    (
        "previous-distinct",
        "The contract before this one that says something else",
    ),
    (
        "diff-previous-distinct",
        "What changed since the contract before this one that says something else",
    ),
    ("diff", "What another content of the pair says differently"),
    ("tag-prod-version", "PUT tags the consumer version with prod"),
    ("tag-version", "PUT tags the consumer version"),
    (
        "publish-verification-results",
        "POST the result of verifying this contract",
    ),
    (
        "latest-verification-results",
        "The last result of verifying this content",
    ),
    (
        "matrix-for-consumer-version",
        "All results for the contracts of the consumer version",
    ),
    ("versions", "Versions of an application"),
    ("branches", "Branches of an application"),
    ("version", "A version of an application"),
    ("version-tag", "A tag of a version"),
    ("branch-version", "A version on a branch"),
    ("label", "A label of an application"),
    ("tag", "A tag of a version"),
    ("deployed-environments", "Where the version is or was deployed"),
    ("released-environments", "Where the version is or was released"),
    (
        "record-deployment",
        "POST records that the version is deployed to an environment",
    ),
    (
        "record-release",
        "POST records that the version is released in an environment",
    ),
    ("pact-versions", "The contracts that the version published"),
    (
        "latest-verification-results-where-pacticipant-is-consumer",
        "The last results for the contracts of the version",
    ),
    ("branch", "The branch"),
    ("contracts", "The contracts that were published"),
    ("pacticipant-version-tags", "The tags of the version that was published"),
    ("pacts", "Contracts"),
    ("pacticipants-with-label", "The applications that have the label"),
    (
        "currently-deployed-deployed-versions",
        "What is deployed to the environment now",
    ),
    (
        "currently-supported-released-versions",
        "What is released in the environment and supported",
    ),
    ("dashboard", "The contracts of the pair with their last results"),
    ("matrix", "All contracts and results of the pair"),
    ("group", "The consumer of the pair"),
    (
        "delete_integration",
        "DELETE forgets the pair with its contracts and results",
    ),
    (
        "can-i-deploy-badge",
        "A picture that says whether versions with one tag get on with those with another",
    ),
    (
        "can-i-deploy-branch-to-environment-badge",
        "A picture that says whether the head of a branch may be deployed",
    ),
];

#[expect(clippy::unnecessary_wraps, reason = "the form of all handlers")]
pub(super) fn show(rq: &Request, _: &mut Tx<'_>) -> Outcome {
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

/// What a relation means, in one line.
pub(super) fn relation(rq: &Request, _: &mut Tx<'_>) -> Outcome {
    let name = rq.name("relation");
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
