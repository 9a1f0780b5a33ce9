//! Who asks.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;

use crate::error::{BrokerError, BrokerErrorKind};

/// Who asks the broker. Neither form shows its secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Credentials {
    /// Nobody in particular.
    #[default]
    None,
    /// A name and a password, for basic authentication.
    Basic {
        /// The name.
        username: String,
        /// The password; may be empty.
        password: String,
    },
    /// A bearer token.
    Token(String),
}

impl Credentials {
    /// A bearer token.
    pub fn token(token: impl Into<String>) -> Self {
        Self::Token(token.into())
    }

    /// A name and a password.
    pub fn basic(username: impl Into<String>, password: impl Into<String>) -> Self {
        Self::Basic {
            username: username.into(),
            password: password.into(),
        }
    }

    /// What they are, in words without a secret.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "no credentials",
            Self::Basic { .. } => "a name and a password",
            Self::Token(_) => "a token",
        }
    }

    pub(crate) fn header(&self) -> Result<Option<HeaderValue>, BrokerError> {
        let text = match self {
            Self::None => return Ok(None),
            Self::Token(token) => format!("Bearer {token}"),
            Self::Basic { username, password } => {
                format!("Basic {}", BASE64_STANDARD.encode(format!("{username}:{password}")))
            }
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            BrokerError::new(
                BrokerErrorKind::Settings,
                "the broker's token holds characters that no header may hold",
            )
            .with_advice("a line break at its end, perhaps? Set it anew")
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

impl std::fmt::Debug for Credentials {
    /// Shows no secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind())
    }
}

/// Where the broker is and who asks, as somebody gave them: each part may be missing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Where; may hold `user:password@`.
    pub url: Option<String>,
    /// User name for basic authentication.
    pub username: Option<String>,
    /// Without it, an empty one.
    pub password: Option<String>,
    /// Token for bearer authentication.
    pub token: Option<String>,
}

impl std::fmt::Debug for Access {
    /// Shows no secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("url", &self.url.as_deref().map(contract_wire::shown_url))
            .finish_non_exhaustive()
    }
}

impl Access {
    /// What environment variables say: `CONTRACT_BROKER_BASE_URL`, `_USERNAME`, `_PASSWORD`, `_TOKEN`, each with
    /// `PACT_BROKER_…` behind it. An empty variable is not set.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| {
            ["CONTRACT_BROKER_", "PACT_BROKER_"]
                .into_iter()
                .find_map(|prefix| variable(&format!("{prefix}{name}")).filter(|value| !value.is_empty()))
        };
        Self {
            url: get("BASE_URL"),
            username: get("USERNAME"),
            password: get("PASSWORD"),
            token: get("TOKEN"),
        }
    }

    /// What is given, and behind it what the environment says. An explicit kind of credentials silences the other kind from
    /// the environment, as credentials in an explicit URL silence both.
    #[must_use]
    pub fn or(self, environment: Self) -> Self {
        let explicit_basic = self.username.is_some() || self.password.is_some();
        let explicit_token = self.token.is_some();
        let in_url = self.url.as_deref().is_some_and(has_credentials);
        Self {
            url: self.url.or(environment.url),
            username: self
                .username
                .or(environment.username.filter(|_| !explicit_token && !in_url)),
            password: self
                .password
                .or(environment.password.filter(|_| !explicit_token && !in_url)),
            token: self.token.or(environment.token.filter(|_| !explicit_basic && !in_url)),
        }
    }

    /// The URL without credentials, and the credentials. Refused: no URL, two kinds of credentials, a password for nobody.
    pub fn resolve(&self) -> Result<(String, Credentials), BrokerError> {
        let refuse =
            |what: &str, advice: &str| Err(BrokerError::new(BrokerErrorKind::Settings, what).with_advice(advice));
        let Some(url) = self.url.as_deref().filter(|url| !url.is_empty()) else {
            return refuse("no broker is named", "give its URL, or set CONTRACT_BROKER_BASE_URL");
        };
        let is_basic = self.username.is_some() || self.password.is_some();
        if has_credentials(url) && (is_basic || self.token.is_some()) {
            return refuse(
                "the broker's URL holds credentials, and others are given as well",
                "give them once",
            );
        }
        if is_basic && self.token.is_some() {
            return refuse(
                "a token and a name with a password are given for the broker",
                "they are two ways to say who asks: give one of them",
            );
        }
        if let Some(token) = &self.token {
            return Ok((url.to_owned(), Credentials::token(token)));
        }
        match (&self.username, &self.password) {
            (None, None) => Ok((contract_wire::without_credentials(url), credentials_of(url)?)),
            (None, Some(_)) => refuse(
                "a password for the broker is given without a name",
                "give the username as well",
            ),
            (Some(name), password) => Ok((
                url.to_owned(),
                Credentials::basic(name, password.clone().unwrap_or_default()),
            )),
        }
    }
}

