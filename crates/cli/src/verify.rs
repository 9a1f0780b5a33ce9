//! `contract verify`: runs a verification and prints or writes its report.

use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::CommandFactory;
use contract::{
    Argument, ArgumentError, BoxFuture, Bytes, CallbackError, Callbacks, Enabled, Environment, Failure, FilterOptions,
    FilterPattern, Json, Milliseconds, RedirectOptions, Role, RunContext, RunOptions, SourceOptions, Spelling,
    StateHandlerOptions, TextOrFunction, Time, Tls, TransportOptions, UserFunction, Verification, Verified,
    VerifierOperation, VerifyError, Whole, base_url, format_report, redact_url, write_report,
};

use crate::arguments;
use crate::command_line::{Filters, Provider, Reporting, Requests, Scheme, States, VerifyArguments};
use crate::error::{CliError, FAILED, Result, USAGE, broker_exit_code};
use crate::exit_code::ExitCode;
use crate::files::{append_summary, read_pem, summary_path};
use crate::terminal;
use crate::usage::without_url_secrets;
use crate::verify_contracts::Contracts;

pub(crate) fn run(arguments: &VerifyArguments) -> ExitCode {
    match verify(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => terminal::fail(&error),
    }
}

/// Returns the success of the verification: true if all contracts passed, except for pending ones, and the requested
/// results were published.
fn verify(arguments: &VerifyArguments) -> Result<bool> {
    let VerifyArguments { filters, reporting, .. } = arguments;
    contract::log_to_stderr(reporting.log_level.name()).map_err(|error| argument_error(&error))?;
    let verification = verification(arguments)?;
    let options = RunOptions {
        exit_first: filters.exit_first,
        last_failed: filters.last_failed,
        concurrency: Some(Whole(filters.concurrency)),
        progress: Some(std::io::stderr().is_terminal()),
    };
    let context = RunContext {
        environment: arguments.broker.environment(),
        terminal: std::io::stdout().is_terminal(),
        command: Some(command(arguments::as_text().into_iter())),
        color: Some(terminal::is_colored(
            reporting.no_color,
            std::io::stdout().is_terminal(),
        )),
        verbose: reporting.verbose,
        ..RunContext::default()
    };
    let verifying = verification.verify(options, &context, Arc::new(NoFunctions));
    let verified = contract::runtime::run_here(verifying)?.map_err(|error| verification_error(&error))?;
    print_report(&verified.text, reporting.github);
    write_reports(&verified, reporting)?;
    Ok(verified.report.success)
}

fn verification(arguments: &VerifyArguments) -> Result<Verification> {
    let name = &arguments.provider.provider_name;
    let verification = Verification::new(name).map_err(|error| argument_error(&error))?;
    for operation in operations(arguments)? {
        verification.apply(operation).map_err(|error| argument_error(&error))?;
    }
    Ok(verification)
}

fn operations(arguments: &VerifyArguments) -> Result<Vec<VerifierOperation>> {
    let VerifyArguments {
        contracts,
        broker,
        provider,
        requests,
        states,
        filters,
        ..
    } = arguments;
    check_urls(contracts)?;
    let mut operations: Vec<_> = sources(contracts).collect();
    operations.extend(broker.operations(contracts, &Environment::from_process()));
    operations.extend(transports(provider)?);
    operations.extend(request_settings(requests)?);
    operations.extend(state_handler(states));
    operations.extend(filter_settings(filters));
    operations.extend(limits(contracts, requests));
    operations.push(VerifierOperation::SetErrorOnEmptyContract(Enabled {
        enabled: !contracts.ignore_no_contracts_error,
    }));
    Ok(operations)
}

fn request_settings(requests: &Requests) -> Result<Vec<VerifierOperation>> {
    let headers = requests
        .custom_header
        .iter()
        .map(|(name, value)| VerifierOperation::AddCustomHeader {
            name: name.clone(),
            value: TextOrFunction::Text(value.clone()),
        });
    let mut operations: Vec<_> = headers.collect();
    operations.extend([
        VerifierOperation::SetRequestTimeout(Time {
            milliseconds: Milliseconds(Duration::from_millis(requests.request_timeout)),
        }),
        VerifierOperation::FollowRedirects {
            follow: requests.follow_redirects,
            options: RedirectOptions {
                credentials: requests.redirect_credentials,
            },
        },
        VerifierOperation::DisableSslVerification {
            disabled: requests.disable_ssl_verification,
        },
        VerifierOperation::Tls(tls(requests)?),
    ]);
    Ok(operations)
}

