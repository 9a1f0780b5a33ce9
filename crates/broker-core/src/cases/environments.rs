//! Creates and updates environments.

use super::CaseError;
use crate::sql::environments::{self, Description, Environment};
use crate::store::Tx;

/// Another environment already has this name.
#[derive(Debug, thiserror::Error)]
#[error("An environment named {0:?} already exists.")]
pub struct NameInUse(String);

/// Creates an environment if `before` is `None`, and updates `before` otherwise. Returns `None` if the environment to
/// update was deleted in the meantime.
pub fn save(
    tx: &mut Tx<'_>,
    before: Option<&Environment>,
    description: &Description<'_>,
    now: i64,
) -> Result<Option<Environment>, CaseError<NameInUse>> {
    let same_name = environments::find_named(tx, description.name)?;
    if same_name.is_some_and(|other| before.is_none_or(|before| before.id != other.id)) {
        return Err(CaseError::Rejected(NameInUse(description.name.to_owned())));
    }
    let Some(before) = before else {
        return Ok(Some(environments::create(tx, description, now)?));
    };
    environments::update(tx, before.id, description, now)?;
    Ok(environments::find(tx, &before.uuid)?)
}
