//! The issuers of identity tokens in the configuration file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract_broker_core::domain::access::{Grants, InvalidScope, MAX_SCOPES, Pattern, Scope};
use serde::Deserialize;

/// Maximum number of issuers, and of rules of an issuer.
const MAX_ENTRIES: usize = 1_000;

/// An issuer of identity tokens, and the scopes of its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// The URL in the claim `iss`.
    pub url: String,
    /// The only value of the claim `aud`.
    pub audience: String,
    /// The URL of the keys. Default: the URL in the issuer's discovery document.
    pub keys_url: Option<String>,
    /// PEM file with certificates to trust in addition to those of the system.
    pub certificates: Option<PathBuf>,
    pub rules: Vec<IdentityRule>,
    /// Minimum time between two attempts to fetch keys. Default: 30 seconds.
    pub refresh_interval: Duration,
}

/// The scopes of tokens with these claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityRule {
    /// Each claim must match one of its patterns.
    pub claims: BTreeMap<String, Vec<Pattern>>,
    /// Claims with values for which a token is rejected.
    pub excluded: BTreeMap<String, &'static str>,
    pub grants: Grants,
}

/// The reason why the issuers in a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssuerError {
    #[error("issuers[{0}]: set `issuer` to the URL of the issuer, or `preset` to \"github\" or \"gitlab\"")]
    NoIssuer(usize),
    #[error("issuers[{at}].{name}: {url:?} must start with https://")]
    Insecure { at: usize, name: &'static str, url: String },
    #[error("issuers[{0}]: the issuer {1:?} appears twice. Combine the rules.")]
    Duplicate(usize, String),
    #[error("issuers[{0}].audience must not be empty. Set it to a value that only this broker uses, such as its URL.")]
    NoAudience(usize),
    #[error(
        "issuers[{0}] has no rules, so none of its tokens would have a scope. Add [[issuers.rules]] with claims and scopes."
    )]
    NoRules(usize),
    #[error(
        "issuers[{0}].rules[{1}].claims must not be empty: otherwise, all tokens of the issuer would have the scopes of this rule"
    )]
    NoClaims(usize, usize),
    #[error(
        "issuers[{at}].rules[{rule}].claims must name an owner: one of {names}, not with a pattern that starts with *. \
         Otherwise, everyone with an account at the issuer could use it."
    )]
    NoOwner { at: usize, rule: usize, names: String },
    #[error("issuers[{0}].rules[{1}].claims.{2} must be a string, a number, true, false, or an array of these values")]
    Claim(usize, usize, String),
    #[error("issuers[{0}].rules[{1}].scopes must have at least 1 and at most {MAX_SCOPES} entries")]
    ScopeCount(usize, usize),
    #[error("issuers[{0}].rules[{1}].scopes: {2}")]
    Scope(usize, usize, InvalidScope),
    #[error("issuers: at most {MAX_ENTRIES} entries, and at most {MAX_ENTRIES} rules of each")]
    TooMany,
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

    /// The claims that identify the owner of a pipeline. A rule without any of them would allow access to every account of the issuer.
    fn owners(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["repository_id", "repository_owner_id", "repository", "repository_owner"],
            Self::Gitlab => &["project_id", "namespace_id", "project_path", "namespace_path"],
        }
    }

    /// Claims with values that a rule excludes unless it names the claim.
    fn excluded(self) -> BTreeMap<String, &'static str> {
        match self {
            // Workflows with this event run with the permissions of the repository for pull requests of any user.
            Self::Github => [("event_name".to_owned(), "pull_request_target")].into(),
            Self::Gitlab => BTreeMap::new(),
        }
    }
}

/// An entry of `issuers` in the file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct IssuerEntry {
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

/// Checks the entries of a file in a directory, to which paths are relative.
pub(crate) fn issuers(entries: Vec<IssuerEntry>, directory: &Path) -> Result<Vec<Issuer>, IssuerError> {
    if entries.len() > MAX_ENTRIES || entries.iter().any(|entry| entry.rules.len() > MAX_ENTRIES) {
        return Err(IssuerError::TooMany);
    }
    let mut issuers: Vec<Issuer> = Vec::with_capacity(entries.len());
    for (at, entry) in entries.into_iter().enumerate() {
        let issuer = issuer(at, entry, directory)?;
        if issuers.iter().any(|known| known.url == issuer.url) {
            return Err(IssuerError::Duplicate(at, issuer.url));
        }
        issuers.push(issuer);
    }
    Ok(issuers)
}

fn issuer(at: usize, entry: IssuerEntry, directory: &Path) -> Result<Issuer, IssuerError> {
    let preset = entry.preset;
    let url = entry
        .issuer
        .or_else(|| preset.map(|preset| preset.issuer().to_owned()))
        .ok_or(IssuerError::NoIssuer(at))?;
    for (name, url) in [("issuer", Some(&url)), ("keys-url", entry.keys_url.as_ref())] {
        if let Some(url) = url.filter(|url| !is_secure(url)) {
            let url = url.clone();
            return Err(IssuerError::Insecure { at, name, url });
        }
    }
    if entry.audience.trim().is_empty() {
        return Err(IssuerError::NoAudience(at));
    }
    if entry.rules.is_empty() {
        return Err(IssuerError::NoRules(at));
    }
    let rules = entry.rules.into_iter().enumerate();
    Ok(Issuer {
        url,
        audience: entry.audience,
        keys_url: entry.keys_url,
        certificates: entry.certificates.map(|path| directory.join(path)),
        rules: rules
            .map(|(number, rule)| identity_rule(at, number, rule, preset))
            .collect::<Result<_, _>>()?,
        refresh_interval: Duration::from_secs(30),
    })
}

/// Rejects insecure connections for fetching keys. HTTP is allowed for the local host, for tests.
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
    at: usize,
    number: usize,
    entry: RuleEntry,
    preset: Option<Preset>,
) -> Result<IdentityRule, IssuerError> {
    if entry.claims.is_empty() {
        return Err(IssuerError::NoClaims(at, number));
    }
    let mut claims = BTreeMap::new();
    for (name, value) in entry.claims {
        let patterns = patterns(&value).ok_or_else(|| IssuerError::Claim(at, number, name.clone()))?;
        claims.insert(name, patterns);
    }
    let names_owner = |owner: &&str| {
        let patterns = claims.get(*owner);
        patterns.is_some_and(|patterns| patterns.iter().all(|pattern| !pattern.to_string().starts_with('*')))
    };
    if let Some(preset) = preset.filter(|preset| !preset.owners().iter().any(names_owner)) {
        return Err(IssuerError::NoOwner {
            at,
            rule: number,
            names: preset.owners().join(", "),
        });
    }
    if entry.scopes.is_empty() || entry.scopes.len() > MAX_SCOPES {
        return Err(IssuerError::ScopeCount(at, number));
    }
    let scopes: Result<Vec<Scope>, InvalidScope> = entry.scopes.iter().map(|scope| scope.parse()).collect();
    let mut excluded = preset.map(Preset::excluded).unwrap_or_default();
    excluded.retain(|name, _| !claims.contains_key(name));
    Ok(IdentityRule {
        claims,
        excluded,
        grants: Grants::new(scopes.map_err(|error| IssuerError::Scope(at, number, error))?),
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
