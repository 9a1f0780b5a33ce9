//! The settings `issuers` and `login` in the configuration file: issuers of identity tokens, and the `OpenID` provider
//! with which people sign in.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract_broker_domain::access::{Grants, InvalidScope, MAX_SCOPES, Pattern, Scope};
use serde::Deserialize;

/// Maximum number of issuers, and of rules per issuer.
const MAX_ENTRIES: usize = 1_000;

/// Default for [`Issuer::refresh_interval`].
const REFRESH_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum of [`LoginSettings::session_hours`]: 30 days.
const MAX_SESSION_HOURS: u32 = 30 * 24;
const DEFAULT_SESSION_HOURS: u32 = 24;
/// Maximum number of bytes that are read from a file with a client secret.
const MAX_SECRET: u64 = 64 * 1024;

/// An issuer of identity tokens, and the rules that grant scopes to its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// The issuer's URL. Tokens contain it in the `iss` claim.
    pub url: String,
    /// The required value of the `aud` claim. Tokens with further audiences are rejected.
    pub audience: String,
    /// URL of the issuer's key set. If `None`, the URL in the issuer's discovery document is used.
    pub keys_url: Option<String>,
    /// PEM file with certificates that are trusted in addition to those of the system, if any.
    pub certificates: Option<PathBuf>,
    pub rules: Vec<IdentityRule>,
    /// Minimum time between two attempts to fetch the issuer's keys. Default: 30 seconds.
    pub refresh_interval: Duration,
}

/// Grants scopes to tokens with certain claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityRule {
    /// Patterns by the name of the claim. The token must have each of these claims, with a value that matches one of
    /// its patterns.
    pub claims: BTreeMap<String, Vec<Pattern>>,
    /// Values by the name of the claim. The rule does not apply to a token in which any of these claims has this value.
    pub excluded: BTreeMap<String, &'static str>,
    pub grants: Grants,
}

#[derive(Clone, PartialEq, Eq)]
pub struct LoginSettings {
    /// The provider. `audience` is the client ID.
    pub provider: Issuer,
    /// The client secret, or `None` for a public client.
    pub client_secret: Option<String>,
    /// The provider's name on the sign-in page. Default: `single sign-on`.
    pub name: String,
    /// The claim that contains the user name. If `None`, the first of `preferred_username`, `email`, and `sub` that the
    /// token contains.
    pub user_claim: Option<String>,
    /// Scopes that are requested from the provider in addition to `openid`. Default: `profile` and `email`.
    pub request_scopes: Vec<String>,
    /// Duration of a session in hours, from 1 to 720. Default: 24.
    pub session_hours: u32,
}

impl std::fmt::Debug for LoginSettings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LoginSettings")
            .field("provider", &self.provider)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Why the settings `issuers` or `login` are invalid. Messages start with the location in the configuration file, such
/// as `issuers[0].rules[1]`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssuerError {
    #[error("{0}: set issuer to the URL of the issuer, or preset to \"github\" or \"gitlab\"")]
    NoIssuer(String),
    #[error("{place}.{name}: {url:?} must start with https://")]
    Insecure {
        place: String,
        name: &'static str,
        url: String,
    },
    #[error("{0}: the issuer {1:?} appears twice. Combine the rules in one entry.")]
    Duplicate(String, String),
    #[error("{0}.audience must not be empty. Set it to a value that only this broker uses, such as its URL.")]
    NoAudience(String),
    #[error("{place} has no rules, so no token would be accepted. Add [[{place}.rules]] with claims and scopes.", place = .0.split('[').next().unwrap_or_default())]
    NoRules(String),
    #[error(
        "{0}.rules[{1}].claims must not be empty: otherwise, all tokens of the issuer would have the scopes of this rule"
    )]
    NoClaims(String, usize),
    #[error(
        "{place}.rules[{rule}].claims must contain one of {names}, with a value that does not start with *. \
        Otherwise, everyone with an account at the issuer could use the rule."
    )]
    NoOwner { place: String, rule: usize, names: String },
    #[error("{0}.rules[{1}].claims.{2} must be a string, a number, true, false, or an array of these values")]
    Claim(String, usize, String),
    #[error("{0}.rules[{1}].scopes must have at least 1 and at most {MAX_SCOPES} entries")]
    ScopeCount(String, usize),
    #[error("{0}.rules[{1}].scopes: {2}")]
    Scope(String, usize, InvalidScope),
    #[error("{0} must have at most {MAX_ENTRIES} entries, and each issuer at most {MAX_ENTRIES} rules")]
    TooMany(String),
    #[error("login.client-id must not be empty")]
    NoClient,
    #[error("login.client-secret must not be empty. Omit it for a public client.")]
    EmptySecret,
    #[error("login: set either client-secret or client-secret-file, not both")]
    TwoSecrets,
    #[error("login.client-secret-file: could not read {path}: {source}")]
    SecretFile { path: String, source: std::io::Error },
    #[error("login.session-hours must be between 1 and {MAX_SESSION_HOURS}")]
    SessionHours,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Preset {
    Github,
    Gitlab,
}

