//! A call to carry out, and how what comes of it is told.

use std::process::ExitCode;

use contract::{
    BrokerFailure, BrokerReply, Environment, Json, Object, Spelling, broker_call_with_progress, log_to_stderr, runtime,
};

use super::common::Common;
use super::output::{Case, Ended, Failure};
use crate::terminal;
use crate::verify::of_broker;

/// It is not done, or the verdict is no.
pub(super) const FAILED: u8 = 1;
/// The arguments make no sense.
pub(super) const USAGE: u8 = 2;
/// The verdict is not known.
pub(super) const UNKNOWN: u8 = 3;

/// A call, and how to tell what comes of it.
pub(super) struct Job {
    /// As it stands on the command line.
    pub(super) command: &'static str,
    /// The core's name of the call.
    pub(super) call: &'static str,
    pub(super) common: Common,
    pub(super) arguments: Object,
    /// What came of it, for people.
    pub(super) tell: Box<dyn Fn(&Json) -> String>,
    /// Whether that is well.
    pub(super) judge: Box<dyn Fn(&Json) -> Judgement>,
    /// What is told on standard error before.
    pub(super) remark: fn(&Json) -> Vec<String>,
}

/// Whether what came of a call is well.
#[derive(Default)]
pub(super) struct Judgement {
    pub(super) code: u8,
    /// Why not.
    pub(super) problem: Option<String>,
    pub(super) cases: Vec<Case>,
}

impl Job {
    pub(super) fn new(command: &'static str, call: &'static str, common: Common, arguments: Object) -> Self {
        Self {
            command,
            call,
            common,
            arguments,
            tell: Box::new(super::table::members),
            judge: Box::new(|_| Judgement::default()),
            remark: |_| Vec::new(),
        }
    }

    /// Told for people in these words.
    pub(super) fn told(self, tell: impl Fn(&Json) -> String + 'static) -> Self {
        Self {
            tell: Box::new(tell),
            ..self
        }
    }

    pub(super) fn judged(self, judge: impl Fn(&Json) -> Judgement + 'static) -> Self {
        Self {
            judge: Box::new(judge),
            ..self
        }
    }

    pub(super) fn run(self) -> ExitCode {
        if let Err(problem) = self.log() {
            return refused(&problem);
        }
        let access = match self.common.connection.access() {
            Ok(access) => access,
            Err(problem) => return refused(&problem),
        };
        let environment = Environment::of_process();
        let progress = |line: &str| terminal::log(&format!("? {}", contract::indented_text(line, "  ")));
        let arguments = self.arguments.clone().into();
        let call = broker_call_with_progress(self.call, access, arguments, &environment, &progress);
        match runtime::run_here(call) {
            Ok(Ok(reply)) => self.done(&reply),
            Ok(Err(failure)) => self.failed(&failure),
            Err(failure) => {
                terminal::error(&failure.to_string());
                ExitCode::from(FAILED)
            }
        }
    }

    fn log(&self) -> Result<(), String> {
        let level = match (&self.common.log_level, self.common.verbose) {
            (Some(level), _) => level.as_str(),
            (None, true) => "debug",
            (None, false) => return Ok(()),
        };
        log_to_stderr(level).map_err(|error| format!("--log-level: {error}"))
    }

    fn done(&self, reply: &BrokerReply) -> ExitCode {
        for remark in (self.remark)(&reply.value) {
            terminal::log(&contract::harmless_text(&remark));
        }
        let judgement = (self.judge)(&reply.value);
        let ended = Ended {
            command: self.command,
            reply: Some(reply),
            text: (self.tell)(&reply.value),
            cases: judgement.cases,
            failure: judgement.problem.map(|text| Failure { text, data: None }),
        };
        ended.print(self.common.output);
        ExitCode::from(judgement.code)
    }

    fn failed(&self, failure: &BrokerFailure) -> ExitCode {
        let ended = Ended {
            command: self.command,
            reply: None,
            text: String::new(),
            cases: Vec::new(),
            failure: Some(Failure {
                text: failure.text(&Options),
                data: Some(failure),
            }),
        };
        ended.print(self.common.output);
        ExitCode::from(code_of(failure))
    }
}

fn code_of(failure: &BrokerFailure) -> u8 {
    failure.kind().map_or(USAGE, of_broker)
}

/// Arguments that make no sense.
pub(super) fn refused(problem: &str) -> ExitCode {
    terminal::error(problem);
    ExitCode::from(USAGE)
}

/// The core's names as options of the command line.
struct Options;

impl Spelling for Options {
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

    use super::{Options, Spelling};
    use crate::terminal::advice;

    #[test]
    fn what_advice_names_is_there() {
        let commands = crate::client::Command::augment_subcommands(clap::Command::new("contract-broker"));
        let options: Vec<String> = commands
            .get_subcommands()
            .flat_map(clap::Command::get_arguments)
            .flat_map(|argument| argument.get_long_and_visible_aliases().unwrap_or_default())
            .map(|name| format!("--{name}"))
            .collect();
        for name in advice("broker", "operations") {
            let spelled = Options.operation(&name);
            assert!(commands.find_subcommand(&spelled).is_some(), "{name}: {spelled}");
        }
        // What stands behind a command without a name is told in words.
        let words = ["the paths", "events"];
        for name in advice("broker", "options") {
            let spelled = Options.option(&name);
            assert!(
                words.contains(&&*spelled) || options.contains(&spelled),
                "{name}: {spelled}"
            );
        }
    }
}
