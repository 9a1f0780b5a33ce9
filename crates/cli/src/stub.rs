//! `contract stub`: serves the interactions of many contracts.
#![expect(clippy::doc_markdown, reason = "clap prints these comments unchanged")]

use std::time::Duration;

use clap::Args;
use contract::{
    Argument, ArgumentError, BrokerSourceOptions, Bytes, ChosenState, Environment, Failure, Json, Override, Reload,
    SelectorOptions, SourceOptions, Spelling, StubOptions, StubServer, StubSources, VerifierOperation, Whole, redacted,
};

use crate::error::{CliError, FAILED, Result, USAGE};
use crate::exit_code::ExitCode;
use crate::listen::ListenArguments;
use crate::shutdown::Shutdown;
use crate::values::duration;
use crate::{memory, terminal};

/// Maximum number of warnings to print.
const WARNINGS: usize = 20;

pub(crate) const EXAMPLES: &str = "\
Examples:
  Serve all contracts in a directory on port 8080, and reload them when they change:
    contract stub ./contracts --port 8080 --watch
  Serve the contracts of all deployed consumer versions with one provider:
    contract stub --broker-url https://broker.example.com --provider orders \\
      --consumer-version-selectors '{\"deployed\":true}'
  Serve the responses of a provider state:
    contract stub ./contracts --port 8080 --state 'order 7 does not exist'

The header 'Contract-State: NAME' selects a provider state for one request.

A request receives the response of an interaction that it matches completely. If provider
states are selected, all states of the interaction must be among them. If more than one
interaction qualifies, the stub prefers, in this order:
  1. the interaction with the most provider states, if any are selected
  2. an interaction with an exact path over one with a matching rule for the path
  3. with --sequence, the interaction that has been used least often
  4. the first interaction, in the order of the sources
If no interaction matches, the response explains the mismatches (application/problem+json).

Exit codes:
  0  stopped by a signal
  1  a source cannot be read or contains no contract, or the address cannot be used
  2  invalid arguments, or a TLS file cannot be read or written";

#[derive(Args)]
pub(crate) struct StubArguments {
    /// Contract file, directory to search recursively, pattern such as 'contracts/*-orders.json', or URL
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,

    #[command(flatten)]
    contracts: StubContracts,
    #[command(flatten)]
    responses: Responses,
    #[command(flatten)]
    listen: ListenArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Contracts")]
struct StubContracts {
    /// Serve only contracts of this consumer (repeatable)
    #[arg(long, value_name = "NAME")]
    consumer: Vec<String>,

    /// Serve only contracts of this provider (repeatable); required with a broker
    #[arg(long, value_name = "NAME")]
    provider: Vec<String>,

    /// User name for contract URLs
    #[arg(long, value_name = "NAME", conflicts_with = "token")]
    user: Option<String>,

    /// Password for contract URLs
    #[arg(long, value_name = "PASSWORD", requires = "user")]
    password: Option<String>,

    /// Bearer token for contract URLs
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// Base URL of the broker [default: CONTRACT_BROKER_BASE_URL, if there is no SOURCE]
    #[arg(short, long, value_name = "URL", alias = "broker-base-url", requires = "provider")]
    broker_url: Option<String>,

    /// User name for the broker [env: CONTRACT_BROKER_USERNAME]
    #[arg(long, value_name = "NAME", conflicts_with = "broker_token")]
    broker_username: Option<String>,

    /// Password for the broker; safer in an environment variable [env: CONTRACT_BROKER_PASSWORD]
    #[arg(long, value_name = "PASSWORD", requires = "broker_username")]
    broker_password: Option<String>,

    /// Bearer token for the broker; safer in an environment variable [env: CONTRACT_BROKER_TOKEN]
    #[arg(long, value_name = "TOKEN")]
    broker_token: Option<String>,

    /// Consumer version selector, or an array of selectors, as JSON, for example '{"mainBranch":true}' (repeatable)
    /// [default: main branches, deployed versions, and released versions]
    #[arg(
        long,
        value_name = "JSON",
        alias = "consumer-version-selector",
        requires = "provider"
    )]
    consumer_version_selectors: Vec<String>,

    /// Maximum size of a contract, in bytes [default: 67108864 (64 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    source_limit: Option<u64>,

    /// Maximum total size of all contracts, in bytes [default: 536870912 (512 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    total_source_limit: Option<u64>,

    /// Maximum number of directories to search per source [default: 100000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    directory_limit: Option<u64>,

    /// Reload the contracts when their files change
    #[arg(long)]
    watch: bool,

    /// Reload contracts from URLs and brokers at this interval, such as 30s or 10m, at most 24h [default: never]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    poll: Option<Duration>,
}

