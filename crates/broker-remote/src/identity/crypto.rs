//! Verifies the signatures of identity tokens with ring, which the broker also uses for TLS.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{self as ring_signature, RsaPublicKeyComponents, UnparsedPublicKey};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes jsonwebtoken use ring in this process. Repeated calls have no effect.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // This crate is the only user of jsonwebtoken.
        let _ = PROVIDER.install_default();
    });
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "jsonwebtoken defines this signature")]
fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "jsonwebtoken defines this signature")]
/// Returns the verifier for an algorithm. Supports only RS256, ES256, and `EdDSA`: `none` and symmetric algorithms are
/// errors.
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let (algorithm, key) = match (algorithm, key.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => (
            Algorithm::RS256,
            Key::Rsa(RsaPublicKeyComponents {
                n: n.clone(),
                e: e.clone(),
            }),
        ),
        (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => (
            Algorithm::ES256,
            Key::Other(UnparsedPublicKey::new(
                &ring_signature::ECDSA_P256_SHA256_FIXED,
                point.clone(),
            )),
        ),
        (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => (
            Algorithm::EdDSA,
            Key::Other(UnparsedPublicKey::new(&ring_signature::ED25519, point.clone())),
        ),
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    Ok(Box::new(RingVerifier { algorithm, key }))
}

struct RingVerifier {
    algorithm: Algorithm,
    key: Key,
}

enum Key {
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
    Other(UnparsedPublicKey<Vec<u8>>),
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], received: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match &self.key {
            Key::Rsa(key) => key.verify(&ring_signature::RSA_PKCS1_2048_8192_SHA256, message, received),
            Key::Other(key) => key.verify(message, received),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
