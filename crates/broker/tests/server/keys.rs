//! Key pairs of issuers, which sign identity tokens.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair};
use serde_json::{Value, json};

/// A key that was generated for these tests, and protects nothing.
const RSA_KEY: &[u8] = include_bytes!("rsa-key-for-tests.der");

/// A key pair of an issuer.
pub(crate) enum Key {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Key {
    pub(crate) fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_pkcs8(RSA_KEY).expect("a key"))
    }

    pub(crate) fn ec() -> Self {
        let (random, algorithm) = (SystemRandom::new(), &signature::ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        Self::Ec(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key"))
    }

    pub(crate) fn ed() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self::Ed(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key"))
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
            Self::Ed(_) => "EdDSA",
        }
    }

    pub(crate) fn public(&self, id: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let public: signature::RsaPublicKeyComponents<Vec<u8>> = pair.public().into();
                json!({ "kid": id, "kty": "RSA", "use": "sig", "alg": "RS256", "n": encode(&public.n), "e": encode(&public.e) })
            }
            Self::Ec(pair) => {
                let point = pair.public_key().as_ref();
                json!({ "kid": id, "kty": "EC", "crv": "P-256", "x": encode(&point[1..33]), "y": encode(&point[33..]) })
            }
            Self::Ed(pair) => {
                json!({ "kid": id, "kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key().as_ref()) })
            }
        }
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Rsa(pair) => {
                let mut signed = vec![0; pair.public().modulus_len()];
                pair.sign(&signature::RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signed)
                    .expect("a signature");
                signed
            }
            Self::Ec(pair) => {
                let signed = pair.sign(&SystemRandom::new(), message).expect("a signature");
                signed.as_ref().to_vec()
            }
            Self::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    pub(crate) fn token(&self, id: &str, claims: &Value) -> String {
        let header = json!({ "alg": self.algorithm(), "kid": id, "typ": "JWT" });
        self.token_with(&header, claims)
    }

    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let message = format!(
            "{}.{}",
            encode(header.to_string().as_bytes()),
            encode(claims.to_string().as_bytes())
        );
        format!("{message}.{}", encode(&self.sign(message.as_bytes())))
    }
}

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time");
    i64::try_from(since.as_secs()).expect("a small number")
}
