//! `OpenID` Connect: checks the identity tokens of CI systems and people, and maps their claims to scopes.

mod crypto;
mod keys;
mod login;
mod settings;

use std::collections::HashSet;

use contract_broker_domain::access::Grants;
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, Validation, dangerous};
use serde_json::{Map, Value};

use keys::{Keys, KeysError};
pub use login::{Login, LoginError, Person, state};
pub use settings::{IdentityRule, Issuer, IssuerError, LoginSettings};
pub use settings::{IssuerEntry, LoginEntry, issuers, login};

/// Maximum size of an identity token, in bytes.
const MAX_TOKEN: usize = 16 * 1024;
/// Tolerated difference between the clocks of the issuer and the broker, in seconds.
const CLOCK_SKEW: u64 = 30;

/// Checks identity tokens of all configured issuers.
pub struct Identities(Vec<TokenVerifier>);

/// Checks identity tokens of one issuer.
struct TokenVerifier {
    issuer: Issuer,
    keys: Keys,
}

/// The holder of a valid identity token.
#[derive(Debug)]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
    pub grants: Grants,
}

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("The identity token is larger than {} KiB.", MAX_TOKEN / 1024)]
    TooLarge,
    #[error("The identity token is malformed.")]
    Malformed,
    #[error("The identity token uses the algorithm {0:?}. Supported algorithms: RS256, ES256, EdDSA.")]
    Algorithm(String),
    #[error("The identity token has an issuer that is not configured: {0:?}.")]
    Issuer(String),
    #[error("The identity token has no key ID.")]
    NoKeyId,
    #[error("The identity token was signed with a key that its issuer does not publish.")]
    UnknownKey,
    #[error("The signature of the identity token is invalid.")]
    Signature,
    #[error("The identity token has expired. Request a new one.")]
    Expired,
    #[error("The identity token is not valid yet. Check the clocks of the broker and the issuer.")]
    NotYet,
    #[error("The identity token must have only the audience {expected:?}. It has {found}.")]
    Audience { expected: String, found: String },
    #[error("The claim {0:?} of the identity token is missing or invalid.")]
    Claim(String),
    /// The token is valid, but no rule matches its claims.
    #[error("The identity token is valid, but no rule of its issuer matches its claims (subject {subject:?}).")]
    NoRule { subject: String, issuer: String },
    /// The issuer's keys could not be fetched.
    #[error("The keys of the issuer {issuer} could not be fetched. Try again later.")]
    Keys {
        issuer: String,
        /// The cause. It is logged, but not sent to the client.
        reason: String,
    },
}

impl Identities {
    pub fn new(issuers: Vec<Issuer>) -> Self {
        Self(issuers.into_iter().map(TokenVerifier::new).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a bearer token has the format of a JSON Web Token: three parts separated by dots.
    pub fn is_identity_token(token: &str) -> bool {
        token.bytes().filter(|byte| *byte == b'.').count() == 2
    }

    pub async fn verify(&self, token: &str) -> Result<Identity, IdentityError> {
        if token.len() > MAX_TOKEN {
            return Err(IdentityError::TooLarge);
        }
        // The unverified issuer only selects the keys. It is checked again with the signature.
        let unverified = unverified_claims(token)?;
        let issuer = unverified.get("iss").and_then(Value::as_str).unwrap_or_default();
        let known = self.0.iter().find(|known| known.issuer.url == issuer);
        let known = known.ok_or_else(|| IdentityError::Issuer(issuer.chars().take(200).collect()))?;
        let claims = known.verify(token).await?;
        identity(&known.issuer, &claims)
    }
}

impl TokenVerifier {
    fn new(issuer: Issuer) -> Self {
        crypto::install();
        let keys = Keys::new();
        Self { issuer, keys }
    }

    /// Checks a token of this issuer, and returns its claims.
    async fn verify(&self, token: &str) -> Result<Map<String, Value>, IdentityError> {
        if token.len() > MAX_TOKEN {
            return Err(IdentityError::TooLarge);
        }
        let issuer = &self.issuer;
        let unverified = unverified_claims(token)?;
        let header = jsonwebtoken::decode_header(token).map_err(|_| IdentityError::from_header(token))?;
        if header.crit.is_some() {
            return Err(IdentityError::Malformed);
        }
        if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA) {
            return Err(IdentityError::Algorithm(format!("{:?}", header.alg)));
        }
        let id = header.kid.as_deref().ok_or(IdentityError::NoKeyId)?;
        let key = self.keys.key(issuer, id).await;
        let key = key.map_err(|error| fetching_failed(issuer, &error))?;
        let key = key.ok_or(IdentityError::UnknownKey)?;
        if key.algorithm != header.alg {
            return Err(IdentityError::Algorithm(format!("{:?}", header.alg)));
        }
        let claims = jsonwebtoken::decode::<Map<String, Value>>(token, &key.key, &validation(issuer, header.alg))
            .map_err(|error| IdentityError::from_jwt(&error, issuer, &unverified))?
            .claims;
        check_audience(issuer, &claims)?;
        check_issue_time(&claims)?;
        Ok(claims)
    }
}

/// Returns the claims of a token without checking its signature.
fn unverified_claims(token: &str) -> Result<Map<String, Value>, IdentityError> {
    let header = jsonwebtoken::decode_header(token);
    header.map_err(|_| IdentityError::from_header(token))?;
    dangerous::insecure_decode_claims(token).map_err(|_| IdentityError::Malformed)
}

fn fetching_failed(issuer: &Issuer, error: &KeysError) -> IdentityError {
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        reason = format!("{reason}: {next}");
        cause = next.source();
    }
    IdentityError::Keys {
        issuer: issuer.url.clone(),
        reason,
    }
}