fn has_credentials(url: &str) -> bool {
    contract_wire::without_credentials(url) != url
}

/// Those that stand in a URL.
fn credentials_of(url: &str) -> Result<Credentials, BrokerError> {
    let without = contract_wire::without_credentials(url);
    if without == url {
        return Ok(Credentials::None);
    }
    let base = contract_wire::BaseUrl::parse(url)
        .map_err(|error| BrokerError::new(BrokerErrorKind::Settings, error.to_string()))?;
    let decoded = base
        .credentials()
        .and_then(|value| value.to_str().ok()?.strip_prefix("Basic ").map(str::to_owned))
        .and_then(|text| BASE64_STANDARD.decode(text).ok())
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default();
    let (name, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
    Ok(Credentials::basic(name, password))
}

#[cfg(test)]
mod tests {
    use super::{Access, Credentials};

    fn access(url: &str, username: &str, password: &str, token: &str) -> Access {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Access {
            url: given(url),
            username: given(username),
            password: given(password),
            token: given(token),
        }
    }

    #[test]
    fn explicit_credentials_silence_the_other_kind() {
        let environment = access("http://e", "me", "pw", "");
        let (url, credentials) = access("", "", "", "tok").or(environment.clone()).resolve().unwrap();
        assert_eq!((url.as_str(), credentials), ("http://e", Credentials::token("tok")));
        let tokens = access("http://e", "", "", "tok");
        let (_, credentials) = access("", "you", "pw", "").or(tokens).resolve().unwrap();
        assert_eq!(credentials, Credentials::basic("you", "pw"));
        let (url, credentials) = access("http://a:b%40@h/x", "", "", "")
            .or(environment)
            .resolve()
            .unwrap();
        assert_eq!(
            (url.as_str(), credentials),
            ("http://h/x", Credentials::basic("a", "b@"))
        );
    }

    #[test]
    fn contradictions_are_refused_without_secrets() {
        for (given, words) in [
            (access("", "", "", ""), "no broker"),
            (access("http://h", "hush", "hush", "hush"), "one of them"),
            (access("http://a:hush@h", "", "", "hush"), "give them once"),
            (access("http://h", "", "hush", ""), "without a name"),
        ] {
            let error = given.resolve().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
            assert!(
                !error.contains("hush") && !format!("{given:?}").contains("hush"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_field_s_variables_stand_behind_ours() {
        let found = Access::of_environment(|name| match name {
            "PACT_BROKER_BASE_URL" => Some("http://old".to_owned()),
            "CONTRACT_BROKER_TOKEN" => Some(String::new()),
            "PACT_BROKER_TOKEN" => Some("old".to_owned()),
            _ => None,
        });
        assert_eq!(found, access("http://old", "", "", "old"));
    }

    #[test]
    fn tokens_with_line_breaks_are_told() {
        let error = Credentials::token("hush\n").header().unwrap_err().to_string();
        assert!(error.contains("line break") && !error.contains("hush"), "{error}");
    }
}
