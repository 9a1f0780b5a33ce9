//! Options of a new verifier: translates them to calls, and suggests replacements for option names of other Pact
//! libraries.

use contract_model::{Json, Object};

use super::operation::VerifierOperation;
use super::refused::refused;
use contract_call::error::ArgumentError;
use contract_call::message::{Message, listed, message, operation, option};
use contract_call::read;
use contract_call::value;

/// Option name, operation, and the argument that the option becomes.
type Row = (&'static str, &'static str, Given);

const OPTIONS: [Row; 30] = [
    ("sources", "add_source", Given::Each),
    ("transports", "add_transport", Given::Each),
    ("broker_source", "broker_source", Given::First),
    ("publish_options", "set_publish_options", Given::First),
    ("state_handler", "state_handler", Given::With("state_handler_options")),
    ("state_handler_options", "state_handler", Given::Beside),
    (
        "message_handler",
        "message_handler",
        Given::With("message_handler_options"),
    ),
    ("message_handler_options", "message_handler", Given::Beside),
    ("filter", "filter", Given::First),
    ("filter_consumers", "filter_consumers", Given::First),
    ("custom_headers", "add_custom_headers", Given::First),
    ("request_filter", "request_filter", Given::First),
    ("before_each", "before_each", Given::First),
    ("after_each", "after_each", Given::First),
    ("request_timeout", "set_request_timeout", Given::First),
    ("callback_timeout", "set_callback_timeout", Given::First),
    ("body_limit", "set_body_limit", Given::First),
    ("generated_size", "set_generated_size", Given::First),
    ("pattern_size", "set_pattern_size", Given::First),
    ("source_limit", "set_source_limit", Given::First),
    ("total_source_limit", "set_total_source_limit", Given::First),
    ("directory_limit", "set_directory_limit", Given::First),
    ("tls", "tls", Given::Whole),
    ("disable_ssl_verification", "disable_ssl_verification", Given::First),
    ("http_version", "set_http_version", Given::First),
    ("follow_redirects", "follow_redirects", Given::Switch),
    ("error_on_empty_contract", "set_error_on_empty_contract", Given::First),
    ("coloured_output", "set_coloured_output", Given::First),
    ("quiet", "set_quiet", Given::First),
    ("plugins", "set_plugins", Given::Whole),
];

/// The argument of the operation that an option becomes.
#[derive(Clone, Copy)]
enum Given {
    /// The first argument.
    First,
    /// Each item of an array becomes the first argument of a separate call.
    Each,
    /// The first argument; the named option becomes the `options` argument.
    With(&'static str),
    /// The `options` argument of the operation, which requires the operation's own option.
    Beside,
    /// The first argument; an object becomes the `options` argument of an enabled switch.
    Switch,
    /// All arguments.
    Whole,
}

/// Translates the options to operations in JSON, in order. Rejects unknown options, and handler options without a
/// handler.
pub(super) fn operations(options: Json) -> Result<Vec<Json>, ArgumentError> {
    let members = match options {
        Json::Null => return Ok(Vec::new()),
        other if value::is_undefined(&other) => return Ok(Vec::new()),
        Json::Object(members) if value::is_plain(&members) => members,
        other => return refuse(format!("options must be an object, got {}", read::describe(&other))),
    };
    let mut given: Vec<(&Row, Json)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        let known = read::snake(&name);
        match OPTIONS.iter().find(|(option, ..)| *option == known) {
            Some(row) if !value::is_undefined(&value) => given.push((row, value)),
            Some(_) => {}
            None => return refuse(unknown(&name, &known)),
        }
    }
    check(&given)?;
    let mut calls = Vec::with_capacity(given.len());
    for at in 0..given.len() {
        let (_, operation, how) = *given[at].0;
        let first = read::fields::<VerifierOperation>(operation)
            .first()
            .copied()
            .unwrap_or_default();
        let mut call = |arguments: Object| calls.push(Object::from_iter([(operation, arguments)]).into());
        match (how, std::mem::take(&mut given[at].1)) {
            // The handler's call uses them.
            (Given::Beside, options) => given[at].1 = options,
            (Given::Each, Json::Array(items)) => {
                for item in items {
                    call(Object::from_iter([(first, item)]));
                }
            }
            (Given::With(options), value) => {
                let mut arguments = Object::from_iter([(first, value)]);
                if let Some((_, options)) = given.iter_mut().find(|((name, ..), _)| *name == options) {
                    arguments.insert("options", std::mem::take(options));
                }
                call(arguments);
            }
            (Given::Switch, Json::Object(members)) if value::is_plain(&members) => {
                call(Object::from_iter([
                    (first, Json::Bool(true)),
                    ("options", members.into()),
                ]));
            }
            (Given::Whole, arguments) => calls.push(Object::from_iter([(operation, arguments)]).into()),
            (Given::First | Given::Switch | Given::Each, value) => call(Object::from_iter([(first, value)])),
        }
    }
    Ok(calls)
}

