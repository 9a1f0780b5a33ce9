//! Tags versions. A tag may also set a version's branch or record a deployment.

use super::settings::PublishSettings;
use super::{CaseError, deployments};
use crate::sql::versions::Version;
use crate::sql::{branches, environments, pacticipants, tags};
use crate::store::{StoreError, Tx};
use contract_broker_domain::access::Denied;

/// Tags a version. A tag with the name of a typical main branch, such as `main`, becomes the main branch of an
/// application that has none. Returns `false` if the version already had the tag.
fn add(tx: &mut Tx<'_>, settings: PublishSettings<'_>, version: &Version, name: &str) -> Result<bool, StoreError> {
    if !tags::add(tx, version, name, settings.now)? {
        return Ok(false);
    }
    if settings.rules.is_main_branch(name) {
        pacticipants::adopt_main_branch(tx, version.pacticipant_id, name, settings.now)?;
    }
    Ok(true)
}

/// Tags a version. Older clients support only tags, so the first tag of a new version also sets its branch. Returns
/// `false` if the version already had the tag.
pub fn add_and_derive_branch(
    tx: &mut Tx<'_>,
    settings: PublishSettings<'_>,
    version: &Version,
    name: &str,
) -> Result<bool, StoreError> {
    let now = settings.now;
    let is_new = add(tx, settings, version, name)?;
    if is_new
        && settings.rules.names_branch(now - version.created_at)
        && !branches::has_branch(tx, version.id)?
        && tags::count(tx, version.id)? == 1
    {
        branches::add(tx, version, name, true, now)?;
    }
    Ok(is_new)
}

/// Tags a version in a separate request. If the tag has the name of an environment, a deployment is recorded, which
/// requires the permission to deploy, even if the version already had the tag. Tags that are published with contracts
/// do not record deployments, because nothing is deployed at that time.
pub fn add_and_deploy(
    tx: &mut Tx<'_>,
    settings: PublishSettings<'_>,
    version: &Version,
    name: &str,
) -> Result<bool, CaseError<Denied>> {
    let PublishSettings { rules, grants, now, .. } = settings;
    let is_new = add_and_derive_branch(tx, settings, version, name)?;
    if rules.tags_are_deployments
        && let Some(environment) = environments::find_named(tx, name)?
    {
        let permission = rules.deploying(name);
        if !grants.allow(permission) {
            return Err(CaseError::Rejected(Denied::tagging(permission)));
        }
        deployments::deploy(tx, version, &environment, "", now)?;
    }
    Ok(is_new)
}

/// Replaces a version's tags: removes tags that are not in `names`, and adds the others.
pub fn replace(
    tx: &mut Tx<'_>,
    settings: PublishSettings<'_>,
    version: &Version,
    names: &[&str],
) -> Result<(), StoreError> {
    for tag in tags::of_versions(tx, &[version.id])? {
        if !names.contains(&tag.name.as_str()) {
            tags::remove(tx, version, &tag.name)?;
        }
    }
    for name in names {
        add(tx, settings, version, name)?;
    }
    Ok(())
}
