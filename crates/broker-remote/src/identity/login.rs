//! Signs people in with an `OpenID` provider. Uses the authorization code flow with PKCE (`OpenID` Connect Core 1.0,
//! section 3.1; RFC 7636).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use contract_broker_domain::access::Grants;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::keys::{self, KeysError};
use super::settings::{LoginSettings, is_secure};
use super::{IdentityError, TokenVerifier, text};

/// Age at which the provider's discovery document is fetched again.
const MAX_AGE: Duration = Duration::from_secs(600);
/// Maximum length of a user's name, in characters.
const MAX_NAME: usize = 200;

pub struct Login {
    settings: LoginSettings,
    verifier: TokenVerifier,
    endpoints: Mutex<Option<(Instant, Arc<Endpoints>)>>,
}

/// The provider's URLs, from its discovery document.
struct Endpoints {
    authorization: Url,
    token: String,
    /// Whether the client secret is sent in the `Authorization` header. If false, it is sent in the body.
    takes_basic: bool,
}

/// A person whom the provider has authenticated.
pub struct Person {
    /// The user name, which pages display.
    pub name: String,
    /// The issuer and the subject, which together identify the person.
    pub id: String,
    pub grants: Grants,
}

/// Why a person could not sign in.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("the provider cannot be reached, or its response is invalid. Try again later.")]
    Provider(#[source] KeysError),
    #[error("the provider rejected the request ({0}). Try again.")]
    Rejected(String),
    #[error("the provider's response has no ID token")]
    NoToken,
    #[error(transparent)]
    Token(IdentityError),
    #[error("the ID token belongs to another sign-in. Try again.")]
    Nonce,
    #[error(
        "the provider identified you as {0}, but no rule of this broker grants you access. Ask the broker's administrator."
    )]
    NoRule(String),
}

impl LoginError {
    /// Returns the HTTP status for the error: 401, 403, or 502.
    pub fn status(&self) -> u16 {
        match self {
            Self::Provider(_) | Self::NoToken | Self::Token(IdentityError::Keys { .. }) => 502,
            Self::NoRule(_) => 403,
            Self::Rejected(_) | Self::Token(_) | Self::Nonce => 401,
        }
    }

    /// Returns the message with its causes, for the log.
    pub fn details(&self) -> String {
        let mut details = match self {
            Self::Token(IdentityError::Keys { reason, .. }) => format!("{self}: {reason}"),
            _ => self.to_string(),
        };
        let mut cause = std::error::Error::source(self);
        while let Some(next) = cause {
            details = format!("{details}: {next}");
            cause = next.source();
        }
        details
    }
}

/// Returns the request parameter `state`. It is derived from the secret in the browser's cookie, so that the broker
/// accepts the provider's response only from this browser.
pub fn state(secret: &str) -> String {
    derived("state", secret)
}

fn derived(purpose: &str, secret: &str) -> String {
    sha256(&format!("{purpose} {secret}"))
}

fn sha256(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, text.as_bytes()))
}

impl Login {
    pub fn new(settings: LoginSettings) -> Self {
        Self {
            verifier: TokenVerifier::new(settings.provider.clone()),
            settings,
            endpoints: Mutex::default(),
        }
    }

