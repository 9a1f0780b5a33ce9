//! Authentication and authorization.

mod actor;
mod rule;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::reply::Reply;
pub(crate) use actor::Actor;
use contract_broker_core::domain::access::{Grants, Scope};
pub(super) use rule::{Rule, Subject, Target};

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

/// Access rules. Without credentials, every client can read and write.
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
}

impl Permissions {
    /// Returns whether any credentials are configured.
    pub fn is_restricted(&self) -> bool {
        self.read_write.is_some() || self.read_only.is_some()
    }

    /// Returns who sends a request, with the permissions that the rule of its route is checked against.
    pub(super) fn authenticate(&self, headers: &HeaderMap, rule: Rule) -> Result<Arc<Actor>, Reply> {
        let is_public = match rule {
            Rule::Public => true,
            Rule::Badge => self.public_badges || self.public_read,
            Rule::Read => self.public_read,
            _ => false,
        };
        if !self.is_restricted() {
            return Ok(Arc::new(Actor::anonymous(Grants::new([Scope::Admin]))));
        }
        if is_public {
            return Ok(Arc::new(Actor::anonymous(Grants::new([Scope::Read]))));
        }
        let received = headers.get(AUTHORIZATION).and_then(|value| basic(value.to_str().ok()?));
        let is_received = |known: &Option<Credentials>| match (known, &received) {
            (Some(known), Some(received)) => same(known, received),
            _ => false,
        };
        let scope = if is_received(&self.read_write) {
            Scope::Write
        } else if is_received(&self.read_only) {
            Scope::Read
        } else {
            let reply = Reply::error(401, "A user name and password are required.");
            return Err(reply.with("www-authenticate", "Basic realm=\"Contract Broker\""));
        };
        Ok(Arc::new(Actor::new(Grants::new([scope]))))
    }
}

fn basic(header: &str) -> Option<Credentials> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (username, password) = decoded.split_once(':')?;
    Some(Credentials {
        username: username.to_owned(),
        password: password.to_owned(),
    })
}

/// Compares in constant time.
fn same(known: &Credentials, received: &Credentials) -> bool {
    let equal = |known: &str, received: &str| {
        let differences = known
            .bytes()
            .zip(received.bytes().chain(std::iter::repeat(0)))
            .fold(0_u8, |differences, (one, other)| differences | (one ^ other));
        (differences == 0) & (known.len() == received.len())
    };
    equal(&known.username, &received.username) & equal(&known.password, &received.password)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::http::params::PathParams;

    fn credentials(username: &str, password: &str) -> Credentials {
        Credentials {
            username: username.to_owned(),
            password: password.to_owned(),
        }
    }

    fn status(permissions: &Permissions, name_and_password: Option<&str>, rule: Rule) -> u16 {
        let mut headers = HeaderMap::new();
        if let Some(text) = name_and_password {
            let value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(text))).expect("a header");
            headers.insert(AUTHORIZATION, value);
        }
        let path = PathParams::default();
        match permissions.authenticate(&headers, rule) {
            Err(reply) => reply.status,
            Ok(actor) => rule.check_path(&actor.grants, &path).map_or(403, |()| 200),
        }
    }

    #[test]
    fn grants_each_account_its_access() {
        let nobody = Permissions::default();
        assert_eq!(status(&nobody, None, Rule::Write), 200);
        let some = Permissions {
            read_write: Some(credentials("rw", "pass:word")),
            read_only: Some(credentials("ro", "x")),
            ..Permissions::default()
        };
        for (received, rule, expected) in [
            (None, Rule::Read, 401),
            (None, Rule::Public, 200),
            (Some("rw:pass:word"), Rule::Write, 200),
            (Some("rw:pass:wor"), Rule::Write, 401),
            (Some("rw:pass:wordy"), Rule::Write, 401),
            (Some("rw:"), Rule::Read, 401),
            (Some("ro:x"), Rule::Read, 200),
            (Some("ro:x"), Rule::Write, 403),
            (Some("rw:x"), Rule::Read, 401),
        ] {
            assert_eq!(status(&some, received, rule), expected, "{received:?}");
        }
        let open = Permissions {
            public_read: true,
            ..some
        };
        let statuses = [Rule::Read, Rule::Badge, Rule::Write].map(|rule| status(&open, None, rule));
        assert_eq!(statuses, [200, 200, 401]);
    }

    #[test]
    fn debug_output_hides_the_password() {
        assert!(!format!("{:?}", credentials("a", "secret")).contains("secret"));
    }
}
