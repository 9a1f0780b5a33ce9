use std::env;

/// Returns the name of the variable to read: `name`, or else the corresponding Pact Broker variable, with or without a
/// plural "S". Returns `None` if none of them is set. Empty variables count as unset.
pub(super) fn variable(name: &str) -> Option<String> {
    let pact_name = name.replacen("CONTRACT_BROKER_", "PACT_BROKER_", 1);
    let names = [name.to_owned(), pact_name.clone(), format!("{pact_name}S")];
    names
        .into_iter()
        .find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}
