//! Operations on versions, tags, and branches.

use contract_broker_client::{BrokerClient, BrokerErrorKind, Occupancy, Resource, plain, version as value_of};
use contract_model::Json;
use serde::Deserialize;

use super::access::Call;
use super::arguments::{Latest, SingleLine, invalid_argument, valid_line};
use super::detect::Detector;
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::values::{Branch, Deletion, PacticipantVersion, TaggedVersion};
use contract_call::message::{message, operation, option, setting};

/// Options for `create_or_update_version`: the version, and what to set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionArguments {
    pub pacticipant: SingleLine,
    pub version: SingleLine,
    pub branch: Option<SingleLine>,
    #[serde(default)]
    pub tags: Vec<String>,
    pub build_url: Option<SingleLine>,
}

pub(super) async fn create_or_update(
    arguments: &VersionArguments,
    client: BrokerClient,
) -> Result<BrokerReply<PacticipantVersion>, BrokerFailure> {
    let (pacticipant, version): (&str, &str) = (&arguments.pacticipant, &arguments.version);
    if let Some(branch) = &arguments.branch {
        client.version_on_branch(pacticipant, version, branch).await?;
    }
    for tag in &arguments.tags {
        client
            .tag_version(pacticipant, version, valid_line("tags", tag)?)
            .await?;
    }
    if arguments.branch.is_none() && arguments.tags.is_empty() {
        client.create_version(pacticipant, version).await?;
    }
    if let Some(url) = &arguments.build_url {
        client.set_build_url(pacticipant, version, url).await?;
    }
    Ok(described(pacticipant, client.version(pacticipant, version).await?))
}

/// Options for `describe_version`: which version to return. Default: the latest version.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribeVersionArguments {
    pub pacticipant: SingleLine,
    pub version: Option<SingleLine>,
    /// Selects the latest version: `true` selects the latest version overall, and a string selects the latest version
    /// with this tag. Mutually exclusive with `version` and `environment`.
    #[serde(default)]
    pub latest: Latest,
    /// Selects the version in this environment. If there are several, selects the one that was recorded last. Mutually
    /// exclusive with `version` and `latest`.
    pub environment: Option<String>,
    /// With `environment`, considers only deployed versions, unless `released` is true as well. Default: false.
    #[serde(default)]
    pub deployed: bool,
    /// With `environment`, considers only released versions, unless `deployed` is true as well. Default: false.
    #[serde(default)]
    pub released: bool,
}

pub(super) async fn describe(
    arguments: &DescribeVersionArguments,
    client: BrokerClient,
) -> Result<BrokerReply<PacticipantVersion>, BrokerFailure> {
    let pacticipant: &str = &arguments.pacticipant;
    let said_so = [
        arguments.version.is_some(),
        arguments.latest != Latest::No,
        arguments.environment.is_some(),
    ];
    if said_so.into_iter().filter(|arguments| *arguments).count() > 1 {
        let message = message![
            option("version"),
            ", ",
            option("latest"),
            " and ",
            option("environment"),
            " are mutually exclusive"
        ];
        return Err(invalid_argument("version", message).into());
    }
    let found = match (&arguments.environment, &arguments.version) {
        (Some(environment), _) => in_environment(pacticipant, environment, arguments, &client).await?,
        (None, Some(version)) => client.version(pacticipant, version).await?,
        (None, None) => {
            let tag = match &arguments.latest {
                Latest::Tagged(tag) => Some(&**tag),
                Latest::No | Latest::Overall => None,
            };
            client.latest_version(pacticipant, tag).await?
        }
    };
    Ok(described(pacticipant, found))
}

/// Returns the version in an environment. If there are several, returns the one that was recorded last.
async fn in_environment(
    pacticipant: &str,
    environment: &str,
    arguments: &DescribeVersionArguments,
    client: &BrokerClient,
) -> Result<Resource, BrokerFailure> {
    let mutually_exclusive = arguments.deployed == arguments.released;
    let mut found = Vec::new();
    for (occupancy, is_meant) in [
        (Occupancy::Deployed, arguments.deployed),
        (Occupancy::Released, arguments.released),
    ] {
        if mutually_exclusive || is_meant {
            found.extend(client.current(occupancy, Some(pacticipant), environment).await?);
        }
    }
    let newest = found
        .into_iter()
        .max_by_key(|version| version.document.get("createdAt").map(|at| at.text_form().into_owned()));
    let Some(newest) = newest else {
        client.pacticipant(pacticipant).await?;
        let problem = format!("no version of {pacticipant} is deployed or released in {environment}");
        let advice = message![
            "record it with ",
            operation("record_deployment"),
            " or ",
            operation("record_release")
        ];
        return Err(BrokerFailure::not_found(problem, advice));
    };
    Ok(client.version(pacticipant, &newest.version).await?)
}