fn tls(requests: &Requests) -> Result<Tls> {
    let pem = |path: &PathBuf| read_pem(path);
    let ca = requests.ca.iter().map(pem).collect::<Result<Vec<_>>>()?;
    Ok(Tls {
        ca: (!ca.is_empty()).then_some(Argument::Value(ca)),
        cert: requests.cert.as_ref().map(pem).transpose()?,
        key: requests.key.as_ref().map(pem).transpose()?,
        passphrase: None,
        pfx: None,
    })
}

fn state_handler(states: &States) -> Option<VerifierOperation> {
    let url = states.state_change_url.as_ref()?;
    Some(VerifierOperation::StateHandler {
        handler: Argument::Value(url.clone()),
        options: StateHandlerOptions {
            body: Some(!states.state_change_as_query),
            teardown: Some(states.state_change_teardown),
            ..StateHandlerOptions::default()
        },
    })
}

fn limits(contracts: &Contracts, requests: &Requests) -> impl Iterator<Item = VerifierOperation> {
    let bytes = |bytes: u64| Bytes { bytes: Whole(bytes) };
    let directories = contracts
        .directory_limit
        .map(|count| VerifierOperation::SetDirectoryLimit { count: Whole(count) });
    let source = contracts.source_limit.map(bytes).map(VerifierOperation::SetSourceLimit);
    let total = contracts
        .total_source_limit
        .map(bytes)
        .map(VerifierOperation::SetTotalSourceLimit);
    let body = requests.body_limit.map(bytes).map(VerifierOperation::SetBodyLimit);
    let pattern = contracts.pattern_size.map(bytes).map(VerifierOperation::SetPatternSize);
    let generated = requests
        .generated_size
        .map(bytes)
        .map(VerifierOperation::SetGeneratedSize);
    [directories, source, total, body, pattern, generated]
        .into_iter()
        .flatten()
}

fn filter_settings(filters: &Filters) -> [VerifierOperation; 2] {
    let filter = FilterOptions {
        description: filters.filter_description.clone().map(FilterPattern),
        state: filters.filter_state.clone().map(FilterPattern),
        no_state: filters.filter_no_state,
        ..FilterOptions::default()
    };
    [
        VerifierOperation::Filter {
            filter: Argument::Value(filter),
        },
        VerifierOperation::FilterConsumers {
            names: filters.filter_consumer.clone(),
        },
    ]
}

/// Returns the command line of this process without secrets, quoted for a shell. It starts with `npx` if a package
/// manager started the process, because the command may only be installed in the project.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let installed = std::env::var_os("npm_execpath").is_some() || std::env::var_os("npm_lifecycle_event").is_some();
    let mut line = String::from(if installed { "npx contract" } else { "contract" });
    let definition = crate::command_line::Cli::command();
    let flags: String = definition
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .filter(|argument| !argument.get_action().takes_values())
        .filter_map(clap::Arg::get_short)
        .collect();
    let mut option = String::new();
    for argument in arguments {
        line.push(' ');
        let attached = split_attached(&argument, &flags);
        line.push_str(&quoted(&match attached {
            Some((name, value)) => format!("{name}{}", redacted_value(name, value)),
            None => redacted_value(&option, &argument),
        }));
        option = if attached.is_some() { String::new() } else { argument };
    }
    line
}

/// Splits an argument that contains an option and its value: `--name=value`, `-Hvalue`, or `-vHvalue`. `flags` contains
/// the short options without values.
fn split_attached<'a>(argument: &'a str, flags: &str) -> Option<(&'a str, &'a str)> {
    let at = if argument.starts_with("--") {
        argument.find('=')? + 1
    } else {
        let letters = argument.strip_prefix('-')?.trim_start_matches(|c| flags.contains(c));
        argument.len() - letters.len() + letters.chars().next()?.len_utf8()
    };
    (at < argument.len()).then(|| argument.split_at(at))
}

