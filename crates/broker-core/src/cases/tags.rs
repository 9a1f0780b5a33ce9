//! Tags versions, with the effects of tags on branches and environments.

use super::deployments;
use crate::domain::rules::Rules;
use crate::sql::versions::Version;
use crate::sql::{branches, environments, pacticipants, tags};
use crate::store::{StoreError, Tx};

/// Tags a version. Returns `false` if it already had the tag.
pub fn add(tx: &mut Tx<'_>, rules: &Rules, version: &Version, name: &str, now: i64) -> Result<bool, StoreError> {
    if !tags::add(tx, version, name, now)? {
        return Ok(false);
    }
    if rules.is_main_branch(name) {
        pacticipants::adopt_main_branch(tx, version.pacticipant_id, name, now)?;
    }
    if rules.tags_are_deployments
        && let Some(environment) = environments::find_named(tx, name)?
    {
        deployments::deploy(tx, version, &environment, "", now)?;
    }
    Ok(true)
}

/// Tags a version. The first tag of a new version also sets its branch, for older clients that only support tags.
pub fn add_and_derive_branch(
    tx: &mut Tx<'_>,
    rules: &Rules,
    version: &Version,
    name: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let is_new = add(tx, rules, version, name, now)?;
    if is_new
        && rules.names_branch(now - version.created_at)
        && !branches::has_branch(tx, version.id)?
        && tags::count(tx, version.id)? == 1
    {
        branches::add(tx, version, name, true, now)?;
    }
    Ok(is_new)
}

/// Replaces the tags of a version.
pub fn replace(tx: &mut Tx<'_>, rules: &Rules, version: &Version, names: &[&str], now: i64) -> Result<(), StoreError> {
    for tag in tags::of_versions(tx, &[version.id])? {
        if !names.contains(&tag.name.as_str()) {
            tags::remove(tx, version, &tag.name)?;
        }
    }
    for name in names {
        add(tx, rules, version, name, now)?;
    }
    Ok(())
}
