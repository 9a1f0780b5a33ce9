//! Reads and writes API tokens.

use super::Page;
use super::statement::{self, Conditions, FromColumns};
use crate::store::{Columns, StoreError, Tx, params};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    /// The public part of the token, which identifies it.
    pub token_id: String,
    pub hash: String,
    pub label: String,
    /// The scopes as a JSON array.
    pub scopes: String,
    pub created_by: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub last_used_at: Option<i64>,
    pub revoked_at: Option<i64>,
}

const COLUMNS: &str = "token_id, hash, label, scopes, created_by, created_at, expires_at, last_used_at, revoked_at";

impl FromColumns for ApiToken {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            token_id: columns.text(),
            hash: columns.text(),
            label: columns.text(),
            scopes: columns.text(),
            created_by: columns.text(),
            created_at: columns.int(),
            expires_at: columns.maybe_int(),
            last_used_at: columns.maybe_int(),
            revoked_at: columns.maybe_int(),
        }
    }
}

pub fn insert(tx: &mut Tx<'_>, token: &ApiToken) -> Result<(), StoreError> {
    let inserted = tx.execute(
        "INSERT INTO api_token (token_id, hash, label, scopes, created_by, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![
            &token.token_id,
            &token.hash,
            &token.label,
            &token.scopes,
            &token.created_by,
            token.created_at,
            token.expires_at
        ],
    );
    inserted.map(drop)
}

pub fn find(tx: &mut Tx<'_>, token_id: &str) -> Result<Option<ApiToken>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM api_token WHERE token_id = $1");
    statement::find(tx, &sql, params![token_id])
}

/// Returns a page of the tokens, newest first, and the total number of tokens.
pub fn list(tx: &mut Tx<'_>, page: Page) -> Result<(Vec<ApiToken>, i64), StoreError> {
    statement::list_page(tx, (COLUMNS, "api_token", "id DESC"), Conditions::default(), page)
}

pub fn revoke(tx: &mut Tx<'_>, token_id: &str, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE api_token SET revoked_at = $1 WHERE token_id = $2 AND revoked_at IS NULL",
        params![now, token_id],
    )?;
    Ok(())
}

/// Sets the time at which a token was last used.
pub fn touch(tx: &mut Tx<'_>, token_id: &str, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE api_token SET last_used_at = $1 WHERE token_id = $2 AND (last_used_at IS NULL OR last_used_at < $1)",
        params![now, token_id],
    )?;
    Ok(())
}

/// Returns whether at least one token was ever created, including expired and revoked tokens.
pub fn exist(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    Ok(tx.query_row("SELECT id FROM api_token LIMIT 1", &[])?.is_some())
}
