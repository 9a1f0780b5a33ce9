//! `contract verify`: from arguments to options of the facade, from its report to texts, files and an exit code.

use std::hash::{BuildHasher, RandomState};
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use contract::{
    ArgumentError, BoxFuture, BrokerErrorKind, Bytes, CallbackError, Callbacks, Enabled, Environment, Failure, Json,
    Milliseconds, Object, Pem, RedirectOptions, Role, RunOptions, SourceOptions, Spelling, StateHandlerOptions,
    Surroundings, TextOrFunction, Time, Tls, UserFunction, Verification, Verified, VerifierOperation as Say,
    VerifyError, Whole, base_url, file_problem, format_report, shown_url, write_report,
};

use crate::command_line::{Choice, Provider, Reporting, Requests, Scheme, VerifyArguments};
use crate::terminal;
use crate::verify_contracts::Contracts;

/// The provider does not honour its contracts, or there was none.
const FAILED: u8 = 1;
/// The broker cannot be reached, or what answers is none.
const UNREACHABLE: u8 = 4;
/// The broker does not take the credentials.
const UNAUTHORIZED: u8 = 5;
/// Arguments make no sense, or a report could not be written.
const USAGE: u8 = 2;

/// Why there is no verdict, and the exit code.
struct Problem {
    message: String,
    code: u8,
}

pub(crate) fn run(arguments: &VerifyArguments) -> ExitCode {
    match verify(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(problem) => {
            terminal::error(&problem.message);
            ExitCode::from(problem.code)
        }
    }
}

/// Whether the provider honours its contracts.
fn verify(arguments: &VerifyArguments) -> Result<bool, Problem> {
    contract::log_to_stderr(arguments.outcome.loglevel.name()).map_err(|error| Problem::usage(error.to_string()))?;
    let verification = told(arguments)?;
    let VerifyArguments { choice, outcome, .. } = arguments;
    let run = RunOptions {
        exit_first: choice.exit_first,
        last_failed: choice.last_failed,
        concurrency: Some(Whole(choice.concurrency)),
        progress: Some(std::io::stderr().is_terminal()),
    };
    let around = Surroundings {
        environment: arguments.broker.environment(),
        terminal: std::io::stdout().is_terminal(),
        command: Some(command(std::env::args().skip(1))),
        colour: Some(terminal::colours(outcome.no_colour, std::io::stdout().is_terminal())),
        verbose: outcome.verbose,
        ..Surroundings::default()
    };
    let verifying = verification.verify(run, &around, Arc::new(NoFunctions));
    let verified = contract::runtime::run_here(verifying)
        .unwrap_or_else(|error| Err(error.into()))
        .map_err(|error| Problem::of(&error))?;
    show(&verified.text, outcome.github);
    write_reports(&verified, outcome)?;
    Ok(verified.report.success)
}

/// A verifier that was told all that the arguments say.
fn told(arguments: &VerifyArguments) -> Result<Verification, Problem> {
    let VerifyArguments {
        contracts,
        broker,
        provider,
        requests,
        states,
        choice,
        ..
    } = arguments;
    let verification = Verification::new(&provider.provider_name).map_err(|error| Problem::argument(&error))?;
    let say = |said: Say| match verification.say(said) {
        Ok(_) => Ok(()),
        Err(error) => Err(Problem::argument(&error)),
    };
    sources(contracts).try_for_each(say)?;
    let environment = Environment::of_process();
    broker.said(contracts, &environment).into_iter().try_for_each(say)?;
    for transport in transports(provider)? {
        say(transport)?;
    }
    for (name, value) in &requests.custom_header {
        say(Say::AddCustomHeader {
            name: name.clone(),
            value: TextOrFunction::Text(value.clone()),
        })?;
    }
    if let Some(url) = &states.state_change_url {
        say(Say::StateHandler {
            handler: Json::from(url.as_str()).into(),
            options: StateHandlerOptions {
                body: Some(!states.state_change_as_query),
                teardown: Some(states.state_change_teardown),
                ..StateHandlerOptions::default()
            },
        })?;
    }
    say(filter(choice))?;
    say(Say::FilterConsumers {
        names: choice.filter_consumer.clone(),
    })?;
    if let Some(count) = contracts.directory_limit {
        say(Say::SetDirectoryLimit { count: Whole(count) })?;
    }
    if let Some(bytes) = contracts.source_limit {
        say(Say::SetSourceLimit(Bytes { bytes: Whole(bytes) }))?;
    }
    if let Some(bytes) = contracts.total_source_limit {
        say(Say::SetTotalSourceLimit(Bytes { bytes: Whole(bytes) }))?;
    }
    if let Some(bytes) = requests.body_limit {
        say(Say::SetBodyLimit(Bytes { bytes: Whole(bytes) }))?;
    }
    if let Some(bytes) = contracts.pattern_size {
        say(Say::SetPatternSize(Bytes { bytes: Whole(bytes) }))?;
    }
    if let Some(bytes) = requests.generated_size {
        say(Say::SetGeneratedSize(Bytes { bytes: Whole(bytes) }))?;
    }
    say(Say::SetRequestTimeout(Time {
        milliseconds: Milliseconds(Duration::from_millis(requests.request_timeout)),
    }))?;
    say(Say::FollowRedirects {
        follow: requests.follow_redirects,
        options: RedirectOptions {
            credentials: requests.redirect_credentials,
        },
    })?;
    say(Say::SetErrorOnEmptyContract(Enabled {
        enabled: !contracts.ignore_no_contracts_error,
    }))?;
    say(Say::DisableSslVerification {
        disabled: requests.disable_ssl_verification,
    })?;
    say(Say::Tls(tls(requests)?))?;
    Ok(verification)
}

