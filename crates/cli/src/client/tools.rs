//! What helps with the rest.

use std::process::ExitCode;

use clap::Subcommand;
use contract::{Json, Object};

use super::common::{Common, EXIT_CODES};
use super::job::{FAILED, Job, Judgement};
use super::output::Case;
use super::table::cell;
use crate::terminal;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check the broker's address, credentials and permissions
    #[command(after_help = EXIT_CODES)]
    Doctor(Box<Common>),

    /// Print a new UUID, for a webhook
    GenerateUuid,

    /// Print a script that completes commands and options in a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
}

const COMPLETIONS: &str = "\
Examples:
  bash:  contract-broker completions bash > ~/.local/share/bash-completion/completions/contract-broker
  zsh:   contract-broker completions zsh > \"${fpath[1]}/_contract-broker\"
  fish:  contract-broker completions fish > ~/.config/fish/completions/contract-broker.fish";

impl Command {
    /// The job; what needs no broker is done.
    pub(super) fn run(self, mut definition: clap::Command) -> Result<Job, ExitCode> {
        match self {
            Self::Doctor(common) => Ok(Job::new("doctor", "doctor", *common, Object::new())
                .told(told)
                .judged(judged)),
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

fn told(value: &Json) -> String {
    let of = |name: &str| cell(value.get(name));
    let product = of("product");
    let product = if product.is_empty() {
        String::new()
    } else {
        format!(" ({product})")
    };
    let mut out = format!(
        "broker       {}{product}\ncredentials  {}\n",
        of("broker"),
        of("credentials")
    );
    for check in checks(value) {
        let mark = if check.get("ok").and_then(Json::as_bool) == Some(true) {
            "ok"
        } else {
            "NO"
        };
        out.push_str(&format!(
            "{:11}  {mark}: {}\n",
            cell(check.get("name")),
            cell(check.get("text"))
        ));
    }
    out
}

/// What is wrong has the exit code that other commands would have for it.
fn judged(value: &Json) -> Judgement {
    let cases: Vec<Case> = checks(value)
        .iter()
        .map(|check| Case {
            name: cell(check.get("name")),
            problem: (check.get("ok").and_then(Json::as_bool) != Some(true)).then(|| cell(check.get("text"))),
        })
        .collect();
    let bad = checks(value)
        .iter()
        .find(|check| check.get("ok").and_then(Json::as_bool) != Some(true));
    let Some(bad) = bad else {
        return Judgement {
            cases,
            ..Judgement::default()
        };
    };
    let code = match bad.get("kind").and_then(Json::as_str) {
        Some("unauthorized" | "forbidden") => 5,
        Some("unreachable" | "tls" | "timeout" | "not_a_broker" | "failed") => 4,
        _ => FAILED,
    };
    Judgement {
        code,
        problem: Some(cell(bad.get("text"))),
        cases,
    }
}
