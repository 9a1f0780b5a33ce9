//! Commands for pacticipants, the applications that have contracts with each other.

use clap::{Args, Subcommand};
use contract::{Json, Object};

use super::common::{Common, EXIT_CODES, put_text};
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
    #[command(name = "list-pacticipants", after_help = EXIT_CODES)]
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

    /// Display name
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,

    /// Main branch
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
    name: String,

    #[command(flatten)]
    common: Common,
}

fn name_argument(name: &str) -> Object {
    [("name", name)].into_iter().collect()
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::CreateOrUpdate(update) => {
                let update = *update;
                let mut arguments = name_argument(&update.name);
                put_text(&mut arguments, "display_name", update.display_name.as_ref());
                put_text(&mut arguments, "main_branch", update.main_branch.as_ref());
                put_text(&mut arguments, "repository_url", update.repository_url.as_ref());
                let call = "create_or_update_pacticipant";
                Job::new("create-or-update-pacticipant", call, update.common, arguments).with_text(move |value| {
                    let is_new = value.get("created").and_then(Json::as_bool) == Some(true);
                    format!("{} {}.\n", if is_new { "Created" } else { "Updated" }, update.name)
                })
            }
            Self::Describe(describe) => {
                let arguments = name_argument(&describe.name);
                Job::new(
                    "describe-pacticipant",
                    "describe_pacticipant",
                    describe.common,
                    arguments,
                )
            }
            Self::List(common) => {
                Job::new("list-pacticipants", "list_pacticipants", *common, Object::new()).with_text(|value| {
                    let columns = [
                        ("Name", "name"),
                        ("Display name", "displayName"),
                        ("Main branch", "mainBranch"),
                        ("Repository", "repositoryUrl"),
                    ];
                    table(value, &columns, "No applications found.")
                })
            }
            Self::Delete(delete) => {
                let delete = *delete;
                let arguments = name_argument(&delete.name);
                Job::new("delete-pacticipant", "delete_pacticipant", delete.common, arguments)
                    .with_text(move |_| format!("Deleted {}.\n", delete.name))
            }
        }
    }
}
