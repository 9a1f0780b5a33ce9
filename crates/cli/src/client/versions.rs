//! Commands for versions, tags, and branches.

use clap::{Args, Subcommand};
use contract::broker::{
    Broker, DeleteBranchArguments, DescribeVersionArguments, Latest, ListBranchesArguments, SingleLine,
    TagVersionArguments, UntagVersionArguments, VersionArguments,
};
use contract::{Json, short_version};

use super::common::{AnyVersion, Application, Common, EXIT_CODES, Tags};
use super::job::Job;
use super::table::{cell, table};
use crate::values::latest;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create or update a version, its branch, and its tags
    #[command(name = "create-or-update-version", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Show a version with its branches, tags, and environments
    #[command(name = "describe-version", after_help = EXIT_CODES)]
    Describe(Box<Describe>),

    /// Add tags to a version
    #[command(name = "create-version-tag", after_help = EXIT_CODES)]
    Tag(Box<Tag>),

    /// Remove a tag from a version
    #[command(name = "delete-version-tag", after_help = EXIT_CODES)]
    Untag(Box<Untag>),

    /// List the branches of an application
    #[command(name = "list-branches", after_help = EXIT_CODES)]
    Branches(Box<Branches>),

    /// Delete a branch, but keep its versions
    #[command(name = "delete-branch", after_help = EXIT_CODES)]
    DeleteBranch(Box<DeleteBranch>),
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    #[command(flatten)]
    version: AnyVersion,

    /// Branch of the version, such as main
    #[arg(long, value_name = "BRANCH")]
    branch: Option<SingleLine>,

    #[command(flatten)]
    tags: Tags,

    /// URL of the CI build
    #[arg(long, value_name = "URL")]
    build_url: Option<SingleLine>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Describe {
    #[command(flatten)]
    application: Application,

    /// Version number of the application [default: the latest version]
    #[arg(short = 'e', long, value_name = "VERSION", conflicts_with_all = ["latest", "environment"])]
    version: Option<SingleLine>,

    /// Latest version, or the latest version with this tag
    #[arg(short = 'l', long, value_name = "TAG", num_args = 0..=1, default_missing_value = "", conflicts_with = "environment", value_parser = latest)]
    latest: Option<Latest>,

    /// Newest version that is deployed or released in this environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: Option<String>,

    /// With --environment, consider only deployed versions
    #[arg(long, requires = "environment")]
    deployed: bool,

    /// With --environment, consider only released versions
    #[arg(long, requires = "environment")]
    released: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Tag {
    #[command(flatten)]
    version: AnyVersion,

    /// Tag of the version (repeatable, or separated by commas)
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

    /// Tag the version with the name of the git branch
    #[arg(short = 'g', long)]
    tag_with_git_branch: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Untag {
    #[command(flatten)]
    version: AnyVersion,

    /// Tag to remove
    #[arg(short = 't', long, value_name = "TAG")]
    tag: SingleLine,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Branches {
    #[command(flatten)]
    application: Application,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct DeleteBranch {
    #[command(flatten)]
    application: Application,

    /// Branch to delete
    #[arg(long, value_name = "BRANCH")]
    branch: SingleLine,

    /// Fail if the branch does not exist [default: true]
    #[arg(long, overrides_with = "no_error_when_not_found", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    error_when_not_found: Option<bool>,

    /// Succeed if the branch does not exist
    #[arg(long)]
    no_error_when_not_found: bool,

    #[command(flatten)]
    common: Common,
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::CreateOrUpdate(update) => {
                let AnyVersion { application, version } = update.version;
                let arguments = VersionArguments {
                    pacticipant: application.pacticipant,
                    version,
                    branch: update.branch,
                    tags: update.tags.tag,
                    build_url: update.build_url,
                };
                let call = Broker::create_or_update_version;
                Job::new("create-or-update-version", update.common, call, arguments)
            }
            Self::Describe(describe) => {
                let arguments = DescribeVersionArguments {
                    pacticipant: describe.application.pacticipant,
                    version: describe.version,
                    latest: describe.latest.unwrap_or_default(),
                    environment: describe.environment,
                    deployed: describe.deployed,
                    released: describe.released,
                };
                Job::new("describe-version", describe.common, Broker::describe_version, arguments)
            }
            Self::Tag(tag) => {
                let AnyVersion { application, version } = tag.version;
                let arguments = TagVersionArguments {
                    pacticipant: application.pacticipant,
                    version,
                    tags: tag.tag,
                    tag_with_git_branch: tag.tag_with_git_branch,
                    auto_create_version: tag.auto_create_version,
                };
                Job::new("create-version-tag", tag.common, Broker::create_version_tag, arguments).with_text(|value| {
                    let text = |name: &str| cell(value.get(name));
                    let (tags, application, version) = (text("tags"), text("pacticipant"), text("version"));
                    format!("Tagged {application} {}: {tags}\n", short_version(&version))
                })
            }
            Self::Untag(untag) => {
                let Untag { version, tag, common } = *untag;
                let AnyVersion { application, version } = version;
                let text = format!(
                    "Removed tag {} from {} {}.\n",
                    &*tag,
                    &*application.pacticipant,
                    short_version(&version)
                );
                let arguments = UntagVersionArguments {
                    pacticipant: application.pacticipant,
                    version,
                    tag,
                };
                Job::new("delete-version-tag", common, Broker::delete_version_tag, arguments).with_text(|_| text)
            }
            Self::Branches(branches) => {
                let arguments = ListBranchesArguments {
                    pacticipant: branches.application.pacticipant,
                };
                Job::new("list-branches", branches.common, Broker::list_branches, arguments).with_text(|value| {
                    let columns = [("Name", "name"), ("Created", "createdAt"), ("Updated", "updatedAt")];
                    table(value, &columns, "No branches found.")
                })
            }
            Self::DeleteBranch(delete) => {
                let (branch, application) = (delete.branch.clone(), delete.application.pacticipant.clone());
                let arguments = DeleteBranchArguments {
                    pacticipant: delete.application.pacticipant,
                    branch: delete.branch,
                    ignore_missing: delete.no_error_when_not_found || delete.error_when_not_found == Some(false),
                };
                Job::new("delete-branch", delete.common, Broker::delete_branch, arguments).with_text(move |value| {
                    if value.get("deleted").and_then(Json::as_bool) == Some(true) {
                        format!("Deleted branch {} of {}.\n", &*branch, &*application)
                    } else {
                        format!("Nothing to delete: {} has no branch {}.\n", &*application, &*branch)
                    }
                })
            }
        }
    }
}
