//! Signs requests according to the Standard Webhooks specification.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

const PREFIX: &str = "whsec_";
/// The key sizes that the specification allows, in bytes.
const SIZES: std::ops::RangeInclusive<usize> = 24..=64;

pub struct SigningSecret(hmac::Key);

impl SigningSecret {
    /// Parses `whsec_` followed by 24 to 64 bytes in base64.
    pub fn parse(text: &str) -> Option<Self> {
        let key = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        SIZES
            .contains(&key.len())
            .then(|| Self(hmac::Key::new(hmac::HMAC_SHA256, &key)))
    }

    /// Returns the value of the `webhook-signature` header. `timestamp` is in seconds since 1970.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(format!("{id}.{timestamp}.").as_bytes());
        context.update(body);
        format!("v1,{}", STANDARD.encode(context.sign()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_the_example_of_the_specification() {
        let secret = SigningSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a secret");
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b"{\"test\": 2432232314}");
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn rejects_other_secrets() {
        let short = format!("whsec_{}", STANDARD.encode([0; 23]));
        for text in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%", &short] {
            assert!(SigningSecret::parse(text).is_none(), "{text}");
        }
    }
}
