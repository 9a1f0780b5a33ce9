//! Encrypts the secrets that the broker stores.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use sha2::{Digest, Sha256};

use super::content::hex;

/// Size of a key, in bytes.
const KEY: usize = 32;
/// Version of the format of encrypted secrets.
const VERSION: &str = "1";

/// The keys for secrets in the database. The first key encrypts. All keys can decrypt, so that a key can be replaced.
#[derive(Clone, Default)]
pub struct Keyring(Arc<Vec<SecretKey>>);

struct SecretKey {
    id: String,
    key: LessSafeKey,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

/// A line of the key file is not a valid key.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line} must be a key: {KEY} random bytes in base64, for example from `openssl rand -base64 {KEY}`")]
pub struct InvalidKey {
    line: usize,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SecretError {
    #[error("the broker has no key to encrypt secrets")]
    NoKey,
    #[error("the secret was encrypted with the key {0}, which the broker does not have")]
    UnknownKey(String),
    #[error("the stored secret is damaged")]
    Damaged,
    #[error("the system returned no random bytes")]
    Random,
}

impl Keyring {
    /// Parses keys, one per line. Empty lines are ignored.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let mut keys = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let bytes = STANDARD.decode(text.trim()).map_err(|_| InvalidKey { line })?;
            keys.push(SecretKey::new(&bytes).ok_or(InvalidKey { line })?);
        }
        if keys.is_empty() {
            return Err(InvalidKey { line: 1 });
        }
        Ok(Self(Arc::new(keys)))
    }

    /// Returns a new random key in the format that [`Keyring::parse`] accepts.
    pub fn generate() -> Result<String, SecretError> {
        let mut bytes = [0; KEY];
        SystemRandom::new().fill(&mut bytes).map_err(|_| SecretError::Random)?;
        Ok(format!("{}\n", STANDARD.encode(bytes)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Encrypts a secret. Decryption requires the same `context`, for example the ID of a row, so that an encrypted
    /// secret cannot be moved to another row.
    pub fn encrypt(&self, context: &str, secret: &str) -> Result<String, SecretError> {
        let key = self.0.first().ok_or(SecretError::NoKey)?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| SecretError::Random)?;
        let mut bytes = secret.as_bytes().to_vec();
        key.key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context.as_bytes()),
                &mut bytes,
            )
            .map_err(|_| SecretError::Damaged)?;
        let bytes = [nonce.as_slice(), &bytes].concat();
        Ok(format!("{VERSION}.{}.{}", key.id, STANDARD.encode(bytes)))
    }

    pub fn decrypt(&self, context: &str, encrypted: &str) -> Result<String, SecretError> {
        let mut parts = encrypted.split('.');
        let (Some(VERSION), Some(id), Some(bytes), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(SecretError::Damaged);
        };
        let key = self.0.iter().find(|key| key.id == id);
        let key = key.ok_or_else(|| SecretError::UnknownKey(id.to_owned()))?;
        let mut bytes = STANDARD.decode(bytes).map_err(|_| SecretError::Damaged)?;
        let (nonce, bytes) = bytes.split_first_chunk_mut::<NONCE_LEN>().ok_or(SecretError::Damaged)?;
        let opened = key
            .key
            .open_in_place(
                Nonce::assume_unique_for_key(*nonce),
                Aad::from(context.as_bytes()),
                bytes,
            )
            .map_err(|_| SecretError::Damaged)?;
        String::from_utf8(opened.to_vec()).map_err(|_| SecretError::Damaged)
    }
}

impl SecretKey {
    fn new(bytes: &[u8]) -> Option<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).ok()?;
        Some(Self {
            id: hex(&Sha256::digest(bytes)[..4]),
            key: LessSafeKey::new(key),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyring() -> (String, Keyring) {
        let text = Keyring::generate().expect("a key");
        let keyring = Keyring::parse(&text).expect("a key");
        (text, keyring)
    }

    #[test]
    fn decrypts_what_it_encrypted() {
        let (_, keyring) = keyring();
        let encrypted = keyring.encrypt("webhook a", "secret").expect("a text");
        assert!(!encrypted.contains("secret"));
        assert_ne!(keyring.encrypt("webhook a", "secret"), Ok(encrypted.clone()));
        assert_eq!(keyring.decrypt("webhook a", &encrypted).as_deref(), Ok("secret"));
        assert_eq!(keyring.decrypt("webhook b", &encrypted), Err(SecretError::Damaged));
        let shorter = &encrypted[..encrypted.len() - 4];
        assert_eq!(keyring.decrypt("webhook a", shorter), Err(SecretError::Damaged));
        for damaged in ["", "1", "2.a.b", "1.a.b.c"] {
            assert!(keyring.decrypt("webhook a", damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn older_keys_still_decrypt() {
        let (older, keyring) = keyring();
        let encrypted = keyring.encrypt("x", "secret").expect("a text");
        let newer = Keyring::generate().expect("a key");
        let both = Keyring::parse(&format!("{newer}\n{older}")).expect("keys");
        assert_eq!(both.decrypt("x", &encrypted).as_deref(), Ok("secret"));
        let only_newer = Keyring::parse(&newer).expect("a key");
        assert!(matches!(
            only_newer.decrypt("x", &encrypted),
            Err(SecretError::UnknownKey(_))
        ));
        assert_eq!(Keyring::default().encrypt("x", "y"), Err(SecretError::NoKey));
    }

    #[test]
    fn rejects_other_texts() {
        for text in ["", "short", &STANDARD.encode([0; 31]), &STANDARD.encode([0; 33])] {
            assert_eq!(Keyring::parse(text).err(), Some(InvalidKey { line: 1 }), "{text}");
        }
        assert!(!format!("{:?}", keyring().1).contains(keyring().0.trim()));
    }
}
