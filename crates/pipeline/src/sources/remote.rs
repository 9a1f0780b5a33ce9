//! Contracts that are downloaded from URLs.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract_broker_client::{BrokerError, BrokerErrorKind, Credentials, Transport};

use super::error::SourceError;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, message, operation};

/// A contract at an HTTP or HTTPS URL, with the credentials to download it.
#[derive(Clone, Default)]
pub struct RemoteSource {
    /// URL of the contract. May contain `user:password@`.
    pub url: String,
    pub username: Option<String>,
    pub password: Option<String>,
    pub token: Option<String>,
    pub headers: BTreeMap<String, String>,
}

/// Returns the advice for a response that exceeds the size limit of a source.
pub fn raise_source_limit() -> Message {
    message!["raise the limit with ", operation("set_source_limit")]
}

impl std::fmt::Debug for RemoteSource {
    /// Formats the source without credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteSource")
            .field("url", &self.name())
            .finish_non_exhaustive()
    }
}

/// The content types in the `Accept` header. Brokers return `application/hal+json`.
const ACCEPT: &str = "application/hal+json, application/json";

impl RemoteSource {
    /// Returns the URL without credentials and other secrets.
    pub fn name(&self) -> String {
        contract_report::redact::text(&contract_wire::redact_url(&self.url)).into_owned()
    }

    /// Returns an error if the URL is invalid or if the credentials contradict each other.
    pub(super) fn check(&self) -> Result<(), ArgumentError> {
        let invalid = |problem: &str| Err(ArgumentError::new(OPTIONS, format!("{}: {problem}", self.name())));
        let has_basic = self.username.is_some() || self.password.is_some();
        if contract_wire::without_credentials(&self.url) != self.url && (has_basic || self.token.is_some()) {
            return invalid("pass credentials either in the URL or in the options, not in both");
        }
        if has_basic && self.token.is_some() {
            return invalid("pass either username and password or token, not both");
        }
        if self.password.is_some() && self.username.is_none() {
            return invalid("password requires username");
        }
        let own = |name: &str| self.headers.keys().any(|header| header.eq_ignore_ascii_case(name));
        if own("authorization") && (has_basic || self.token.is_some()) {
            return invalid("the Authorization header conflicts with the other credentials; pass only one of them");
        }
        contract_wire::check_url(&self.url).map_err(|error| ArgumentError::new(OPTIONS, error.to_string()))
    }

    pub async fn fetch(&self, transport: &Transport) -> Result<Vec<u8>, SourceError> {
        let failed = |error: BrokerError| {
            let message = format!("could not fetch {}: {error}", self.name());
            let message = contract_report::redact::text(&message).into_owned();
            SourceError::invalid(match error.kind() {
                BrokerErrorKind::TooLarge => message![message, ". ", "If this is expected, ", raise_source_limit()],
                _ => message.into(),
            })
        };
        let answer = transport.get(&self.url, &self.headers()).await.map_err(failed)?;
        if (200..300).contains(&answer.status) {
            return Ok(answer.body.into());
        }
        let advice = match answer.status {
            401 | 403 => "; check the user name and password, or the token",
            404 => "; check the URL",
            _ => "",
        };
        let message = format!(
            "could not fetch {}: the server returned status {}{advice}",
            self.name(),
            answer.status
        );
        Err(SourceError::invalid(message))
    }

    pub fn credentials(&self) -> Credentials {
        match (&self.token, &self.username) {
            (Some(token), _) => Credentials::token(token),
            (None, Some(username)) => Credentials::basic(username, self.password.clone().unwrap_or_default()),
            (None, None) => Credentials::None,
        }
    }

    fn headers(&self) -> Vec<(String, String)> {
        let mut headers: Vec<_> = self.headers.clone().into_iter().collect();
        let own = |header: &str| self.headers.keys().any(|name| name.eq_ignore_ascii_case(header));
        if !own("accept") {
            headers.push(("Accept".to_owned(), ACCEPT.to_owned()));
        }
        let authorization = match (&self.token, &self.username) {
            (Some(token), _) => Some(format!("Bearer {token}")),
            (None, Some(username)) => {
                let both = format!("{username}:{}", self.password.as_deref().unwrap_or_default());
                Some(format!("Basic {}", STANDARD.encode(both)))
            }
            (None, None) => None,
        };
        headers.extend(authorization.map(|value| ("Authorization".to_owned(), value)));
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::RemoteSource;

    #[track_caller]
    fn check(url: &str, [username, password, token]: [&str; 3], header: Option<&str>, expected: &str) {
        let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let source = RemoteSource {
            url: url.to_owned(),
            username: non_empty(username),
            password: non_empty(password),
            token: non_empty(token),
            headers: header
                .map(|name| (name.to_owned(), "secret".to_owned()))
                .into_iter()
                .collect(),
        };
        let error = source.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn rejects_contradictory_credentials() {
        check("http://me:secret@a/b", ["", "", "secret"], None, "not in both");
        check("http://a/b", ["me", "", "secret"], None, "not both");
        check("http://a/b", ["", "secret", ""], None, "requires username");
        check(
            "http://a/b",
            ["", "", "secret"],
            Some("authorization"),
            "pass only one of them",
        );
        check("ftp://a/b", ["", "", ""], None, "only http and https");
    }
}
