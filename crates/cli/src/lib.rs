//! The commands `contract` and `contract-broker`. The executable calls them, and in release builds the native library of the npm package.
#![deny(unsafe_code)]

mod arguments;
mod broker;
mod client;
mod command_line;
mod docs;
mod error;
mod exit_code;
mod files;
mod listen;
mod memory;
mod mock;
mod plugin;
mod record;
mod shutdown;
mod stub;
mod terminal;
mod usage;
mod values;
mod verify;
mod verify_broker;
mod verify_contracts;

use std::ffi::OsString;

use clap::CommandFactory;

use command_line::{Cli, Command};
use error::CliError;
use exit_code::ExitCode;

/// Runs the command with these arguments, which begin with its name, and returns its exit code. May end the process instead. Must be
/// called once.
pub fn main(arguments: Vec<OsString>) -> u8 {
    arguments::set(arguments);
    let exit_code = run();
    if terminal::has_lost_output() {
        return error::USAGE;
    }
    exit_code.into()
}

fn run() -> ExitCode {
    if broker::is_invoked() {
        return broker::run();
    }
    match Cli::parse_arguments().command {
        Command::Verify(arguments) => with_threads(|| verify::run(&arguments)),
        Command::Plugin { command } => with_threads(|| plugin::run(&command)),
        Command::Stub(arguments) => with_threads(|| stub::run(&arguments)),
        Command::Mock(arguments) => with_threads(|| mock::run(&arguments)),
        Command::Record(arguments) => with_threads(|| record::run(&arguments)),
        Command::Docs(arguments) => docs::run(&arguments),
        Command::Doctor { .. } => needs_npm_package("doctor"),
        Command::Migrate { .. } => needs_npm_package("migrate"),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "contract", &mut script);
            terminal::print(&String::from_utf8_lossy(&script));
            ExitCode::SUCCESS
        }
    }
}

/// Prints an error for a command that requires Node.js, because only the launcher in the npm package can run it.
fn needs_npm_package(command: &str) -> ExitCode {
    let message = format!("{command} is only available in the npm package. Run it with npx: npx contract {command}");
    terminal::fail(&CliError::usage(message))
}

/// Runs a command. If the operating system cannot start its threads, prints an error.
fn with_threads(run: impl FnOnce() -> ExitCode) -> ExitCode {
    match contract::runtime::ensure() {
        Ok(()) => run(),
        Err(failure) => terminal::fail(&CliError::from(failure)),
    }
}
