//! Authenticates the senders of requests, and checks their permissions.

mod address;
mod cache;
mod limits;
mod passwords;
mod sessions;
#[cfg(test)]
mod table;
mod tokens;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};

use crate::traffic::network;
pub use address::{AddressRange, InvalidRange};
use cache::Cache;
use contract_broker_api::actor::Actor;
use contract_broker_api::forms::is_same_origin;
use contract_broker_api::reply::Reply;
use contract_broker_api::rule::Rule;
use contract_broker_core::sql::accounts::{self, Account};
use contract_broker_core::sql::api_tokens;
use contract_broker_core::store::{Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::access::{Grants, Scope};
use contract_broker_domain::tokens::PREFIX;
use contract_broker_remote::identity::{Identities, IdentityError, Issuer, Login, LoginSettings};
use contract_broker_remote::log::{Level, Log, LogEntry};
use limits::Buckets;
pub use limits::RateLimits;
use passwords::Passwords;
use sessions::KnownSession;
pub(super) use sessions::{Cookie, SESSION_HOURS, form_token, secret};
use tokens::{TokenCache, TokenError};

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

/// The access settings. Requests need credentials if an account, an issuer, or an identity provider is configured here,
/// or if the database contains a token or a user, even a revoked or removed one.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// The account with read and write access, if one is configured.
    pub read_write: Option<Credentials>,
    /// The account with read access, if one is configured.
    pub read_only: Option<Credentials>,
    /// Whether all clients can read without credentials.
    pub public_read: bool,
    /// Whether all clients can fetch badges without credentials, so that other sites can embed them.
    pub public_badges: bool,
    /// If true, all requests are allowed without credentials, even if the database contains tokens or users. Has no
    /// effect if an account, an issuer, or an identity provider is configured here.
    pub allow_anonymous: bool,
    /// Issuers whose identity tokens are accepted, for example those of CI systems.
    pub issuers: Vec<Issuer>,
    /// The identity provider for signing in on the pages, in addition to users with a password. `None` disables it.
    pub login: Option<LoginSettings>,
    pub rate_limits: RateLimits,
    /// Addresses of the proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<AddressRange>,
}

impl Permissions {
    /// Returns true if these settings alone require credentials, regardless of the database.
    fn is_restricted(&self) -> bool {
        self.read_write.is_some() || self.read_only.is_some() || !self.issuers.is_empty() || self.login.is_some()
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

/// Authenticates the senders of requests.
pub(crate) struct Access {
    permissions: Permissions,
    store: Store,
    log: Log,
    tokens: TokenCache,
    sessions: Cache<KnownSession>,
    passwords: Passwords,
    identities: Identities,
    login: Option<Login>,
    by_credential: Buckets<String>,
    by_address: Buckets<IpAddr>,
    /// When the broker was last found to allow all requests without credentials. `None` if it requires credentials.
    open_since: Mutex<Option<Instant>>,
}

/// The reason why a request could not be authenticated.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The error response, and the sender as far as it could be identified.
    Denied(Box<Reply>, Arc<Actor>),
    Store(StoreError),
    /// The credentials cannot be checked at the moment. Contains the message for the client.
    Unavailable(String),
}

/// The parts of a request that are needed for authentication.
pub(super) struct Sender<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    pub(super) address: IpAddr,
    /// The broker's base URL, as the client sees it.
    pub(super) base: &'a str,
}

impl Sender<'_> {
    fn is_secure(&self) -> bool {
        self.base.starts_with("https:")
    }
}

impl Refusal {
    fn new(text: impl Into<String>) -> Self {
        Self::for_actor(text, Arc::default())
    }

    /// Creates a 401 response with `text`. `reason` is recorded only in the audit log.
    fn with_reason(text: &str, reason: String, claimed: &str) -> Self {
        let mut reply = Reply::denied(401, text).with("www-authenticate", CHALLENGE);
        reply.denial = Some(reason.into());
        // The name is a claim, so the kind of actor remains anonymous.
        let actor = Actor {
            name: claimed.to_owned(),
            ..Actor::default()
        };
        Self::Denied(Box::new(reply), Arc::new(actor))
    }

