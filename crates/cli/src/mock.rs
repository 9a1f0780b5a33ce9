//! `contract mock`: serves one contract as a mock server, and reports whether its interactions were used.

use std::path::PathBuf;

use clap::Args;
use contract::{MockFile, Outcome};

use crate::error::{CliError, FAILED, Result};
use crate::exit_code::ExitCode;
use crate::listen::ListenArguments;
use crate::shutdown::Shutdown;
use crate::stub::print_warnings;
use crate::terminal;

pub(crate) const EXAMPLES: &str = "\
Examples:
  Serve a contract during the consumer tests; stop the server with a signal:
    contract mock contracts/web-orders.json --port 8080
  Succeed even if some interactions are not requested:
    contract mock contracts/web-orders.json --port 8080 --allow-unused

Exit codes:
  0  every interaction was requested (unless --allow-unused is set), and every request matched
  1  a request did not match, an interaction was not requested, or the server could not start
  2  invalid arguments, or a TLS file cannot be read or written";

#[derive(Args)]
pub(crate) struct MockArguments {
    /// Contract file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Succeed even if some interactions were not requested
    #[arg(long)]
    allow_unused: bool,

    /// Accept request bodies with fields that the contract does not define
    #[arg(long)]
    allow_unexpected_fields: bool,

    /// Do not respond to CORS preflight requests or add CORS headers
    #[arg(long)]
    no_cors: bool,

    /// Stop when standard input is closed
    #[arg(long)]
    stop_with_stdin: bool,

    #[command(flatten)]
    listen: ListenArguments,
}

pub(crate) fn run(arguments: &MockArguments) -> ExitCode {
    let served = contract::runtime::run_here(serve(arguments));
    match served.map_err(CliError::from).and_then(|result| result) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => terminal::fail(&error),
    }
}

async fn serve(arguments: &MockArguments) -> Result<bool> {
    let listen = arguments.listen.options(!arguments.no_cors)?;
    let mut shutdown = Shutdown::new(arguments.stop_with_stdin)?;
    let (unexpected, unused) = (arguments.allow_unexpected_fields, arguments.allow_unused);
    let server = MockFile::start(&arguments.file, &listen, unexpected, unused).await?;
    arguments.listen.write_ca(server.ca_certificate())?;
    print_warnings(server.warnings());
    terminal::print(&format!("Serving {}\nListening on {}\n", server.title(), server.url()));
    shutdown.requested().await;
    let outcome = server.stop().await;
    terminal::print(&report(server.names(), &outcome));
    Ok(outcome.matched)
}

fn report(names: &[String], outcome: &Outcome) -> String {
    use std::fmt::Write as _;
    let mut text = "Interactions:\n".to_owned();
    for (name, count) in names.iter().zip(&outcome.interactions) {
        let used = match (count.matched, count.mismatched) {
            (0, 0) => "not requested".to_owned(),
            (matched, 0) => format!("{matched} matched"),
            (matched, mismatched) => format!("{matched} matched, {mismatched} mismatched"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}: {used}", contract::escape_line(name));
    }
    let _ = writeln!(text, "\n{}", outcome.to_string().trim_end());
    text
}
