//! Commands for diagnosis and setup.

use clap::Subcommand;
use contract::Json;
use contract::broker::{Broker, NoArguments};

use super::common::Common;
use super::job::{Assessment, Job};
use super::output::Case;
use super::table::cell;
use crate::error::{FAILED, UNAUTHORIZED, UNREACHABLE};
use crate::exit_code::ExitCode;
use crate::terminal;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check the broker's URL, credentials, and permissions
    #[command(after_help = DOCTOR_EXIT_CODES)]
    Doctor(Box<Common>),

    /// Print a new UUID for a webhook
    GenerateUuid,

    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// Shell to print the script for
        shell: clap_complete::Shell,
    },
}

const DOCTOR_EXIT_CODES: &str = "\
Exit codes, in every output format:
  0  all checks passed
  1  a check failed for a reason not covered by codes 4 and 5
  2  invalid arguments, no broker URL is set, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication failed, or a permission is missing";

const COMPLETIONS: &str = "\
Examples:
  bash:
    contract-broker completions bash > ~/.local/share/bash-completion/completions/contract-broker
  zsh:
    contract-broker completions zsh > \"${fpath[1]}/_contract-broker\"
  fish:
    contract-broker completions fish > ~/.config/fish/completions/contract-broker.fish";

impl Command {
    /// Returns the job if the command calls a broker. Otherwise, runs the command and returns its exit code.
    pub(super) fn run(self, mut definition: clap::Command) -> Result<Job, ExitCode> {
        match self {
            Self::Doctor(common) => Ok(Job::new("doctor", *common, Broker::doctor, NoArguments {})
                .with_text(text)
                .with_assessment(assessment)),
            Self::GenerateUuid => {
                let mut random = [0; 16];
                random.fill_with(|| fastrand::u8(..));
                let uuid = uuid::Builder::from_random_bytes(random).into_uuid();
                terminal::print(&format!("{uuid}\n"));
                Err(ExitCode::SUCCESS)
            }
            Self::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut definition, "contract-broker", &mut script);
                terminal::print(&String::from_utf8_lossy(&script));
                Err(ExitCode::SUCCESS)
            }
        }
    }
}

fn checks(value: &Json) -> &[Json] {
    value.get("checks").and_then(Json::as_array).unwrap_or_default()
}

fn is_ok(check: &Json) -> bool {
    check.get("ok").and_then(Json::as_bool) == Some(true)
}

fn text(value: &Json) -> String {
    let member = |name: &str| cell(value.get(name));
    let product = member("product");
    let product = if product.is_empty() {
        String::new()
    } else {
        format!(" ({product})")
    };
    let mut out = format!(
        "broker       {}{product}\ncredentials  {}\n",
        member("broker"),
        member("credentials")
    );
    for check in checks(value) {
        let status = if is_ok(check) { "ok" } else { "FAILED" };
        out.push_str(&format!(
            "{:11}  {status}: {}\n",
            cell(check.get("name")),
            cell(check.get("text"))
        ));
    }
    out
}

/// Returns the exit code for the first check that failed, and a test case for each check.
fn assessment(value: &Json) -> Assessment {
    let cases: Vec<Case> = checks(value)
        .iter()
        .map(|check| Case {
            name: cell(check.get("name")),
            problem: (!is_ok(check)).then(|| cell(check.get("text"))),
        })
        .collect();
    let Some(failed) = checks(value).iter().find(|check| !is_ok(check)) else {
        return Assessment::passed(cases);
    };
    let exit_code = match failed.get("kind").and_then(Json::as_str) {
        Some("unauthorized" | "forbidden") => UNAUTHORIZED,
        Some("unreachable" | "tls" | "timeout" | "not_a_broker" | "failed") => UNREACHABLE,
        _ => FAILED,
    };
    Assessment {
        exit_code,
        problem: Some(cell(failed.get("text"))),
        cases,
    }
}