#[derive(Args)]
#[command(next_help_heading = "Responses")]
struct Responses {
    /// If no interaction matches completely, use the closest one with the same method and path
    #[arg(long)]
    loose: bool,

    /// If multiple interactions match equally well, use the one that has been used least often
    #[arg(long)]
    sequence: bool,

    /// Provider state to select by default: a name, or JSON such as '{"name":"user exists","parameters":{"id":7}}'
    /// (repeatable)
    #[arg(long, value_name = "STATE")]
    state: Vec<String>,

    /// Time to wait before each response, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=600_000))]
    latency: u64,

    /// Status of responses to unmatched requests, from 400 to 599
    #[arg(long, value_name = "STATUS", default_value_t = 501, value_parser = clap::value_parser!(u16).range(400..=599))]
    unmatched_status: u16,

    /// Do not respond to CORS preflight requests or add CORS headers
    #[arg(long)]
    no_cors: bool,

    /// Base path of the administration endpoints, PATH/state and PATH/requests
    #[arg(long, value_name = "PATH", default_value = "/_contract", value_parser = admin_path)]
    admin_path: String,
}

#[derive(Debug, thiserror::Error)]
#[error("must be a path such as /_contract")]
struct InvalidPath;

fn admin_path(text: &str) -> std::result::Result<String, InvalidPath> {
    let path = text.trim_end_matches('/');
    let is_valid = path.len() > 1 && path.starts_with('/') && !path.contains(['?', '#', '%', ' ']);
    is_valid.then(|| path.to_owned()).ok_or(InvalidPath)
}

pub(crate) fn run(arguments: &StubArguments) -> ExitCode {
    let served = contract::runtime::run_here(serve(arguments));
    match served.map_err(CliError::from).and_then(|result| result) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal::fail(&error),
    }
}

async fn serve(arguments: &StubArguments) -> Result<()> {
    let sources = sources(arguments)?;
    let listen = arguments.listen.options(!arguments.responses.no_cors)?;
    let options = options(&arguments.responses)?;
    // Signals are handled before the address is printed.
    let mut shutdown = Shutdown::new(false)?;
    let mut server = tokio::select! {
        started = StubServer::start(sources, &listen, options) => started?,
        () = shutdown.requested() => return Ok(()),
    };
    memory::release();
    arguments.listen.write_ca(server.ca_certificate())?;
    print_warnings(&server.warnings());
    terminal::print(&format!("{}\nListening on {}\n", counts(&server), server.url()));
    loop {
        let change = server.next_change(arguments.contracts.watch, arguments.contracts.poll);
        let reload = tokio::select! {
            reload = change => reload,
            () = shutdown.requested() => break,
        };
        match reload {
            Reload::Unchanged => {}
            Reload::Changed => {
                print_warnings(&server.warnings());
                terminal::print(&format!("Reloaded. {}\n", counts(&server)));
            }
            Reload::Failed(failure) => terminal::print_error(&format!(
                "{}\nThe previous contracts are still served.",
                failed(&failure)
            )),
        }
    }
    server.stop().await;
    terminal::print(&format!("Stopped after {} requests\n", server.requests()));
    Ok(())
}

fn failed(failure: &Failure) -> CliError {
    CliError::from_failure(failure, &StubOptionNames, FAILED)
}

fn counts(server: &StubServer) -> String {
    let (contracts, interactions) = server.counts();
    let plural = |count: usize, name: &str| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
    format!(
        "Serving {} of {}",
        plural(interactions, "interaction"),
        plural(contracts, "contract")
    )
}

pub(crate) fn print_warnings(warnings: &[String]) {
    for warning in warnings.iter().take(WARNINGS) {
        terminal::log(&format!("warning: {}", contract::escape_line(&redacted(warning))));
    }
    if let Some(more) = warnings.len().checked_sub(WARNINGS).filter(|more| *more > 0) {
        terminal::log(&format!("warning: {more} more warnings"));
    }
}

