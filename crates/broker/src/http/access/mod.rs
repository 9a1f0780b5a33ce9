//! Authentication and authorization.

mod actor;
mod rule;
#[cfg(test)]
mod table;
mod tokens;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use subtle::ConstantTimeEq;

use super::reply::Reply;
use crate::identity::{Identities, IdentityError, Issuer};
use crate::log::{Level, Log, LogEntry};
pub(crate) use actor::Actor;
use contract_broker_core::domain::access::{Grants, Scope};
use contract_broker_core::domain::tokens::PREFIX;
use contract_broker_core::sql::api_tokens;
use contract_broker_core::store::{Store, StoreError, TxOutcome};
pub(super) use rule::{Rule, Subject, Target};
use tokens::{TokenCache, TokenError};

/// A user name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub username: String,
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Credentials")
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// Configured access. Credentials are required if a user is configured here, or if the database has ever had an API token.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// The account with read and write access.
    pub read_write: Option<Credentials>,
    /// The account with read access.
    pub read_only: Option<Credentials>,
    /// Whether reading requires no credentials.
    pub public_read: bool,
    /// Whether badges require no credentials, so that other sites can embed them.
    pub public_badges: bool,
    /// Whether nothing requires credentials if no user is configured here, even if the database has tokens.
    pub allow_anonymous: bool,
    /// Issuers whose identity tokens are accepted.
    pub issuers: Vec<Issuer>,
}

impl Permissions {
    /// Returns whether any credentials are configured.
    fn is_restricted(&self) -> bool {
        self.read_write.is_some() || self.read_only.is_some() || !self.issuers.is_empty()
    }

    fn is_public(&self, rule: Rule) -> bool {
        match rule {
            Rule::Public => true,
            Rule::Badge => self.public_badges || self.public_read,
            Rule::Read => self.public_read,
            _ => false,
        }
    }
}

/// Identifies the senders of requests.
pub(crate) struct Access {
    permissions: Permissions,
    store: Store,
    log: Log,
    tokens: TokenCache,
    identities: Identities,
    /// When the database was last checked for credentials. `None`: it has some, or is not relevant.
    open_since: Mutex<Option<Instant>>,
}

/// The request is not authenticated.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The sender is the actor, as far as it is known.
    Denied(Box<Reply>, Arc<Actor>),
    Store(StoreError),
    /// The credentials cannot be checked at the moment.
    Unavailable(String),
}

impl Refusal {
    fn new(text: impl Into<String>) -> Self {
        Self::of(text, Arc::default())
    }

    fn of(text: impl Into<String>, actor: Arc<Actor>) -> Self {
        let reply = Reply::denied(401, text);
        let reply = reply.with("www-authenticate", "Basic realm=\"Contract Broker\"");
        Self::Denied(Box::new(reply), actor)
    }
}

impl Access {
    pub(crate) async fn new(permissions: Permissions, store: Store, log: Log) -> Result<Self, StoreError> {
        let is_open = !permissions.is_restricted() && (permissions.allow_anonymous || !has_credentials(&store).await?);
        Ok(Self {
            identities: Identities::new(permissions.issuers.clone()),
            permissions,
            store,
            log,
            tokens: TokenCache::default(),
            open_since: Mutex::new(is_open.then(Instant::now)),
        })
    }

    /// Returns whether everything is allowed without credentials.
    pub(crate) async fn is_open(&self) -> Result<bool, StoreError> {
        let Some(checked_at) = *self.open_since() else {
            return Ok(false);
        };
        if self.permissions.allow_anonymous || checked_at.elapsed() < tokens::LIFETIME {
            return Ok(true);
        }
        let is_open = !has_credentials(&self.store).await?;
        *self.open_since() = is_open.then(Instant::now);
        Ok(is_open)
    }

    fn open_since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.open_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes changes of credentials effective.
    pub(super) fn credentials_changed(&self) {
        self.tokens.clear();
        if !self.permissions.allow_anonymous {
            *self.open_since() = None;
        }
    }

