//! Commands for environments.

use clap::{Args, Subcommand};
use contract::broker::{Broker, EnvironmentChange, NoArguments};

use super::common::{ByUuid, Common, EXIT_CODES, LIST_EXIT_CODES};
use super::job::Job;
use super::table::table;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create an environment
    #[command(name = "create-environment", after_help = EXIT_CODES)]
    Create(Box<Create>),

    /// Update an environment; properties that are not passed stay unchanged
    #[command(name = "update-environment", after_help = EXIT_CODES)]
    Update(Box<Update>),

    /// List all environments
    #[command(name = "list-environments", after_help = LIST_EXIT_CODES)]
    List(Box<Common>),

    /// Show an environment
    #[command(name = "describe-environment", after_help = EXIT_CODES)]
    Describe(Box<ByUuid>),

    /// Delete an environment
    #[command(name = "delete-environment", after_help = EXIT_CODES)]
    Delete(Box<ByUuid>),
}

#[derive(Args)]
struct Details {
    /// Human-readable name, such as 'Production EU'
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,

    /// Mark the environment as a production environment
    #[arg(long, overrides_with = "no_production")]
    production: bool,

    /// Mark the environment as a non-production environment
    #[arg(long)]
    no_production: bool,

    /// Name of the contact person or team
    #[arg(long, value_name = "NAME")]
    contact_name: Option<String>,

    /// Email address of the contact person or team
    #[arg(long, value_name = "ADDRESS")]
    contact_email_address: Option<String>,
}

#[derive(Args)]
pub(crate) struct Create {
    /// Name of the environment, without spaces
    #[arg(long, value_name = "NAME")]
    name: String,

    #[command(flatten)]
    details: Details,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Update {
    /// UUID of the environment, as printed by list-environments
    #[arg(long, value_name = "UUID", required_unless_present = "name")]
    uuid: Option<String>,

    /// New name; without --uuid, the name of the environment to update
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    details: Details,

    #[command(flatten)]
    common: Common,
}

impl Details {
    fn change(self, uuid: Option<String>, name: Option<String>) -> EnvironmentChange {
        EnvironmentChange {
            uuid,
            name,
            display_name: self.display_name,
            production: (self.production || self.no_production).then_some(self.production),
            contact_name: self.contact_name,
            contact_email_address: self.contact_email_address,
        }
    }
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Create(create) => {
                let change = create.details.change(None, Some(create.name));
                Job::new("create-environment", create.common, Broker::create_environment, change)
            }
            Self::Update(update) => {
                let change = update.details.change(update.uuid, update.name);
                Job::new("update-environment", update.common, Broker::update_environment, change)
            }
            Self::List(common) => Job::new("list-environments", *common, Broker::list_environments, NoArguments {})
                .with_text(|value| {
                    let columns = [
                        ("UUID", "uuid"),
                        ("Name", "name"),
                        ("Display name", "displayName"),
                        ("Production", "production"),
                    ];
                    table(value, &columns, "No environments found.")
                }),
            Self::Describe(describe) => {
                let arguments = describe.arguments();
                Job::new(
                    "describe-environment",
                    describe.common,
                    Broker::describe_environment,
                    arguments,
                )
            }
            Self::Delete(delete) => {
                let arguments = delete.arguments();
                let ByUuid { uuid, common } = *delete;
                Job::new("delete-environment", common, Broker::delete_environment, arguments)
                    .with_text(move |_| format!("Deleted environment {}.\n", &*uuid))
            }
        }
    }
}
