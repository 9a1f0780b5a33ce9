//! Deletes versions and integrations, and recomputes everything that depends on the deleted rows.

use super::versions::Version;
use super::{heads, pacticipants, results};
use crate::store::{StoreError, Tx, params};

/// Deletes a version with its contracts and results.
pub fn version(tx: &mut Tx<'_>, version: &Version) -> Result<(), StoreError> {
    let branches = tx.query("SELECT id FROM branch WHERE head_version_id = $1", params![version.id])?;
    let tags = tx.query("SELECT name FROM tag_head WHERE version_id = $1", params![version.id])?;
    let groups = results::groups_with_first_success(tx, version.id)?;
    tx.execute("DELETE FROM version WHERE id = $1", params![version.id])?;
    for branch in branches {
        heads::of_branch(tx, branch.int(0))?;
    }
    for tag in tags {
        heads::of_tag(tx, version.pacticipant_id, &tag.text(0))?;
    }
    for group in &groups {
        results::refresh_group(tx, group)?;
    }
    Ok(())
}

/// Deletes an integration with its contracts and results. Then deletes those versions of both applications that have
/// neither contracts nor results, and an application that has neither versions nor integrations. Returns `false` if the
/// integration does not exist.
pub fn integration(tx: &mut Tx<'_>, consumer: i64, provider: i64) -> Result<bool, StoreError> {
    if !pacticipants::delete_integration(tx, consumer, provider)? {
        return Ok(false);
    }
    for pacticipant in [consumer, provider] {
        empty_versions(tx, pacticipant)?;
        tx.execute(
            "DELETE FROM pacticipant WHERE id = $1
             AND NOT EXISTS (SELECT 1 FROM version v WHERE v.pacticipant_id = $1)
             AND NOT EXISTS (SELECT 1 FROM integration i WHERE i.consumer_id = $1 OR i.provider_id = $1)
             AND NOT EXISTS (SELECT 1 FROM content c WHERE c.consumer_id = $1 OR c.provider_id = $1)",
            params![pacticipant],
        )?;
    }
    Ok(true)
}

/// Deletes the versions of an application that have neither contracts nor results.
fn empty_versions(tx: &mut Tx<'_>, pacticipant: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM version WHERE pacticipant_id = $1
         AND NOT EXISTS (SELECT 1 FROM publication pub WHERE pub.version_id = version.id)
         AND NOT EXISTS (SELECT 1 FROM result r WHERE r.version_id = version.id)",
        params![pacticipant],
    )?;
    heads::renew(tx, pacticipant)
}
