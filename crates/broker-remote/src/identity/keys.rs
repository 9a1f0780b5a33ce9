//! Fetches and caches the public keys of an issuer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

use super::settings::{Issuer, is_secure};
use crate::failure::request_failure;
use crate::tls;

/// Maximum size of an issuer's response, in bytes.
const MAX_DOCUMENT: usize = 1024 * 1024;
/// Maximum number of keys that are read from an issuer's response. Further keys are ignored.
const MAX_KEYS: usize = 100;
/// Timeout for one request to an issuer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Age at which cached keys are fetched again, so that keys that the issuer has removed are no longer accepted.
const MAX_AGE: Duration = Duration::from_secs(600);

/// A public key and the only algorithm for which it is accepted.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

#[derive(Default)]
struct KeySet {
    keys: HashMap<String, Arc<Key>>,
    fetched_at: Option<Instant>,
    tried_at: Option<Instant>,
    /// Whether the last attempt to fetch the keys failed.
    has_failed: bool,
}

/// The cached keys of one issuer.
pub(super) struct Keys {
    current: Mutex<KeySet>,
    /// Locked while keys are fetched, so that only one request at a time fetches them.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    #[error("{url}: {}", request_failure(.source))]
    Request { url: String, source: reqwest::Error },
    #[error("{0} returned status {1}")]
    Status(String, u16),
    #[error("{0}: the response is larger than {MAX_DOCUMENT} bytes")]
    TooLarge(String),
    #[error("{0} is not a discovery document of this issuer")]
    Discovery(String),
    #[error("{0} must start with https://")]
    Insecure(String),
    #[error("{0} has no usable keys (RSA, P-256, or Ed25519)")]
    NoKeys(String),
    #[error("a recent attempt failed, and the broker waits before the next one")]
    Recently,
    #[error("certificates: {0}")]
    Certificates(String),
}

impl Keys {
    pub(super) fn new() -> Self {
        Self {
            current: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the cached key with this ID, and the time since the keys were fetched (`None` if they never were).
    fn find(&self, id: &str) -> (Option<Arc<Key>>, Option<Duration>) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let age = current.fetched_at.map(|at| at.elapsed());
        (current.keys.get(id).cloned(), age)
    }

    /// Returns the key with this ID, or `None` if the issuer has no such key. Fetches the keys if the ID is unknown or
    /// the cached keys are old, but at most once per [`Issuer::refresh_interval`]. If fetching fails, a cached key
    /// remains valid.
    pub(super) async fn key(&self, issuer: &Issuer, id: &str) -> Result<Option<Arc<Key>>, KeysError> {
        let is_current = |age: Option<Duration>| age.is_some_and(|age| age < MAX_AGE);
        let (found, age) = self.find(id);
        if found.is_some() && is_current(age) {
            return Ok(found);
        }
        let _fetching = self.fetching.lock().await;
        // Another request may have fetched the key.
        let (found, age) = self.find(id);
        if found.is_some() && is_current(age) {
            return Ok(found);
        }
        if !self.may_try(issuer) {
            // The unknown key may be new if the last attempt failed.
            return if found.is_some() || (age.is_some() && !self.has_failed()) {
                Ok(found)
            } else {
                Err(KeysError::Recently)
            };
        }
        match fetch(issuer).await {
            Ok(keys) => {
                let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
                current.keys = keys;
                current.fetched_at = Some(Instant::now());
                current.has_failed = false;
                Ok(current.keys.get(id).cloned())
            }
            Err(error) => {
                self.current.lock().unwrap_or_else(PoisonError::into_inner).has_failed = true;
                if found.is_some() { Ok(found) } else { Err(error) }
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).has_failed
    }

    fn may_try(&self, issuer: &Issuer) -> bool {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let may_try = current
            .tried_at
            .is_none_or(|at| at.elapsed() >= issuer.refresh_interval);
        if may_try {
            current.tried_at = Some(Instant::now());
        }
        may_try
    }
}

async fn fetch(issuer: &Issuer) -> Result<HashMap<String, Arc<Key>>, KeysError> {
    let client = client(issuer)?;
    let url = match &issuer.keys_url {
        Some(url) => url.clone(),
        None => discover(&client, &issuer.url).await?,
    };
    let document = document(&client, &url).await?;
    let listed = document
        .get("keys")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let keys: HashMap<String, Arc<Key>> = listed.iter().take(MAX_KEYS).filter_map(key).collect();
    if keys.is_empty() {
        return Err(KeysError::NoKeys(url));
    }
    Ok(keys)
}

/// Returns the URL of the keys that the issuer's discovery document contains.
async fn discover(client: &reqwest::Client, issuer: &str) -> Result<String, KeysError> {
    let (url, document) = discovery(client, issuer).await?;
    match document.get("jwks_uri").and_then(Value::as_str) {
        Some(keys) if is_secure(keys) => Ok(keys.to_owned()),
        Some(keys) => Err(KeysError::Insecure(keys.to_owned())),
        None => Err(KeysError::Discovery(url)),
    }
}

/// Fetches the discovery document of an issuer, and checks that it names this issuer. Returns its URL and content.
pub(super) async fn discovery(client: &reqwest::Client, issuer: &str) -> Result<(String, Value), KeysError> {
    let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    let document = document(client, &url).await?;
    if document.get("issuer").and_then(Value::as_str) == Some(issuer) {
        Ok((url, document))
    } else {
        Err(KeysError::Discovery(url))
    }
}

async fn document(client: &reqwest::Client, url: &str) -> Result<Value, KeysError> {
    let (status, document) = response(client.get(url), url).await?;
    if status.is_success() {
        Ok(document)
    } else {
        Err(KeysError::Status(url.to_owned(), status.as_u16()))
    }
}

/// Sends a request to `url`. Returns the response's status and its body, or `null` if the body is not JSON.
pub(super) async fn response(
    request: reqwest::RequestBuilder,
    url: &str,
) -> Result<(reqwest::StatusCode, Value), KeysError> {
    let failed = |source| KeysError::Request {
        url: url.to_owned(),
        source,
    };
    let mut response = request
        .header("accept", "application/json")
        .send()
        .await
        .map_err(failed)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > MAX_DOCUMENT {
            return Err(KeysError::TooLarge(url.to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok((response.status(), serde_json::from_slice(&body).unwrap_or_default()))
}

/// Parses an entry of a key set, and returns the key with its ID. Returns `None` if the key has no ID or cannot verify
/// signatures with a supported algorithm.
fn key(value: &Value) -> Option<(String, Arc<Key>)> {
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    let common = &jwk.common;
    if !matches!(common.public_key_use, None | Some(PublicKeyUse::Signature)) {
        return None;
    }
    let (algorithm, expected) = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
            (Algorithm::ES256, KeyAlgorithm::ES256)
        }
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
        }
        _ => return None,
    };
    if common.key_algorithm.is_some_and(|declared| declared != expected) {
        return None;
    }
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    Some((common.key_id.clone()?, Arc::new(Key { algorithm, key })))
}

pub(super) fn client(issuer: &Issuer) -> Result<reqwest::Client, KeysError> {
    tls::http_client(issuer.certificates.as_deref(), TIMEOUT).map_err(KeysError::Certificates)
}