fn validation(issuer: &Issuer, algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.leeway = CLOCK_SKEW;
    validation.validate_nbf = true;
    // By default, the library checks these claims only if they are present.
    validation.required_spec_claims = ["exp", "iss", "aud"].map(str::to_owned).into();
    validation.aud = Some(HashSet::from([issuer.audience.clone()]));
    validation.iss = Some(HashSet::from([issuer.url.clone()]));
    validation
}

/// Requires that the issuer's configured audience is the only audience of the token. If a token had several, each of
/// them could use it to authenticate with the others.
fn check_audience(issuer: &Issuer, claims: &Map<String, Value>) -> Result<(), IdentityError> {
    let is_only = match claims.get("aud") {
        Some(Value::String(audience)) => *audience == issuer.audience,
        Some(Value::Array(all)) => all.len() == 1 && all[0] == issuer.audience.as_str(),
        _ => false,
    };
    if is_only {
        Ok(())
    } else {
        Err(IdentityError::audience(issuer, claims))
    }
}

fn check_issue_time(claims: &Map<String, Value>) -> Result<(), IdentityError> {
    let Some(issued) = claims.get("iat") else {
        return Ok(());
    };
    let issued = issued.as_f64().ok_or_else(|| IdentityError::Claim("iat".to_owned()))?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let latest = now.unwrap_or_default() + std::time::Duration::from_secs(CLOCK_SKEW);
    if issued > latest.as_secs_f64() {
        return Err(IdentityError::NotYet);
    }
    Ok(())
}

fn identity(issuer: &Issuer, claims: &Map<String, Value>) -> Result<Identity, IdentityError> {
    let subject = claims
        .get("sub")
        .and_then(Value::as_str)
        .unwrap_or("unknown")
        .to_owned();
    let grants = issuer.grants(claims);
    let issuer = issuer.url.clone();
    if grants.scopes().is_empty() {
        return Err(IdentityError::NoRule { subject, issuer });
    }
    Ok(Identity {
        issuer,
        subject,
        grants,
    })
}

impl Issuer {
    /// Returns the scopes of all rules that match these claims.
    fn grants(&self, claims: &Map<String, Value>) -> Grants {
        let rules = self.rules.iter().filter(|rule| rule.matches(claims));
        Grants::new(rules.flat_map(|rule| rule.grants.scopes()).cloned())
    }
}

impl IdentityRule {
    fn matches(&self, claims: &Map<String, Value>) -> bool {
        let has = |name: &str, is_match: &dyn Fn(&str) -> bool| match claims.get(name) {
            Some(Value::Array(values)) => values.iter().filter_map(text).any(|value| is_match(&value)),
            Some(value) => text(value).is_some_and(|value| is_match(&value)),
            None => false,
        };
        let matches = |(name, patterns): (&String, &Vec<contract_broker_domain::access::Pattern>)| {
            has(name, &|value| patterns.iter().any(|pattern| pattern.matches(value)))
        };
        let is_excluded = |(name, excluded): (&String, &&str)| has(name, &|value| value == *excluded);
        self.claims.iter().all(matches) && !self.excluded.iter().any(is_excluded)
    }
}

/// Converts a string, number, or boolean to a string, because some issuers send numbers and booleans as strings.
/// Returns `None` for other values.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

impl IdentityError {
    /// Creates the error for a token whose header jsonwebtoken cannot parse, for example because the algorithm is
    /// `none`.
    fn from_header(token: &str) -> Self {
        use base64::Engine as _;
        let header = token.split('.').next().unwrap_or_default();
        let header = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(header).ok();
        let header: Option<Value> = header.and_then(|header| serde_json::from_slice(&header).ok());
        let algorithm = header.as_ref().and_then(|header| header.get("alg")?.as_str());
        match algorithm {
            Some(algorithm) if !["RS256", "ES256", "EdDSA"].contains(&algorithm) => {
                Self::Algorithm(algorithm.chars().take(20).collect())
            }
            _ => Self::Malformed,
        }
    }

    fn audience(issuer: &Issuer, claims: &Map<String, Value>) -> Self {
        let found = claims.get("aud").map_or_else(|| "none".to_owned(), Value::to_string);
        Self::Audience {
            expected: issuer.audience.clone(),
            found: found.chars().take(200).collect(),
        }
    }

    fn from_jwt(error: &Error, issuer: &Issuer, claims: &Map<String, Value>) -> Self {
        match error.kind() {
            ErrorKind::ExpiredSignature => Self::Expired,
            ErrorKind::ImmatureSignature => Self::NotYet,
            ErrorKind::InvalidAudience => Self::audience(issuer, claims),
            ErrorKind::InvalidIssuer => Self::Claim("iss".to_owned()),
            ErrorKind::MissingRequiredClaim(name) | ErrorKind::InvalidClaimFormat(name) => Self::Claim(name.clone()),
            ErrorKind::InvalidSignature => Self::Signature,
            _ => Self::Malformed,
        }
    }
}
