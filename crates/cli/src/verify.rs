//! `contract verify`: from arguments to options of the facade, from its report to texts, files and an exit code.

use std::fmt::Write as _;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use contract::{
    BoxFuture, CallbackError, Callbacks, Environment, FilterOptions, HeaderOptions, Json, RemoteSource, Source,
    StateOptions, TlsOptions, TransportOptions, VerifyError, VerifyOptions, format_report, write_report,
};

use crate::command_line::{Contracts, Outcome, Provider, Scheme, VerifyArguments};
use crate::terminal;

/// The provider does not honour its contracts, or there was none.
const FAILED: u8 = 1;
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
    let options = options(arguments)?;
    let verified = contract::runtime::run_here(contract::verify(options, Arc::new(NoFunctions)))
        .map_err(|error| Problem::of(&error))?;
    let verified = Json::parse(verified.as_bytes()).unwrap_or_default();
    let report = verified.get("report").map(Json::to_text).unwrap_or_default();
    let text = verified.get("text").and_then(Json::as_str).unwrap_or_default();
    show(text, arguments.outcome.github);
    write_reports(&report, &arguments.outcome)?;
    Ok(verified.pointer("/report/success").and_then(Json::as_bool) == Some(true))
}

fn options(arguments: &VerifyArguments) -> Result<VerifyOptions, Problem> {
    let VerifyArguments {
        contracts,
        provider,
        requests,
        states,
        choice,
        outcome,
    } = arguments;
    let headers = requests.custom_header.iter().map(|(name, value)| HeaderOptions {
        name: name.clone(),
        value: Some(value.clone()),
    });
    let pem = |path: &PathBuf| {
        fs::read_to_string(path).map_err(|error| Problem::usage(format!("could not read {}: {error}", path.display())))
    };
    Ok(VerifyOptions {
        provider: provider.provider_name.clone(),
        sources: sources(contracts),
        transports: transports(provider)?,
        headers: headers.collect(),
        states: states.state_change_url.as_ref().map(|url| StateOptions {
            url: Some(url.clone()),
            body: !states.state_change_as_query,
            teardown: states.state_change_teardown,
            ..StateOptions::default()
        }),
        filter: FilterOptions {
            description: choice.filter_description.clone(),
            state: choice.filter_state.clone(),
            no_state: choice.filter_no_state,
            consumers: choice.filter_consumer.clone(),
            ..FilterOptions::default()
        },
        source_limit: contracts.source_limit,
        body_limit: requests
            .body_limit
            .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        request_timeout: Some(requests.request_timeout),
        follow_redirects: Some(requests.follow_redirects),
        tls: TlsOptions {
            ca: requests.ca.iter().map(pem).collect::<Result<_, _>>()?,
            cert: requests.cert.as_ref().map(pem).transpose()?,
            key: requests.key.as_ref().map(pem).transpose()?,
            insecure: requests.disable_ssl_verification,
        },
        last_failed: choice.last_failed,
        exit_first: choice.exit_first,
        concurrency: Some(choice.concurrency),
        allow_empty: contracts.ignore_no_contracts_error,
        environment: Environment::of_process(),
        verbose: outcome.verbose,
        command: Some(command(std::env::args().skip(1))),
        progress: std::io::stderr().is_terminal(),
        colour: terminal::colours(outcome.no_colour, std::io::stdout().is_terminal()),
        ..VerifyOptions::default()
    })
}

/// What was typed, as words of a shell and without secrets. A package manager finds the command in the project only.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let installed = std::env::var_os("npm_execpath").is_some() || std::env::var_os("npm_lifecycle_event").is_some();
    let mut words = String::from(if installed { "npx contract" } else { "contract" });
    let mut option = String::new();
    for argument in arguments {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (option.as_str(), None),
        };
        let shown = shown(name, value.unwrap_or(&argument));
        words.push(' ');
        match value {
            Some(_) => words.push_str(&quoted(&format!("{name}={shown}"))),
            None => words.push_str(&quoted(&shown)),
        }
        option = argument;
    }
    words
}

