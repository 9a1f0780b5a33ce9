//! What a new verifier is told at once: which names there are, and what those of other tools are called here.

use contract_model::Json;

use super::refused::refused;
use crate::error::ArgumentError;
use crate::message::{Message, operation, option, told};
use crate::read;
use crate::value;

/// Names of options elsewhere, and what says the same here.
const ELSEWHERE: [(&str, Elsewhere); 34] = [
    (
        "provider",
        Elsewhere::Words("the provider's name is the first argument"),
    ),
    ("provider_base_url", Elsewhere::Option("transports")),
    ("pact_urls", Elsewhere::Option("sources")),
    ("contract_urls", Elsewhere::Option("sources")),
    ("state_handlers", Elsewhere::Option("state_handler")),
    ("message_providers", Elsewhere::Option("message_handler")),
    ("provider_states_setup_url", Elsewhere::Option("state_handler")),
    ("custom_provider_headers", Elsewhere::Option("custom_headers")),
    ("consumer_filters", Elsewhere::Option("filter_consumers")),
    ("timeout", Elsewhere::Option("request_timeout")),
    ("fail_if_no_pacts_found", Elsewhere::Option("error_on_empty_contract")),
    ("tls_client_options", Elsewhere::Option("tls")),
    ("validate_ssl", Elsewhere::Option("disable_ssl_verification")),
    (
        "change_origin",
        Elsewhere::Words("requests go to the provider directly; leave it out"),
    ),
    (
        "proxy_host",
        Elsewhere::Words("requests go to the provider directly; leave it out"),
    ),
    ("log_level", Elsewhere::Log),
    ("log_file", Elsewhere::Log),
    ("log_dir", Elsewhere::Log),
    (
        "format",
        Elsewhere::Words("the report is data, which verify gives; leave it out"),
    ),
    (
        "out",
        Elsewhere::Words("the report is data, which verify gives; leave it out"),
    ),
    ("verbose", Elsewhere::Log),
    ("pact_broker_url", Elsewhere::Option("broker_source")),
    ("pact_broker_username", Elsewhere::Option("broker_source")),
    ("pact_broker_password", Elsewhere::Option("broker_source")),
    ("pact_broker_token", Elsewhere::Option("broker_source")),
    ("broker_url", Elsewhere::Option("broker_source")),
    ("consumer_version_selectors", Elsewhere::Option("broker_source")),
    ("consumer_version_tags", Elsewhere::Option("broker_source")),
    ("enable_pending", Elsewhere::Option("broker_source")),
    ("include_wip_pacts_since", Elsewhere::Option("broker_source")),
    ("publish_verification_result", Elsewhere::Option("publish_options")),
    ("provider_version", Elsewhere::Option("publish_options")),
    ("provider_version_branch", Elsewhere::Option("publish_options")),
    ("provider_version_tags", Elsewhere::Option("publish_options")),
];

enum Elsewhere {
    Option(&'static str),
    Words(&'static str),
    Log,
}

/// What a verifier is told at once, by the names of its operations.
pub const VERIFIER_OPTIONS: [&str; 28] = [
    "sources",
    "transports",
    "broker_source",
    "publish_options",
    "state_handler",
    "state_handler_options",
    "message_handler",
    "filter",
    "filter_consumers",
    "custom_headers",
    "request_filter",
    "before_each",
    "after_each",
    "request_timeout",
    "callback_timeout",
    "body_limit",
    "generated_size",
    "pattern_size",
    "source_limit",
    "directory_limit",
    "tls",
    "disable_ssl_verification",
    "http_version",
    "follow_redirects",
    "error_on_empty_contract",
    "coloured_output",
    "plugins",
    "message_handler_options",
];

/// Refuses options for a new verifier with other names than [`VERIFIER_OPTIONS`], and options of a handler that is not there.
/// What they hold is for the operations of their names.
pub(super) fn check_verifier_options(options: &Json) -> Result<(), ArgumentError> {
    let refused = |message: Message| Err(refused(message).of("Verifier"));
    let members = match options {
        Json::Null => return Ok(()),
        other if value::is_undefined(other) => return Ok(()),
        Json::Object(members) if value::shown(options).is_none() => members,
        other => return refused(format!("options must be an object, got {}", read::shown(other)).into()),
    };
    let is_given = |wanted: &str| {
        let given =
            |(name, value): &&(contract_model::Text, Json)| read::snake(name) == wanted && !value::is_undefined(value);
        members.iter().find(given).is_some()
    };
    for name in members.keys() {
        let known = read::snake(name);
        if VERIFIER_OPTIONS.contains(&known.as_str()) {
            continue;
        }
        let mut message = told![format!("there is no option {name:?}; ")];
        match ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == known) {
            Some((_, Elsewhere::Option(here))) => message.push(told!["use ", option(*here)]),
            Some((_, Elsewhere::Words(words))) => message.push(*words),
            Some((_, Elsewhere::Log)) => message.push(told!["use ", operation("contract_ffi.log_to_stderr")]),
            None => match read::near(&known, &VERIFIER_OPTIONS) {
                Some(near) => message.push(told!["did you mean ", option(near), "?"]),
                None => message.push(told![
                    "options are ",
                    crate::message::listed(&VERIFIER_OPTIONS, ", ", " and ")
                ]),
            },
        }
        return refused(message);
    }
    for (name, value) in members {
        let known = read::snake(name);
        let is_list = matches!(known.as_str(), "sources" | "transports");
        if is_list && !value::is_undefined(value) && !matches!(value, Json::Array(_)) {
            return refused(told![
                option(known),
                format!(" must be a list, got {}", read::shown(value))
            ]);
        }
    }
    for handler in ["state_handler", "message_handler"] {
        let options = format!("{handler}_options");
        if is_given(&options) && !is_given(handler) {
            return refused(told![
                option(options),
                " are about a ",
                option(handler),
                ", and there is none"
            ]);
        }
    }
    Ok(())
}
