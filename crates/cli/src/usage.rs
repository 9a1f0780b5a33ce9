//! Redacts secrets in error messages about the command line. Any argument can contain a secret: if quotes are missing,
//! a secret is split into several arguments, and a typing error can turn a part of it into an option.

use std::collections::BTreeSet;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

use crate::arguments;
use crate::error::CliError;

const REDACTED: &str = "[redacted]";

/// Parts of the names of options whose values may be secrets. `data` is the body of a webhook request. Values of other
/// known options are not redacted.
const SECRET_WORDS: [&str; 11] = [
    "auth",
    "cookie",
    "credential",
    "data",
    "db",
    "header",
    "key",
    "pass",
    "secret",
    "token",
    "user",
];
/// Short forms of options whose values may be secrets, in `contract` and in `contract-broker`, because users confuse
/// the two.
const SECRET_LETTERS: &str = "Hdkptu";
/// Part of the names of options whose values are URLs. Invalid values are redacted completely, because any part of them
/// may be secret.
const URL_WORD: &str = "url";

/// Redacts everything in a usage error that may be a secret: unexpected arguments after an option that takes a secret,
/// values of such options, parts of unknown options, and credentials in URLs.
pub(crate) fn without_secrets(mut error: clap::Error, definition: &clap::Command, arguments: &[String]) -> clap::Error {
    let mut is_incomplete = false;
    for kind in [
        ContextKind::InvalidSubcommand,
        ContextKind::InvalidArg,
        ContextKind::InvalidValue,
    ] {
        let Some(ContextValue::String(text)) = error.get(kind) else {
            continue;
        };
        let redacted = match kind {
            ContextKind::InvalidValue => display_value(error.get(ContextKind::InvalidArg), text, arguments),
            // All other errors name a known option.
            ContextKind::InvalidArg if error.kind() != clap::error::ErrorKind::UnknownArgument => continue,
            _ => display_unknown(text, definition, arguments),
        };
        if redacted != *text {
            is_incomplete |= redacted.contains(REDACTED);
            error.insert(kind, ContextValue::String(redacted));
            // Suggestions quote the argument.
            error.remove(ContextKind::Suggested);
        }
    }
    if is_incomplete {
        let tip = "part of the command line is not shown, because it may be a secret. Put values that contain spaces in quotes.";
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![StyledStr::from(tip)]),
        );
    }
    error
}

/// Returns the invalid value of an option for an error message, redacted if it may be secret.
fn display_value(option: Option<&ContextValue>, value: &str, arguments: &[String]) -> String {
    let Some(ContextValue::String(option)) = option else {
        return REDACTED.to_owned();
    };
    let option = option.to_ascii_lowercase();
    // `-p` is a port in `contract` and a password in `contract-broker`.
    let is_confused = option.starts_with("--port") && arguments.iter().any(|word| word.starts_with("-p"));
    if value.is_empty() || (!is_confused && !is_secret_name(&option) && !option.contains(URL_WORD)) {
        return without_url_secrets(value);
    }
    REDACTED.to_owned()
}

/// Returns an unknown argument for an error message, redacted if it may be secret.
fn display_unknown(text: &str, definition: &clap::Command, arguments: &[String]) -> String {
    let is_option = text.starts_with('-');
    let is_match = |word: &String| word == text || (is_option && word.starts_with(text));
    let Some(at) = arguments.iter().rposition(is_match) else {
        return REDACTED.to_owned();
    };
    let before = &arguments[..at];
    if !is_option {
        // In `contract`, `-d` takes a directory and `-p` a port.
        let is_harmless = |at: usize| match arguments[at].as_str() {
            "-d" => true,
            "-p" => arguments[at + 1].parse::<u16>().is_ok(),
            _ => false,
        };
        let is_harmless = |at| definition.get_name() == "contract" && is_harmless(at);
        let follows_secret = (0..at).any(|at| takes_secret(&arguments[at]) && !is_harmless(at));
        return if follows_secret {
            REDACTED.to_owned()
        } else {
            without_url_secrets(text)
        };
    }
    let name = text.split('=').next().unwrap_or_default();
    // The longest known option that is a prefix of the argument, such as `--token` of `--tokenabc`.
    let known = long_options(definition)
        .into_iter()
        .filter(|known| name.len() > known.len() && name.starts_with(known.as_str()) && is_secret_name(known))
        .max_by_key(String::len);
    if let Some(known) = known {
        return format!("{known}{REDACTED}");
    }
    let is_value = before
        .last()
        .is_some_and(|word| takes_secret(word) && !word.contains('='));
    let is_name = name
        .bytes()
        .all(|byte| byte == b'-' || byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_value || !(is_name || name.len() == 2) {
        return REDACTED.to_owned();
    }
    name.to_owned()
}

/// Returns the long names of all options of a command and its subcommands, such as `--port`.
fn long_options(definition: &clap::Command) -> BTreeSet<String> {
    let own = definition.get_arguments().flat_map(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        aliases.into_iter().chain(argument.get_long())
    });
    let own = own.map(|name| format!("--{name}"));
    own.chain(definition.get_subcommands().flat_map(long_options)).collect()
}

