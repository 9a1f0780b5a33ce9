//! Pacticipants: the applications that have contracts with each other.

use clap::{Args, Subcommand};
use contract::{Json, Object};

use super::common::{Common, EXIT_CODES, put_text};
use super::job::Job;
use super::table::table;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create or update a pacticipant
    #[command(name = "create-or-update-pacticipant", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Show a pacticipant
    #[command(name = "describe-pacticipant", after_help = EXIT_CODES)]
    Describe(Box<One>),

    /// List all pacticipants
    #[command(name = "list-pacticipants", after_help = EXIT_CODES)]
    List(Box<Common>),

    /// Delete a pacticipant with its versions, contracts and results
    #[command(name = "delete-pacticipant", after_help = EXIT_CODES)]
    Delete(Box<One>),
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    /// Name of the pacticipant
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
pub(crate) struct One {
    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME", alias = "pacticipant")]
    name: String,

    #[command(flatten)]
    common: Common,
}

fn named(name: &str) -> Object {
    [("name", name)].into_iter().collect()
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::CreateOrUpdate(given) => {
                let given = *given;
                let mut arguments = named(&given.name);
                put_text(&mut arguments, "display_name", given.display_name.as_ref());
                put_text(&mut arguments, "main_branch", given.main_branch.as_ref());
                put_text(&mut arguments, "repository_url", given.repository_url.as_ref());
                let call = "create_or_update_pacticipant";
                Job::new("create-or-update-pacticipant", call, given.common, arguments).told(move |value| {
                    let is_new = value.get("created").and_then(Json::as_bool) == Some(true);
                    format!("{} is {}.\n", given.name, if is_new { "made" } else { "changed" })
                })
            }
            Self::Describe(given) => {
                let arguments = named(&given.name);
                Job::new("describe-pacticipant", "describe_pacticipant", given.common, arguments)
            }
            Self::List(common) => {
                Job::new("list-pacticipants", "list_pacticipants", *common, Object::new()).told(|value| {
                    let columns = [
                        ("Name", "name"),
                        ("Display name", "displayName"),
                        ("Main branch", "mainBranch"),
                        ("Repository", "repositoryUrl"),
                    ];
                    table(
                        value.as_array().unwrap_or_default(),
                        &columns,
                        "There is no pacticipant.",
                    )
                })
            }
            Self::Delete(given) => {
                let given = *given;
                let arguments = named(&given.name);
                Job::new("delete-pacticipant", "delete_pacticipant", given.common, arguments)
                    .told(move |_| format!("{} is gone.\n", given.name))
            }
        }
    }
}
