//! The executable behind the commands contract and contract-broker.
#![deny(unsafe_code)]

mod broker;
mod client;
mod command_line;
mod memory;
mod plugin;
mod terminal;
mod verify;
mod verify_broker;
mod verify_contracts;

use std::process::ExitCode;

use clap::CommandFactory;

use command_line::{Cli, Command};

fn main() -> ExitCode {
    if broker::is_called() {
        return broker::run();
    }
    match Cli::of_process().command {
        Command::Verify(arguments) => with_threads(|| verify::run(&arguments)),
        Command::Plugin { command } => with_threads(|| plugin::run(&command)),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "contract", &mut script);
            terminal::print(&String::from_utf8_lossy(&script));
            ExitCode::SUCCESS
        }
    }
}

/// Ends with a message where the system refuses threads.
fn with_threads(run: impl FnOnce() -> ExitCode) -> ExitCode {
    match contract::runtime::ensure() {
        Ok(()) => run(),
        Err(failure) => {
            terminal::error(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}
