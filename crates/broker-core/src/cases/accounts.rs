//! Adds, changes, and removes users, and starts their sessions.

use super::CaseError;
use super::tokens::{TokenRejection, check_scopes, random_bytes};
use crate::sql::accounts::{self, Account, ProviderUser};
use crate::store::{StoreError, Tx};
use contract_broker_domain::passwords;
use contract_broker_domain::tokens;

/// Maximum length of a user name, in bytes.
const MAX_NAME: usize = 200;
/// Number of random characters in a session cookie: 256 bits.
const SESSION_LENGTH: usize = 43;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AccountRejection {
    #[error("the user name must have 1 to {MAX_NAME} bytes and must not contain a colon or control characters")]
    Name,
    #[error("the user {0:?} already exists. Change the password with `user password`, or remove the user first.")]
    Exists(String),
    #[error("the user {0:?} does not exist")]
    Unknown(String),
    #[error(
        "the password must have at least {} characters and at most {} bytes",
        passwords::MIN_LENGTH,
        passwords::MAX_LENGTH
    )]
    Password,
    #[error("scopes: {0}")]
    Scopes(TokenRejection),
}

type Rejected = CaseError<AccountRejection>;

/// Checks the length of a new password and returns its hash. Takes tens of milliseconds.
pub fn hash_password(password: &str) -> Result<String, Rejected> {
    if password.chars().count() < passwords::MIN_LENGTH || password.len() > passwords::MAX_LENGTH {
        return Err(CaseError::Rejected(AccountRejection::Password));
    }
    let mut random = random_bytes()?;
    Ok(passwords::hash(password, &std::array::from_fn(|_| random())))
}

/// Adds a user. `password` is the hash that [`hash_password`] returned.
pub fn add(tx: &mut Tx<'_>, name: &str, password: &str, scopes: &[String], now: i64) -> Result<(), Rejected> {
    let is_invalid = name.trim().is_empty() || name.len() > MAX_NAME;
    if is_invalid || name.chars().any(|character| character == ':' || character.is_control()) {
        return Err(CaseError::Rejected(AccountRejection::Name));
    }
    let scopes = check_scopes(scopes).map_err(|error| CaseError::Rejected(AccountRejection::Scopes(error)))?;
    if accounts::find(tx, name)?.is_some() {
        return Err(CaseError::Rejected(AccountRejection::Exists(name.to_owned())));
    }
    Ok(accounts::add(tx, name, password, &scopes, now)?)
}

pub fn remove(tx: &mut Tx<'_>, name: &str, now: i64) -> Result<(), Rejected> {
    let account = known(tx, name)?;
    Ok(accounts::remove(tx, account.id, now)?)
}

/// New values of a user's properties. `None` keeps the old value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountChange {
    /// The hash that [`hash_password`] returned.
    pub password: Option<String>,
    pub scopes: Option<Vec<String>>,
}

/// Changes a user's password, scopes, or both. A new password ends the user's sessions.
pub fn change(tx: &mut Tx<'_>, account: &Account, change: &AccountChange) -> Result<(), Rejected> {
    if let Some(scopes) = &change.scopes {
        let scopes = check_scopes(scopes).map_err(|error| CaseError::Rejected(AccountRejection::Scopes(error)))?;
        accounts::set_scopes(tx, account.id, &scopes)?;
    }
    if let Some(password) = &change.password {
        accounts::set_password(tx, account.id, password)?;
    }
    Ok(())
}

/// Sets a user's password and ends the user's sessions. `password` is the hash that [`hash_password`] returned.
pub fn set_password(tx: &mut Tx<'_>, name: &str, password: &str) -> Result<(), Rejected> {
    let account = known(tx, name)?;
    Ok(accounts::set_password(tx, account.id, password)?)
}

fn known(tx: &mut Tx<'_>, name: &str) -> Result<Account, Rejected> {
    let found = accounts::find(tx, name)?;
    found.ok_or_else(|| CaseError::Rejected(AccountRejection::Unknown(name.to_owned())))
}

/// Starts a session and returns the value of its cookie, of which only the hash is stored. Returns `None` if the user
/// was changed or removed after `account` was read.
pub fn start_session(
    tx: &mut Tx<'_>,
    account: &Account,
    now: i64,
    expires_at: i64,
) -> Result<Option<String>, StoreError> {
    if accounts::find(tx, &account.name)?.as_ref() != Some(account) {
        return Ok(None);
    }
    let secret = session_secret()?;
    accounts::add_session(tx, &tokens::hash(&secret), account.id, now, expires_at)?;
    Ok(Some(secret))
}

/// Starts a session for a person who signed in with an identity provider. Returns the value of the session cookie, of
/// which only the hash is stored.
pub fn start_provider_session(
    tx: &mut Tx<'_>,
    user: &ProviderUser,
    now: i64,
    expires_at: i64,
) -> Result<String, StoreError> {
    let secret = session_secret()?;
    accounts::add_provider_session(tx, &tokens::hash(&secret), user, now, expires_at)?;
    Ok(secret)
}

/// Returns a new random value for a session cookie.
pub fn session_secret() -> Result<String, StoreError> {
    Ok(tokens::random_text(SESSION_LENGTH, random_bytes()?))
}
