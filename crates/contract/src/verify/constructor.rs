//! Converts the options of a new verifier to operations. For option names of other Pact libraries, errors suggest the
//! equivalent option.

use contract_model::{Json, Object};

use super::invalid::invalid;
use super::operation::VerifierOperation;
use contract_call::error::ArgumentError;
use contract_call::message::{Message, listed, message, operation, option};
use contract_call::read;
use contract_call::value;

/// An option, the operation to which it is converted, and how its value becomes the arguments.
type Row = (&'static str, &'static str, Target);

const OPTIONS: [Row; 30] = [
    ("sources", "add_source", Target::Each),
    ("transports", "add_transport", Target::Each),
    ("broker_source", "broker_source", Target::First),
    ("publish_options", "set_publish_options", Target::First),
    ("state_handler", "state_handler", Target::With("state_handler_options")),
    ("state_handler_options", "state_handler", Target::OptionsOf),
    (
        "message_handler",
        "message_handler",
        Target::With("message_handler_options"),
    ),
    ("message_handler_options", "message_handler", Target::OptionsOf),
    ("filter", "filter", Target::First),
    ("filter_consumers", "filter_consumers", Target::First),
    ("custom_headers", "add_custom_headers", Target::First),
    ("request_filter", "request_filter", Target::First),
    ("before_each", "before_each", Target::First),
    ("after_each", "after_each", Target::First),
    ("request_timeout", "set_request_timeout", Target::First),
    ("callback_timeout", "set_callback_timeout", Target::First),
    ("body_limit", "set_body_limit", Target::First),
    ("generated_size", "set_generated_size", Target::First),
    ("pattern_size", "set_pattern_size", Target::First),
    ("source_limit", "set_source_limit", Target::First),
    ("total_source_limit", "set_total_source_limit", Target::First),
    ("directory_limit", "set_directory_limit", Target::First),
    ("tls", "tls", Target::Whole),
    ("disable_ssl_verification", "disable_ssl_verification", Target::First),
    ("http_version", "set_http_version", Target::First),
    ("follow_redirects", "follow_redirects", Target::Switch),
    ("error_on_empty_contract", "set_error_on_empty_contract", Target::First),
    ("coloured_output", "set_coloured_output", Target::First),
    ("quiet", "set_quiet", Target::First),
    ("plugins", "set_plugins", Target::Whole),
];

/// How the value of an option becomes the arguments of the operation.
#[derive(Clone, Copy)]
enum Target {
    /// The value is the first argument.
    First,
    /// The value is an array. The operation is called for each item, which is the first argument.
    Each,
    /// The value is the first argument. The option with this name contains the `options` argument.
    With(&'static str),
    /// The value is the `options` argument. It requires the option for the first argument.
    OptionsOf,
    /// The value is the first argument. If it is an object, the first argument is `true`, and the object is the
    /// `options` argument.
    Switch,
    /// The value is an object that contains all arguments.
    Whole,
}

/// Converts the options to operations in JSON, in the order of the options. Fails for unknown options, and for the
/// options of a handler without the handler.
pub(super) fn operations(options: Json) -> Result<Vec<Json>, ArgumentError> {
    let members = match options {
        Json::Null => return Ok(Vec::new()),
        other if value::is_undefined(&other) => return Ok(Vec::new()),
        Json::Object(members) if value::is_plain(&members) => members,
        other => {
            return reject(format!(
                "options must be an object, received {}",
                read::describe(&other)
            ));
        }
    };
    let mut passed: Vec<(&Row, Json)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        let known = read::snake(&name);
        match OPTIONS.iter().find(|(option, ..)| *option == known) {
            Some(row) if !value::is_undefined(&value) => passed.push((row, value)),
            Some(_) => {}
            None => return reject(unknown(&name, &known)),
        }
    }
    check(&passed)?;
    let mut calls = Vec::with_capacity(passed.len());
    for at in 0..passed.len() {
        let (_, operation, target) = *passed[at].0;
        let first = read::fields::<VerifierOperation>(operation)
            .first()
            .copied()
            .unwrap_or_default();
        let mut call = |arguments: Object| calls.push(Object::from_iter([(operation, arguments)]).into());
        match (target, std::mem::take(&mut passed[at].1)) {
            // These options are passed with the handler.
            (Target::OptionsOf, options) => passed[at].1 = options,
            (Target::Each, Json::Array(items)) => {
                for item in items {
                    call(Object::from_iter([(first, item)]));
                }
            }
            (Target::With(options), value) => {
                let mut arguments = Object::from_iter([(first, value)]);
                if let Some((_, options)) = passed.iter_mut().find(|((name, ..), _)| *name == options) {
                    arguments.insert("options", std::mem::take(options));
                }
                call(arguments);
            }
            (Target::Switch, Json::Object(members)) if value::is_plain(&members) => {
                call(Object::from_iter([
                    (first, Json::Bool(true)),
                    ("options", members.into()),
                ]));
            }
            (Target::Whole, arguments) => calls.push(Object::from_iter([(operation, arguments)]).into()),
            (Target::First | Target::Switch | Target::Each, value) => call(Object::from_iter([(first, value)])),
        }
    }
    Ok(calls)
}

fn check(passed: &[(&Row, Json)]) -> Result<(), ArgumentError> {
    let find = |argument: &str| passed.iter().find(|((name, ..), _)| *name == argument);
    for ((name, handler, target), value) in passed {
        match target {
            Target::Each if !matches!(value, Json::Array(_)) => {
                let problem = format!(" must be an array, received {}", read::describe(value));
                return reject(message![option(*name), problem]);
            }
            Target::OptionsOf if find(handler).is_none() => {
                let message = message![option(*name), " requires ", option(*handler)];
                return reject(message);
            }
            _ => {}
        }
    }
    if find("broker_source").is_some_and(|(_, broker)| broker.get("selector") == Some(&Json::Bool(true))) {
        let message = message![
            "the selector builder is available only with ",
            operation("broker_source"),
            "(); pass a selector object instead of true"
        ];
        return reject(message).map_err(|error| error.for_argument("broker_source"));
    }
    Ok(())
}

fn reject<T>(message: impl Into<Message>) -> Result<T, ArgumentError> {
    Err(invalid(message).in_operation("Verifier"))
}

fn unknown(name: &str, known: &str) -> Message {
    let options = OPTIONS.map(|(option, ..)| option);
    let near = || read::suggest(known, &options).map(|near| message!["Did you mean ", option(near), "?"]);
    let advice = equivalent(known).or_else(near);
    let advice = advice.unwrap_or_else(|| message!["Options: ", listed(&options, ", ", ", ")]);
    message![format!("unknown option {name:?}. "), advice]
}

/// Returns advice for an option name of pact-js or another Pact library, or `None` for other names.
fn equivalent(known: &str) -> Option<Message> {
    let expression = match known {
        "provider" => return Some("The provider name is the first argument.".into()),
        "change_origin" | "proxy_host" => {
            return Some("Requests go directly to the provider; remove the option.".into());
        }
        "monkeypatch" => return Some("It has no effect in pact-js either; remove the option.".into()),
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
        "publish_verification_result"
        | "provider_version"
        | "provider_version_branch"
        | "provider_branch"
        | "provider_version_tags"
        | "build_url" => "publish_options",
        _ => return None,
    };
    Some(message!["Use ", option(expression), "."])
}
