//! What a new verifier is told at once: the calls that its options stand for, and what options of other tools are called here.

use contract_model::{Json, Object};

use super::refused::refused;
use crate::error::ArgumentError;
use crate::message::{Message, listed, operation, option, told};
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

/// What a verifier can be told at once: the name of the option, the call that it stands for, and how it is handed to that.
const OPTIONS: [(&str, &str, Given); 28] = [
    ("sources", "add_source", Given::Each("source")),
    ("transports", "add_transport", Given::Each("transport")),
    ("broker_source", "broker_source", Given::As("options")),
    ("publish_options", "set_publish_options", Given::As("options")),
    (
        "state_handler",
        "state_handler",
        Given::With("handler", "state_handler_options"),
    ),
    ("state_handler_options", "state_handler", Given::Beside("state_handler")),
    (
        "message_handler",
        "message_handler",
        Given::With("handlers", "message_handler_options"),
    ),
    (
        "message_handler_options",
        "message_handler",
        Given::Beside("message_handler"),
    ),
    ("filter", "filter", Given::As("filter")),
    ("filter_consumers", "filter_consumers", Given::As("names")),
    ("custom_headers", "add_custom_headers", Given::As("headers")),
    ("request_filter", "request_filter", Given::As("filter")),
    ("before_each", "before_each", Given::As("hook")),
    ("after_each", "after_each", Given::As("hook")),
    ("request_timeout", "set_request_timeout", Given::As("milliseconds")),
    ("callback_timeout", "set_callback_timeout", Given::As("milliseconds")),
    ("body_limit", "set_body_limit", Given::As("bytes")),
    ("generated_size", "set_generated_size", Given::As("bytes")),
    ("pattern_size", "set_pattern_size", Given::As("bytes")),
    ("source_limit", "set_source_limit", Given::As("bytes")),
    ("directory_limit", "set_directory_limit", Given::As("count")),
    ("tls", "tls", Given::Arguments),
    (
        "disable_ssl_verification",
        "disable_ssl_verification",
        Given::As("disabled"),
    ),
    ("http_version", "set_http_version", Given::As("version")),
    ("follow_redirects", "follow_redirects", Given::Switch("follow")),
    (
        "error_on_empty_contract",
        "set_error_on_empty_contract",
        Given::As("enabled"),
    ),
    ("coloured_output", "set_coloured_output", Given::As("enabled")),
    ("plugins", "set_plugins", Given::Arguments),
];

/// How an option is handed to its call.
#[derive(Clone, Copy)]
enum Given {
    /// As the argument of this name.
    As(&'static str),
    /// Each item of a list in a call of its own, as the argument of this name.
    Each(&'static str),
    /// As the argument of this name, with another option as its options.
    With(&'static str, &'static str),
    /// With the option of this name, which must be there.
    Beside(&'static str),
    /// As the argument of this name; an object is the options of what is switched on.
    Switch(&'static str),
    /// As all of the arguments.
    Arguments,
}

/// The calls that the options of a new verifier stand for, in the order in which they were given: each an operation as JSON.
/// Refuses other names, and options of a handler that is not there.
pub(super) fn operations(options: Json) -> Result<Vec<Json>, ArgumentError> {
    let members = match options {
        Json::Null => return Ok(Vec::new()),
        other if value::is_undefined(&other) => return Ok(Vec::new()),
        Json::Object(members) if value::is_plain(&members) => members,
        other => return refuse(format!("options must be an object, got {}", read::shown(&other))),
    };
    let mut given: Vec<(&(&str, &str, Given), Json)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        let known = read::snake(&name);
        match OPTIONS.iter().find(|(option, ..)| *option == known) {
            Some(row) if !value::is_undefined(&value) => given.push((row, value)),
            Some(_) => {}
            None => return refuse(unknown(&name, &known)),
        }
    }
    let find = |wanted: &str| given.iter().find(|((name, ..), _)| *name == wanted);
    for ((name, _, how), value) in &given {
        match how {
            Given::Each(_) if !matches!(value, Json::Array(_)) => {
                return refuse(told![
                    option(*name),
                    format!(" must be a list, got {}", read::shown(value))
                ]);
            }
            Given::Beside(handler) if find(handler).is_none() => {
                return refuse(told![
                    option(*name),
                    " are about a ",
                    option(*handler),
                    ", and there is none"
                ]);
            }
            _ => {}
        }
    }
    if find("broker_source").is_some_and(|(_, broker)| broker.get("selector") == Some(&Json::Bool(true))) {
        let message = told![
            "selector: true begins a builder, which needs the call ",
            operation("broker_source"),
            "; here it is an object"
        ];
        return refuse(message).map_err(|error| error.about("broker_source"));
    }
    let (mut beside, given): (Vec<_>, Vec<_>) = given
        .into_iter()
        .partition(|((_, _, how), _)| matches!(how, Given::Beside(_)));
    let mut calls = Vec::with_capacity(given.len());
    for (&(_, operation, how), value) in given {
        let mut call = |arguments: Json| calls.push(Object::from_iter([(operation, arguments)]).into());
        let one = |name: &str, value: Json| Object::from_iter([(name, value)]);
        match (how, value) {
            (Given::Each(name), Json::Array(items)) => items.into_iter().for_each(|item| call(one(name, item).into())),
            (Given::With(name, options), value) => {
                let mut arguments = one(name, value);
                if let Some(at) = beside.iter().position(|((name, ..), _)| *name == options) {
                    arguments.insert("options", beside.swap_remove(at).1);
                }
                call(arguments.into());
            }
            (Given::Switch(name), Json::Object(members)) if value::is_plain(&members) => {
                let mut arguments = one(name, Json::Bool(true));
                arguments.insert("options", members);
                call(arguments.into());
            }
            (Given::As(name) | Given::Switch(name) | Given::Each(name), value) => call(one(name, value).into()),
            (Given::Arguments | Given::Beside(_), arguments) => call(arguments),
        }
    }
    Ok(calls)
}

fn refuse<T>(message: impl Into<Message>) -> Result<T, ArgumentError> {
    Err(refused(message).of("Verifier"))
}

/// What to say instead of an option that there is not.
fn unknown(name: &str, known: &str) -> Message {
    let mut message = told![format!("there is no option {name:?}; ")];
    let options = OPTIONS.map(|(option, ..)| option);
    match ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == known) {
        Some((_, Elsewhere::Option(here))) => message.push(told!["use ", option(*here)]),
        Some((_, Elsewhere::Words(words))) => message.push(*words),
        Some((_, Elsewhere::Log)) => message.push(told!["use ", operation("contract_ffi.log_to_stderr")]),
        None => match read::near(known, &options) {
            Some(near) => message.push(told!["did you mean ", option(near), "?"]),
            None => message.push(told!["options are ", listed(&options, ", ", " and ")]),
        },
    }
    message
}