fn tls(requests: &Requests) -> Result<Tls, Problem> {
    let read = |path: &PathBuf| {
        let problem =
            |error: &std::io::Error| Problem::usage(file_problem(path, "read the certificate or key in", error));
        let bytes = contract::read_settings(path).map_err(|error| problem(&error))?;
        String::from_utf8(bytes).map_err(|_| problem(&std::io::Error::other("it is not text in PEM form")))
    };
    let pem = |path: &PathBuf| {
        Pem::new(&read(path)?).map_err(|problem| Problem::usage(format!("{} {problem}", path.display())))
    };
    let ca: Vec<Json> = requests
        .ca
        .iter()
        .map(|path| Ok(pem(path)?.0.into()))
        .collect::<Result<_, _>>()?;
    Ok(Tls {
        ca: (!ca.is_empty()).then(|| Json::from(ca).into()),
        cert: requests.cert.as_ref().map(pem).transpose()?,
        key: requests.key.as_ref().map(pem).transpose()?,
        passphrase: None,
        pfx: None,
    })
}

fn filter(choice: &Choice) -> Say {
    let texts = [
        ("description", choice.filter_description.as_deref()),
        ("state", choice.filter_state.as_deref()),
    ];
    let mut members: Object = texts
        .into_iter()
        .filter_map(|(name, text)| Some((name, Json::from(text?))))
        .collect();
    members.insert("no_state", choice.filter_no_state);
    Say::Filter {
        filter: Json::from(members).into(),
    }
}

/// What was typed, as words of a shell and without secrets. A package manager finds the command in the project only.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let installed = std::env::var_os("npm_execpath").is_some() || std::env::var_os("npm_lifecycle_event").is_some();
    let mut words = String::from(if installed { "npx contract" } else { "contract" });
    let mut option = String::new();
    for argument in arguments {
        words.push(' ');
        words.push_str(&quoted(&match attached(&argument) {
            Some((name, between, value)) => format!("{name}{between}{}", shown(name, value)),
            None => shown(&option, &argument),
        }));
        option = argument;
    }
    words
}

/// An option and its value in one argument: `--name=value`, `-Hvalue`.
fn attached(argument: &str) -> Option<(&str, &str, &str)> {
    if argument.starts_with("--") {
        return argument.split_once('=').map(|(name, value)| (name, "=", value));
    }
    let is_attached = ["-H", "-t"].iter().any(|short| argument.starts_with(short)) && argument.len() > 2;
    is_attached.then(|| (&argument[..2], "", &argument[2..]))
}

