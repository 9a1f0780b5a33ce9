//! Leases, which ensure that only one broker process at a time does a job.

use crate::store::{StoreError, Tx, params};

/// Acquires or extends a lease until the time `expires_at`. Returns `false` if another holder has the lease.
pub fn acquire(tx: &mut Tx<'_>, name: &str, holder: &str, now: i64, expires_at: i64) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "INSERT INTO lease (name, holder, expires_at) VALUES ($1, $2, $4)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE lease.holder = excluded.holder OR lease.expires_at <= $3",
        params![name, holder, now, expires_at],
    )?;
    Ok(changed > 0)
}

pub fn release(tx: &mut Tx<'_>, name: &str, holder: &str) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM lease WHERE name = $1 AND holder = $2",
        params![name, holder],
    )?;
    Ok(())
}
