//! The program that provides the commands `contract` and `contract-broker`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(contract_cli::main(std::env::args_os().collect()))
}
