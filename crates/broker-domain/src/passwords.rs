//! Hashes user passwords with argon2id.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

/// Minimum length of a password, in characters (NIST SP 800-63B, section 5.1.1.2).
pub const MIN_LENGTH: usize = 8;
/// Maximum length of a password, in bytes.
pub const MAX_LENGTH: usize = 1_024;
/// Length of a salt, in bytes.
pub const SALT: usize = 16;

/// A hash that no password matches. Passwords of unknown users are checked against it, so that the response time does
/// not reveal whether a user exists.
const DUMMY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Returns the argon2id hash in the PHC string format. Takes tens of milliseconds and 19 MiB of memory.
pub fn hash(password: &str, salt: &[u8; SALT]) -> String {
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), salt);
    hash.expect("the default parameters and a salt of 16 bytes are valid")
        .to_string()
}

/// Returns whether a password matches a hash. `None` stands for an unknown user: the function takes the same time and
/// returns `false`.
pub fn verify(password: &str, hash: Option<&str>) -> bool {
    let is_of = |hash: &str| {
        let Ok(hash) = PasswordHash::new(hash) else {
            return false;
        };
        Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
    };
    let is_verified = is_of(hash.unwrap_or(DUMMY));
    is_verified && hash.is_some()
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
