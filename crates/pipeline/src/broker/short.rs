//! Shortens commit hashes for display.

/// Maximum length of a version that is displayed unchanged, in characters.
const WHOLE: usize = 12;
/// Number of characters to which a hash is shortened.
const SHOWN: usize = 7;

/// Shortens a version that is a hash. Other versions remain unchanged.
pub fn short_version(version: &str) -> String {
    if version.len() > WHOLE && version.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return format!("{}…", &version[..SHOWN]);
    }
    version.to_owned()
}

/// Shortens commit hashes (40 hexadecimal digits) in a text, except in URLs.
pub fn short_versions(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "/-_=%".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let length = rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
        let (word, rest_of_text) = rest[start..].split_at(length);
        out.push_str(&rest[..start]);
        let is_hash = word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        out.push_str(&if is_hash { short_version(word) } else { word.to_owned() });
        rest = rest_of_text;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{short_version, short_versions};

    #[test]
    fn hashes_are_shortened() {
        let hash = "a1".repeat(20);
        assert_eq!(short_version(&hash), "a1a1a1a…");
        for whole in ["1.2.3", "20241122", "1.0.0-beta.20241122", "123456789012"] {
            assert_eq!(short_version(whole), whole);
        }
        assert_eq!(
            short_versions(&format!(
                "web {hash} (main) and {hash}: http://h/versions/{hash}/x é {hash}."
            )),
            format!("web a1a1a1a… (main) and a1a1a1a…: http://h/versions/{hash}/x é a1a1a1a….")
        );
    }
}
