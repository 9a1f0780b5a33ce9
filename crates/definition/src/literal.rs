//! Patterns that match a fixed string.

/// Returns a pattern that matches exactly this text in all regular expression engines.
pub(crate) fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}
