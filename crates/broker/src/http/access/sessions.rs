//! Session cookies, and protection against requests from other sites.

use std::sync::Arc;

use http::header::{COOKIE, HeaderMap};

use super::Refusal;
use super::cache::Cache;
use super::tokens::grants;
use contract_broker_api::actor::Actor;
use contract_broker_core::sql::accounts;
use contract_broker_core::store::{Store, TxOutcome};
use contract_broker_domain::{time, tokens};

/// Duration of the session of a user who signed in with a password, in hours.
pub(in crate::http) const SESSION_HOURS: i64 = 24;
/// Maximum time from the start of a sign-in with an identity provider to its end, in seconds.
const SIGN_IN_TIME: i64 = 600;

/// A cookie that the broker sets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Cookie {
    /// Contains the secret of a session. `hours` is the duration of the session.
    Session { hours: i64 },
    /// Contains the secret of a sign-in with an identity provider that is not finished.
    SignIn,
}

impl Cookie {
    /// Returns the name of the cookie. With the prefix `__Host-`, browsers accept the cookie only over HTTPS and only
    /// from the broker's own host.
    fn name(self, is_secure: bool) -> &'static str {
        match (self, is_secure) {
            (Self::Session { .. }, true) => "__Host-contract-broker-session",
            (Self::Session { .. }, false) => "contract-broker-session",
            (Self::SignIn, true) => "__Host-contract-broker-sign-in",
            (Self::SignIn, false) => "contract-broker-sign-in",
        }
    }

    fn max_age(self) -> i64 {
        match self {
            Self::Session { hours } => hours * 3_600,
            Self::SignIn => SIGN_IN_TIME,
        }
    }

    /// Returns the `Set-Cookie` header value that sets the cookie, or deletes it if `value` is `None`.
    pub(in crate::http) fn header(self, value: Option<&str>, is_secure: bool) -> String {
        let secure = if is_secure { "; Secure" } else { "" };
        let (value, age) = value.map_or(("", 0), |value| (value, self.max_age()));
        let name = self.name(is_secure);
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}")
    }

    /// Returns the cookie's value in a request. Returns `None` if the cookie is missing or empty.
    pub(in crate::http) fn value(self, headers: &HeaderMap, is_secure: bool) -> Option<&str> {
        let name = self.name(is_secure);
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
            .filter(|value| !value.is_empty())
    }
}

pub(super) struct KnownSession {
    actor: Arc<Actor>,
    expires_at: i64,
}

/// Returns the secret in the session cookie of a request.
pub(in crate::http) fn secret(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    Cookie::Session { hours: SESSION_HOURS }.value(headers, is_secure)
}

/// Returns the token that all forms of a session contain. It protects against forged requests, because other sites
/// cannot read it.
pub(in crate::http) fn form_token(secret: &str) -> String {
    tokens::hash(&format!("form {secret}"))
}

/// Returns the user of the session with this secret.
pub(super) async fn check(cache: &Cache<KnownSession>, store: &Store, secret: &str) -> Result<Arc<Actor>, Refusal> {
    let hash = tokens::hash(secret);
    let ended = || Refusal::new("The session has ended. Sign in again.");
    let known = match cache.get(&hash) {
        Ok(known) => known,
        Err(epoch) => {
            let key = hash.clone();
            let found = store
                .read(move |tx| accounts::find_session(tx, &key).map(TxOutcome::Rollback))
                .await
                .map_err(Refusal::Store)?;
            let session = found.ok_or_else(ended)?;
            let known = Arc::new(KnownSession {
                actor: Arc::new(Actor::user(&session.name, session.provider_id, grants(&session.scopes))),
                expires_at: session.expires_at,
            });
            cache.insert(hash, epoch, Arc::clone(&known));
            known
        }
    };
    if known.expires_at <= time::now() {
        return Err(ended());
    }
    Ok(Arc::clone(&known.actor))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = all.iter().map(|(name, value)| {
            let name = http::HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    #[test]
    fn reads_its_cookie_among_others() {
        let sent = headers(&[("cookie", "a=b; contract-broker-session=s3; c"), ("x", "y")]);
        assert_eq!(secret(&sent, false), Some("s3"));
        assert_eq!(secret(&sent, true), None, "the cookie of an insecure connection");
        assert_eq!(secret(&headers(&[("cookie", "contract-broker-session=")]), false), None);
        assert_eq!(
            Cookie::Session { hours: SESSION_HOURS }.header(Some("s3"), true),
            "__Host-contract-broker-session=s3; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400; Secure"
        );
    }
}
