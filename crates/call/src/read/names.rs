//! Converts names and enum values from the conventions of all languages to snake case, and finds similar names.

/// Converts a name to snake case, so that `contentType`, `ContentType`, and `content_type` become equal.
pub fn snake(name: &str) -> String {
    // Most names are already in snake case.
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for character in name.chars() {
        if character.is_uppercase() {
            if before.is_lowercase() || before.is_ascii_digit() {
                out.push('_');
            }
            out.extend(character.to_lowercase());
        } else {
            out.push(character);
        }
        before = character;
    }
    out
}

/// Returns the most similar known name, or `None` if no known name is similar enough to be suggested.
pub fn suggest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let normalized = snake(name);
    let is_short = |known: &&&str| normalized.len() > 2 && known.starts_with(&normalized);
    if let Some(long) = known.iter().find(is_short) {
        return Some(long);
    }
    let scored = known
        .iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&normalized, known), *known));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness > 0.6).map(|(_, known)| known)
}

pub(super) fn most_similar(name: &str, known: &[&'static str]) -> Vec<&'static str> {
    const SHOWN: usize = 3;
    let normalized = snake(name);
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&normalized, known);
    let mut all = known.to_vec();
    all.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    all.truncate(SHOWN);
    all
}

/// Converts an enum value to snake case. Unlike [`snake`], it treats a word in upper case, such as `HTTP`, as one word.
pub(super) fn word(name: &str) -> String {
    if name.chars().all(char::is_uppercase) {
        name.to_lowercase()
    } else {
        snake(name)
    }
}
