use std::env;

/// Returns the name of the environment variable that is set: `name`, or the corresponding Pact Broker variable, whose
/// name may be plural.
pub(super) fn variable(name: &str) -> Option<String> {
    let pact_name = name.replacen("CONTRACT_BROKER_", "PACT_BROKER_", 1);
    let names = [name.to_owned(), pact_name.clone(), format!("{pact_name}S")];
    names
        .into_iter()
        .find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}
