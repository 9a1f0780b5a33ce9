//! A command as a call to a broker, together with the output of its result.

use contract::broker::Broker;
use contract::{BrokerFailure, BrokerReply, Environment, Json, Spelling, log_to_stderr, runtime};

use super::common::Common;
use super::output::{Case, CommandFailure, CommandResult};
use crate::error::{CliError, Result, USAGE, broker_exit_code};
use crate::exit_code::ExitCode;
use crate::terminal;

type Call = Box<dyn FnOnce(&Broker) -> Result<Reply>>;
type Reply<T = Json> = std::result::Result<BrokerReply<T>, BrokerFailure>;

pub(crate) struct Job {
    call: Call,
    pub(super) output: Output,
}

/// How the result of a command is printed.
pub(super) struct Output {
    command: &'static str,
    pub(super) common: Common,
    text: Box<dyn FnOnce(&Json) -> String>,
    assess: Box<dyn FnOnce(&Json) -> Assessment>,
    notes: fn(&Json) -> Vec<String>,
}

/// The result of a command: its exit code and its test cases.
#[derive(Default)]
pub(super) struct Assessment {
    pub(super) exit_code: u8,
    /// Reason why the command fails, or `None` if it succeeds.
    pub(super) problem: Option<String>,
    pub(super) cases: Vec<Case>,
}

impl Assessment {
    pub(super) fn passed(cases: Vec<Case>) -> Self {
        Self {
            cases,
            ..Self::default()
        }
    }
}

impl Job {
    pub(crate) fn new<A: 'static, T: 'static>(
        command: &'static str,
        common: Common,
        call: impl AsyncFnOnce(&Broker, A) -> Reply<T> + 'static,
        arguments: A,
    ) -> Self {
        Self {
            call: Box::new(|broker| Ok(runtime::run_here(call(broker, arguments))?.map(BrokerReply::into_json))),
            output: Output {
                command,
                common,
                text: Box::new(super::table::members),
                assess: Box::new(|_| Assessment::default()),
                notes: |_| Vec::new(),
            },
        }
    }

    /// Sets the function that formats the result as text. By default, its members are listed.
    pub(crate) fn with_text(mut self, text: impl FnOnce(&Json) -> String + 'static) -> Self {
        self.output.text = Box::new(text);
        self
    }

    /// Sets the function that assesses the result. By default, every result is a success.
    pub(super) fn with_assessment(mut self, assess: impl FnOnce(&Json) -> Assessment + 'static) -> Self {
        self.output.assess = Box::new(assess);
        self
    }

    /// Sets the function that returns notes, which are printed to standard error before the result.
    pub(crate) fn with_notes(mut self, notes: fn(&Json) -> Vec<String>) -> Self {
        self.output.notes = notes;
        self
    }

    pub(crate) fn run(self) -> ExitCode {
        self.call().unwrap_or_else(|error| terminal::fail(&error))
    }

    fn call(self) -> Result<ExitCode> {
        let Self { call, output } = self;
        Ok(match call(&output.broker()?)? {
            Ok(reply) => output.print_reply(&reply)?,
            Err(failure) => output.print_failure(&failure)?,
        })
    }

    /// Calls the broker and returns the result without printing it. If the call fails, prints the error and returns the
    /// exit code.
    pub(crate) fn reply(self) -> Result<std::result::Result<Json, ExitCode>> {
        let Self { call, output } = self;
        Ok(match call(&output.broker()?)? {
            Ok(reply) => Ok(reply.value),
            Err(failure) => Err(output.print_failure(&failure)?),
        })
    }
}

impl Output {
    /// Starts the log, and creates the client for the broker that the options specify.
    fn broker(&self) -> Result<Broker> {
        self.start_log()?;
        let access = self.common.connection.access()?;
        let progress = |line: &str| terminal::log(&format!("? {}", contract::escape_indented(line, "  ")));
        Ok(Broker::new(access, Environment::from_process()).with_progress(progress))
    }

    fn start_log(&self) -> Result<()> {
        let level = match (&self.common.log_level, self.common.verbose) {
            (Some(level), _) => level.as_str(),
            (None, true) => "debug",
            (None, false) => return Ok(()),
        };
        log_to_stderr(level).map_err(|error| CliError::usage(format!("--log-level: {error}")))
    }

    fn print_reply(self, reply: &BrokerReply) -> Result<ExitCode> {
        for note in (self.notes)(&reply.value) {
            terminal::log(&contract::escape_text(&note));
        }
        let assessment = (self.assess)(&reply.value);
        let result = CommandResult {
            command: self.command,
            reply: Some(reply),
            text: (self.text)(&reply.value),
            cases: assessment.cases,
            failure: assessment.problem.map(CommandFailure::negative),
        };
        result.print(self.common.output)?;
        Ok(ExitCode::from(assessment.exit_code))
    }

    fn print_failure(&self, failure: &BrokerFailure) -> Result<ExitCode> {
        let result = CommandResult {
            command: self.command,
            reply: None,
            text: String::new(),
            cases: Vec::new(),
            failure: Some(CommandFailure::from_call(failure, &CommandLine)),
        };
        result.print(self.common.output)?;
        Ok(ExitCode::from(failure.kind().map_or(USAGE, broker_exit_code)))
    }
}

/// Translates names of operations and options in messages to those of `contract-broker`.
struct CommandLine;

impl Spelling for CommandLine {
    fn operation(&self, name: &str) -> String {
        match name {
            "get_contracts" => "get-pacts".to_owned(),
            "list_latest_contracts" => "list-latest-pact-versions".to_owned(),
            name => name.replace('_', "-"),
        }
    }

    fn option(&self, name: &str) -> String {
        match name {
            "consumer_version" => "--consumer-app-version".to_owned(),
            "auto_detect" => "--auto-detect-version-properties".to_owned(),
            "tags" => "--tag".to_owned(),
            "files" => "the paths".to_owned(),
            "selectors" => "--pacticipant".to_owned(),
            "events" => "events".to_owned(),
            "ignore_missing" => "--no-error-when-not-found".to_owned(),
            "url" => "--broker-base-url".to_owned(),
            "cert" => "--ssl-client-certificate".to_owned(),
            "key" => "--ssl-client-key".to_owned(),
            name => format!("--{}", name.replace('_', "-")),
        }
    }

    fn setting(&self, name: &str, value: &str) -> String {
        match value {
            "true" => self.option(name),
            value => format!("{} {value}", self.option(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Subcommand;

    use super::{CommandLine, Spelling};
    use crate::terminal::advice;

    #[test]
    fn advice_names_existing_options() {
        let commands = crate::client::Command::augment_subcommands(clap::Command::new("contract-broker"));
        let options: Vec<String> = commands
            .get_subcommands()
            .flat_map(clap::Command::get_arguments)
            .flat_map(|argument| argument.get_long_and_visible_aliases().unwrap_or_default())
            .map(|name| format!("--{name}"))
            .collect();
        for name in advice("broker", "operations") {
            let spelled = CommandLine.operation(&name);
            assert!(commands.find_subcommand(&spelled).is_some(), "{name}: {spelled}");
        }
        // Positional arguments and groups of options have no option name.
        let unnamed = ["the paths", "events"];
        for name in advice("broker", "options") {
            let spelled = CommandLine.option(&name);
            assert!(
                unnamed.contains(&&*spelled) || options.contains(&spelled),
                "{name}: {spelled}"
            );
        }
    }
}
