//! Finds known names of which a name is probably a typo, and derives display names.

/// Maximum length in bytes of the name of an application, version, branch, or tag.
pub const MAX_LENGTH: usize = 1_024;

/// Returns the known names that differ from `name` only in upper and lower case and in characters other than letters
/// and digits.
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let folded = fold(name);
    known
        .into_iter()
        .filter(|other| *other != name && fold(other) == folded)
        .map(str::to_owned)
        .collect()
}

/// Returns up to `limit` known names of which `name` may be a typo, the most similar first.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<String> {
    const LIKENESS: f64 = 0.6;
    let folded = fold(name);
    let likeness = |other: &str| {
        let other = fold(other);
        if folded.len() > 2 && (other.contains(&folded) || other.len() > 2 && folded.contains(&other)) {
            return 1.0;
        }
        strsim::normalized_damerau_levenshtein(&folded, &other)
    };
    // The distance takes quadratic time, and names can have `MAX_LENGTH` bytes.
    let lengths = folded.len() / 2..=folded.len().saturating_mul(4).clamp(8, 200);
    let scored = known.into_iter().filter(|other| lengths.contains(&other.len()));
    let scored = scored.map(|other| (likeness(other), other));
    let mut close: Vec<(f64, &str)> = scored.filter(|(likeness, _)| *likeness >= LIKENESS).collect();
    close.sort_by(|(a, first), (b, second)| b.total_cmp(a).then_with(|| first.cmp(second)));
    close.truncate(limit);
    close.into_iter().map(|(_, other)| other.to_owned()).collect()
}

/// Converts a name to lower case and removes all characters except letters and digits: `user-service` and `UserService`
/// become equal.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Derives the default display name in the same way as the Pact Broker: `mobile-appBackend` becomes `Mobile App
/// Backend`.
pub fn display_name(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1).copied();
        let is_separator = letter.is_whitespace() || matches!(letter, '-' | '_' | '.');
        // Separators split words. At the start or end of a name, they are part of the name.
        let divides = is_separator && at > 0 && after.is_some();
        let begins = letter.is_ascii_uppercase()
            && match (before, after) {
                (Some(before), Some(after)) if before.is_ascii_uppercase() => after.is_ascii_lowercase(),
                (Some(before), Some(_)) => before.is_ascii_lowercase() || before.is_ascii_digit(),
                _ => false,
            };
        if divides || begins {
            words.push(String::new());
        }
        if !divides && let Some(word) = words.last_mut() {
            let is_first = word.is_empty();
            word.push(if is_first { letter.to_ascii_uppercase() } else { letter });
        }
    }
    words.retain(|word| !word.trim().is_empty());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_have_close_names() {
        let known = ["web", "web-admin", "users", "orders", "Order Service"];
        for (name, expected) in [
            ("webb", vec!["web"]),
            ("WEB", vec!["web", "web-admin"]),
            ("user", vec!["users"]),
            ("order_service", vec!["Order Service", "orders"]),
            ("payments", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(closest(name, known, 3), expected, "{name:?}");
        }
        let long = "x".repeat(100_000);
        assert_eq!(closest(&long, [long.as_str()], 3), Vec::<String>::new());
    }

    #[test]
    fn derives_display_names() {
        for (name, expected) in [
            ("Foo", "Foo"),
            ("mobile app", "Mobile App"),
            ("mobile-app", "Mobile App"),
            ("mobile_app.backend", "Mobile App Backend"),
            ("mobileAppBackend", "Mobile App Backend"),
            ("UserServiceAPI", "User Service API"),
            ("HTTPServer", "HTTP Server"),
            ("foo  bar", "Foo Bar"),
            ("a-b-c", "A B C"),
            ("größe", "Größe"),
            ("v2Api", "V2 Api"),
            ("日本語", "日本語"),
            ("_", "_"),
        ] {
            assert_eq!(display_name(name), expected, "{name}");
        }
    }

    #[test]
    fn detects_similar_names() {
        for (name, other) in [
            ("foo", "Foo"),
            ("user-service", "UserService"),
            ("user_service", "User Service"),
            ("Users", "users"),
        ] {
            assert_eq!(similar(name, [other]), [other], "{name}");
        }
    }

    #[test]
    fn distinguishes_different_names() {
        for (name, other) in [
            ("foo", "foo"),
            ("foo", "bar"),
            ("orders", "order"),
            ("orders", "orders-api"),
            ("日本", "日本語"),
        ] {
            assert!(similar(name, [other]).is_empty(), "{name}");
        }
    }
}
