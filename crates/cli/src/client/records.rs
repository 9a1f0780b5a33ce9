//! What is where: deployments and releases.

use clap::{Args, Subcommand};
use contract::{Json, Object};

use super::common::{Common, EXIT_CODES, put_text};
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

    /// Record a release; earlier releases stay supported
    #[command(name = "record-release", after_help = EXIT_CODES)]
    Release(Box<Release>),

    /// Record that a released version is no longer supported
    #[command(name = "record-support-ended", after_help = EXIT_CODES)]
    SupportEnded(Box<Release>),
}

#[derive(Args)]
pub(crate) struct Deployment {
    /// Name of the application
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version, which must exist at the broker
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: String,

    /// Name of the environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: String,

    /// Name of the application instance, if there are several
    #[arg(long, value_name = "INSTANCE", alias = "target")]
    application_instance: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Undeployment {
    /// Name of the application
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Name of the environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: String,

    /// Name of the application instance, if there are several
    #[arg(long, value_name = "INSTANCE", alias = "target")]
    application_instance: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Release {
    /// Name of the application
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version, which must exist at the broker
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: String,

    /// Name of the environment
    #[arg(long, value_name = "ENVIRONMENT")]
    environment: String,

    #[command(flatten)]
    common: Common,
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Deployment(given) => {
                let mut arguments = place(&given.pacticipant, &given.environment);
                arguments.insert("version", given.version.as_str());
                put_text(
                    &mut arguments,
                    "application_instance",
                    given.application_instance.as_ref(),
                );
                Job::new("record-deployment", "record_deployment", given.common, arguments)
                    .told(|value| told(value, "is recorded as deployed to"))
            }
            Self::Undeployment(given) => {
                let mut arguments = place(&given.pacticipant, &given.environment);
                put_text(
                    &mut arguments,
                    "application_instance",
                    given.application_instance.as_ref(),
                );
                Job::new("record-undeployment", "record_undeployment", given.common, arguments)
                    .told(|value| told(value, "is recorded as no longer deployed to"))
            }
            Self::Release(given) => release("record-release", "record_release", "is recorded as released to", *given),
            Self::SupportEnded(given) => {
                let verb = "is recorded as no longer supported in";
                release("record-support-ended", "record_support_ended", verb, *given)
            }
        }
    }
}

fn place(pacticipant: &str, environment: &str) -> Object {
    [("pacticipant", pacticipant), ("environment", environment)]
        .into_iter()
        .collect()
}

fn release(command: &'static str, call: &'static str, verb: &'static str, given: Release) -> Job {
    let mut arguments = place(&given.pacticipant, &given.environment);
    arguments.insert("version", given.version.as_str());
    Job::new(command, call, given.common, arguments).told(move |value| told(value, verb))
}

fn told(value: &Json, verb: &str) -> String {
    let of = |name: &str| cell(value.get(name));
    let instance = of("applicationInstance");
    let instance = if instance.is_empty() {
        String::new()
    } else {
        format!(" (instance {instance})")
    };
    format!(
        "{} {} {verb} {}{instance}\n",
        of("pacticipant"),
        of("version"),
        of("environment")
    )
}
