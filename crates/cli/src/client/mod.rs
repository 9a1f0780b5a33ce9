//! Commands of `contract-broker` that call a broker. Commands and options have the same names as in the Pact Broker
//! client.
#![expect(clippy::doc_markdown, reason = "clap prints these comments unchanged")]
#![expect(clippy::struct_field_names, reason = "clap names the options after the fields")]
#![expect(clippy::format_push_string, reason = "output of a few lines")]

mod common;
mod contracts;
mod deploy;
mod environments;
mod job;
mod output;
mod pacticipants;
mod presets;
mod publish;
mod records;
mod selectors;
mod table;
mod tools;
mod versions;
mod webhooks;

use clap::Subcommand;

use crate::exit_code::ExitCode;
use crate::terminal;
pub(crate) use common::Common;
pub(crate) use job::Job;
pub(crate) use table::{lines, table};

#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Publish(publish::Command),
    #[command(flatten)]
    Deploy(deploy::Command),
    #[command(flatten)]
    Record(records::Command),
    #[command(flatten)]
    Environment(environments::Command),
    #[command(flatten)]
    Pacticipant(pacticipants::Command),
    #[command(flatten)]
    Version(versions::Command),
    #[command(flatten)]
    Contract(contracts::Command),
    #[command(flatten)]
    Webhook(webhooks::Command),
    #[command(flatten)]
    Tool(tools::Command),
}

impl Command {
    /// Runs the command. `definition` is the whole command line, for completion scripts.
    pub(crate) fn run(self, definition: clap::Command) -> ExitCode {
        let job: Job = match self {
            Self::Publish(command) => match command.job() {
                Ok(job) => job,
                Err(error) => return terminal::fail(&error),
            },
            Self::Deploy(command) => command.job(),
            Self::Record(command) => command.job(),
            Self::Environment(command) => command.job(),
            Self::Pacticipant(command) => command.job(),
            Self::Version(command) => command.job(),
            Self::Contract(command) => command.job(),
            Self::Webhook(command) => match command.job() {
                Ok(job) => job,
                Err(error) => return terminal::fail(&error),
            },
            Self::Tool(command) => match command.run(definition) {
                Ok(job) => job,
                Err(exit_code) => return exit_code,
            },
        };
        job.run()
    }
}
