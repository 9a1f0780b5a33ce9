//! Names that are nearly the same, which are more often a slip than a new application.

/// The known names that `name` might be meant to be.
pub(crate) fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let folded = fold(name);
    known
        .into_iter()
        .filter(|other| *other != name && fold(other) == folded)
        .map(str::to_owned)
        .collect()
}

/// Without case and separators: `user-service` and `UserService` are one name.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_seen() {
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
    fn other_names_are_other_names() {
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
