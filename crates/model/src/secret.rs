//! Which names speak of secrets. What stands under them is not shown to people.

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Names that are no more than this.
const WHOLE: [&str; 4] = ["auth", "jwt", "pwd", "sig"];
/// Words that a name may hold anywhere.
const PARTS: [&str; 7] = [
    "authorization",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "token",
];
/// Words at the end of a name.
const ENDS: [&str; 7] = [
    "accesskey",
    "apikey",
    "cookie",
    "privatekey",
    "sessionid",
    "signature",
    "xauth",
];
/// `tokens: 12` counts something, and `tokenType` is "Bearer".
const HARMLESS: [&str; 5] = ["maxtokens", "passwordless", "tokens", "tokentype", "totaltokens"];
/// Tokens that say where to go on reading.
const HARMLESS_ENDS: [&str; 4] = ["continuationtoken", "nexttoken", "pagetoken", "synctoken"];

/// Whether a header, a parameter or a member of this name holds a secret. Case and separators do not count.
///
/// ```
/// use contract_model::is_secret;
/// assert!(is_secret("X-Api-Key") && is_secret("access_token"));
/// assert!(!is_secret("nextPageToken"));
/// ```
pub fn is_secret(name: &str) -> bool {
    // Every header, parameter and member comes through here, so the letters go onto the stack. A longer name is cut.
    let mut letters = [0; 64];
    let plain = name.bytes().filter(u8::is_ascii_alphanumeric);
    let count = letters
        .iter_mut()
        .zip(plain)
        .map(|(letter, byte)| *letter = byte.to_ascii_lowercase())
        .count();
    let plain = std::str::from_utf8(&letters[..count]).unwrap_or_default();
    let ends_with = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    let is_harmless = HARMLESS.contains(&plain) || ends_with(&HARMLESS_ENDS);
    !is_harmless && (WHOLE.contains(&plain) || PARTS.iter().any(|part| plain.contains(part)) || ends_with(&ENDS))
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn names_of_secrets() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "Cookie",
            "Set-Cookie",
            "X-Api-Key",
            "x-auth-token",
            "accessToken",
            "access_token",
            "client_secret",
            "aws-secret-access-key",
            "PASSWORD",
            "userPassword",
            "JSESSIONID",
            "pwd",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "Accept",
            "author",
            "design",
            "id",
            "key",
            "keyboard",
            "max_tokens",
            "nextPageToken",
            "passwordless",
            "token_type",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
