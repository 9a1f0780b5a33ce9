//! Environments.

use clap::{Args, Subcommand};
use contract::Object;

use super::common::{Common, EXIT_CODES, put, put_text};
use super::job::Job;
use super::table::{members, table};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create an environment
    #[command(name = "create-environment", after_help = EXIT_CODES)]
    Create(Box<Create>),

    /// Update an environment; options that are not given stay unchanged
    #[command(name = "update-environment", after_help = EXIT_CODES)]
    Update(Box<Update>),

    /// List all environments
    #[command(name = "list-environments", after_help = EXIT_CODES)]
    List(Box<Common>),

    /// Show an environment
    #[command(name = "describe-environment", after_help = EXIT_CODES)]
    Describe(Box<One>),

    /// Delete an environment
    #[command(name = "delete-environment", after_help = EXIT_CODES)]
    Delete(Box<One>),
}

#[derive(Args)]
struct Details {
    /// Display name
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,

    /// Mark as a production environment
    #[arg(long, overrides_with = "no_production")]
    production: bool,

    /// Mark as not a production environment
    #[arg(long)]
    no_production: bool,

    /// Name of the contact
    #[arg(long, value_name = "NAME")]
    contact_name: Option<String>,

    /// E-mail address of the contact
    #[arg(long, value_name = "ADDRESS")]
    contact_email_address: Option<String>,
}

#[derive(Args)]
pub(crate) struct Create {
    /// Name, without spaces
    #[arg(long, value_name = "NAME")]
    name: String,

    #[command(flatten)]
    details: Details,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Update {
    /// UUID, as shown by list-environments
    #[arg(long, value_name = "UUID", required_unless_present = "name")]
    uuid: Option<String>,

    /// New name; without --uuid, the existing name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    details: Details,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct One {
    /// UUID, as shown by list-environments
    #[arg(long, value_name = "UUID")]
    uuid: String,

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

fn by_uuid(uuid: &str) -> Object {
    [("uuid", uuid)].into_iter().collect()
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Create(given) => {
                let mut arguments: Object = [("name", given.name.as_str())].into_iter().collect();
                given.details.put_into(&mut arguments);
                Job::new("create-environment", "create_environment", given.common, arguments)
            }
            Self::Update(given) => {
                let mut arguments = Object::new();
                put_text(&mut arguments, "uuid", given.uuid.as_ref());
                put_text(&mut arguments, "name", given.name.as_ref());
                given.details.put_into(&mut arguments);
                Job::new("update-environment", "update_environment", given.common, arguments)
            }
            Self::List(common) => {
                Job::new("list-environments", "list_environments", *common, Object::new()).told(|value| {
                    let columns = [
                        ("UUID", "uuid"),
                        ("Name", "name"),
                        ("Display name", "displayName"),
                        ("Production", "production"),
                    ];
                    table(
                        value.as_array().unwrap_or_default(),
                        &columns,
                        "There is no environment.",
                    )
                })
            }
            Self::Describe(given) => {
                let arguments = by_uuid(&given.uuid);
                Job::new("describe-environment", "describe_environment", given.common, arguments).told(members)
            }
            Self::Delete(given) => {
                let given = *given;
                let arguments = by_uuid(&given.uuid);
                Job::new("delete-environment", "delete_environment", given.common, arguments)
                    .told(move |_| format!("The environment {} is gone.\n", given.uuid))
            }
        }
    }
}
