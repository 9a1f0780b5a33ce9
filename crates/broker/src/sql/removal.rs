//! What goes with a version.

use super::versions::Version;
use super::{heads, results};
use crate::store::{StoreError, Tx, params};

/// Removes a version with its contracts and results.
pub(crate) fn version(tx: &mut Tx<'_>, version: &Version) -> Result<(), StoreError> {
    let branches = tx.query("SELECT id FROM branch WHERE head_version_id = $1", params![version.id])?;
    let tags = tx.query("SELECT name FROM tag_head WHERE version_id = $1", params![version.id])?;
    let contents = tx.query(
        "SELECT DISTINCT content_id FROM result WHERE version_id = $1",
        params![version.id],
    )?;
    tx.execute("DELETE FROM version WHERE id = $1", params![version.id])?;
    for branch in branches {
        heads::of_branch(tx, branch.int(0))?;
    }
    for tag in tags {
        heads::of_tag(tx, version.pacticipant_id, &tag.text(0))?;
    }
    for content in contents {
        results::refresh_first_successes(tx, content.int(0))?;
    }
    Ok(())
}
