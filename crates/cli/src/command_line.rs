//! Commands and options of `contract`.
#![expect(clippy::doc_markdown, reason = "clap prints these comments unchanged")]
#![expect(clippy::struct_field_names, reason = "clap names the options after the fields")]

use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::arguments;
use crate::docs::DocsArguments;
use crate::mock::MockArguments;
use crate::plugin::PluginCommand;
use crate::record::RecordArguments;
use crate::stub::StubArguments;
use crate::usage::without_secrets;
use crate::values::{count, header, host};
use crate::verify_broker::BrokerArguments;
use crate::verify_contracts::Contracts;

/// Consumer-driven contract testing.
#[derive(Parser)]
#[command(
    name = "contract",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Parses the arguments. For help, `--version`, and invalid arguments, prints a text and exits.
    pub(crate) fn parse_arguments() -> Self {
        let definition = Self::command().mut_subcommand("verify", |verify| verify.mut_args(without_empty_variable));
        let matches = definition
            .clone()
            .try_get_matches_from(arguments::all())
            .unwrap_or_else(|error| without_secrets(error, &definition, &arguments::as_text()).exit());
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Treats an empty environment variable as unset, because CI systems define variables without a value.
fn without_empty_variable(argument: clap::Arg) -> clap::Arg {
    let value = argument.get_env().and_then(std::env::var_os);
    if value.is_some_and(|value| value.is_empty()) {
        argument.env(Resettable::Reset)
    } else {
        argument
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Verify a running provider against its contracts
    #[command(after_help = EXAMPLES)]
    Verify(Box<VerifyArguments>),

    /// List, install, remove, and check plugins
    #[command(arg_required_else_help = true)]
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },

    /// Serve the interactions of many contracts over HTTP
    #[command(after_help = crate::stub::EXAMPLES)]
    Stub(Box<StubArguments>),

    /// Serve one contract, and report whether its interactions were used
    #[command(after_help = crate::mock::EXAMPLES)]
    Mock(MockArguments),

    /// Derive a contract from HTTP traffic or a HAR file
    #[command(after_help = crate::record::EXAMPLES)]
    Record(Box<RecordArguments>),

    /// Generate a static website from contracts
    #[command(after_help = crate::docs::EXAMPLES)]
    Docs(DocsArguments),

    /// Check a JavaScript project, its CI variables, and its broker
    #[command(after_help = DOCTOR)]
    Doctor {
        /// Print the results as JSON
        #[arg(long)]
        json: bool,
    },

    /// Convert tests from pact-js to contract
    #[command(after_help = MIGRATE)]
    Migrate {
        /// Library to migrate from; only pact-js is supported
        #[arg(value_name = "SOURCE")]
        from: String,

        /// Files, or directories to search for files that import pact-js or jest-pact [default: the current
        /// directory]
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,

        /// Print a diff without changing any files
        #[arg(long)]
        dry_run: bool,
    },

    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// Shell to print the script for
        shell: clap_complete::Shell,
    },
}

const EXAMPLES: &str = "\
Examples:
  Verify all contracts in a directory against a provider on port 8080:
    contract verify --provider-name orders --dir ./contracts --port 8080
  Verify a contract from a URL, with a state change URL and a report for CI:
    contract verify --provider-name orders --url https://example.com/web-orders.json --port 8080 \\
      --state-change-url http://localhost:8080/_states --junit-file report.xml
  Verify contracts from a broker and publish the results:
    contract verify --provider-name orders --broker-url https://broker.example.com --port 8080 \\
      --enable-pending --provider-branch main --publish --provider-version \"$(git rev-parse HEAD)\"
  Verify only interactions that failed in the last run:
    contract verify --provider-name orders --dir ./contracts --port 8080 --last-failed

Exit codes:
  0  every contract passed, or only pending contracts failed
  1  a contract failed, no contract was found or readable, or results could not be published
  2  invalid arguments, a TLS file could not be read, or a report could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

const DOCTOR: &str = "\
This command is available only in the npm package: npx contract doctor

Exit codes:
  0  no check failed; there may be warnings
  1  a check failed
  2  invalid arguments";

const MIGRATE: &str = "\
This command is available only in the npm package: npx contract migrate pact-js
It requires @ast-grep/napi: npm install --save-dev @ast-grep/napi
Code that cannot be converted is left unchanged, with a '// TODO(contract):' comment that explains what to do.

