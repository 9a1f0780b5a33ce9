//! The executable behind the commands contract and contract-broker.
#![forbid(unsafe_code)]

use clap::Parser;

/// Consumer-driven contract testing.
#[derive(Parser)]
#[command(name = "contract", version, arg_required_else_help = true)]
struct Cli {}

fn main() {
    Cli::parse();
}
