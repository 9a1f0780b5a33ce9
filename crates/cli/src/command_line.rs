//! What can be said on the command line.
#![expect(clippy::doc_markdown, reason = "clap prints these comments as they are")]
#![expect(clippy::struct_field_names, reason = "clap names the options after the fields")]

use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::plugin::PluginCommand;
use crate::terminal;
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
    /// What this process was told. Ends it with help or an error when there is nothing to do.
    pub(crate) fn of_process() -> Self {
        let definition = Self::command().mut_subcommand("verify", |verify| verify.mut_args(without_empty_variable));
        let matches = definition
            .try_get_matches()
            .unwrap_or_else(|error| terminal::without_secrets(error).exit());
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// CI systems set variables to nothing: then they are not set.
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

    /// List, install, remove and try plugins
    #[command(arg_required_else_help = true)]
    Plugin {
        /// What to do
        #[command(subcommand)]
        command: PluginCommand,
    },

    /// Print a script that completes commands and options in a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

const EXAMPLES: &str = "\
Examples:
  Verify everything in a directory against a provider on port 8080:
    contract verify --provider-name orders --dir ./contracts --port 8080
  One contract from a URL, states set up by the provider itself, a report for CI:
    contract verify --provider-name orders --url https://example.com/web-orders.json --port 8080 \\
      --state-change-url http://localhost:8080/_states --junit-file report.xml
  What a broker says is to be verified, and publish the results:
    contract verify --provider-name orders --broker-url https://broker.example.com --port 8080 \\
      --enable-pending --provider-branch main --publish --provider-version \"$(git rev-parse HEAD)\"
  Only what failed the last time:
    contract verify --provider-name orders --dir ./contracts --port 8080 --last-failed

Exit codes:
  0  the provider honours its contracts, or nothing failed but what is pending
  1  it does not, there was no contract to verify, or results could not be published
  2  the arguments make no sense, or a report could not be written
  4  the broker cannot be reached, or what answers is no broker
  5  the broker does not take the credentials";

const COMPLETIONS: &str = "\
Examples:
  bash:  contract completions bash > ~/.local/share/bash-completion/completions/contract
  zsh:   contract completions zsh > \"${fpath[1]}/_contract\"
  fish:  contract completions fish > ~/.config/fish/completions/contract.fish";

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
    pub(crate) choice: Choice,
    #[command(flatten)]
    pub(crate) outcome: Reporting,
}

#[derive(Args)]
#[command(next_help_heading = "Provider")]
pub(crate) struct Provider {
    /// The provider's name; contracts with other providers are left out
    #[arg(
        short = 'n',
        long,
        alias = "provider",
        value_name = "NAME",
        env = "CONTRACT_PROVIDER_NAME",
        hide_env_values = true
    )]
    pub(crate) provider_name: String,

    /// Where the provider runs
    #[arg(long, value_name = "HOST", default_value = "localhost", env = "CONTRACT_PROVIDER_HOSTNAME", hide_env_values = true, value_parser = host)]
    pub(crate) hostname: String,

    /// Its port; default: that of the scheme
    #[arg(
        short,
        long,
        value_name = "PORT",
        env = "CONTRACT_PROVIDER_PORT",
        hide_env_values = true
    )]
    pub(crate) port: Option<u16>,

    /// http or https
    #[arg(
        long,
        value_name = "SCHEME",
        default_value = "http",
        env = "CONTRACT_PROVIDER_SCHEME",
        hide_env_values = true,
        hide_possible_values = true
    )]
    pub(crate) scheme: Scheme,

    /// Put in front of every path
    #[arg(
        long,
        value_name = "PATH",
        default_value = "",
        hide_default_value = true,
        env = "CONTRACT_PROVIDER_BASE_PATH",
        hide_env_values = true
    )]
    pub(crate) base_path: String,

    /// What is spoken there: http, https, message, or a name that interactions give
    #[arg(
        long,
        value_name = "NAME",
        default_value = "http",
        env = "CONTRACT_PROVIDER_TRANSPORT",
        hide_env_values = true
    )]
    pub(crate) transport: String,

    /// Another way to reach the provider: NAME=URL, or NAME:PORT on the same host [repeatable]
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
    /// How long one request may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 5000, env = "CONTRACT_PROVIDER_REQUEST_TIMEOUT", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) request_timeout: u64,

    /// Largest answer of the provider, decompressed, in bytes; default: 64 MiB
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) body_limit: Option<u64>,

    /// Most bytes that generators make for one request or message; default: 64 MiB
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) generated_size: Option<u64>,

    /// A header for every request, 'Name: value'; replaces that of the contract [repeatable]
    #[arg(short = 'H', long, value_name = "HEADER", value_parser = header)]
    pub(crate) custom_header: Vec<(String, String)>,

    /// Follow redirects of the provider
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub(crate) follow_redirects: bool,

    /// Send headers that may hold credentials along when a redirect leads to another host
    #[arg(long)]
    pub(crate) redirect_credentials: bool,

    /// Certificates to trust besides the system's: a file in PEM [repeatable]
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Vec<PathBuf>,

    /// The certificate to show to the provider: a file in PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,

    /// The key of --cert, not encrypted: a file in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,

    /// Accept any certificate
    #[arg(long)]
    pub(crate) disable_ssl_verification: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Provider states")]