    fn too_many(text: &str, wait: Duration) -> Self {
        Self::Denied(Box::new(too_many(text, wait)), Arc::default())
    }

    fn for_actor(text: impl Into<String>, actor: Arc<Actor>) -> Self {
        let reply = Reply::denied(401, text);
        let reply = reply.with("www-authenticate", CHALLENGE);
        Self::Denied(Box::new(reply), actor)
    }
}

impl Access {
    pub(crate) async fn new(permissions: Permissions, store: Store, log: Log) -> Result<Self, StoreError> {
        let is_open = !permissions.is_restricted() && (permissions.allow_anonymous || !has_credentials(&store).await?);
        let limits = permissions.rate_limits;
        Ok(Self {
            identities: Identities::new(permissions.issuers.clone()),
            login: permissions.login.clone().map(Login::new),
            permissions,
            store,
            log,
            tokens: TokenCache::default(),
            sessions: Cache::default(),
            passwords: Passwords::new()?,
            by_credential: buckets(limits.per_credential),
            by_address: buckets(limits.per_address),
            open_since: Mutex::new(is_open.then(Instant::now)),
        })
    }

    /// Returns true if all requests are currently allowed without credentials.
    pub(crate) async fn is_open(&self) -> Result<bool, StoreError> {
        let Some(checked_at) = *self.open_since() else {
            return Ok(false);
        };
        if self.permissions.allow_anonymous || checked_at.elapsed() < cache::LIFETIME {
            return Ok(true);
        }
        let is_open = !has_credentials(&self.store).await?;
        *self.open_since() = is_open.then(Instant::now);
        Ok(is_open)
    }

    /// Returns true if an account is configured in the settings. Such an account cannot sign in on the sign-in page, so
    /// browsers must ask for its user name and password.
    pub(super) fn browsers_ask(&self) -> bool {
        self.permissions.read_write.is_some() || self.permissions.read_only.is_some()
    }

    /// Returns true if requests need no credentials now, but will need them as soon as the first token or user is
    /// created.
    pub(super) async fn closes_with_credentials(&self) -> bool {
        !self.permissions.allow_anonymous && self.is_open().await.unwrap_or(false)
    }

    fn open_since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.open_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the caches. Must be called after tokens, users, or sessions were changed.
    pub(super) fn credentials_changed(&self) {
        self.tokens.clear();
        self.sessions.clear();
        self.passwords.clear();
        if !self.permissions.allow_anonymous {
            *self.open_since() = None;
        }
    }