/// Returns the value of an option, with secrets redacted. The values of all headers are redacted.
fn redacted_value(option: &str, value: &str) -> String {
    let option = option.strip_suffix('=').unwrap_or(option);
    let letter = option
        .chars()
        .next_back()
        .filter(|_| !option.starts_with("--") && option.starts_with('-'));
    match (option, letter) {
        ("--token" | "--password" | "--broker-token" | "--broker-password", _) | (_, Some('t')) => {
            "[redacted]".to_owned()
        }
        ("--custom-header", _) | (_, Some('H')) => match value.split_once([':', '=']) {
            Some((name, _)) => format!("{name}: [redacted]"),
            None => "[redacted]".to_owned(),
        },
        _ if value.contains(":/") => contract::redacted(&redact_url(value)).into_owned(),
        _ => value.to_owned(),
    }
}

/// Quotes a word for a POSIX shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns an error for a URL with a user name but without a scheme. It would otherwise be treated as a path, and the
/// error message would contain the password.
fn check_urls(contracts: &Contracts) -> Result<()> {
    let is_invalid = |url: &&String| url.contains('@') && !url.contains("://") && !Path::new(url).exists();
    match contracts.url.iter().find(is_invalid) {
        None => Ok(()),
        Some(url) => Err(CliError::usage(format!(
            "invalid value '{}' for '--url <URL>': must start with http:// or https://",
            without_url_secrets(url)
        ))),
    }
}

fn sources(contracts: &Contracts) -> impl Iterator<Item = VerifierOperation> {
    let paths = contracts.file.iter().chain(&contracts.dir);
    let paths = paths.map(|path| VerifierOperation::AddSource {
        source: Argument::Value(path.to_string_lossy().into_owned()),
        options: SourceOptions::default(),
    });
    let urls = contracts.url.iter().map(|url| VerifierOperation::AddSource {
        source: Argument::Value(url.clone()),
        options: SourceOptions {
            username: contracts.user.clone(),
            password: contracts.password.clone(),
            token: contracts.token.clone(),
            headers: None,
        },
    });
    paths.chain(urls)
}

fn transports(provider: &Provider) -> Result<Vec<VerifierOperation>> {
    let Provider {
        hostname,
        port,
        base_path,
        ..
    } = provider;
    // `https` is the transport `http` over TLS.
    let (name, scheme) = match (provider.transport.as_str(), provider.scheme) {
        ("https", _) => ("http", "https"),
        (name, Scheme::Http) => (name, "http"),
        (name, Scheme::Https) => (name, "https"),
    };
    let url = |port: Option<u16>, path: &str| base_url(scheme, hostname, port.map(u64::from), path);
    let main = transport(name, &url(*port, base_path));
    let additional = provider.transports.iter().map(|text| {
        let invalid = || {
            CliError::usage(format!(
                "invalid value '{}' for '--transports <NAME=URL>': must be a name and a URL, such as \
                 message=http://localhost:8081/messages, or a name and a port, such as message:8081",
                without_url_secrets(text)
            ))
        };
        if let Some((name, url)) = text.split_once('=')
            && !name.is_empty()
        {
            return Ok(transport(name, url));
        }
        let (name, port) = text.split_once(':').ok_or_else(invalid)?;
        let port = port.parse().map_err(|_| invalid())?;
        Ok(transport(name, &url(Some(port), "")))
    });
    std::iter::once(Ok(main)).chain(additional).collect()
}

fn transport(name: &str, url: &str) -> VerifierOperation {
    VerifierOperation::AddTransport {
        transport: Argument::Value(TransportOptions {
            protocol: Some(name.to_owned()),
            url: Some(url.to_owned()),
            ..TransportOptions::default()
        }),
    }
}

/// Prints the report as text. If `is_github` is true, prevents GitHub Actions from running workflow commands in it,
/// because it contains responses of the provider.
fn print_report(text: &str, is_github: bool) {
    if !is_github {
        return terminal::print(text);
    }
    let token = format!("contract-{:016x}", RandomState::new().hash_one(text));
    terminal::print(&format!("::stop-commands::{token}\n{text}::{token}::\n"));
}

