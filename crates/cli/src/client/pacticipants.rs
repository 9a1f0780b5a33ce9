//! Commands for pacticipants, the applications that have contracts with each other.

use clap::{Args, Subcommand};
use contract::Json;
use contract::broker::{Broker, NameArgument, NoArguments, PacticipantChange, SingleLine};

use super::common::{Common, EXIT_CODES, LIST_EXIT_CODES};
use super::job::Job;
use super::table::table;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create or update an application
    #[command(name = "create-or-update-pacticipant", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Show an application
    #[command(name = "describe-pacticipant", after_help = EXIT_CODES)]
    Describe(Box<ByName>),

    /// List all applications
    #[command(name = "list-pacticipants", after_help = LIST_EXIT_CODES)]
    List(Box<Common>),

    /// Delete an application with its versions, contracts, and results
    #[command(name = "delete-pacticipant", after_help = EXIT_CODES)]
    Delete(Box<ByName>),
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    /// Name of the application
    #[arg(long, value_name = "NAME")]
    name: String,

    /// Human-readable name, such as 'Web shop'
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,

    /// Name of the main branch
    #[arg(long, value_name = "BRANCH")]
    main_branch: Option<String>,

    /// URL of the source repository
    #[arg(long, value_name = "URL")]
    repository_url: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct ByName {
    /// Name of the application
    #[arg(short = 'a', long, value_name = "NAME", alias = "pacticipant")]
    name: SingleLine,

    #[command(flatten)]
    common: Common,
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::CreateOrUpdate(update) => {
                let name = update.name.clone();
                let change = PacticipantChange {
                    name: update.name,
                    display_name: update.display_name,
                    main_branch: update.main_branch,
                    repository_url: update.repository_url,
                };
                let call = Broker::create_or_update_pacticipant;
                Job::new("create-or-update-pacticipant", update.common, call, change).with_text(move |value| {
                    let is_new = value.get("created").and_then(Json::as_bool) == Some(true);
                    format!("{} {name}.\n", if is_new { "Created" } else { "Updated" })
                })
            }
            Self::Describe(describe) => {
                let ByName { name, common } = *describe;
                Job::new(
                    "describe-pacticipant",
                    common,
                    Broker::describe_pacticipant,
                    NameArgument { name },
                )
            }
            Self::List(common) => Job::new("list-pacticipants", *common, Broker::list_pacticipants, NoArguments {})
                .with_text(|value| {
                    let columns = [
                        ("Name", "name"),
                        ("Display name", "displayName"),
                        ("Main branch", "mainBranch"),
                        ("Repository", "repositoryUrl"),
                    ];
                    table(value, &columns, "No applications found.")
                }),
            Self::Delete(delete) => {
                let ByName { name, common } = *delete;
                let text = format!("Deleted {}.\n", &*name);
                Job::new(
                    "delete-pacticipant",
                    common,
                    Broker::delete_pacticipant,
                    NameArgument { name },
                )
                .with_text(|_| text)
            }
        }
    }
}
