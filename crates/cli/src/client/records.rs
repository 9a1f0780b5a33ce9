//! Commands that record deployments and releases.

use clap::{Args, Subcommand};
use contract::{Json, Object};

use super::common::{Application, Common, EXIT_CODES, ExistingVersion, put_text};
use super::job::Job;
use super::table::cell;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Record a deployment; it replaces the previous version
    #[command(name = "record-deployment", after_help = EXIT_CODES)]
    Deployment(Box<Deployment>),

    /// Record that an application is no longer deployed
    #[command(name = "record-undeployment", after_help = EXIT_CODES)]
    Undeployment(Box<Undeployment>),

    /// Record a release; earlier releases remain supported
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
    environment: String,
}

#[derive(Args)]
struct Target {
    #[command(flatten)]
    environment: Environment,

    /// Name of the application instance, if there are several
    #[arg(long, value_name = "INSTANCE", alias = "target")]
    application_instance: Option<String>,
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

impl Environment {
    fn put_into(&self, arguments: &mut Object) {
        arguments.insert("environment", self.environment.as_str());
    }
}

impl Target {
    fn put_into(&self, arguments: &mut Object) {
        self.environment.put_into(arguments);
        put_text(arguments, "application_instance", self.application_instance.as_ref());
    }
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Deployment(deployment) => {
                let mut arguments = deployment.version.arguments();
                deployment.target.put_into(&mut arguments);
                Job::new("record-deployment", "record_deployment", deployment.common, arguments)
                    .with_text(|value| confirmation(value, "deployed to"))
            }
            Self::Undeployment(undeployment) => {
                let mut arguments = undeployment.application.arguments();
                undeployment.target.put_into(&mut arguments);
                let common = undeployment.common;
                Job::new("record-undeployment", "record_undeployment", common, arguments)
                    .with_text(|value| confirmation(value, "no longer deployed to"))
            }
            Self::Release(release) => release.job("record-release", "record_release", "released to"),
            Self::SupportEnded(release) => {
                release.job("record-support-ended", "record_support_ended", "no longer supported in")
            }
        }
    }
}

impl Release {
    fn job(self, command: &'static str, call: &'static str, state: &'static str) -> Job {
        let mut arguments = self.version.arguments();
        self.environment.put_into(&mut arguments);
        Job::new(command, call, self.common, arguments).with_text(move |value| confirmation(value, state))
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
        text("version"),
        text("environment")
    )
}