/// Returns true if this argument is an option whose value may be a secret.
fn takes_secret(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(name) => is_secret_name(name.split('=').next().unwrap_or_default()),
        None => word.starts_with('-') && word.contains(|c| SECRET_LETTERS.contains(c)),
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Redacts the user name, password, query, and fragment of a URL.
pub(crate) fn without_url_secrets(text: &str) -> String {
    let (address, parameters) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
    let address = match address.rfind('@') {
        None => address.to_owned(),
        Some(at) => {
            let start = address[..at].find("://").map_or(0, |start| start + 3);
            format!("{}{REDACTED}{}", &address[..start], &address[at..])
        }
    };
    let parameters = match parameters.chars().next() {
        Some(mark) if parameters.len() > 1 => format!("{mark}{REDACTED}"),
        _ => parameters.to_owned(),
    };
    contract::redacted(&format!("{address}{parameters}")).into_owned()
}

/// Returns an error for a positional argument that may be part of a secret, because it follows an option that takes a
/// secret, as in `-H X-Key: secret`. Accepts arguments for which `is_valid` returns true. `expected` describes a valid
/// argument.
pub(crate) fn check_positional(
    text: &str,
    expected: &str,
    is_valid: impl FnOnce(&str) -> bool,
) -> Result<(), CliError> {
    match option_before(text, &arguments::as_text()) {
        Some(option) if !is_valid(text) => Err(CliError::usage(format!(
            "the argument after the value of {option} is not {expected}. It is not shown, because it may be part of a secret. Put \
             values that contain spaces in quotes."
        ))),
        _ => Ok(()),
    }
}

/// If this argument follows an option that takes a secret, with no other option in between, returns the option.
fn option_before(text: &str, arguments: &[String]) -> Option<String> {
    let mut option = None;
    for word in arguments {
        if word.starts_with('-') && word.len() > 1 {
            let name = if word.starts_with("--") {
                word.split('=').next().unwrap_or_default()
            } else {
                word.get(..2).unwrap_or_default()
            };
            option = takes_secret(word).then(|| name.to_owned());
        } else if word == text && option.is_some() {
            return option;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{option_before, without_secrets, without_url_secrets};

    fn split_arguments(line: &str) -> Vec<String> {
        line.split('|').map(str::to_owned).collect()
    }

    #[track_caller]
    fn error(definition: &clap::Command, line: &str) -> String {
        let arguments = split_arguments(line);
        let name = definition.get_name().to_owned();
        let result = definition.clone().try_get_matches_from([name].iter().chain(&arguments));
        let error = without_secrets(result.expect_err(line), definition, &arguments);
        error.to_string()
    }

    fn contract() -> clap::Command {
        <crate::command_line::Cli as clap::CommandFactory>::command()
    }

    fn broker() -> clap::Command {
        crate::broker::definition()
    }

    #[test]
    fn usage_errors_contain_no_secrets() {
        for line in [
            "verify|-n|orders|-d|.|-H|X-Key:|SECRET",
            "verify|-n|orders|-d|.|--custom-header|Authorization:|Bearer|SECRET",
            "verify|-n|orders|-u|http://h|-t|Bearer|SECRET",
            "verify|-n|orders|-u|http://h|--token|Bearer|SECRET",
            "verify|-n|orders|-u|http://h|--token=a|SECRET",
            "verify|-n|orders|-d|.|-k|SECRET",
            "verify|-n|orders|-d|.|-p|SECRET",
            "verify|-n|orders|-d|.|-pSECRET",
            "verify|-n|orders|-d|.|-passwordSECRET",
            "verify|-n|orders|-d|.|--passwordSECRET",
            "verify|-n|orders|-d|.|--tokenSECRET",
            "verify|-n|orders|-d|.|--broker-tokenSECRET=1",
            "verify|-n|orders|-d|.|--token|--SECRET",
            "verify|-n|orders|-d|.|--token|--secret1SECRET",
            "verify|-n|orders|-d|.|--pwd=SECRET",
            "verify|-n|orders|-d|.|--SECRET",
            "verify|-n|orders|-d|.|--hostname|u:SECRET@h",
            "verify|-n|orders|-d|.|--hostname|http://u:SECRET@h",
            "verify|-n|orders|-d|.|--hostname|h?token=SECRET",
            "verify|-n|orders|-d|.|--hostname|h/#SECRET",
            "verify|-n|orders|-d|.|--webhook-callback-url|http://h/SECRET",
            "verify|-n|orders|-d|.|http://u:SECRET@h/a?token=SECRET",
            "verify|-n|orders|-d|.|-H|a:b|--|SECRET",
            "-H|a:|SECRET|verify",
            "verify|-H|a:|SECRET|-n|orders",
        ] {
            let text = error(&contract(), line);
            assert!(!text.contains("SECRET"), "{line}: {text}");
        }
        for line in [
            "list-environments|-b|http://h|-k|Bearer|SECRET",
            "list-environments|-b|http://h|-p|my|SECRET",
            "list-environments|-b|http://h|-u|me|-p|my|-x|SECRET",
            "list-environments|-b|http://h|-u|me:|SECRET",
            "list-environments|-b|http://h|--broker-passwordSECRET",
            "list-environments|-b|http://h|--custom-header|X-Key:|SECRET",
            "list-environments|-b|http://h|--custom-header|SECRET",
            "create-webhook|http://h|-b|http://h|-d|{\"token\":|SECRET}",
            "create-webhook|http://h|-b|http://h|-H|X-Key:|SECRET",
            "create-webhook|http://h|-b|http://h|--user|me:my|SECRET",
            "serve|--password|my|SECRET",
            "serve|--db|postgres://u:my|SECRET@h",
            "serve|--tls-keySECRET",
            "-k|SECRET|list-environments",
        ] {
            let text = error(&broker(), line);
            assert!(!text.contains("SECRET"), "{line}: {text}");
        }
    }

    #[test]
    fn usage_errors_quote_harmless_arguments() {
        for (line, want) in [
            ("verfy", "unrecognized subcommand 'verfy'"),
            (
                "verify|-n|orders|-f|a.json|b.json",
                "unexpected argument 'b.json' found",
            ),
            ("verify|-n|orders|-d|.|--prot", "unexpected argument '--prot' found"),
            (
                "verify|-n|orders|-d|.|--port|eighty",
                "invalid value 'eighty' for '--port <PORT>'",
            ),
            (
                "verify|-n|orders|--brnch|main|-t|a",
                "unexpected argument '--brnch' found",
            ),
            ("verify|-n|orders|b.json|-t|a", "unexpected argument 'b.json' found"),
            ("verify|-n|orders|-p|8080|b.json", "unexpected argument 'b.json' found"),
            (
                "verify|-n|orders|-t|a|--tokenabc",
                "unexpected argument '--token[redacted]' found",
            ),
            ("verify|-n|orders|-t|a|b", "Put values that contain spaces in quotes"),
        ] {
            let text = error(&contract(), line);
            assert!(text.contains(want), "{line}: {text}");
        }
    }

    #[test]
    fn finds_the_option_before_a_positional_argument() {
        for (line, option) in [
            ("publish|-k|Bearer|SECRET|-a|1", Some("-k")),
            ("publish|-kBearer|SECRET", Some("-k")),
            ("publish|--custom-header|X:|SECRET", Some("--custom-header")),
            ("publish|--custom-header=X:|SECRET", Some("--custom-header")),
            ("publish|-k|Bearer|-a|SECRET", None),
            ("publish|SECRET|-k|a", None),
        ] {
            assert_eq!(
                option_before("SECRET", &split_arguments(line)).as_deref(),
                option,
                "{line}"
            );
        }
    }

    #[test]
    fn urls() {
        for (text, want) in [
            ("http://me:a@b@h/x", "http://[redacted]@h/x"),
            ("me@h", "[redacted]@h"),
            ("/a?b=1", "/a?[redacted]"),
            ("/a#b", "/a#[redacted]"),
            ("a?", "a?"),
            ("password=x", "password=[redacted]"),
            ("a.json", "a.json"),
        ] {
            assert_eq!(without_url_secrets(text), want);
        }
    }
}
