//! The person who views a page, as far as the page depends on it: the user, the permissions, and the theme.

use std::sync::Arc;

use contract_pages::{Shell, Theme, User};
use http::header::{COOKIE, HeaderMap};
use url::Url;

use super::actor::Actor;
use super::reply::Reply;
use contract_broker_domain::access::Permission;

const THEME: &str = "contract-broker-theme";

/// The person who views a page, and what pages need to know about their access.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    actor: Arc<Actor>,
    theme: Theme,
    /// The token that submitted forms must contain. `None` if the person is not signed in.
    form_token: Option<String>,
    /// Whether requests need credentials now.
    is_restricted: bool,
    /// Whether requests will need credentials after the first token or user is created.
    closes: bool,
    /// Whether the response is a page. False for the default visitor of API requests.
    wants_page: bool,
}

impl Visitor {
    /// `form_token` is the token that submitted forms must contain, or `None` if the person is not signed in.
    /// `is_restricted` is true if requests need credentials now. `closes` is true if they will need credentials after
    /// the first token or user is created.
    pub fn new(
        headers: &HeaderMap,
        actor: Arc<Actor>,
        form_token: Option<String>,
        (is_restricted, closes): (bool, bool),
    ) -> Self {
        Self {
            actor,
            theme: theme(headers),
            form_token,
            is_restricted,
            closes,
            wants_page: true,
        }
    }

    pub fn wants_page(&self) -> bool {
        self.wants_page
    }

    /// Rejects a form that does not contain the token of the person's session. Accepts any form if the person is not
    /// signed in.
    pub fn check_token(&self, sent: &str) -> Result<(), Reply> {
        if self.form_token.as_ref().is_none_or(|token| token == sent) {
            Ok(())
        } else {
            Err(Reply::denied(403, "The form has expired. Open the page again."))
        }
    }

    pub fn shell(&self, base: &str, target: &str, now: i64) -> Shell {
        let user = self.form_token.as_ref().map(|token| User {
            name: self.actor.name.clone(),
            form_token: token.clone(),
        });
        Shell {
            root: root(base),
            base: base.to_owned(),
            theme: self.theme,
            closes_with_credentials: self.closes,
            can_sign_in: self.is_restricted && user.is_none(),
            user,
            is_admin: self.actor.grants.allow(Permission::Admin),
            can_change_webhooks: self.actor.grants.allow(Permission::Webhooks),
            can_write: self.actor.grants.allow(Permission::Write),
            target: target.to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            now,
        }
    }
}

/// Returns the path of the base URL without a trailing slash, such as `/broker`. Empty if the broker has no path
/// prefix.
fn root(base: &str) -> String {
    let path = Url::parse(base).map(|url| url.path().trim_end_matches('/').to_owned());
    path.unwrap_or_default()
}

fn theme(headers: &HeaderMap) -> Theme {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let found = pairs.find(|(name, _)| *name == THEME);
    found.and_then(|(_, value)| Theme::parse(value)).unwrap_or_default()
}

/// Returns the `Set-Cookie` header value that stores a color theme for one year.
pub fn theme_cookie(theme: Theme) -> String {
    format!(
        "{THEME}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000",
        theme.name()
    )
}
