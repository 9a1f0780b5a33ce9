//! Commands that record deployments and releases.

use clap::{Args, Subcommand};
use contract::broker::{Broker, DeploymentArguments, ReleaseArguments, SingleLine, UndeploymentArguments};
use contract::{Json, short_version};

use super::common::{Application, Common, EXIT_CODES, ExistingVersion};
use super::job::Job;
use super::table::cell;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Record a deployment that replaces the previously deployed version
    #[command(name = "record-deployment", after_help = EXIT_CODES)]
    Deployment(Box<Deployment>),

    /// Record that an application is no longer deployed
    #[command(name = "record-undeployment", after_help = EXIT_CODES)]
    Undeployment(Box<Undeployment>),

    /// Record a release without ending support for earlier releases
    #[command(name = "record-release", after_help = EXIT_CODES)]
    Release(Box<Release>),

    /// Record that a released version is no longer supported
    #[command(name = "record-support-ended", after_help = EXIT_CODES)]
    SupportEnded(Box<Release>),
}

#[derive(Args)]
struct Environment {
    /// Name of the environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: SingleLine,
}

#[derive(Args)]
struct Target {
    #[command(flatten)]
    environment: Environment,

    /// Name of the application instance, if multiple instances are deployed to the environment
    #[arg(long, value_name = "INSTANCE", alias = "target")]
    application_instance: Option<SingleLine>,
}

#[derive(Args)]
pub(crate) struct Deployment {
    #[command(flatten)]
    version: ExistingVersion,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Undeployment {
    #[command(flatten)]
    application: Application,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Release {
    #[command(flatten)]
    version: ExistingVersion,

    #[command(flatten)]
    environment: Environment,

    #[command(flatten)]
    common: Common,
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Deployment(deployment) => {
                let ExistingVersion { application, version } = deployment.version;
                let arguments = DeploymentArguments {
                    pacticipant: application.pacticipant,
                    version,
                    environment: deployment.target.environment.environment,
                    application_instance: deployment.target.application_instance,
                };
                Job::new(
                    "record-deployment",
                    deployment.common,
                    Broker::record_deployment,
                    arguments,
                )
                .with_text(|value| confirmation(value, "deployed to"))
            }
            Self::Undeployment(undeployment) => {
                let arguments = UndeploymentArguments {
                    pacticipant: undeployment.application.pacticipant,
                    environment: undeployment.target.environment.environment,
                    application_instance: undeployment.target.application_instance.map(Into::into),
                };
                let common = undeployment.common;
                Job::new("record-undeployment", common, Broker::record_undeployment, arguments)
                    .with_text(|value| confirmation(value, "no longer deployed to"))
            }
            Self::Release(release) => {
                let (common, arguments) = release.arguments();
                Job::new("record-release", common, Broker::record_release, arguments)
                    .with_text(|value| confirmation(value, "released to"))
            }
            Self::SupportEnded(release) => {
                let (common, arguments) = release.arguments();
                Job::new("record-support-ended", common, Broker::record_support_ended, arguments)
                    .with_text(|value| confirmation(value, "no longer supported in"))
            }
        }
    }
}

impl Release {
    fn arguments(self) -> (Common, ReleaseArguments) {
        let ExistingVersion { application, version } = self.version;
        let arguments = ReleaseArguments {
            pacticipant: application.pacticipant,
            version,
            environment: self.environment.environment,
        };
        (self.common, arguments)
    }
}

fn confirmation(value: &Json, state: &str) -> String {
    let text = |name: &str| cell(value.get(name));
    let instance = match text("applicationInstance") {
        instance if instance.is_empty() => instance,
        instance => format!(" (instance {instance})"),
    };
    format!(
        "Recorded: {} {} is {state} {}{instance}.\n",
        text("pacticipant"),
        short_version(&text("version")),
        text("environment")
    )
}