Exit codes:
  0  all files were converted, or there was nothing to convert; TODO comments may remain
  1  a file could not be read, parsed, or written; the others were converted
  2  invalid arguments, or @ast-grep/napi is not installed";

const COMPLETIONS: &str = "\
Examples:
  bash:
    contract completions bash > ~/.local/share/bash-completion/completions/contract
  zsh:
    contract completions zsh > \"${fpath[1]}/_contract\"
  fish:
    contract completions fish > ~/.config/fish/completions/contract.fish";

#[derive(Args)]
#[command(group = ArgGroup::new("versioned").args(["provider_version", "auto_detect_version_properties"]))]
#[command(next_line_help = false, group = ArgGroup::new("addresses").multiple(true).args(["url", "broker_url"]))]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    #[command(flatten)]
    pub(crate) broker: BrokerArguments,
    #[command(flatten)]
    pub(crate) provider: Provider,
    #[command(flatten)]
    pub(crate) requests: Requests,
    #[command(flatten)]
    pub(crate) states: States,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) reporting: Reporting,
}

#[derive(Args)]
#[command(next_help_heading = "Provider")]
pub(crate) struct Provider {
    /// Name of the provider; contracts of other providers are ignored
    #[arg(
        short = 'n',
        long,
        alias = "provider",
        value_name = "NAME",
        env = "CONTRACT_PROVIDER_NAME",
        hide_env_values = true
    )]
    pub(crate) provider_name: String,

    /// Host of the provider
    #[arg(long, value_name = "HOST", default_value = "localhost", env = "CONTRACT_PROVIDER_HOSTNAME", hide_env_values = true, value_parser = host)]
    pub(crate) hostname: String,

    /// Port of the provider [default: 80 for http, 443 for https]
    #[arg(
        short,
        long,
        value_name = "PORT",
        env = "CONTRACT_PROVIDER_PORT",
        hide_env_values = true
    )]
    pub(crate) port: Option<u16>,

    /// Scheme of the provider: http or https
    #[arg(
        long,
        value_name = "SCHEME",
        default_value = "http",
        env = "CONTRACT_PROVIDER_SCHEME",
        hide_env_values = true,
        hide_possible_values = true
    )]
    pub(crate) scheme: Scheme,

    /// Path prefix for every request, such as /api
    #[arg(
        long,
        value_name = "PATH",
        default_value = "",
        hide_default_value = true,
        env = "CONTRACT_PROVIDER_BASE_PATH",
        hide_env_values = true
    )]
    pub(crate) base_path: String,

    /// Transport of the provider: http, https, message, or a transport name that interactions use
    #[arg(
        long,
        value_name = "NAME",
        default_value = "http",
        env = "CONTRACT_PROVIDER_TRANSPORT",
        hide_env_values = true
    )]
    pub(crate) transport: String,

    /// Additional transport: NAME=URL, or NAME:PORT on the same host (repeatable, or separated by commas)
    #[arg(
        long,
        value_name = "NAME=URL",
        env = "CONTRACT_PROVIDER_TRANSPORTS",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub(crate) transports: Vec<String>,
}

#[derive(Args)]
#[command(next_help_heading = "Requests")]
pub(crate) struct Requests {
    /// Timeout for one request, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5000, env = "CONTRACT_PROVIDER_REQUEST_TIMEOUT", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) request_timeout: u64,

    /// Maximum size of a decompressed provider response, in bytes [default: 67108864 (64 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) body_limit: Option<u64>,

    /// Maximum size of generated values per request or message, in bytes [default: 67108864 (64 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) generated_size: Option<u64>,

    /// Header for every request, as 'Name: value' (repeatable); overrides headers of the contract with the same name
    #[arg(short = 'H', long, value_name = "HEADER", value_parser = header)]
    pub(crate) custom_header: Vec<(String, String)>,

    /// Follow redirects from the provider: true or false
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub(crate) follow_redirects: bool,

    /// After a redirect to another host, also send headers that may contain credentials
    #[arg(long)]
    pub(crate) redirect_credentials: bool,

    /// PEM file with certificates to trust in addition to those of the system and in SSL_CERT_FILE (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Vec<PathBuf>,

    /// PEM file with the client certificate
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,

    /// PEM file with the unencrypted private key of the client certificate
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,

