//! Suggests the option of this library that corresponds to a pact-js option.

use super::names::snake;
use crate::message::{Message, message, operation, option};

/// pact-js options that have a different name in this library. If several names correspond to one pact-js option, the
/// first one that the operation supports is suggested.
const RENAMED: [(&str, &str); 22] = [
    ("dir", "directory"),
    ("spec", "specification"),
    ("pactfile_write_mode", "write_mode"),
    ("ssl", "transport"),
    ("pact_broker_url", "url"),
    ("broker_url", "url"),
    ("pact_broker_username", "username"),
    ("pact_broker_password", "password"),
    ("pact_broker_token", "token"),
    ("consumer_version_selectors", "consumer_versions"),
    ("consumer_version_tags", "consumer_tags"),
    ("enable_pending", "include_pending"),
    ("include_wip_pacts_since", "include_wip_since"),
    ("provider_version_branch", "provider_branch"),
    ("provider_version_branch", "branch"),
    ("provider_version_tags", "provider_tags"),
    ("provider_version_tags", "tags"),
    ("provider_version", "version"),
    ("state", "states"),
    ("upon_receiving", "description"),
    ("with_request", "request"),
    ("will_respond_with", "response"),
];

/// Returns advice for an unknown option that has the name of a pact-js option, or `None` for all other names. `options`
/// are the operation's options.
pub(super) fn advice(field: &str, options: &[&'static str]) -> Option<Message> {
    let field = snake(field);
    let renamed = RENAMED.iter().find(|(old, new)| *old == field && options.contains(new));
    if let Some((_, new)) = renamed {
        return Some(message![" In this library, the option is \"", option(*new), "\"."]);
    }
    let is_contract = options.contains(&"write_mode");
    let is_server = options.contains(&"keep_alive");
    match field.as_str() {
        "consumer" | "provider" if is_contract => Some(" Pass the names before the options.".into()),
        "port" | "host" | "cors" | "tls" | "ssl" | "sslcert" | "sslkey" if is_contract => Some(message![
            " In this library, it is an option of ",
            operation("serve"),
            "()."
        ]),
        "dir" | "directory" if is_server => Some(of_contract("directory")),
        "spec" | "specification" if is_server => Some(of_contract("specification")),
        "pactfile_write_mode" | "write_mode" if is_server => Some(of_contract("write_mode")),
        "consumer" | "provider" if is_server => Some(" Pass the names to Contract.".into()),
        "sslcert" | "sslkey" if is_server => Some(message![" In this library, the option is \"", option("tls"), "\"."]),
        "log" | "log_level" | "log_file" | "log_dir" if is_contract || is_server => {
            Some(message![" Use ", operation("contract_ffi.log_to_stderr"), "()."])
        }
        _ => None,
    }
}

/// Returns advice for an option that belongs to the contract but was passed to the server.
fn of_contract(name: &'static str) -> Message {
    message![" Set \"", option(name), "\" in the options of Contract."]
}
