//! Versions, their tags and branches.

use clap::{Args, Subcommand};
use contract::{Json, Object};

use super::common::{Common, EXIT_CODES, put_list, put_text};
use super::job::Job;
use super::table::{cell, table};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create or update a version, its branch and tags
    #[command(name = "create-or-update-version", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Show a version with its branches, tags and environments
    #[command(name = "describe-version", after_help = EXIT_CODES)]
    Describe(Box<Describe>),

    /// Add a tag to a version
    #[command(name = "create-version-tag", after_help = EXIT_CODES)]
    Tag(Box<Tag>),

    /// Remove a tag from a version
    #[command(name = "delete-version-tag", after_help = EXIT_CODES)]
    Untag(Box<Untag>),

    /// List the branches of a pacticipant
    #[command(name = "list-branches", after_help = EXIT_CODES)]
    Branches(Box<Branches>),

    /// Delete a branch and keep its versions
    #[command(name = "delete-branch", after_help = EXIT_CODES)]
    DeleteBranch(Box<DeleteBranch>),
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version number
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: String,

    /// Branch of the version
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// Tag of the version (repeatable, or separated by commas)
    #[arg(short = 't', long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,

    /// URL of the build
    #[arg(long, value_name = "URL")]
    build_url: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Describe {
    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version number [default: the latest version]
    #[arg(short = 'e', long, value_name = "VERSION", conflicts_with_all = ["latest", "environment"])]
    version: Option<String>,

    /// Latest version, or latest version with this tag
    #[arg(short = 'l', long, value_name = "TAG", num_args = 0..=1, default_missing_value = "", conflicts_with = "environment")]
    latest: Option<String>,

    /// Version in this environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: Option<String>,

    /// Only deployed versions
    #[arg(long, requires = "environment")]
    deployed: bool,

    /// Only released versions
    #[arg(long, requires = "environment")]
    released: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Tag {
    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version number
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: String,

    /// Tag (repeatable, or separated by commas)
    #[arg(
        short = 't',
        long,
        value_name = "TAG",
        value_delimiter = ',',
        required_unless_present = "tag_with_git_branch"
    )]
    tag: Vec<String>,

    /// Create the version if it does not exist
    #[arg(long)]
    auto_create_version: bool,

    /// Tag the version with the name of the branch
    #[arg(short = 'g', long)]
    tag_with_git_branch: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Untag {
    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version number
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: String,

    /// Tag
    #[arg(short = 't', long, value_name = "TAG")]
    tag: String,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Branches {
    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct DeleteBranch {
    /// Branch
    #[arg(long, value_name = "BRANCH")]
    branch: String,

    /// Name of the pacticipant
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Fail if the branch does not exist (default)
    #[arg(long, overrides_with = "no_error_when_not_found", num_args = 0..=1, default_missing_value = "true", value_name = "BOOLEAN")]
    error_when_not_found: Option<bool>,

    /// Pass if the branch does not exist
    #[arg(long)]
    no_error_when_not_found: bool,

    #[command(flatten)]
    common: Common,
}

fn of(pacticipant: &str) -> Object {
    [("pacticipant", pacticipant)].into_iter().collect()
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::CreateOrUpdate(given) => {
                let given = *given;
                let mut arguments = of(&given.pacticipant);
                arguments.insert("version", given.version.as_str());
                put_text(&mut arguments, "branch", given.branch.as_ref());
                put_list(&mut arguments, "tags", &given.tag);
                put_text(&mut arguments, "build_url", given.build_url.as_ref());
                let call = "create_or_update_version";
                Job::new("create-or-update-version", call, given.common, arguments)
            }
            Self::Describe(given) => {
                let mut arguments = of(&given.pacticipant);
                put_text(&mut arguments, "version", given.version.as_ref());
                match given.latest.as_deref() {
                    Some("") => drop(arguments.insert("latest", true)),
                    Some(tag) => drop(arguments.insert("latest", tag)),
                    None => (),
                }
                put_text(&mut arguments, "environment", given.environment.as_ref());
                arguments.insert("deployed", given.deployed);
                arguments.insert("released", given.released);
                Job::new("describe-version", "describe_version", given.common, arguments)
            }
            Self::Tag(given) => {
                let mut arguments = of(&given.pacticipant);
                arguments.insert("version", given.version.as_str());
                put_list(&mut arguments, "tags", &given.tag);
                arguments.insert("auto_create_version", given.auto_create_version);
                arguments.insert("tag_with_git_branch", given.tag_with_git_branch);
                Job::new("create-version-tag", "create_version_tag", given.common, arguments).told(|value| {
                    let text = |name: &str| cell(value.get(name));
                    format!(
                        "{} {} is tagged {}\n",
                        text("pacticipant"),
                        text("version"),
                        text("tags")
                    )
                })
            }
            Self::Untag(given) => {
                let given = *given;
                let mut arguments = of(&given.pacticipant);
                arguments.insert("version", given.version.as_str());
                arguments.insert("tag", given.tag.as_str());
                Job::new("delete-version-tag", "delete_version_tag", given.common, arguments).told(move |_| {
                    format!(
                        "{} {} has no tag {} any more.\n",
                        given.pacticipant, given.version, given.tag
                    )
                })
            }
            Self::Branches(given) => {
                let arguments = of(&given.pacticipant);
                Job::new("list-branches", "list_branches", given.common, arguments).told(|value| {
                    let columns = [("Name", "name"), ("Created", "createdAt"), ("Updated", "updatedAt")];
                    table(value.as_array().unwrap_or_default(), &columns, "There is no branch.")
                })
            }
            Self::DeleteBranch(given) => {
                let given = *given;
                let mut arguments = of(&given.pacticipant);
                arguments.insert("branch", given.branch.as_str());
                let ignores = given.no_error_when_not_found || given.error_when_not_found == Some(false);
                arguments.insert("ignore_missing", ignores);
                Job::new("delete-branch", "delete_branch", given.common, arguments).told(move |value| {
                    if value.get("deleted").and_then(Json::as_bool) == Some(true) {
                        format!("The branch {} of {} is gone.\n", given.branch, given.pacticipant)
                    } else {
                        format!("There was no branch {} of {}.\n", given.branch, given.pacticipant)
                    }
                })
            }
        }
    }
}
