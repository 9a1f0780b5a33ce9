//! API tokens consist of `cbt_`, a public part, a secret part, and a checksum.
//!
//! The prefix allows secret scanners to recognize tokens. The checksum detects truncated tokens without a database
//! lookup.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::content::hex;

pub const PREFIX: &str = "cbt_";
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Number of characters of the public part, which identifies the token.
const PUBLIC: usize = 12;
/// Number of characters of the secret part: 178 bits.
const SECRET: usize = 30;
const CHECKSUM: usize = 6;
const LENGTH: usize = PREFIX.len() + PUBLIC + SECRET + CHECKSUM;

/// A new token. Only `id` and `hash` are stored, not the token itself.
pub struct NewToken {
    pub text: String,
    pub id: String,
    pub hash: String,
}

impl NewToken {
    /// Creates a token. `random` returns random bytes.
    pub fn generate(random: impl FnMut() -> u8) -> Self {
        let mut text = format!("{PREFIX}{}", random_text(PUBLIC + SECRET, random));
        text.push_str(&checksum(&text));
        Self {
            id: text[PREFIX.len()..PREFIX.len() + PUBLIC].to_owned(),
            hash: hash(&text),
            text,
        }
    }
}

/// Returns random letters and digits, each with almost 6 bits of entropy. `random` returns random bytes.
pub fn random_text(length: usize, mut random: impl FnMut() -> u8) -> String {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        // Take six bits, and skip values that would make some characters more likely.
        if let Some(character) = ALPHABET.get(usize::from(random() >> 2)) {
            text.push(char::from(*character));
        }
    }
    text
}

/// A token that a client sent. Its checksum is correct.
#[derive(Debug, PartialEq, Eq)]
pub struct SentToken<'a> {
    pub id: &'a str,
    pub hash: String,
}

impl<'a> SentToken<'a> {
    /// Parses a token. Returns `None` if its length, its prefix, or its checksum is wrong.
    pub fn parse(text: &'a str) -> Option<Self> {
        let is_token = text.len() == LENGTH
            && text.starts_with(PREFIX)
            && text[PREFIX.len()..].bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (start, sent) = is_token.then(|| text.split_at(LENGTH - CHECKSUM))?;
        (checksum(start) == sent).then(|| Self {
            id: &text[PREFIX.len()..PREFIX.len() + PUBLIC],
            hash: hash(text),
        })
    }

    /// Compares the token's hash with `known` in constant time.
    pub fn has_hash(&self, known: &str) -> bool {
        self.hash.as_bytes().ct_eq(known.as_bytes()).into()
    }
}

/// Returns the SHA-256 hash of a secret, in hexadecimal. The secret must be random; passwords need a slower hash.
pub fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret))
}

fn checksum(text: &str) -> String {
    let digest = Sha256::digest(text);
    let characters = digest
        .iter()
        .take(CHECKSUM)
        .map(|byte| usize::from(*byte) % ALPHABET.len());
    characters.map(|at| char::from(ALPHABET[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(seed: u8) -> NewToken {
        let mut next = seed;
        NewToken::generate(|| {
            next = next.wrapping_mul(5).wrapping_add(3);
            next
        })
    }

    #[test]
    fn tokens_are_parsed_as_they_are_generated() {
        let new = token(1);
        assert_eq!(new.text.len(), LENGTH, "{}", new.text);
        let sent = SentToken::parse(&new.text).expect("a token");
        assert_eq!(sent.id, new.id);
        assert!(sent.has_hash(&new.hash));
        assert!(!sent.has_hash(&token(2).hash));
        assert!(!sent.has_hash(&new.hash[1..]));
        assert_ne!(token(2).text, new.text);
    }

    #[test]
    fn truncated_and_changed_tokens_are_no_tokens() {
        let text = token(1).text;
        for length in 0..text.len() {
            assert_eq!(SentToken::parse(&text[..length]), None);
        }
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
            assert_eq!(
                SentToken::parse(&String::from_utf8(changed).expect("UTF-8")),
                None,
                "{at}"
            );
        }
        for text in [
            format!("{text}0"),
            "é".repeat(26),
            format!("{PREFIX}{}", "é".repeat(24)),
        ] {
            assert_eq!(SentToken::parse(&text), None, "{text}");
        }
    }
}