/// The value of an option as reports may show it. A header may hold a secret whatever its name is.
fn shown(option: &str, value: &str) -> String {
    match option {
        "--token" | "-t" | "--password" | "--broker-token" | "--broker-password" => "[redacted]".to_owned(),
        "--custom-header" | "-H" => match value.split_once([':', '=']) {
            Some((name, _)) => format!("{name}: [redacted]"),
            None => "[redacted]".to_owned(),
        },
        _ if value.contains("://") => contract::redacted(&shown_url(value)).into_owned(),
        _ => value.to_owned(),
    }
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn sources(contracts: &Contracts) -> impl Iterator<Item = Say> {
    let paths = contracts.file.iter().chain(&contracts.dir).map(|path| Say::AddSource {
        source: Json::from(path.to_string_lossy().as_ref()).into(),
        options: SourceOptions::default(),
    });
    let urls = contracts.url.iter().map(|url| Say::AddSource {
        source: Json::from(url.as_str()).into(),
        options: SourceOptions {
            username: contracts.user.clone(),
            password: contracts.password.clone(),
            token: contracts.token.clone(),
            headers: None,
        },
    });
    paths.chain(urls)
}

fn transports(provider: &Provider) -> Result<Vec<Say>, Problem> {
    let Provider {
        hostname,
        port,
        base_path,
        ..
    } = provider;
    // `https` is http with encryption, and not another transport.
    let (name, scheme) = match (provider.transport.as_str(), provider.scheme) {
        ("https", _) => ("http", "https"),
        (name, Scheme::Http) => (name, "http"),
        (name, Scheme::Https) => (name, "https"),
    };
    let url = |port: Option<u16>, path: &str| base_url(scheme, hostname, port.map(u64::from), path);
    let main = transport(name, &url(*port, base_path));
    let others = provider.transports.iter().map(|text| {
        let asked = || {
            Problem::usage(format!(
                "invalid value '{text}' for '--transports <NAME=URL>': give a name and a URL, such as \
                 message=http://localhost:8081/messages, or a name and a port, such as message:8081"
            ))
        };
        if let Some((name, url)) = text.split_once('=')
            && !name.is_empty()
        {
            return Ok(transport(name, url));
        }
        let (name, port) = text.split_once(':').ok_or_else(asked)?;
        let port = port.parse().map_err(|_| asked())?;
        Ok(transport(name, &url(Some(port), "")))
    });
    std::iter::once(Ok(main)).chain(others).collect()
}

fn transport(name: &str, url: &str) -> Say {
    let parts: Object = [("protocol", name), ("url", url)].into_iter().collect();
    Say::AddTransport {
        transport: Json::from(parts).into(),
    }
}

/// Prints the report for people. What a provider answered stands in it, so GitHub is told to take no commands from there.
fn show(text: &str, github: bool) {
    if !github {
        return terminal::print(text);
    }
    let token = format!("contract-{:016x}", RandomState::new().hash_one(text));
    terminal::print(&format!("::stop-commands::{token}\n{text}::{token}::\n"));
}

/// Writes all that were asked for, even if one fails.
fn write_reports(verified: &Verified, outcome: &Reporting) -> Result<(), Problem> {
    let report = verified.report_text();
    let report = report.as_str();
    let mut problems = Vec::new();
    for (format, path) in [
        ("json", &outcome.json_file),
        ("junit", &outcome.junit_file),
        ("html", &outcome.html_file),
        ("markdown", &outcome.markdown_file),
    ] {
        if let Some(path) = path {
            problems.extend(write_report(report, format, path).err().map(|error| error.to_string()));
        }
    }
    if outcome.github {
        terminal::print(&format_report(report, "github").map_err(|error| Problem::usage(error.to_string()))?);
        if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
            problems.extend(add_to_summary(report, Path::new(&path)).err());
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Problem::usage(problems.join("\n")))
}

/// Other steps of the job may have written there.
fn add_to_summary(report: &str, path: &Path) -> Result<(), String> {
    let text = format_report(report, "markdown").map_err(|error| error.to_string())?;
    contract::open_to_append(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| file_problem(path, "add to the summary", &error))
}

impl Problem {
    fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: USAGE,
        }
    }

    fn argument(error: &ArgumentError) -> Self {
        Self::usage(refusal(error))
    }

    fn of(error: &Failure) -> Self {
        let code = match error {
            Failure::Argument(_) | Failure::Verification(VerifyError::NoSource(_)) => USAGE,
            Failure::Broker(error) => error.kind().map_or(USAGE, of_broker),
            _ => FAILED,
        };
        let message = match error {
            Failure::Argument(error) => refusal(error),
            error => error.text(&CommandLine),
        };
        Self { message, code }
    }
}

/// A broker that gave nothing, as the commands of contract-broker tell it.
pub(crate) fn of_broker(kind: BrokerErrorKind) -> u8 {
    match kind {
        BrokerErrorKind::Settings => USAGE,
        BrokerErrorKind::Unreachable
        | BrokerErrorKind::Tls
        | BrokerErrorKind::Timeout
        | BrokerErrorKind::NotABroker
        | BrokerErrorKind::Failed => UNREACHABLE,
        BrokerErrorKind::Unauthorized | BrokerErrorKind::Forbidden => UNAUTHORIZED,
        _ => FAILED,
    }
}