    /// Disable verification of TLS certificates
    #[arg(long)]
    pub(crate) disable_ssl_verification: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Provider states")]
pub(crate) struct States {
    /// URL to call before each interaction to set up its provider states
    #[arg(
        short,
        long,
        value_name = "URL",
        env = "CONTRACT_PROVIDER_STATE_CHANGE_URL",
        hide_env_values = true
    )]
    pub(crate) state_change_url: Option<String>,

    /// Send the provider state in the query string instead of a JSON body (requires --state-change-url)
    #[arg(long, requires = "state_change_url", env = "CONTRACT_PROVIDER_STATE_CHANGE_AS_QUERY", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) state_change_as_query: bool,

    /// Call the URL again after each interaction, with the action 'teardown' (requires --state-change-url)
    #[arg(long, requires = "state_change_url", env = "CONTRACT_PROVIDER_STATE_CHANGE_TEARDOWN", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) state_change_teardown: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Filters (a regular expression can match any part of the text)")]
pub(crate) struct Filters {
    /// Verify only interactions whose description matches; the variable CONTRACT_DESCRIPTION takes precedence
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter_description: Option<String>,

    /// Verify only interactions with a matching provider state; the variable CONTRACT_PROVIDER_STATE takes precedence
    #[arg(long, value_name = "REGEX", conflicts_with = "filter_no_state")]
    pub(crate) filter_state: Option<String>,

    /// Verify only interactions without provider states; same as the variable CONTRACT_PROVIDER_NO_STATE=true
    #[arg(long)]
    pub(crate) filter_no_state: bool,

    /// Verify only contracts of this consumer (repeatable)
    #[arg(short = 'c', long, value_name = "NAME")]
    pub(crate) filter_consumer: Vec<String>,

    /// Verify only interactions that failed in the last run, or all interactions if none failed
    #[arg(long)]
    pub(crate) last_failed: bool,

    /// Stop at the first failure that is not pending
    #[arg(short = 'x', long)]
    pub(crate) exit_first: bool,

    /// Maximum number of interactions without provider states to verify concurrently
    #[arg(long, value_name = "COUNT", default_value = "1", value_parser = count)]
    pub(crate) concurrency: u64,
}

#[derive(Args)]
#[command(next_help_heading = "Reports and output")]
pub(crate) struct Reporting {
    /// Write a JSON report to this file
    #[arg(short, long, alias = "json", value_name = "FILE")]
    pub(crate) json_file: Option<PathBuf>,

    /// Write a JUnit XML report to this file
    #[arg(long, alias = "junit", value_name = "FILE")]
    pub(crate) junit_file: Option<PathBuf>,

    /// Write an HTML report to this file
    #[arg(long, alias = "html", value_name = "FILE")]
    pub(crate) html_file: Option<PathBuf>,

    /// Write a Markdown report to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown_file: Option<PathBuf>,

    /// In GitHub Actions, annotate failures and add the report to the job summary
    #[arg(long)]
    pub(crate) github: bool,

    /// Show requests, responses, and durations
    #[arg(short, long, alias = "full-log")]
    pub(crate) verbose: bool,

    /// Level of the log on standard error: off, error, warn, info, debug, or trace
    #[arg(
        short = 'l',
        long,
        alias = "loglevel",
        value_name = "LEVEL",
        default_value = "off",
        env = "CONTRACT_LOG_LEVEL",
        hide_env_values = true,
        ignore_case = true,
        hide_possible_values = true
    )]
    pub(crate) log_level: LogLevel,

    /// Disable colors; same as NO_COLOR=1
    #[arg(long, alias = "no-colour")]
    pub(crate) no_color: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Scheme {
    Http,
    Https,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LogLevel {
    Off,
    #[value(alias = "none")]
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::Error => "ERROR",
            Self::Warn => "WARN",
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
            Self::Trace => "TRACE",
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// A wrapped command cannot be copied. Help is wrapped at 100 columns if the width of the terminal is unknown.
    #[test]
    fn commands_in_the_help_are_not_wrapped() {
        let mut found = 0;
        for command in [Cli::command(), crate::broker::definition()] {
            found += check_examples(&command);
        }
        assert!(found > 40, "{found}");
    }

    /// Checks the examples of a command and its subcommands. Returns their number.
    fn check_examples(command: &clap::Command) -> usize {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines: Vec<&str> = help.lines().collect();
        let mut found = 0;
        for (at, line) in lines.iter().enumerate() {
            let is_command = line.starts_with(' ') && line.trim_start().starts_with("contract");
            if is_command || (at > 0 && lines[at - 1].ends_with('\\')) {
                found += usize::from(is_command);
                assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
            }
        }
        found + command.get_subcommands().map(check_examples).sum::<usize>()
    }
}