impl Preset {
    fn issuer(self) -> &'static str {
        match self {
            Self::Github => "https://token.actions.githubusercontent.com",
            Self::Gitlab => "https://gitlab.com",
        }
    }

    /// Returns the claims that identify the owner of a pipeline. A rule must contain one of them. Otherwise, it would
    /// grant access to everyone with an account at the issuer.
    fn owners(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["repository_id", "repository_owner_id", "repository", "repository_owner"],
            Self::Gitlab => &["project_id", "namespace_id", "project_path", "namespace_path"],
        }
    }

    /// Returns claim values that exclude a token by default. They do not apply to a rule that contains the claim
    /// itself.
    fn excluded(self) -> BTreeMap<String, &'static str> {
        match self {
            // Workflows with this event run with the permissions of the repository for pull requests of any user.
            Self::Github => [("event_name".to_owned(), "pull_request_target")].into(),
            Self::Gitlab => BTreeMap::new(),
        }
    }
}

/// An element of `issuers` in the configuration file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IssuerEntry {
    preset: Option<Preset>,
    issuer: Option<String>,
    audience: String,
    keys_url: Option<String>,
    certificates: Option<PathBuf>,
    #[serde(default)]
    rules: Vec<RuleEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RuleEntry {
    #[serde(default)]
    claims: BTreeMap<String, toml::Value>,
    #[serde(default)]
    scopes: Vec<String>,
}

/// The `login` table in the configuration file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LoginEntry {
    issuer: String,
    client_id: String,
    client_secret: Option<String>,
    client_secret_file: Option<PathBuf>,
    name: Option<String>,
    user_claim: Option<String>,
    request_scopes: Option<Vec<String>>,
    session_hours: Option<u32>,
    certificates: Option<PathBuf>,
    #[serde(default)]
    rules: Vec<RuleEntry>,
}

/// Validates the `login` table. Relative paths in it are resolved in `directory`.
pub fn login(entry: LoginEntry, directory: &Path) -> Result<LoginSettings, IssuerError> {
    let place = "login";
    check_urls(place, &[("issuer", Some(&entry.issuer))])?;
    if entry.client_id.trim().is_empty() {
        return Err(IssuerError::NoClient);
    }
    let session_hours = entry.session_hours.unwrap_or(DEFAULT_SESSION_HOURS);
    if session_hours == 0 || session_hours > MAX_SESSION_HOURS {
        return Err(IssuerError::SessionHours);
    }
    let client_secret = match (entry.client_secret, entry.client_secret_file) {
        (Some(_), Some(_)) => return Err(IssuerError::TwoSecrets),
        (None, None) => None,
        (Some(secret), None) => Some(secret),
        (None, Some(path)) => Some(read_secret(&directory.join(path))?),
    };
    if client_secret.as_ref().is_some_and(|secret| secret.trim().is_empty()) {
        return Err(IssuerError::EmptySecret);
    }
    if entry.rules.len() > MAX_ENTRIES {
        return Err(IssuerError::TooMany("login.rules".to_owned()));
    }
    let scopes = entry
        .request_scopes
        .unwrap_or_else(|| ["profile", "email"].map(str::to_owned).into());
    Ok(LoginSettings {
        provider: Issuer {
            url: entry.issuer,
            audience: entry.client_id,
            keys_url: None,
            certificates: entry.certificates.map(|path| directory.join(path)),
            rules: identity_rules(place, entry.rules, None)?,
            refresh_interval: REFRESH_INTERVAL,
        },
        client_secret,
        name: entry.name.unwrap_or_else(|| "single sign-on".to_owned()),
        user_claim: entry.user_claim,
        request_scopes: scopes,
        session_hours,
    })
}

fn read_secret(path: &Path) -> Result<String, IssuerError> {
    let failed = |source| IssuerError::SecretFile {
        path: path.display().to_string(),
        source,
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_SECRET).read_to_string(&mut text).map_err(failed)?;
    Ok(text.trim().to_owned())
}

/// Validates the elements of `issuers`. Relative paths in them are resolved in `directory`.
pub fn issuers(entries: Vec<IssuerEntry>, directory: &Path) -> Result<Vec<Issuer>, IssuerError> {
    if entries.len() > MAX_ENTRIES || entries.iter().any(|entry| entry.rules.len() > MAX_ENTRIES) {
        return Err(IssuerError::TooMany("issuers".to_owned()));
    }
    let mut issuers: Vec<Issuer> = Vec::with_capacity(entries.len());
    for (at, entry) in entries.into_iter().enumerate() {
        let place = format!("issuers[{at}]");
        let issuer = issuer(&place, entry, directory)?;
        if issuers.iter().any(|known| known.url == issuer.url) {
            return Err(IssuerError::Duplicate(place, issuer.url));
        }
        issuers.push(issuer);
    }
    Ok(issuers)
}

