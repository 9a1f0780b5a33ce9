//! Commands for versions, tags, and branches.

use clap::{Args, Subcommand};
use contract::Json;

use super::common::{AnyVersion, Application, Common, EXIT_CODES, Tags, put_list, put_text};
use super::job::Job;
use super::table::{cell, table};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create or update a version, its branch, and its tags
    #[command(name = "create-or-update-version", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Show a version with its branches, tags, and environments
    #[command(name = "describe-version", after_help = EXIT_CODES)]
    Describe(Box<Describe>),

    /// Add a tag to a version
    #[command(name = "create-version-tag", after_help = EXIT_CODES)]
    Tag(Box<Tag>),

    /// Remove a tag from a version
    #[command(name = "delete-version-tag", after_help = EXIT_CODES)]
    Untag(Box<Untag>),

    /// List the branches of an application
    #[command(name = "list-branches", after_help = EXIT_CODES)]
    Branches(Box<Branches>),

    /// Delete a branch but keep its versions
    #[command(name = "delete-branch", after_help = EXIT_CODES)]
    DeleteBranch(Box<DeleteBranch>),
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    #[command(flatten)]
    version: AnyVersion,

    /// Branch of the version
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    #[command(flatten)]
    tags: Tags,

    /// URL of the build
    #[arg(long, value_name = "URL")]
    build_url: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Describe {
    #[command(flatten)]
    application: Application,

    /// Version of the application [default: the latest version]
    #[arg(short = 'e', long, value_name = "VERSION", conflicts_with_all = ["latest", "environment"])]
    version: Option<String>,

    /// Latest version, or the latest version with this tag
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
    #[command(flatten)]
    version: AnyVersion,

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

    /// Add a tag with the name of the branch
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
    tag: String,

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
    branch: String,

    /// Fail if the branch does not exist [default: true]
    #[arg(long, overrides_with = "no_error_when_not_found", num_args = 0..=1, default_missing_value = "true", value_name = "BOOLEAN")]
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
                let mut arguments = update.version.arguments();
                put_text(&mut arguments, "branch", update.branch.as_ref());
                put_list(&mut arguments, "tags", &update.tags.tag);
                put_text(&mut arguments, "build_url", update.build_url.as_ref());
                let call = "create_or_update_version";
                Job::new("create-or-update-version", call, update.common, arguments)
            }
            Self::Describe(describe) => {
                let mut arguments = describe.application.arguments();
                put_text(&mut arguments, "version", describe.version.as_ref());
                match describe.latest.as_deref() {
                    Some("") => drop(arguments.insert("latest", true)),
                    Some(tag) => drop(arguments.insert("latest", tag)),
                    None => (),
                }
                put_text(&mut arguments, "environment", describe.environment.as_ref());
                arguments.insert("deployed", describe.deployed);
                arguments.insert("released", describe.released);
                Job::new("describe-version", "describe_version", describe.common, arguments)
            }
            Self::Tag(tag) => {
                let mut arguments = tag.version.arguments();
                put_list(&mut arguments, "tags", &tag.tag);
                arguments.insert("auto_create_version", tag.auto_create_version);
                arguments.insert("tag_with_git_branch", tag.tag_with_git_branch);
                Job::new("create-version-tag", "create_version_tag", tag.common, arguments).with_text(|value| {
                    let text = |name: &str| cell(value.get(name));
                    let (tags, application, version) = (text("tags"), text("pacticipant"), text("version"));
                    format!("Tagged {application} {version}: {tags}\n")
                })
            }
            Self::Untag(untag) => {
                let Untag { version, tag, common } = *untag;
                let mut arguments = version.arguments();
                arguments.insert("tag", tag.as_str());
                let AnyVersion { application, version } = version;
                Job::new("delete-version-tag", "delete_version_tag", common, arguments)
                    .with_text(move |_| format!("Removed tag {tag} from {} {version}.\n", application.pacticipant))
            }
            Self::Branches(branches) => {
                let arguments = branches.application.arguments();
                Job::new("list-branches", "list_branches", branches.common, arguments).with_text(|value| {
                    let columns = [("Name", "name"), ("Created", "createdAt"), ("Updated", "updatedAt")];
                    table(value, &columns, "No branches found.")
                })
            }
            Self::DeleteBranch(delete) => {
                let delete = *delete;
                let mut arguments = delete.application.arguments();
                arguments.insert("branch", delete.branch.as_str());
                let is_optional = delete.no_error_when_not_found || delete.error_when_not_found == Some(false);
                arguments.insert("ignore_missing", is_optional);
                let (branch, application) = (delete.branch, delete.application.pacticipant);
                Job::new("delete-branch", "delete_branch", delete.common, arguments).with_text(move |value| {
                    if value.get("deleted").and_then(Json::as_bool) == Some(true) {
                        format!("Deleted branch {branch} of {application}.\n")
                    } else {
                        format!("Nothing to delete: {application} has no branch {branch}.\n")
                    }
                })
            }
        }
    }
}
