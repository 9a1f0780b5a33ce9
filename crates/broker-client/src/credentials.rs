use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;

use crate::error::{BrokerError, BrokerErrorKind};

/// Credentials for the broker. `Debug` omits secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Credentials {
    #[default]
    None,
    Basic {
        username: String,
        /// May be empty.
        password: String,
    },
    /// A bearer token.
    Token(String),
}

impl Credentials {
    pub fn token(token: impl Into<String>) -> Self {
        Self::Token(token.into())
    }

    pub fn basic(username: impl Into<String>, password: impl Into<String>) -> Self {
        Self::Basic {
            username: username.into(),
            password: password.into(),
        }
    }

    /// Describes the credentials without secrets: `a token`, `a user name and a password`, or `no credentials`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "no credentials",
            Self::Basic { .. } => "a user name and a password",
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
                "the broker token contains characters that are not allowed in headers",
            )
            .with_advice("check whether it ends with a line break")
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

impl std::fmt::Debug for Credentials {
    /// Writes only the kind of credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind())
    }
}

/// URL and credentials from options or the environment. `None` means that a value was not specified.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// The base URL. Can contain a user name and a password: `https://user:password@…`.
    pub url: Option<String>,
    pub username: Option<String>,
    /// If `None` and a user name is set, the password is empty.
    pub password: Option<String>,
    pub token: Option<String>,
}

impl std::fmt::Debug for Access {
    /// Writes only the URL, without credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("url", &self.url.as_deref().map(contract_wire::redact_url))
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Reads the variables `CONTRACT_BROKER_BASE_URL`, `CONTRACT_BROKER_USERNAME`, `CONTRACT_BROKER_PASSWORD`, and
    /// `CONTRACT_BROKER_TOKEN`. If a variable is missing or empty, reads the one with the prefix `PACT_BROKER_`
    /// instead.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
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

    /// Fills in missing values from the environment. If `self` contains a token, a user name and password from the
    /// environment are ignored, and vice versa. If the URL in `self` contains credentials, all credentials from the
    /// environment are ignored.
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

    /// Returns the URL without credentials, and the credentials. Returns an error if the URL is missing, if there are
    /// several kinds of credentials, or if there is a password but no user name.
    pub fn resolve(&self) -> Result<(String, Credentials), BrokerError> {
        let error =
            |message: &str, advice: &str| Err(BrokerError::new(BrokerErrorKind::Settings, message).with_advice(advice));
        let Some(url) = self.url.as_deref().filter(|url| !url.is_empty()) else {
            return error("no broker URL", "pass the URL, or set CONTRACT_BROKER_BASE_URL");
        };
        let is_basic = self.username.is_some() || self.password.is_some();
        if has_credentials(url) && (is_basic || self.token.is_some()) {
            return error(
                "the broker options contain credentials both in the URL and separately",
                "use one of them",
            );
        }
        if is_basic && self.token.is_some() {
            return error(
                "the broker options contain both a token and a user name",
                "use one of them",
            );
        }
        if let Some(token) = &self.token {
            return Ok((url.to_owned(), Credentials::token(token)));
        }
        match (&self.username, &self.password) {
            (None, None) => Ok((contract_wire::without_credentials(url), credentials_of(url)?)),
            (None, Some(_)) => error(
                "the broker options contain a password but no user name",
                "add the user name",
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
        let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Access {
            url: non_empty(url),
            username: non_empty(username),
            password: non_empty(password),
            token: non_empty(token),
        }
    }

    #[test]
    fn explicit_credentials_override_the_other_kind() {
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
    fn rejects_contradictions_without_printing_secrets() {
        for (options, expected) in [
            (access("", "", "", ""), "no broker URL"),
            (access("http://h", "hush", "hush", "hush"), "one of them"),
            (access("http://a:hush@h", "", "", "hush"), "in the URL"),
            (access("http://h", "", "hush", ""), "but no user name"),
        ] {
            let error = options.resolve().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(
                !error.contains("hush") && !format!("{options:?}").contains("hush"),
                "{error}"
            );
        }
    }

    #[test]
    fn pact_broker_variables_are_a_fallback() {
        let found = Access::from_environment(|name| match name {
            "PACT_BROKER_BASE_URL" => Some("http://old".to_owned()),
            "CONTRACT_BROKER_TOKEN" => Some(String::new()),
            "PACT_BROKER_TOKEN" => Some("old".to_owned()),
            _ => None,
        });
        assert_eq!(found, access("http://old", "", "", "old"));
    }

    #[test]
    fn rejects_tokens_with_line_breaks() {
        let error = Credentials::token("hush\n").header().unwrap_err().to_string();
        assert!(error.contains("line break") && !error.contains("hush"), "{error}");
    }
}