fn issuer(place: &str, entry: IssuerEntry, directory: &Path) -> Result<Issuer, IssuerError> {
    let preset = entry.preset;
    let url = entry
        .issuer
        .or_else(|| preset.map(|preset| preset.issuer().to_owned()))
        .ok_or_else(|| IssuerError::NoIssuer(place.to_owned()))?;
    check_urls(place, &[("issuer", Some(&url)), ("keys-url", entry.keys_url.as_ref())])?;
    if entry.audience.trim().is_empty() {
        return Err(IssuerError::NoAudience(place.to_owned()));
    }
    Ok(Issuer {
        url,
        audience: entry.audience,
        keys_url: entry.keys_url,
        certificates: entry.certificates.map(|path| directory.join(path)),
        rules: identity_rules(place, entry.rules, preset)?,
        refresh_interval: REFRESH_INTERVAL,
    })
}

fn check_urls(place: &str, urls: &[(&'static str, Option<&String>)]) -> Result<(), IssuerError> {
    let insecure = urls
        .iter()
        .find_map(|(name, url)| url.filter(|url| !is_secure(url)).map(|url| (*name, url)));
    match insecure {
        None => Ok(()),
        Some((name, url)) => Err(IssuerError::Insecure {
            place: place.to_owned(),
            name,
            url: url.clone(),
        }),
    }
}

fn identity_rules(
    place: &str,
    entries: Vec<RuleEntry>,
    preset: Option<Preset>,
) -> Result<Vec<IdentityRule>, IssuerError> {
    if entries.is_empty() {
        return Err(IssuerError::NoRules(place.to_owned()));
    }
    let entries = entries.into_iter().enumerate();
    entries
        .map(|(number, entry)| identity_rule(place, number, entry, preset))
        .collect()
}

/// Returns true if a URL is protected against eavesdropping: HTTPS, or HTTP on the local host, which is allowed for
/// tests.
pub(super) fn is_secure(url: &str) -> bool {
    let is_local = |rest: &str| {
        let authority = rest.split('/').next().unwrap_or_default();
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        matches!(host, "127.0.0.1" | "localhost" | "[::1]")
    };
    url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty())
        || url.strip_prefix("http://").is_some_and(is_local)
}

fn identity_rule(
    place: &str,
    number: usize,
    entry: RuleEntry,
    preset: Option<Preset>,
) -> Result<IdentityRule, IssuerError> {
    if entry.claims.is_empty() {
        return Err(IssuerError::NoClaims(place.to_owned(), number));
    }
    let mut claims = BTreeMap::new();
    for (name, value) in entry.claims {
        let patterns = patterns(&value).ok_or_else(|| IssuerError::Claim(place.to_owned(), number, name.clone()))?;
        claims.insert(name, patterns);
    }
    let names_owner = |owner: &&str| {
        let patterns = claims.get(*owner);
        patterns.is_some_and(|patterns| patterns.iter().all(|pattern| !pattern.to_string().starts_with('*')))
    };
    if let Some(preset) = preset.filter(|preset| !preset.owners().iter().any(names_owner)) {
        return Err(IssuerError::NoOwner {
            place: place.to_owned(),
            rule: number,
            names: preset.owners().join(", "),
        });
    }
    if entry.scopes.is_empty() || entry.scopes.len() > MAX_SCOPES {
        return Err(IssuerError::ScopeCount(place.to_owned(), number));
    }
    let scopes: Result<Vec<Scope>, InvalidScope> = entry.scopes.iter().map(|scope| scope.parse()).collect();
    let mut excluded = preset.map(Preset::excluded).unwrap_or_default();
    excluded.retain(|name, _| !claims.contains_key(name));
    Ok(IdentityRule {
        claims,
        excluded,
        grants: Grants::new(scopes.map_err(|error| IssuerError::Scope(place.to_owned(), number, error))?),
    })
}

fn patterns(value: &toml::Value) -> Option<Vec<Pattern>> {
    let pattern = |value: &toml::Value| match value {
        toml::Value::String(text) => Pattern::parse(text),
        toml::Value::Integer(number) => Pattern::parse(&number.to_string()),
        toml::Value::Boolean(value) => Pattern::parse(&value.to_string()),
        _ => None,
    };
    match value {
        toml::Value::Array(values) if !values.is_empty() => values.iter().map(pattern).collect(),
        value => Some(vec![pattern(value)?]),
    }
}
