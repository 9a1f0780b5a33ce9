//! Detects names whose values are likely to be secret. Reports and logs redact these values.

pub const REDACTED: &str = "[redacted]";

/// Names that are secret only as a whole, not as a part of another name.
const WHOLE: [&str; 4] = ["auth", "jwt", "pwd", "sig"];
/// Words that make a name secret if they occur anywhere in it.
const PARTS: [&str; 7] = [
    "authorization",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "token",
];
/// Suffixes that make a name secret.
const ENDS: [&str; 7] = [
    "accesskey",
    "apikey",
    "cookie",
    "privatekey",
    "sessionid",
    "signature",
    "xauth",
];
/// Names that are not secret: `tokens` is usually a count, and the value of `tokenType` is usually "Bearer".
const HARMLESS: [&str; 5] = ["maxtokens", "passwordless", "tokens", "tokentype", "totaltokens"];
/// Suffixes of pagination tokens, which are not secret.
const HARMLESS_ENDS: [&str; 4] = ["continuationtoken", "nexttoken", "pagetoken", "synctoken"];

/// Returns true if a header, a parameter, or a member with this name is likely to contain a secret. Ignores case and
/// separators. The name may be percent-encoded.
///
/// ```
/// use contract_model::is_secret;
/// assert!(is_secret("X-Api-Key") && is_secret("access_token") && is_secret("api%5Bkey%5D"));
/// assert!(!is_secret("nextPageToken"));
/// ```
pub fn is_secret(name: &str) -> bool {
    // This function is called for every header, parameter, and member, so it uses a buffer on the stack. Longer names
    // are truncated.
    let mut letters = [0; 64];
    let plain = decoded(name).filter(u8::is_ascii_alphanumeric);
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

/// Returns the bytes of a name, percent-decoded until no valid escapes are left.
fn decoded(name: &str) -> impl Iterator<Item = u8> {
    let mut rest = name.as_bytes();
    std::iter::from_fn(move || {
        let (&first, behind) = rest.split_first()?;
        rest = behind;
        let mut byte = first;
        while byte == b'%' {
            let digit = |at: usize| rest.get(at).and_then(|&digit| char::from(digit).to_digit(16));
            let (Some(high), Some(low)) = (digit(0), digit(1)) else {
                break;
            };
            byte = u8::try_from(high << 4 | low).unwrap_or_default();
            rest = &rest[2..];
        }
        Some(byte)
    })
}

/// The last letters (at most eight) of all secret words, and a mask of the bytes in use.
const ENDINGS: [(u64, u64); WHOLE.len() + PARTS.len() + ENDS.len()] = endings();

const fn endings() -> [(u64, u64); WHOLE.len() + PARTS.len() + ENDS.len()] {
    let mut endings = [(0, 0); WHOLE.len() + PARTS.len() + ENDS.len()];
    let lists: [&[&str]; 3] = [&WHOLE, &PARTS, &ENDS];
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        let mut word = 0;
        while word < lists[list].len() {
            let letters = lists[list][word].as_bytes();
            let mut at = letters.len().saturating_sub(8);
            while at < letters.len() {
                let (end, mask) = endings[count];
                endings[count] = (end << 8 | letters[at] as u64, mask << 8 | 0xff);
                at += 1;
            }
            count += 1;
            word += 1;
        }
        list += 1;
    }
    endings
}

/// The final letters of the secret words, with one bit for each letter of the alphabet.
const LAST: u32 = last_letters();

const fn last_letters() -> u32 {
    let (mut letters, mut at) = (0, 0);
    while at < ENDINGS.len() {
        letters |= 1 << ((ENDINGS[at].0 & 0xff) as u8 - b'a');
        at += 1;
    }
    letters
}

/// Returns true if the text may contain a name for which [`is_secret`] returns true. This check examines each letter
/// once and often avoids the more expensive search. A percent sign counts as any letter, because it may encode one.
///
/// ```
/// use contract_model::may_name_a_secret;
/// assert!(may_name_a_secret("GET /?access_token=a") && may_name_a_secret("%74oken=a"));
/// assert!(!may_name_a_secret("GET /?page=1"));
/// ```
pub fn may_name_a_secret(text: &str) -> bool {
    let mut last = 0_u64;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            let letter = byte.to_ascii_lowercase();
            last = last << 8 | u64::from(letter);
            let may_end = letter.is_ascii_lowercase() && LAST >> (letter - b'a') & 1 == 1;
            if may_end && ENDINGS.iter().any(|(end, mask)| last & mask == *end) {
                return true;
            }
        } else if byte == b'%' {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{ENDS, PARTS, WHOLE, is_secret, may_name_a_secret};

    #[test]
    fn detects_words_in_any_spelling() {
        for word in WHOLE.iter().chain(&PARTS).chain(&ENDS) {
            let spelled: Vec<String> = word.chars().map(|letter| letter.to_uppercase().to_string()).collect();
            for text in [format!("{word}=1"), format!("a b {}: 1", spelled.join("-"))] {
                assert!(is_secret(word) && may_name_a_secret(&text), "{text}");
            }
        }
        assert!(!may_name_a_secret("http://127.0.0.1:8080/items/12?page=1 é"));
    }

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
            "api%5Bkey%5D",
            "api%255Bkey%255d",
            "%74oken",
            "%2574oken%",
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
            "%6bey%zz%",
            "max_tokens",
            "nextPageToken",
            "passwordless",
            "token_type",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