    /// Returns the identity provider for signing in, if one is configured.
    pub(super) fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }

    /// Returns the client's address, which a trusted proxy can forward.
    pub(super) fn address(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        address::client_address(&self.permissions.trusted_proxies, headers, peer)
    }

    /// Identifies the sender of a request, and returns it with its permissions. Checks the rate limits, but not whether
    /// the permissions satisfy `rule`.
    pub(super) async fn authenticate(&self, sender: &Sender<'_>, rule: Rule) -> Result<Arc<Actor>, Refusal> {
        let anonymous = |scope| Ok(Arc::new(Actor::anonymous(Grants::new([scope]))));
        if rule == Rule::Public {
            return anonymous(Scope::Read);
        }
        let is_open = self.is_open().await;
        if is_open.map_err(Refusal::Store)? {
            return anonymous(Scope::Admin);
        }
        if let Err(wait) = self.by_address.take(network(sender.address)) {
            let text = "Too many requests from this address. Try again later.";
            return Err(Refusal::too_many(text, wait));
        }
        if self.permissions.is_public(rule) {
            return anonymous(Scope::Read);
        }
        let actor = self.identify(sender).await?;
        match self.by_credential.take(actor.key()) {
            Ok(()) => Ok(actor),
            Err(wait) => {
                let reply = too_many("Too many requests with these credentials. Try again later.", wait);
                Err(Refusal::Denied(Box::new(reply), actor))
            }
        }
    }

    async fn identify(&self, sender: &Sender<'_>) -> Result<Arc<Actor>, Refusal> {
        let Some(header) = sender.headers.get(AUTHORIZATION) else {
            return self.session(sender).await;
        };
        let (scheme, value) = header
            .to_str()
            .ok()
            .and_then(|header| header.split_once(' '))
            .unwrap_or_default();
        if scheme.eq_ignore_ascii_case("bearer") {
            self.bearer(value.trim()).await
        } else if scheme.eq_ignore_ascii_case("basic") {
            // Browsers also add these credentials to requests that other sites cause.
            if !sender.method.is_safe() && is_same_origin(sender.headers, sender.base) == Some(false) {
                return Err(foreign());
            }
            let received = basic(value).ok_or_else(|| Refusal::new("The Authorization header is malformed."))?;
            let checked = self
                .passwords
                .check(&self.permissions, &self.store, &received, sender.address);
            checked.await
        } else {
            let text = "The Authorization header is not supported. Send \"Bearer\" with a token, or \"Basic\" with a user name and password.";
            Err(Refusal::new(text))
        }
    }

    /// Returns the user whose session cookie the request contains.
    async fn session(&self, sender: &Sender<'_>) -> Result<Arc<Actor>, Refusal> {
        let Some(secret) = secret(sender.headers, sender.is_secure()) else {
            let text = "Credentials are required: an API token, or a user name and password.";
            return Err(Refusal::new(text));
        };
        if !sender.method.is_safe() && is_same_origin(sender.headers, sender.base) != Some(true) {
            return Err(foreign());
        }
        sessions::check(&self.sessions, &self.store, secret).await
    }

    /// Returns the user whose session cookie the request contains, or `None` if there is no valid session.
    pub(super) async fn signed_in(&self, headers: &HeaderMap, is_secure: bool) -> Option<Arc<Actor>> {
        let secret = secret(headers, is_secure)?;
        sessions::check(&self.sessions, &self.store, secret).await.ok()
    }

    /// Checks a user name and a password from the sign-in page.
    pub(super) async fn sign_in(&self, received: &Credentials, address: IpAddr) -> Result<Account, Refusal> {
        self.passwords.account(&self.store, received, address).await
    }

    async fn bearer(&self, text: &str) -> Result<Arc<Actor>, Refusal> {
        if !text.starts_with(PREFIX) {
            return self.identity(text).await;
        }
        self.tokens.check(&self.store, text).await.map_err(|error| match error {
            TokenError::Invalid(text) => Refusal::new(text),
            TokenError::Ended(text, actor) => Refusal::for_actor(text, actor),
            TokenError::Store(error) => Refusal::Store(error),
        })
    }

    /// Checks an identity token, and returns the CI pipeline to which it was issued.
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
                            message: format!("could not fetch the keys of an issuer: {reason}"),
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
}

const CHALLENGE: &str = "Basic realm=\"Contract Broker\"";

fn too_many(text: &str, wait: Duration) -> Reply {
    let seconds = wait.as_secs() + 1;
    Reply::denied(429, text).with("retry-after", seconds.to_string())
}

fn foreign() -> Refusal {
    let text = "The request was sent from a page of another site.";
    Refusal::Denied(Box::new(Reply::denied(403, text)), Arc::default())
}

/// Creates buckets that allow `per_second` requests per second, and ten times as many in a burst.
fn buckets<K: std::hash::Hash + Eq>(per_second: u32) -> Buckets<K> {
    let rate = f64::from(per_second);
    Buckets::new(rate, rate * 10.0)
}

async fn has_credentials(store: &Store) -> Result<bool, StoreError> {
    let exist = |tx: &mut Tx<'_>| Ok(TxOutcome::Rollback(api_tokens::exist(tx)? || accounts::exist(tx)?));
    store.read(exist).await
}

fn basic(encoded: &str) -> Option<Credentials> {
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (username, password) = decoded.split_once(':')?;
    // No user has such a name, and the database could not search for it.
    if username.contains('\0') {
        return None;
    }
    Some(Credentials {
        username: username.to_owned(),
        password: password.to_owned(),
    })
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
