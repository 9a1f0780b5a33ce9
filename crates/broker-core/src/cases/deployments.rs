//! Records deployments.

use crate::sql::environments::{self, Environment, Presence};
use crate::sql::versions::Version;
use crate::store::{StoreError, Tx};

/// Records a deployment of `version` and ends the previous deployment of the same application instance. An empty
/// `instance` means that the application has a single instance. If the version is already deployed, nothing changes.
pub fn deploy(
    tx: &mut Tx<'_>,
    version: &Version,
    environment: &Environment,
    instance: &str,
    now: i64,
) -> Result<Presence, StoreError> {
    if let Some(previous) = environments::current_deployment(tx, version.pacticipant_id, environment.id, instance)? {
        if previous.version_id == version.id {
            return Ok(previous);
        }
        environments::end(tx, &previous, now)?;
    }
    environments::insert_deployment(tx, version, environment, instance, now)
}
