use std::env;

/// Returns the environment variable that is set: this one, or the corresponding variable of the Pact Broker. Some of
/// those have a plural name.
pub(super) fn variable(name: &str) -> Option<String> {
    let pact_name = name.replacen("CONTRACT_BROKER_", "PACT_BROKER_", 1);
    let names = [name.to_owned(), pact_name.clone(), format!("{pact_name}S")];
    names
        .into_iter()
        .find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}