fn described(pacticipant: &str, found: Resource) -> BrokerReply<PacticipantVersion> {
    BrokerReply::passed_on(value_of(pacticipant, found.document())).with_document(found.into_document())
}

/// Options for `create_version_tag`: the version, and the tags to add.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagVersionArguments {
    pub pacticipant: SingleLine,
    pub version: SingleLine,
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether the name of the branch, which is detected from the CI system or git, is added as a tag. Default: false.
    #[serde(default)]
    pub tag_with_git_branch: bool,
    /// Whether the version is created if it does not exist. Default: false.
    #[serde(default)]
    pub auto_create_version: bool,
}

pub(super) async fn tag(
    call: Call<'_>,
    arguments: TagVersionArguments,
) -> Result<BrokerReply<TaggedVersion>, BrokerFailure> {
    let (pacticipant, version): (&str, &str) = (&arguments.pacticipant, &arguments.version);
    let mut tags = arguments.tags;
    if arguments.tag_with_git_branch {
        let branch = Detector::new(&call.broker.environment).branch_for_tags();
        tags.push(branch.map_err(|missing| missing.failure("tags"))?);
    }
    if tags.is_empty() {
        let message = message!["no tags given; pass at least one with ", option("tags")];
        return Err(invalid_argument("tags", message).into());
    }
    for tag in &tags {
        valid_line("tags", tag)?;
    }
    let client = call.client()?;
    if !arguments.auto_create_version {
        client.version(pacticipant, version).await.map_err(|error| {
            if error.kind() == BrokerErrorKind::NotFound {
                let advice = message![
                    "publish the version first, or set ",
                    setting("auto_create_version", "true")
                ];
                return BrokerFailure::advised(error, advice);
            }
            error.into()
        })?;
    }
    for tag in &tags {
        client.tag_version(pacticipant, version, tag).await?;
    }
    Ok(BrokerReply::new(&TaggedVersion {
        pacticipant: arguments.pacticipant.into(),
        version: arguments.version.into(),
        tags,
    }))
}

/// Options for `delete_version_tag`: the version, and the tag to remove.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UntagVersionArguments {
    pub pacticipant: SingleLine,
    pub version: SingleLine,
    pub tag: SingleLine,
}

pub(super) async fn untag(
    arguments: &UntagVersionArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Deletion>, BrokerFailure> {
    let (pacticipant, version, tag): (&str, &str, &str) = (&arguments.pacticipant, &arguments.version, &arguments.tag);
    let existed = client.untag_version(pacticipant, version, tag).await?;
    if !existed {
        client.version(pacticipant, version).await?;
    }
    let problem = format!("version {version} of {pacticipant} has no tag {tag:?}");
    BrokerReply::deleted(
        existed,
        problem,
        message!["list its tags with ", operation("describe_version")],
    )
}

/// Options for `delete_branch`: the branch to delete.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteBranchArguments {
    pub pacticipant: SingleLine,
    pub branch: SingleLine,
    /// Whether the operation succeeds if the branch does not exist. Default: false.
    #[serde(default)]
    pub ignore_missing: bool,
}

pub(super) async fn delete_branch(
    arguments: &DeleteBranchArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Deletion>, BrokerFailure> {
    let (pacticipant, branch): (&str, &str) = (&arguments.pacticipant, &arguments.branch);
    let existed = client.delete_branch(pacticipant, branch).await?;
    if arguments.ignore_missing {
        return Ok(BrokerReply::new(&Deletion { deleted: existed }));
    }
    let problem = format!("branch {branch:?} of {pacticipant:?} not found");
    let advice = message!["check both names, or set ", setting("ignore_missing", "true")];
    BrokerReply::deleted(existed, problem, advice)
}

/// Options for `list_branches`: the pacticipant whose branches to list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListBranchesArguments {
    pub pacticipant: SingleLine,
}

pub(super) async fn branches(
    arguments: &ListBranchesArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Vec<Branch>>, BrokerFailure> {
    let found = client.branches(&arguments.pacticipant).await?;
    let values: Vec<Json> = found.iter().map(|version| plain(version).into()).collect();
    Ok(BrokerReply::passed_on(values))
}
