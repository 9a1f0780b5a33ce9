//! `contract record`: derives a contract from traffic.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use contract::{
    Environment, Failure, ProxyOptions, RecordOptions, RecordedContract, RecordingProxy, Spelling, record_har,
};

use crate::error::{CliError, FAILED, Result, USAGE};
use crate::exit_code::ExitCode;
use crate::listen::ListenArguments;
use crate::shutdown::Shutdown;
use crate::terminal;
use crate::values::count;

pub(crate) const EXAMPLES: &str = "\
Examples:
  Forward requests to a provider, and write the contract when the command is stopped:
    contract record --target http://localhost:3000 --port 8080 --consumer web --provider orders
  Derive a contract from a HAR file that a browser exported:
    contract record --har session.har --target https://api.example.com \\
      --consumer web --provider orders
  Write a consumer test in TypeScript instead of a contract file:
    contract record --har session.har --consumer web --provider orders --as code --out tests

The result contains rules that were guessed from the traffic. The command prints all of them for
review. Credentials are never written.

Exit codes:
  0  the contract was written
  1  nothing was recorded, a file cannot be read or written, or the address cannot be used
  2  invalid arguments";

#[derive(Args)]
pub(crate) struct RecordArguments {
    /// Base URL of the provider. With --har, it is optional, and only requests to URLs below it are recorded [default with --har:
    /// the origin of the API requests in the file, if there is only one]
    #[arg(long, value_name = "URL", required_unless_present = "har")]
    target: Option<String>,

    /// Name of the consumer
    #[arg(long, value_name = "NAME")]
    consumer: String,

    /// Name of the provider
    #[arg(long, value_name = "NAME")]
    provider: String,

    /// HTTP archive (HAR file) to read instead of forwarding requests
    #[arg(long, value_name = "FILE", conflicts_with_all = ["host", "port", "tls", "tls_cert", "timeout", "disable_ssl_verification"])]
    har: Option<PathBuf>,

    /// Directory for the result; it is created if necessary
    #[arg(short, long, value_name = "DIRECTORY", default_value = "contracts")]
    out: PathBuf,

    /// Output format: 'file' for a contract file, or 'code' for a consumer test in TypeScript
    #[arg(
        long = "as",
        value_name = "FORMAT",
        default_value = "file",
        hide_possible_values = true
    )]
    form: Form,

    /// Header to leave out, in addition to credentials and connection headers (repeatable)
    #[arg(long, value_name = "NAME")]
    omit_header: Vec<String>,

    /// Maximum size of a recorded body, in bytes; requests with a larger body are skipped, and larger response bodies
    /// are left out [default: 1048576 (1 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = count)]
    body_limit: Option<u64>,

    /// Timeout for one request to the provider, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    timeout: u64,

    /// Disable verification of the provider's TLS certificate
    #[arg(long)]
    disable_ssl_verification: bool,

    /// Stop when standard input is closed
    #[arg(long)]
    stop_with_stdin: bool,

    #[command(flatten)]
    listen: ListenArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    File,
    Code,
}

pub(crate) fn run(arguments: &RecordArguments) -> ExitCode {
    let recorded = match &arguments.har {
        Some(path) => {
            let target = arguments.target.as_deref();
            record_har(path, target, &options(arguments)).map_err(|failure| failed(&failure))
        }
        None => contract::runtime::run_here(forward(arguments))
            .map_err(CliError::from)
            .and_then(|result| result),
    };
    match recorded.and_then(|recorded| finish(arguments, &recorded)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal::fail(&error),
    }
}

fn options(arguments: &RecordArguments) -> RecordOptions {
    RecordOptions {
        consumer: arguments.consumer.clone(),
        provider: arguments.provider.clone(),
        omit_headers: arguments.omit_header.clone(),
        body_limit: arguments
            .body_limit
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
    }
}

async fn forward(arguments: &RecordArguments) -> Result<RecordedContract> {
    let proxy = ProxyOptions {
        target: arguments.target.clone().unwrap_or_default(),
        timeout: Duration::from_millis(arguments.timeout),
        insecure: arguments.disable_ssl_verification,
        environment: Environment::from_process(),
    };
    let listen = arguments.listen.options(false)?;
    let mut shutdown = Shutdown::new(arguments.stop_with_stdin)?;
    let server = RecordingProxy::start(proxy, &listen, &options(arguments)).await;
    let server = server.map_err(|failure| failed(&failure))?;
    arguments.listen.write_ca(server.ca_certificate())?;
    terminal::print(&format!(
        "Recording {}\nListening on {}\n",
        server.target(),
        server.url()
    ));
    shutdown.requested().await;
    let (recorded, dropped) = server.stop().await;
    if dropped > 0 {
        let requests = if dropped == 1 { "request was" } else { "requests were" };
        terminal::log(&format!(
            "warning: {dropped} {requests} not recorded, because a recording contains at most 10,000 requests and 256 MiB"
        ));
    }
    Ok(recorded)
}

fn finish(arguments: &RecordArguments, recorded: &RecordedContract) -> Result<()> {
    terminal::print(&recorded.summary());
    if recorded.interactions() == 0 {
        return Err(CliError::failed("nothing was recorded, so no file was written"));
    }
    let path = match arguments.form {
        Form::File => recorded.write(&arguments.out),
        Form::Code => recorded.write_code(&arguments.out),
    };
    let path = path.map_err(|failure| CliError::from_failure(&failure, &RecordOptionNames, FAILED))?;
    terminal::print(&format!("\nWrote {}\n", path.display()));
    Ok(())
}

fn failed(failure: &Failure) -> CliError {
    let exit_code = if matches!(failure, Failure::Argument(_)) {
        USAGE
    } else {
        FAILED
    };
    CliError::from_failure(failure, &RecordOptionNames, exit_code)
}

/// Translates names of operations and options in messages to those of `contract record`.
struct RecordOptionNames;

impl Spelling for RecordOptionNames {
    fn operation(&self, name: &str) -> String {
        self.option(name)
    }

    fn option(&self, name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("{}={value}", self.option(name))
    }
}
