//! Versions, tags and branches.

use contract_broker_client::{BrokerClient, BrokerErrorKind, Occupancy, Resource};
use contract_model::{Json, Object};
use serde::Deserialize;

use super::arguments::{refuse, said};
use super::call::Call;
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::{detect, shape};
use crate::message::{operation, option, setting, told};
use crate::read::Document;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Creation {
    pacticipant: String,
    version: String,
    branch: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    build_url: Option<String>,
}

pub(super) async fn create_or_update(given: &Creation, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let pacticipant = said("pacticipant", &given.pacticipant)?;
    let version = said("version", &given.version)?;
    if let Some(branch) = &given.branch {
        client
            .version_on_branch(pacticipant, version, said("branch", branch)?)
            .await?;
    }
    for tag in &given.tags {
        client.tag_version(pacticipant, version, said("tags", tag)?).await?;
    }
    if given.branch.is_none() && given.tags.is_empty() {
        client.create_version(pacticipant, version).await?;
    }
    if let Some(url) = &given.build_url {
        client
            .set_build_url(pacticipant, version, said("build_url", url)?)
            .await?;
    }
    Ok(described(pacticipant, client.version(pacticipant, version).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    pacticipant: String,
    version: Option<String>,
    /// True, or a tag.
    #[serde(default)]
    latest: Document,
    environment: Option<String>,
    #[serde(default)]
    deployed: bool,
    #[serde(default)]
    released: bool,
}

pub(super) async fn describe(given: &Description, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let pacticipant = said("pacticipant", &given.pacticipant)?;
    let latest = match &given.latest.0 {
        Json::Null | Json::Bool(false) => None,
        Json::Bool(true) => Some(None),
        Json::String(tag) => Some(Some(said("latest", tag)?)),
        _ => return Err(refuse("latest", told![option("latest"), " must be true or a tag"]).into()),
    };
    let said_so = [given.version.is_some(), latest.is_some(), given.environment.is_some()];
    if said_so.into_iter().filter(|given| *given).count() > 1 {
        let message = told![
            option("version"),
            ", ",
            option("latest"),
            " and ",
            option("environment"),
            " exclude each other"
        ];
        return Err(refuse("version", message).into());
    }
    if let Some(environment) = &given.environment {
        return in_environment(pacticipant, environment, given, &client).await;
    }
    let found = match (&given.version, latest) {
        (Some(version), _) => client.version(pacticipant, said("version", version)?).await?,
        (None, tag) => client.latest_version(pacticipant, tag.flatten()).await?,
    };
    Ok(described(pacticipant, found))
}

/// The version that is in an environment: if there are several, the one recorded last.
async fn in_environment(
    pacticipant: &str,
    environment: &str,
    given: &Description,
    client: &BrokerClient,
) -> Result<BrokerReply, BrokerFailure> {
    let both = given.deployed == given.released;
    let mut found = Vec::new();
    if both || given.deployed {
        found.extend(
            client
                .current(Occupancy::Deployed, Some(pacticipant), environment)
                .await?,
        );
    }
    if both || given.released {
        found.extend(
            client
                .current(Occupancy::Released, Some(pacticipant), environment)
                .await?,
        );
    }
    let newest = found
        .into_iter()
        .max_by_key(|one| one.document.get("createdAt").map(|at| at.text_form().into_owned()));
    let Some(newest) = newest else {
        client.pacticipant(pacticipant).await?;
        let what = format!("no version of {pacticipant} is in {environment}");
        let advice = told![
            "record it with ",
            operation("record_deployment"),
            " or ",
            operation("record_release")
        ];
        return Err(BrokerFailure::not_there(what, advice));
    };
    Ok(described(
        pacticipant,
        client.version(pacticipant, &newest.version).await?,
    ))
}

fn described(pacticipant: &str, found: Resource) -> BrokerReply {
    BrokerReply {
        value: shape::version(pacticipant, found.document()),
        document: found.into_document(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tagging {
    pacticipant: String,
    version: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    auto_create_version: bool,
    #[serde(default)]
    tag_with_git_branch: bool,
}

pub(super) async fn tag(call: &Call<'_>, given: Tagging) -> Result<BrokerReply, BrokerFailure> {
    let mut tags = given.tags;
    if given.tag_with_git_branch {
        let branch = detect::git_branch(call.environment).map_err(|missing| missing.failure("tags"))?;
        tags.push(branch.value);
    }
    if tags.is_empty() {
        return Err(refuse("tags", told!["give at least one tag in ", option("tags")]).into());
    }
    let (pacticipant, version) = (
        said("pacticipant", &given.pacticipant)?,
        said("version", &given.version)?,
    );
    for tag in &tags {
        said("tags", tag)?;
    }
    let client = call.client()?;
    if !given.auto_create_version {
        client.version(pacticipant, version).await.map_err(|error| {
            if error.kind() == BrokerErrorKind::NotFound {
                let advice = told!["publish it first, or say ", setting("auto_create_version", "true")];
                return BrokerFailure::advised(error, advice);
            }
            error.into()
        })?;
    }
    for tag in &tags {
        client.tag_version(pacticipant, version, tag).await?;
    }
    let mut value: Object = [("pacticipant", pacticipant), ("version", version)]
        .into_iter()
        .collect();
    value.insert("tags", shape::texts(&tags));
    Ok(Json::from(value).into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Untagging {
    pacticipant: String,
    version: String,
    tag: String,
}

pub(super) async fn untag(given: &Untagging, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let (pacticipant, version) = (
        said("pacticipant", &given.pacticipant)?,
        said("version", &given.version)?,
    );
    let tag = said("tag", &given.tag)?;
    if client.untag_version(pacticipant, version, tag).await? {
        return Ok(shape::deleted(true));
    }
    client.version(pacticipant, version).await?;
    let what = format!("version {version} of {pacticipant} has no tag {tag:?}");
    let advice = told![operation("describe_version"), " shows its tags"];
    Err(BrokerFailure::not_there(what, advice))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BranchDeletion {
    pacticipant: String,
    branch: String,
    #[serde(default)]
    ignore_missing: bool,
}

pub(super) async fn delete_branch(given: &BranchDeletion, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let (pacticipant, branch) = (said("pacticipant", &given.pacticipant)?, said("branch", &given.branch)?);
    let was_there = client.delete_branch(pacticipant, branch).await?;
    if was_there || given.ignore_missing {
        return Ok(shape::deleted(was_there));
    }
    let what = format!("there is no branch {branch:?} of {pacticipant:?} at the broker");
    let advice = told!["check both names, or say ", setting("ignore_missing", "true")];
    Err(BrokerFailure::not_there(what, advice))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BranchList {
    pacticipant: String,
}

pub(super) async fn branches(given: &BranchList, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let found = client.branches(said("pacticipant", &given.pacticipant)?).await?;
    let value: Vec<Json> = found.iter().map(|one| shape::plain(one).into()).collect();
    Ok(Json::from(value).into())
}
