//! Commands for the contracts in a broker.

use clap::{Args, Subcommand};
use contract::Json;
use contract::broker::{Broker, GetContractsArguments, NoArguments, ProviderStatesArguments, SingleLine};

use super::common::{Common, EXIT_CODES, LIST_EXIT_CODES};
use super::job::Job;
use super::output::Format;
use super::table::{cell, lines, table};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the latest contract of each integration
    #[command(name = "list-latest-pact-versions", after_help = LIST_EXIT_CODES)]
    Latest(Box<Common>),

    /// List or download the contracts of a provider
    #[command(name = "get-pacts", after_help = EXIT_CODES)]
    Get(Box<Get>),

    /// List the provider states that consumers use
    #[command(name = "provider-states", after_help = EXIT_CODES)]
    States(States),
}

#[derive(Args)]
pub(crate) struct Get {
    /// Name of the provider
    #[arg(long, value_name = "NAME")]
    provider: SingleLine,

    /// List only contracts of this consumer
    #[arg(long, value_name = "NAME")]
    consumer: Option<String>,

    /// List only contracts of this consumer branch
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// List only the latest contract of each consumer
    #[arg(long)]
    latest: bool,

    /// Download the contracts to --download-dir
    #[arg(long)]
    download: bool,

    /// Directory for downloaded contracts; it is created if necessary
    #[arg(long, value_name = "DIRECTORY", default_value = "pacts")]
    download_dir: String,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct States {
    #[command(subcommand)]
    command: StatesCommand,
}

#[derive(Subcommand)]
enum StatesCommand {
    /// List the provider states that consumers use
    #[command(after_help = EXIT_CODES)]
    List(Box<StatesList>),
}

#[derive(Args)]
struct StatesList {
    /// Name of the provider
    #[arg(long, value_name = "NAME")]
    provider: SingleLine,

    /// List only states used in contracts of this consumer branch
    #[arg(long, value_name = "BRANCH", conflicts_with = "environment")]
    branch: Option<String>,

    /// List only states used in contracts of consumer versions in this environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: Option<String>,

    /// Print JSON; same as --output json
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    common: Common,
}

const NO_CONTRACTS: &str = "No contracts found.";

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Latest(common) => {
                let call = Broker::list_latest_contracts;
                Job::new("list-latest-pact-versions", *common, call, NoArguments {}).with_text(|value| {
                    let columns = [
                        ("Consumer", "consumer"),
                        ("Version", "consumerVersion"),
                        ("Provider", "provider"),
                        ("Published", "createdAt"),
                    ];
                    table(value, &columns, NO_CONTRACTS)
                })
            }
            Self::Get(get) => {
                let location = if get.download { ("File", "file") } else { ("URL", "url") };
                let arguments = GetContractsArguments {
                    provider: get.provider,
                    consumer: get.consumer,
                    branch: get.branch,
                    latest: get.latest,
                    download: get.download,
                    download_dir: Some(get.download_dir),
                };
                Job::new("get-pacts", get.common, Broker::get_contracts, arguments).with_text(move |value| {
                    let columns = [
                        ("Consumer", "consumer"),
                        ("Version", "consumerVersion"),
                        ("Provider", "provider"),
                        location,
                    ];
                    table(value, &columns, NO_CONTRACTS)
                })
            }
            Self::States(States {
                command: StatesCommand::List(list),
            }) => {
                let arguments = ProviderStatesArguments {
                    provider: list.provider,
                    branch: list.branch,
                    environment: list.environment,
                };
                let mut common = list.common;
                if list.json {
                    common.output = Format::Json;
                }
                Job::new("provider-states", common, Broker::provider_states, arguments).with_text(states_table)
            }
        }
    }
}

fn states_table(value: &Json) -> String {
    let rows: Vec<Vec<String>> = value
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(|state| {
            ["name", "params", "consumers"]
                .map(|name| cell(state.get(name)))
                .to_vec()
        })
        .collect();
    if rows.is_empty() {
        return "No provider states found.\n".to_owned();
    }
    lines(&["State", "Parameters", "Consumers"], rows)
}