pub(crate) struct States {
    /// A URL of the provider that is told which state an interaction needs
    #[arg(
        short,
        long,
        value_name = "URL",
        env = "CONTRACT_PROVIDER_STATE_CHANGE_URL",
        hide_env_values = true
    )]
    pub(crate) state_change_url: Option<String>,

    /// Tell it in the query, and not in a JSON body
    #[arg(long, requires = "state_change_url", env = "CONTRACT_PROVIDER_STATE_CHANGE_AS_QUERY", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) state_change_as_query: bool,

    /// Tell it after the interaction, too, with the action 'teardown'
    #[arg(long, requires = "state_change_url", env = "CONTRACT_PROVIDER_STATE_CHANGE_TEARDOWN", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) state_change_teardown: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Choice of interactions (regular expressions are searched for anywhere in the text)")]
pub(crate) struct Choice {
    /// Only descriptions that match; CONTRACT_DESCRIPTION comes first
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter_description: Option<String>,

    /// Only interactions with a state that matches; CONTRACT_PROVIDER_STATE comes first
    #[arg(long, value_name = "REGEX", conflicts_with = "filter_no_state")]
    pub(crate) filter_state: Option<String>,

    /// Only interactions without states; as CONTRACT_PROVIDER_NO_STATE=true
    #[arg(long)]
    pub(crate) filter_no_state: bool,

    /// Only contracts of this consumer [repeatable]
    #[arg(short = 'c', long, value_name = "NAME")]
    pub(crate) filter_consumer: Vec<String>,

    /// Only what failed the last time; everything when nothing did
    #[arg(long)]
    pub(crate) last_failed: bool,

    /// Stop at the first failure that is not pending
    #[arg(short = 'x', long)]
    pub(crate) exit_first: bool,

    /// How many interactions without states run at a time
    #[arg(long, value_name = "COUNT", default_value = "1", value_parser = count)]
    pub(crate) concurrency: u64,
}

#[derive(Args)]
#[command(next_help_heading = "Outcome")]
pub(crate) struct Reporting {
    /// Write a report as JSON
    #[arg(short, long, alias = "json", value_name = "FILE")]
    pub(crate) json_file: Option<PathBuf>,

    /// Write a report as XML of JUnit, for CI systems
    #[arg(long, alias = "junit", value_name = "FILE")]
    pub(crate) junit_file: Option<PathBuf>,

    /// Write a report as one HTML page
    #[arg(long, alias = "html", value_name = "FILE")]
    pub(crate) html_file: Option<PathBuf>,

    /// Write a report as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown_file: Option<PathBuf>,

    /// In GitHub Actions: annotate failures, and add the report to the summary of the job
    #[arg(long)]
    pub(crate) github: bool,

    /// Show requests, answers and times as well
    #[arg(short, long, alias = "full-log")]
    pub(crate) verbose: bool,

    /// Log to standard error: off, error, warn, info, debug or trace
    #[arg(
        short,
        long,
        value_name = "LEVEL",
        default_value = "off",
        env = "CONTRACT_LOG_LEVEL",
        hide_env_values = true,
        ignore_case = true,
        hide_possible_values = true
    )]
    pub(crate) loglevel: LogLevel,

    /// No colours; as NO_COLOR=1
    #[arg(long, alias = "no-color")]
    pub(crate) no_colour: bool,
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
    /// As the core calls it.
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

fn count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("it must be a number greater than zero".to_owned()),
        Ok(count) => Ok(count),
    }
}

fn host(text: &str) -> Result<String, String> {
    if text.contains("://") {
        return Err(
            "a name such as localhost is asked for; say the rest with --scheme, --port and --base-path".to_owned(),
        );
    }
    if text.is_empty() || text.contains(['/', '?', '#', '@', ' ']) {
        return Err("it is no name of a host".to_owned());
    }
    Ok(text.to_owned())
}

/// `Name: value`, or `Name=value` as other verifiers take it.
fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once([':', '=']) {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("give name and value, such as 'Accept-Language: en'".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, header, host};

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn headers() {
        let pair = |text| header(text).map(|(name, value)| format!("{name}|{value}"));
        assert_eq!(
            pair("Authorization: Bearer a=b:c").unwrap(),
            "Authorization|Bearer a=b:c"
        );
        assert_eq!(pair("X-Tenant=7").unwrap(), "X-Tenant|7");
        assert!(pair("nothing").is_err() && pair(": x").is_err());
    }

    #[test]
    fn hosts() {
        for (text, is_one) in [
            ("localhost", true),
            ("::1", true),
            ("http://localhost", false),
            ("a/b", false),
            ("", false),
        ] {
            assert_eq!(host(text).is_ok(), is_one, "{text}");
        }
    }
}
