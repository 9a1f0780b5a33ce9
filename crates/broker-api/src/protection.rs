//! Protects environments when data is deleted. If a deletion ends current deployments or releases, the sender needs the
//! permission to end them.

use super::reply::HandlerError;
use super::request::Request;
use contract_broker_core::sql::environments::{self, Presence, PresenceKind};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::access::Denied;

/// Returns the deployments and releases of an application that have not ended.
pub(super) fn current_of(tx: &mut Tx<'_>, pacticipant: i64) -> Result<Vec<Presence>, StoreError> {
    let mut found = environments::current_of(tx, PresenceKind::Deployed, pacticipant)?;
    found.extend(environments::current_of(tx, PresenceKind::Released, pacticipant)?);
    Ok(found)
}

/// Returns an error unless the sender has the permission to end these current deployments and releases, which are about
/// to be deleted.
pub(super) fn require_ending<'a>(rq: &Request, deleted: impl IntoIterator<Item = &'a Presence>) -> Result<(), Denied> {
    deleted.into_iter().try_for_each(|presence| {
        let permission = rq.rules.deploying(&presence.environment.name);
        rq.actor.grants.require(permission)
    })
}

/// Returns an error if deployments or releases in `before` no longer exist and the sender lacks the permission to end
/// them.
pub(super) fn require_ended(rq: &Request, tx: &mut Tx<'_>, before: &[Presence]) -> Result<(), HandlerError> {
    for presence in before {
        if environments::find_presence(tx, presence.kind, &presence.uuid)?.is_none() {
            require_ending(rq, [presence])?;
        }
    }
    Ok(())
}
