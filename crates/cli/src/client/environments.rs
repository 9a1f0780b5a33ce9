//! Commands for environments.

use clap::{Args, Subcommand};
use contract::Object;

use super::common::{ByUuid, Common, EXIT_CODES, put, put_text};
use super::job::Job;
use super::table::table;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create an environment
    #[command(name = "create-environment", after_help = EXIT_CODES)]
    Create(Box<Create>),

    /// Update an environment; omitted options keep their values
    #[command(name = "update-environment", after_help = EXIT_CODES)]
    Update(Box<Update>),

    /// List all environments
    #[command(name = "list-environments", after_help = EXIT_CODES)]
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
    /// Display name
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,

    /// Mark the environment as a production environment
    #[arg(long, overrides_with = "no_production")]
    production: bool,

    /// Mark the environment as non-production
    #[arg(long)]
    no_production: bool,

    /// Name of the contact
    #[arg(long, value_name = "NAME")]
    contact_name: Option<String>,

    /// Email address of the contact
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
    /// UUID, as printed by list-environments
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
    fn put_into(&self, arguments: &mut Object) {
        put_text(arguments, "display_name", self.display_name.as_ref());
        let production = match (self.production, self.no_production) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        put(arguments, "production", production);
        put_text(arguments, "contact_name", self.contact_name.as_ref());
        put_text(arguments, "contact_email_address", self.contact_email_address.as_ref());
    }
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Create(create) => {
                let mut arguments: Object = [("name", create.name.as_str())].into_iter().collect();
                create.details.put_into(&mut arguments);
                Job::new("create-environment", "create_environment", create.common, arguments)
            }
            Self::Update(update) => {
                let mut arguments = Object::new();
                put_text(&mut arguments, "uuid", update.uuid.as_ref());
                put_text(&mut arguments, "name", update.name.as_ref());
                update.details.put_into(&mut arguments);
                Job::new("update-environment", "update_environment", update.common, arguments)
            }
            Self::List(common) => {
                Job::new("list-environments", "list_environments", *common, Object::new()).with_text(|value| {
                    let columns = [
                        ("UUID", "uuid"),
                        ("Name", "name"),
                        ("Display name", "displayName"),
                        ("Production", "production"),
                    ];
                    table(value, &columns, "No environments found.")
                })
            }
            Self::Describe(describe) => {
                let arguments = describe.arguments();
                Job::new(
                    "describe-environment",
                    "describe_environment",
                    describe.common,
                    arguments,
                )
            }
            Self::Delete(delete) => {
                let arguments = delete.arguments();
                let delete = *delete;
                Job::new("delete-environment", "delete_environment", delete.common, arguments)
                    .with_text(move |_| format!("Deleted environment {}.\n", delete.uuid))
            }
        }
    }
}