/// A refusal in the words of whoever typed the options. What is wrong with a selector is told in the words of its JSON.
fn refusal(error: &ArgumentError) -> String {
    let is_selector = match error.operation.as_deref() {
        Some("consumer_version") => true,
        Some("broker_source") => error
            .place
            .as_deref()
            .is_some_and(|place| place.starts_with("selector")),
        _ => false,
    };
    if is_selector {
        error.text(&Selectors)
    } else {
        error.text(&CommandLine)
    }
}

/// The core's names as members of the selectors.
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
        let mut words = name.split('_');
        let mut key = words.next().unwrap_or_default().to_owned();
        for word in words {
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

/// The core's names as options of the command line.
struct CommandLine;

impl Spelling for CommandLine {
    fn operation(&self, name: &str) -> String {
        match name {
            "add_source" => "--file, --dir or --url".to_owned(),
            "broker_source" => "--broker-url".to_owned(),
            "set_publish_options" => "--publish".to_owned(),
            "consumer_version" => "--consumer-version-selectors".to_owned(),
            "add_transport" => "--hostname, --port or --transports".to_owned(),
            "state_handler" => "--state-change-url".to_owned(),
            "filter" => "--filter-description or --filter-state".to_owned(),
            "filter_consumers" => "--filter-consumer".to_owned(),
            "tls" => "--ca, --cert or --key".to_owned(),
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

/// On the command line there are no functions to call: states are changed by URL.
struct NoFunctions;

impl Callbacks for NoFunctions {
    fn call(&self, _: UserFunction, role: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async move {
            Err(CallbackError::new(format!(
                "there is no function for {} on the command line",
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

    /// What is told of functions, of objects and of certificates that the command line does not have.
    const ELSEWHERE: [&str; 12] = [
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
    fn what_advice_names_is_there() {
        let whole = crate::command_line::Cli::command();
        let verify = whole.find_subcommand("verify").expect("the command");
        let options: Vec<String> = verify
            .get_arguments()
            .flat_map(|argument| argument.get_long_and_visible_aliases().unwrap_or_default())
            .map(|name| format!("--{name}"))
            .collect();
        let is_there = |spelled: &str| {
            spelled
                .split([' ', ','])
                .filter(|word| word.starts_with("--"))
                .all(|word| options.iter().any(|option| option == word))
        };
        let operations = advice("verifier", "operations").into_iter();
        let names = operations.map(|name| CommandLine.operation(&name));
        let advised = advice("verifier", "options").into_iter();
        // Members of selectors are told by the name that they have in JSON.
        let names = names.chain(advised.map(|name| match Selectors.option(&name) {
            member if member.starts_with('"') => member,
            _ if name == "error_on_empty_contract" => CommandLine.setting(&name, "false"),
            _ => CommandLine.option(&name),
        }));
        let missing: Vec<String> = names.filter(|spelled| !is_there(spelled)).collect();
        assert_eq!(missing, ELSEWHERE);
    }

    #[test]
    fn options_of_other_verifiers_are_accepted_or_named_in_a_tip() {
        let verify = |line: &str| {
            let words = "contract verify -n orders -d .".split(' ').chain(line.split(' '));
            crate::command_line::Cli::command().try_get_matches_from(words)
        };
        verify("--json a --junit b --html c --full-log").expect("they are options here, too");
        let tip = verify("--webhook-callback-url http://h/pact").unwrap_err().to_string();
        assert!(
            tip.contains("pass the URL of the contract that the webhook names with --url"),
            "{tip}"
        );
    }

    #[test]
    fn usage_errors_do_not_repeat_headers() {
        for header in ["hush", "=hush"] {
            let words = ["contract", "verify", "-n", "orders", "-d", ".", "-H", header];
            let error = crate::command_line::Cli::command().try_get_matches_from(words);
            let text = crate::terminal::without_secrets(error.unwrap_err()).to_string();
            assert!(text.contains("[redacted]") && !text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn commands_hold_no_secrets() {
        let words = "verify|-t|abc|--password=x y|-H|Authorization: Bearer abc|-H|X-Tenant: 7|-HX-Key: abc|-tabc|--custom-header=X: abc|--url|https://me:pw@h/c.json?token=abc|--state-change-url=http://h/s?api_key=abc&a=1|it's";
        let command = command(words.split('|').map(str::to_owned));
        assert!(
            command.ends_with(
                "contract verify -t '[redacted]' '--password=[redacted]' -H 'Authorization: [redacted]' -H 'X-Tenant: [redacted]' '-HX-Key: [redacted]' \
                 '-t[redacted]' '--custom-header=X: [redacted]' --url 'https://h/c.json?token=[redacted]' '--state-change-url=http://h/s?api_key=[redacted]&a=1' 'it'\\''s'"
            ),
            "{command}"
        );
    }
}