fn sources(arguments: &StubArguments) -> Result<StubSources> {
    let contracts = &arguments.contracts;
    let environment = Environment::from_process();
    let uses_environment = arguments.sources.is_empty() && environment.has_broker();
    let uses_broker = contracts.broker_url.is_some()
        || contracts.broker_username.is_some()
        || contracts.broker_token.is_some()
        || !contracts.consumer_version_selectors.is_empty()
        || uses_environment;
    if arguments.sources.is_empty() && !uses_broker {
        return Err(CliError::usage(
            "no contracts to serve; pass a file, a directory, or a URL, or pass --broker-url and --provider",
        ));
    }
    if uses_broker && contracts.provider.is_empty() {
        return Err(CliError::usage("contracts from a broker require --provider"));
    }
    let mut sources = StubSources::new(environment)?;
    for place in &arguments.sources {
        let options = if place.contains("://") {
            SourceOptions {
                username: contracts.user.clone(),
                password: contracts.password.clone(),
                token: contracts.token.clone(),
                headers: None,
            }
        } else {
            SourceOptions::default()
        };
        sources.add(place, options).map_err(|error| usage(&error))?;
    }
    if uses_broker {
        for provider in &contracts.provider {
            let operation = VerifierOperation::BrokerSource {
                options: Argument::Value(broker(contracts)),
            };
            sources.add_broker(provider, operation).map_err(|error| usage(&error))?;
        }
    }
    let bytes = |bytes: u64| Bytes { bytes: Whole(bytes) };
    let limits = [
        contracts.source_limit.map(bytes).map(VerifierOperation::SetSourceLimit),
        contracts
            .total_source_limit
            .map(bytes)
            .map(VerifierOperation::SetTotalSourceLimit),
        contracts
            .directory_limit
            .map(|count| VerifierOperation::SetDirectoryLimit { count: Whole(count) }),
    ];
    for limit in limits.into_iter().flatten() {
        sources.limit(&limit).map_err(|error| usage(&error))?;
    }
    sources.filter(&contracts.consumer, &contracts.provider);
    Ok(sources)
}

fn usage(error: &ArgumentError) -> CliError {
    CliError::from_failure(&Failure::from(error.clone()), &StubOptionNames, USAGE)
}

/// Translates names of operations and options in messages to those of `contract stub`.
struct StubOptionNames;

impl Spelling for StubOptionNames {
    fn operation(&self, name: &str) -> String {
        match name {
            "add_source" => "SOURCE".to_owned(),
            "broker_source" => "--broker-url".to_owned(),
            "consumer_version" => "--consumer-version-selectors".to_owned(),
            name => self.option(name.strip_prefix("set_").unwrap_or(name)),
        }
    }

    fn option(&self, name: &str) -> String {
        match name {
            "username" => "--user".to_owned(),
            name => format!("--{}", name.replace('_', "-")),
        }
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("{}={value}", self.option(name))
    }
}

fn broker(contracts: &StubContracts) -> BrokerSourceOptions {
    let option = |value: &Option<String>| value.clone().map_or(Override::Absent, Override::Text);
    let selectors = contracts.consumer_version_selectors.iter().flat_map(|value| {
        match Json::parse(value.as_bytes()) {
            Ok(Json::Array(selectors)) => selectors,
            Ok(selector) => vec![selector],
            // Pass invalid JSON as a string, which the core rejects.
            Err(_) => vec![value.as_str().into()],
        }
    });
    BrokerSourceOptions {
        url: option(&contracts.broker_url),
        username: option(&contracts.broker_username),
        password: option(&contracts.broker_password),
        token: option(&contracts.broker_token),
        selector: Argument::Value(SelectorOptions {
            consumer_versions: Some(Json::from(selectors.collect::<Vec<_>>()).into()),
            ..SelectorOptions::default()
        }),
        ..BrokerSourceOptions::default()
    }
}

fn options(responses: &Responses) -> Result<StubOptions> {
    let mut states = Vec::new();
    for text in &responses.state {
        let parsed = ChosenState::parse(text);
        states.extend(parsed.map_err(|problem| CliError::usage(format!("invalid value for '--state': {problem}")))?);
    }
    Ok(StubOptions {
        loose: responses.loose,
        sequence: responses.sequence,
        cors: !responses.no_cors,
        latency: Duration::from_millis(responses.latency),
        unmatched_status: responses.unmatched_status,
        admin_path: responses.admin_path.clone(),
        states,
        ..StubOptions::default()
    })
}
