//! Hashes user passwords with argon2id.

use std::sync::{Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use subtle::ConstantTimeEq as _;

/// Minimum length of a password, in characters (NIST SP 800-63B, section 5.1.1.2).
pub const MIN_LENGTH: usize = 8;
/// Maximum length of a password, in bytes.
pub const MAX_LENGTH: usize = 1_024;
/// Length of a salt, in bytes.
pub const SALT: usize = 16;

/// A hash that no password matches. Passwords of unknown users are checked against it, so that the response time does
/// not reveal whether a user exists.
const DUMMY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Memory of finished computations, at most [`MAX_FREE`] entries of 19 MiB. The allocator of glibc cannot reuse freed
/// memory with the alignment of these blocks, so a process would grow with each login.
static FREE: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());
const MAX_FREE: usize = 2;

/// Computes the hash of a password.
fn compute(argon2: &Argon2<'_>, password: &str, salt: &[u8], hash: &mut [u8]) -> argon2::Result<()> {
    let free = || FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut memory = free().pop().unwrap_or_default();
    memory.resize(argon2.params().block_count(), Block::default());
    let computed = argon2.hash_password_into_with_memory(password.as_bytes(), salt, hash, &mut memory);
    let mut free = free();
    if free.len() < MAX_FREE {
        free.push(memory);
    }
    computed
}

/// Returns the argon2id hash in the PHC string format. Takes tens of milliseconds and 19 MiB of memory.
pub fn hash(password: &str, salt: &[u8; SALT]) -> String {
    let argon2 = Argon2::default();
    let mut hash = [0; Params::DEFAULT_OUTPUT_LEN];
    compute(&argon2, password, salt, &mut hash).expect("the default parameters and a salt of 16 bytes are valid");
    let params = argon2.params();
    format!(
        "$argon2id$v=19$m={},t={},p={}${}${}",
        params.m_cost(),
        params.t_cost(),
        params.p_cost(),
        STANDARD_NO_PAD.encode(salt),
        STANDARD_NO_PAD.encode(hash)
    )
}

/// Returns whether a password matches a hash. `None` stands for an unknown user: the function takes the same time and
/// returns `false`.
pub fn verify(password: &str, hash: Option<&str>) -> bool {
    let is_verified = is_of(password, hash.unwrap_or(DUMMY)).unwrap_or(false);
    is_verified && hash.is_some()
}

/// Returns `None` if the hash is invalid.
fn is_of(password: &str, hash: &str) -> Option<bool> {
    let hash = PasswordHash::new(hash).ok()?;
    let params = Params::try_from(&hash).ok()?;
    let algorithm = Algorithm::try_from(hash.algorithm.as_str()).ok()?;
    let version = Version::try_from(hash.version.unwrap_or_default()).ok()?;
    let (salt, expected) = (hash.salt?, hash.hash?);
    let mut found = vec![0; expected.as_ref().len()];
    compute(
        &Argon2::new(algorithm, version, params),
        password,
        salt.as_ref(),
        &mut found,
    )
    .ok()?;
    Some(found.ct_eq(expected.as_ref()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verifies_hashed_passwords() {
        let hashed = hash("correct horse", &[7; SALT]);
        assert!(hashed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hashed}");
        assert!(verify("correct horse", Some(&hashed)));
        assert!(!verify("correct horsf", Some(&hashed)));
        assert!(!verify("correct horse", None));
        assert!(!verify("", Some("")));
        assert_ne!(hash("correct horse", &[8; SALT]), hashed);
        assert!(PasswordHash::new(DUMMY).is_ok());
    }
}