    /// Returns the provider's display name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    pub fn session_hours(&self) -> i64 {
        self.settings.session_hours.into()
    }

    /// Returns true if the response parameter `iss` (RFC 9207) is missing or identifies the configured provider.
    pub fn is_issuer(&self, issuer: Option<&str>) -> bool {
        issuer.is_none_or(|issuer| issuer == self.settings.provider.url)
    }

    /// Returns the provider's URL to which the browser must be redirected. `secret` is known only to the browser.
    pub async fn begin(&self, redirect_uri: &str, secret: &str) -> Result<String, LoginError> {
        let endpoints = self.endpoints().await.map_err(LoginError::Provider)?;
        let mut url = endpoints.authorization.clone();
        let mut scopes = vec!["openid"];
        scopes.extend(self.settings.request_scopes.iter().map(String::as_str));
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.provider.audience)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", &state(secret))
            .append_pair("nonce", &derived("nonce", secret))
            .append_pair("code_challenge", &sha256(secret))
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// Exchanges the provider's authorization code for an ID token, checks the token, and returns the person.
    pub async fn finish(&self, redirect_uri: &str, code: &str, secret: &str) -> Result<Person, LoginError> {
        let token = self.id_token(redirect_uri, code, secret).await?;
        let claims = self.verifier.verify(&token).await.map_err(LoginError::Token)?;
        if claims.get("nonce").and_then(Value::as_str) != Some(derived("nonce", secret).as_str()) {
            return Err(LoginError::Nonce);
        }
        let subject = claims.get("sub").and_then(Value::as_str);
        let subject = subject.ok_or_else(|| LoginError::Token(IdentityError::Claim("sub".to_owned())))?;
        let name = self.user_name(&claims, subject);
        let grants = self.settings.provider.grants(&claims);
        if grants.scopes().is_empty() {
            return Err(LoginError::NoRule(name));
        }
        Ok(Person {
            name,
            id: format!("{} {subject}", self.settings.provider.url),
            grants,
        })
    }

    fn user_name(&self, claims: &Map<String, Value>, subject: &str) -> String {
        let preferred = ["preferred_username", "email"];
        let names = self.settings.user_claim.as_deref().into_iter().chain(preferred);
        let mut values = names.filter_map(|name| claims.get(name).and_then(text));
        let name = values.find(|value| !value.trim().is_empty());
        let name = name.unwrap_or_else(|| subject.to_owned());
        name.chars()
            .filter(|character| !character.is_control())
            .take(MAX_NAME)
            .collect()
    }

    async fn id_token(&self, redirect_uri: &str, code: &str, secret: &str) -> Result<String, LoginError> {
        let endpoints = self.endpoints().await.map_err(LoginError::Provider)?;
        let client = keys::client(&self.settings.provider).map_err(LoginError::Provider)?;
        let request = client
            .post(&endpoints.token)
            .header("content-type", "application/x-www-form-urlencoded");
        let (authorization, form) = self.token_request(&endpoints, redirect_uri, code, secret);
        let request = match authorization {
            Some(authorization) => request.header("authorization", authorization),
            None => request,
        };
        let response = keys::response(request.body(form), &endpoints.token).await;
        let (status, document) = response.map_err(LoginError::Provider)?;
        if !status.is_success() {
            let error = document.get("error").and_then(Value::as_str);
            let error = error.map_or_else(|| format!("status {status}"), |error| error.chars().take(100).collect());
            return Err(LoginError::Rejected(error));
        }
        let token = document.get("id_token").and_then(Value::as_str);
        token.map(str::to_owned).ok_or(LoginError::NoToken)
    }

    /// Returns the `Authorization` header, if one is needed, and the form fields of a token request.
    fn token_request(
        &self,
        endpoints: &Endpoints,
        redirect_uri: &str,
        code: &str,
        secret: &str,
    ) -> (Option<String>, String) {
        let id = &self.settings.provider.audience;
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("code_verifier", secret);
        match &self.settings.client_secret {
            Some(secret) if endpoints.takes_basic => {
                // Both are encoded as in a form (RFC 6749, section 2.3.1).
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let pair = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
                return (Some(format!("Basic {pair}")), form.finish());
            }
            Some(secret) => form.append_pair("client_id", id).append_pair("client_secret", secret),
            None => form.append_pair("client_id", id),
        };
        (None, form.finish())
    }

    async fn endpoints(&self) -> Result<Arc<Endpoints>, KeysError> {
        let known = self.endpoints.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, endpoints)) = known.as_ref().filter(|(at, _)| at.elapsed() < MAX_AGE) {
            return Ok(Arc::clone(endpoints));
        }
        match (self.discover().await, known) {
            (Ok(endpoints), _) => {
                let endpoints = Arc::new(endpoints);
                let fetched = (Instant::now(), Arc::clone(&endpoints));
                *self.endpoints.lock().unwrap_or_else(PoisonError::into_inner) = Some(fetched);
                Ok(endpoints)
            }
            // Outdated endpoints are better than none.
            (Err(_), Some((_, endpoints))) => Ok(endpoints),
            (Err(error), None) => Err(error),
        }
    }

    async fn discover(&self) -> Result<Endpoints, KeysError> {
        let client = keys::client(&self.settings.provider)?;
        let (url, document) = keys::discovery(&client, &self.settings.provider.url).await?;
        let endpoint = |name: &str| {
            let endpoint = document.get(name).and_then(Value::as_str);
            let endpoint = endpoint.ok_or_else(|| KeysError::Discovery(url.clone()))?;
            if is_secure(endpoint) {
                Ok(endpoint.to_owned())
            } else {
                Err(KeysError::Insecure(endpoint.to_owned()))
            }
        };
        let authorization = endpoint("authorization_endpoint")?;
        let methods = document
            .get("token_endpoint_auth_methods_supported")
            .and_then(Value::as_array);
        Ok(Endpoints {
            authorization: Url::parse(&authorization).map_err(|_| KeysError::Discovery(url.clone()))?,
            token: endpoint("token_endpoint")?,
            // client_secret_basic is the default (OpenID Connect Discovery 1.0, section 3).
            takes_basic: methods.is_none_or(|methods| methods.contains(&Value::from("client_secret_basic"))),
        })
    }
}
