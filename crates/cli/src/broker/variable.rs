use std::env;

/// The variable that is set: ours, or as the field calls it, which has some names in the plural.
pub(super) fn variable(name: &str) -> Option<String> {
    let field = name.replacen("CONTRACT_BROKER_", "PACT_BROKER_", 1);
    let names = [name.to_owned(), field.clone(), format!("{field}S")];
    names
        .into_iter()
        .find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}