/// The value of an option as reports may show it.
fn shown(option: &str, value: &str) -> String {
    match option {
        "--token" | "-t" | "--password" => "[redacted]".to_owned(),
        "--custom-header" | "-H" => match value.split_once([':', '=']) {
            Some((name, _)) if contract::is_secret(name) => format!("{name}: [redacted]"),
            _ => value.to_owned(),
        },
        _ if value.contains("://") => contract::redacted(&contract::without_credentials(value)).into_owned(),
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

fn sources(contracts: &Contracts) -> Vec<Source> {
    let paths = contracts
        .file
        .iter()
        .chain(&contracts.dir)
        .cloned()
        .map(|path| Source::Path { path });
    let urls = contracts.url.iter().map(|url| {
        Source::Url(RemoteSource {
            url: url.clone(),
            username: contracts.user.clone(),
            password: contracts.password.clone(),
            token: contracts.token.clone(),
            ..RemoteSource::default()
        })
    });
    paths.chain(urls).collect()
}

fn transports(provider: &Provider) -> Result<Vec<TransportOptions>, Problem> {
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
    let main = TransportOptions {
        name: name.to_owned(),
        url: base_url(scheme, hostname, *port, base_path),
    };
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
            return Ok(TransportOptions {
                name: name.to_owned(),
                url: url.to_owned(),
            });
        }
        let (name, port) = text.split_once(':').ok_or_else(asked)?;
        let port = port.parse().map_err(|_| asked())?;
        Ok(TransportOptions {
            name: name.to_owned(),
            url: base_url(scheme, hostname, Some(port), ""),
        })
    });
    std::iter::once(Ok(main)).chain(others).collect()
}

fn base_url(scheme: &str, host: &str, port: Option<u16>, path: &str) -> String {
    let mut url = if host.contains(':') && !host.starts_with('[') {
        format!("{scheme}://[{host}]")
    } else {
        format!("{scheme}://{host}")
    };
    if let Some(port) = port {
        let _ = write!(url, ":{port}");
    }
    if !path.is_empty() && !path.starts_with('/') {
        url.push('/');
    }
    url + path
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
fn write_reports(report: &str, outcome: &Outcome) -> Result<(), Problem> {
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
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| format!("could not add to the summary {}: {error}", path.display()))
}

impl Problem {
    fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: USAGE,
        }
    }

    /// In the words of the command line where the facade speaks of functions.
    fn of(error: &VerifyError) -> Self {
        let (message, code) = match error {
            VerifyError::NoSource(provider) => (
                format!(
                    "there is no contract to verify for the provider {provider:?}: give one with --file, --dir or --url"
                ),
                USAGE,
            ),
            VerifyError::NoContract {
                provider,
                found,
                sources,
            } => {
                let found: Vec<_> = found.iter().map(|name| format!("{name:?}")).collect();
                let there = if found.is_empty() {
                    format!("nothing was found in {}", sources.join(", "))
                } else {
                    format!("there are contracts for {}", found.join(", "))
                };
                (
                    format!(
                        "there is no contract for the provider {provider:?}; {there}; if that is right, allow it with \
                         --ignore-no-contracts-error"
                    ),
                    FAILED,
                )
            }
            VerifyError::Argument(_) | VerifyError::Setup(_) => (error.to_string(), USAGE),
            error => (error.to_string(), FAILED),
        };
        Self { message, code }
    }
}

/// On the command line there are no functions to call: states are changed by URL.
struct NoFunctions;

impl Callbacks for NoFunctions {
    fn call(&self, kind: &'static str, _: Json) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async move {
            Err(CallbackError::new(format!(
                "there is no function for {kind} on the command line"
            )))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{base_url, command};

    #[test]
    fn commands_hold_no_secrets() {
        let words = "verify|-t|abc|--password=x y|-H|Authorization: Bearer abc|-H|X-Tenant: 7|--url|https://me:pw@h/c.json|it's";
        let command = command(words.split('|').map(str::to_owned));
        assert!(
            command.ends_with(
                "contract verify -t '[redacted]' '--password=[redacted]' -H 'Authorization: [redacted]' -H 'X-Tenant: 7' \
                 --url https://h/c.json 'it'\\''s'"
            ),
            "{command}"
        );
    }

    #[test]
    fn base_urls() {
        assert_eq!(base_url("http", "localhost", Some(80), ""), "http://localhost:80");
        assert_eq!(base_url("https", "::1", None, "api"), "https://[::1]/api");
        assert_eq!(base_url("http", "[::1]", Some(1), "/a"), "http://[::1]:1/a");
    }
}
