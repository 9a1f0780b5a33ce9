//! Deletes applications and environments, and restores them.

use crate::sql::deletions::{self, Deletion};
use crate::sql::environments::{self, Environment};
use crate::sql::pacticipants::{self, Pacticipant};
use crate::store::{StoreError, Tx};

use super::CaseError;

/// Time during which a deletion can be undone, in milliseconds: 30 days.
pub const UNDO_TIME: i64 = 30 * 24 * 3_600 * 1_000;

#[derive(Debug, thiserror::Error)]
pub enum UndoRejection {
    #[error(
        "{kind} \"{name}\" cannot be restored, because one with the same name was created in the meantime. {} the new one first.",
        if *.kind == "Pacticipant" { "Delete" } else { "Rename or delete" }
    )]
    Exists { kind: &'static str, name: String },
    /// Some of the deleted rows refer to something that was deleted later. Without it, they would be lost.
    #[error(
        "{kind} \"{name}\" cannot be restored yet, because its data refers to the {} \"{}\", which was deleted later. Restore the {} \"{}\" first.",
        .missing.kind, .missing.name, .missing.kind, .missing.name
    )]
    Incomplete {
        kind: &'static str,
        name: String,
        missing: Box<Deletion>,
    },
}

/// Deletes an application with all of its data. The rows are stored, so that [`undo`] can restore them.
pub fn delete_pacticipant(tx: &mut Tx<'_>, pacticipant: &Pacticipant, now: i64) -> Result<(), StoreError> {
    let deletion = deletions::insert(tx, "pacticipant", &pacticipant.name, now)?;
    deletions::store_rows(tx, &deletion, pacticipant.id)?;
    pacticipants::delete(tx, pacticipant.id)
}

/// Deletes an environment with its deployments and releases. The rows are stored, so that [`undo`] can restore them.
pub fn delete_environment(tx: &mut Tx<'_>, environment: &Environment, now: i64) -> Result<(), StoreError> {
    let deletion = deletions::insert(tx, "environment", &environment.name, now)?;
    deletions::store_rows(tx, &deletion, environment.id)?;
    environments::delete(tx, environment.id)
}

/// Restores the deleted rows with their original dates and in their original order.
pub fn undo(tx: &mut Tx<'_>, deletion: &Deletion) -> Result<(), CaseError<UndoRejection>> {
    let name = &deletion.name;
    let (kind, exists) = if deletion.kind == "pacticipant" {
        ("Pacticipant", pacticipants::find(tx, name)?.is_some())
    } else {
        let all = environments::all(tx)?;
        ("Environment", all.iter().any(|environment| environment.name == *name))
    };
    if exists {
        let name = name.clone();
        return Err(CaseError::Rejected(UndoRejection::Exists { kind, name }));
    }
    if let Some(missing) = deletions::find_missing(tx, deletion)? {
        let (name, missing) = (name.clone(), Box::new(missing));
        return Err(CaseError::Rejected(UndoRejection::Incomplete { kind, name, missing }));
    }
    deletions::restore_rows(tx, deletion)?;
    deletions::remove(tx, deletion)?;
    Ok(())
}

/// Removes the stored rows of deletions that are older than [`UNDO_TIME`]. Returns the number of these deletions.
pub fn forget_old(tx: &mut Tx<'_>, now: i64) -> Result<u64, StoreError> {
    deletions::remove_before(tx, now.saturating_sub(UNDO_TIME))
}