fn check(given: &[(&Row, Json)]) -> Result<(), ArgumentError> {
    let find = |wanted: &str| given.iter().find(|((name, ..), _)| *name == wanted);
    for ((name, handler, how), value) in given {
        match how {
            Given::Each if !matches!(value, Json::Array(_)) => {
                let problem = format!(" must be an array, got {}", read::describe(value));
                return refuse(message![option(*name), problem]);
            }
            Given::Beside if find(handler).is_none() => {
                let message = message![option(*name), " requires ", option(*handler)];
                return refuse(message);
            }
            _ => {}
        }
    }
    if find("broker_source").is_some_and(|(_, broker)| broker.get("selector") == Some(&Json::Bool(true))) {
        let message = message![
            "selector: true starts a builder, which only ",
            operation("broker_source"),
            "() supports; pass an object"
        ];
        return refuse(message).map_err(|error| error.for_argument("broker_source"));
    }
    Ok(())
}

fn refuse<T>(message: impl Into<Message>) -> Result<T, ArgumentError> {
    Err(refused(message).in_operation("Verifier"))
}

/// Advice for an unknown option.
fn unknown(name: &str, known: &str) -> Message {
    let options = OPTIONS.map(|(option, ..)| option);
    let near = || read::suggest(known, &options).map(|near| message!["Did you mean ", option(near), "?"]);
    let advice = elsewhere(known).or_else(near);
    let advice = advice.unwrap_or_else(|| message!["Options: ", listed(&options, ", ", ", ")]);
    message![format!("unknown option {name:?}. "), advice]
}

/// The equivalent of an option of pact-js or another Pact library.
fn elsewhere(known: &str) -> Option<Message> {
    let here = match known {
        "provider" => return Some("The provider name is the first argument.".into()),
        "change_origin" | "proxy_host" => {
            return Some("Requests go directly to the provider; remove the option.".into());
        }
        "format" | "out" => return Some("verify() returns the report; remove the option.".into()),
        "log_level" | "log_file" | "log_dir" | "verbose" => {
            return Some(message!["Use ", operation("contract_ffi.log_to_stderr"), "."]);
        }
        "provider_base_url" => "transports",
        "pact_urls" | "contract_urls" => "sources",
        "state_handlers" | "provider_states_setup_url" => "state_handler",
        "message_providers" => "message_handler",
        "custom_provider_headers" => "custom_headers",
        "consumer_filters" => "filter_consumers",
        "timeout" => "request_timeout",
        "fail_if_no_pacts_found" => "error_on_empty_contract",
        "tls_client_options" => "tls",
        "validate_ssl" => "disable_ssl_verification",
        "pact_broker_url"
        | "pact_broker_username"
        | "pact_broker_password"
        | "pact_broker_token"
        | "broker_url"
        | "consumer_version_selectors"
        | "consumer_version_tags"
        | "enable_pending"
        | "include_wip_pacts_since" => "broker_source",
        "publish_verification_result" | "provider_version" | "provider_version_branch" | "provider_version_tags" => {
            "publish_options"
        }
        _ => return None,
    };
    Some(message!["Use ", option(here), "."])
}