    /// Returns who sends a request, with the permissions that the rule of its route is checked against.
    pub(super) async fn authenticate(&self, headers: &HeaderMap, rule: Rule) -> Result<Arc<Actor>, Refusal> {
        let anonymous = |scope| Ok(Arc::new(Actor::anonymous(Grants::new([scope]))));
        if rule == Rule::Public {
            return anonymous(Scope::Read);
        }
        let is_open = self.is_open().await;
        if is_open.map_err(Refusal::Store)? {
            return anonymous(Scope::Admin);
        }
        if self.permissions.is_public(rule) {
            return anonymous(Scope::Read);
        }
        let Some(header) = headers.get(AUTHORIZATION) else {
            let text = "Credentials are required: an API token, or a user name and password.";
            return Err(Refusal::new(text));
        };
        let (scheme, value) = header
            .to_str()
            .ok()
            .and_then(|header| header.split_once(' '))
            .unwrap_or_default();
        if scheme.eq_ignore_ascii_case("bearer") {
            self.bearer(value.trim()).await
        } else if scheme.eq_ignore_ascii_case("basic") {
            self.basic(value)
        } else {
            let text = "The Authorization header is not supported. Send \"Bearer\" with a token, or \"Basic\" with a user name and password.";
            Err(Refusal::new(text))
        }
    }

    async fn bearer(&self, text: &str) -> Result<Arc<Actor>, Refusal> {
        if !text.starts_with(PREFIX) {
            return self.identity(text).await;
        }
        self.tokens.check(&self.store, text).await.map_err(|error| match error {
            TokenError::Invalid(text) => Refusal::new(text),
            TokenError::Ended(text, actor) => Refusal::of(text, actor),
            TokenError::Store(error) => Refusal::Store(error),
        })
    }

    /// Checks an identity token of a CI system.
    async fn identity(&self, text: &str) -> Result<Arc<Actor>, Refusal> {
        if self.identities.is_empty() || !Identities::is_identity_token(text) {
            let text = format!("The token has an unknown format: API tokens of this broker start with {PREFIX}.");
            return Err(Refusal::new(text));
        }
        match self.identities.verify(text).await {
            Ok(identity) => Ok(Arc::new(Actor::ci(identity.subject, identity.issuer, identity.grants))),
            Err(error) => {
                let text = error.to_string();
                match error {
                    IdentityError::Keys { issuer, reason } => {
                        (self.log)(&LogEntry {
                            level: Level::Error,
                            message: format!("fetching the keys of an issuer failed: {reason}"),
                            fields: vec![("issuer", issuer)],
                        });
                        Err(Refusal::Unavailable(text))
                    }
                    IdentityError::NoRule { subject, issuer } => {
                        let actor = Arc::new(Actor::ci(subject, issuer, Grants::default()));
                        Err(Refusal::Denied(Box::new(Reply::denied(403, text)), actor))
                    }
                    _ => Err(Refusal::new(text)),
                }
            }
        }
    }

    fn basic(&self, encoded: &str) -> Result<Arc<Actor>, Refusal> {
        let received = basic(encoded);
        let is_received = |known: &Option<Credentials>| match (known, &received) {
            (Some(known), Some(received)) => same(known, received),
            _ => false,
        };
        let (read_write, read_only) = (&self.permissions.read_write, &self.permissions.read_only);
        let scope = match (is_received(read_write), is_received(read_only)) {
            (true, _) => Scope::Write,
            (false, true) => Scope::Read,
            (false, false) => return Err(Refusal::new("The user name or the password is wrong.")),
        };
        let name = received.map(|received| received.username).unwrap_or_default();
        Ok(Arc::new(Actor::user(&name, Grants::new([scope]))))
    }
}

async fn has_credentials(store: &Store) -> Result<bool, StoreError> {
    store.read(|tx| api_tokens::exist(tx).map(TxOutcome::Rollback)).await
}

fn basic(encoded: &str) -> Option<Credentials> {
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (username, password) = decoded.split_once(':')?;
    Some(Credentials {
        username: username.to_owned(),
        password: password.to_owned(),
    })
}

/// Compares in constant time.
fn same(known: &Credentials, received: &Credentials) -> bool {
    let equal = |known: &str, received: &str| known.as_bytes().ct_eq(received.as_bytes());
    (equal(&known.username, &received.username) & equal(&known.password, &received.password)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(username: &str, password: &str) -> Credentials {
        Credentials {
            username: username.to_owned(),
            password: password.to_owned(),
        }
    }

    #[test]
    fn debug_output_hides_the_password() {
        assert!(!format!("{:?}", credentials("a", "secret")).contains("secret"));
    }
}
