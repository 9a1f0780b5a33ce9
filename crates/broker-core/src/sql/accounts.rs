//! Reads and writes users who sign in with a password, and all sessions.

use super::statement::{self, FromColumns};
use crate::store::{Columns, StoreError, Tx, params};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: i64,
    pub name: String,
    pub password: String,
    /// The scopes as a JSON array.
    pub scopes: String,
    pub created_at: i64,
}

const COLUMNS: &str = "a.id, a.name, a.password, a.scopes, a.created_at";

impl FromColumns for Account {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            name: columns.text(),
            password: columns.text(),
            scopes: columns.text(),
            created_at: columns.int(),
        }
    }
}

pub fn find(tx: &mut Tx<'_>, name: &str) -> Result<Option<Account>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM account a WHERE a.name = $1 AND a.removed_at IS NULL");
    statement::find(tx, &sql, params![name])
}

pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Account>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM account a WHERE a.removed_at IS NULL ORDER BY a.name");
    statement::list(tx, &sql, &[])
}

/// Adds a user, or restores a removed user with the same name. `password` is a hash, and `scopes` is a JSON array.
pub fn add(tx: &mut Tx<'_>, name: &str, password: &str, scopes: &str, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO account (name, password, scopes, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name) DO UPDATE SET password = excluded.password, scopes = excluded.scopes,
           created_at = excluded.created_at, removed_at = NULL",
        params![name, password, scopes, now],
    )?;
    Ok(())
}

pub fn remove(tx: &mut Tx<'_>, id: i64, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE account SET password = '', scopes = '[]', removed_at = $1 WHERE id = $2",
        params![now, id],
    )?;
    end_sessions(tx, id)
}

/// Replaces the hash of a user's password, and ends the user's sessions.
pub fn set_password(tx: &mut Tx<'_>, id: i64, password: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE account SET password = $1 WHERE id = $2", params![password, id])?;
    end_sessions(tx, id)
}

pub fn set_scopes(tx: &mut Tx<'_>, id: i64, scopes: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE account SET scopes = $1 WHERE id = $2", params![scopes, id])?;
    Ok(())
}

/// Returns whether at least one user was ever added, including removed users.
pub fn exist(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    Ok(tx.query_row("SELECT id FROM account LIMIT 1", &[])?.is_some())
}

/// A person who signed in with an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderUser {
    pub name: String,
    /// The issuer and the subject, which together identify the person.
    pub provider_id: String,
    /// The scopes as a JSON array.
    pub scopes: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub name: String,
    /// The issuer and the subject, or `None` if the person signed in with a password.
    pub provider_id: Option<String>,
    pub scopes: String,
    pub expires_at: i64,
}

pub fn find_session(tx: &mut Tx<'_>, hash: &str) -> Result<Option<Session>, StoreError> {
    let sql = "SELECT COALESCE(a.name, s.name), s.provider_id, COALESCE(a.scopes, s.scopes), s.expires_at
               FROM session s LEFT JOIN account a ON a.id = s.account_id
               WHERE s.hash = $1 AND a.removed_at IS NULL";
    let row = tx.query_row(sql, params![hash])?;
    Ok(row.map(|row| {
        let mut columns = row.columns();
        Session {
            name: columns.text(),
            provider_id: columns.maybe_text(),
            scopes: columns.text(),
            expires_at: columns.int(),
        }
    }))
}

/// Adds a session for a user with a password, and deletes all expired sessions. `hash` is the hash of the session
/// cookie.
pub fn add_session(tx: &mut Tx<'_>, hash: &str, account: i64, now: i64, expires_at: i64) -> Result<(), StoreError> {
    delete_expired_sessions(tx, now)?;
    tx.execute(
        "INSERT INTO session (hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
        params![hash, account, now, expires_at],
    )?;
    Ok(())
}

/// Adds a session for a person who signed in with an identity provider, and deletes all expired sessions.
pub fn add_provider_session(
    tx: &mut Tx<'_>,
    hash: &str,
    user: &ProviderUser,
    now: i64,
    expires_at: i64,
) -> Result<(), StoreError> {
    delete_expired_sessions(tx, now)?;
    tx.execute(
        "INSERT INTO session (hash, name, provider_id, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        params![hash, &*user.name, &*user.provider_id, &*user.scopes, now, expires_at],
    )?;
    Ok(())
}

fn delete_expired_sessions(tx: &mut Tx<'_>, now: i64) -> Result<(), StoreError> {
    tx.execute_deferred("DELETE FROM session WHERE expires_at <= $1", params![now])
}

pub fn end_session(tx: &mut Tx<'_>, hash: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM session WHERE hash = $1", params![hash])?;
    Ok(())
}

fn end_sessions(tx: &mut Tx<'_>, account: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM session WHERE account_id = $1", params![account])?;
    Ok(())
}