/// Writes all requested reports. If one of them fails, the others are still written.
fn write_reports(verified: &Verified, reporting: &Reporting) -> Result<()> {
    let report = verified.report_text();
    let report = report.as_str();
    let mut errors: Vec<CliError> = Vec::new();
    for (format, path) in [
        ("json", &reporting.json_file),
        ("junit", &reporting.junit_file),
        ("html", &reporting.html_file),
        ("markdown", &reporting.markdown_file),
    ] {
        if let Some(path) = path {
            errors.extend(write_report(report, format, path).err().map(CliError::from));
        }
    }
    if reporting.github {
        terminal::print(&format_report(report, "github")?);
        if let Some(path) = summary_path() {
            errors.extend(append_summary(&path, &format_report(report, "markdown")?).err());
        }
    }
    let Some(first) = errors.first() else { return Ok(()) };
    Err(CliError {
        code: first.code,
        message: errors
            .iter()
            .map(|error| error.message.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        exit_code: USAGE,
    })
}

/// Converts an error. The names in its message become command line options or, for errors in a selector, JSON members.
fn argument_error(error: &ArgumentError) -> CliError {
    let failure = Failure::from(error.clone());
    if is_about_selector(error) {
        CliError::from_failure(&failure, &Selectors, USAGE)
    } else {
        CliError::from_failure(&failure, &CommandLine, USAGE)
    }
}

fn verification_error(error: &Failure) -> CliError {
    let exit_code = match error {
        Failure::Argument(error) => return argument_error(error),
        Failure::Verification(VerifyError::NoSource(_)) => USAGE,
        Failure::Broker(error) => error.kind().map_or(USAGE, broker_exit_code),
        _ => FAILED,
    };
    CliError::from_failure(error, &CommandLine, exit_code)
}

fn is_about_selector(error: &ArgumentError) -> bool {
    match error.operation.as_deref() {
        Some("consumer_version") => true,
        Some("broker_source") => error
            .place
            .as_deref()
            .is_some_and(|place| place.starts_with("selector")),
        _ => false,
    }
}

/// Translates names of options in messages to the JSON members of consumer version selectors.
struct Selectors;

impl Spelling for Selectors {
    fn operation(&self, name: &str) -> String {
        match name {
            "broker_source" => "--consumer-version-selectors".to_owned(),
            name => CommandLine.operation(name),
        }
    }

    fn option(&self, name: &str) -> String {
        let members = contract::operations()
            .into_iter()
            .filter(|(kind, _)| *kind == "options of the verifier")
            .flat_map(|(_, table)| table)
            .filter(|(call, _)| *call == "consumer_version")
            .flat_map(|(_, members)| members);
        if !members.into_iter().any(|member| *member == name) {
            return CommandLine.option(name);
        }
        let mut parts = name.split('_');
        let mut key = parts.next().unwrap_or_default().to_owned();
        for word in parts {
            let (first, rest) = word.split_at(word.len().min(1));
            key.push_str(&first.to_ascii_uppercase());
            key.push_str(rest);
        }
        format!("\"{key}\"")
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("{}: {value}", self.option(name))
    }
}

/// Translates names of operations and options in messages to those of `contract verify`.
struct CommandLine;

impl Spelling for CommandLine {
    fn operation(&self, name: &str) -> String {
        match name {
            "add_source" => "--file, --dir, --url".to_owned(),
            "broker_source" => "--broker-url".to_owned(),
            "set_publish_options" => "--publish".to_owned(),
            "consumer_version" => "--consumer-version-selectors".to_owned(),
            "add_transport" => "--hostname, --port, or --transports".to_owned(),
            "state_handler" => "--state-change-url".to_owned(),
            "filter" => "--filter-description or --filter-state".to_owned(),
            "filter_consumers" => "--filter-consumer".to_owned(),
            "tls" => "--ca, --cert, or --key".to_owned(),
            "Verifier" => "--provider-name".to_owned(),
            name => self.option(
                name.strip_prefix("set_")
                    .or_else(|| name.strip_prefix("add_"))
                    .unwrap_or(name),
            ),
        }
    }

    fn option(&self, name: &str) -> String {
        match name {
            "protocol" => "name".to_owned(),
            "username" => "--user".to_owned(),
            "version" => "--provider-version".to_owned(),
            "branch" => "--provider-branch".to_owned(),
            "tags" => "--provider-tags".to_owned(),
            "body" => "--state-change-as-query".to_owned(),
            name => format!("--{}", name.replace('_', "-")),
        }
    }

    fn setting(&self, name: &str, value: &str) -> String {
        match (name, value) {
            ("error_on_empty_contract", "false") => "--ignore-no-contracts-error".to_owned(),
            _ => format!("{}={value}", self.option(name)),
        }
    }
}

/// Rejects all calls of handler functions. The command line has none: provider states are set up through a URL.
struct NoFunctions;

impl Callbacks for NoFunctions {
    fn call(
        &self,
        _: UserFunction,
        role: Role,
        _: Vec<Json>,
    ) -> BoxFuture<'_, std::result::Result<Json, CallbackError>> {
        Box::pin(async move {
            Err(CallbackError::new(format!(
                "a function for {} is not supported on the command line",
                role.name()
            )))
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{CommandLine, Selectors, Spelling, command};
    use crate::terminal::advice;

    /// Names of functions, objects, and certificate options that the command line does not have.
    const NOT_OPTIONS: [&str; 12] = [
        "--build",
        "--contract-ffi.log-to-stderr",
        "--message-handler",
        "--prepare",
        "--suite",
        "--verify",
        "--json",
        "--name",
        "--on-missing",
        "--passphrase",
        "--pfx",
        "--selector",
    ];

    #[test]
    fn advice_names_existing_options() {
        let whole = crate::command_line::Cli::command();
        let verify = whole.find_subcommand("verify").expect("the command");
        let options: Vec<String> = verify
            .get_arguments()
            .flat_map(|argument| argument.get_long_and_visible_aliases().unwrap_or_default())
            .map(|name| format!("--{name}"))
            .collect();
        let exists = |spelled: &str| {
            spelled
                .split([' ', ','])
                .filter(|word| word.starts_with("--"))
                .all(|word| options.iter().any(|option| option == word))
        };
        let operations = advice("verifier", "operations").into_iter();
        let names = operations.map(|name| CommandLine.operation(&name));
        let advised = advice("verifier", "options").into_iter();
        // Members of selectors have their JSON names.
        let names = names.chain(advised.map(|name| match Selectors.option(&name) {
            member if member.starts_with('"') => member,
            _ if name == "error_on_empty_contract" => CommandLine.setting(&name, "false"),
            _ => CommandLine.option(&name),
        }));
        let missing: Vec<String> = names.filter(|spelled| !exists(spelled)).collect();
        assert_eq!(missing, NOT_OPTIONS);
    }

    #[test]
    fn options_of_other_verifiers_are_accepted_or_named_in_a_tip() {
        let verify = |line: &str| {
            let arguments = "contract verify -n orders -d .".split(' ').chain(line.split(' '));
            crate::command_line::Cli::command().try_get_matches_from(arguments)
        };
        verify("--json a --junit b --html c --full-log").expect("aliases of other verifiers");
        let tip = verify("--webhook-callback-url http://h/pact").unwrap_err().to_string();
        assert!(
            tip.contains("is not supported; pass the URL of the contract with --url"),
            "{tip}"
        );
    }

    #[test]
    fn commands_contain_no_secrets() {
        let arguments = "verify|-t|abc|--password=x y|-H|Authorization: Bearer abc|-H|X-Tenant: 7|-HX-Key: abc|-tabc|-xtabc|-vx|-rvHX-Key:abc|-rt|abc|-nabout|-n|-|--custom-header=X: abc|--url|https://me:pw@h/c.json?token=abc|--state-change-url=http://h/s?api_key=abc&a=1|it's";
        let command = command(arguments.split('|').map(str::to_owned));
        assert!(
            command.ends_with(
                "contract verify -t '[redacted]' '--password=[redacted]' -H 'Authorization: [redacted]' -H 'X-Tenant: [redacted]' '-HX-Key: [redacted]' \
                 '-t[redacted]' '-xt[redacted]' -vx '-rvHX-Key: [redacted]' -rt '[redacted]' -nabout -n - '--custom-header=X: [redacted]' --url 'https://h/c.json?token=[redacted]' '--state-change-url=http://h/s?api_key=[redacted]&a=1' 'it'\\''s'"
            ),
            "{command}"
        );
    }
}
