//! `contract docs`: writes contracts as a static website.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use contract_pages::{Site, SiteContract};

use crate::error::{CliError, Result};
use crate::exit_code::ExitCode;
use crate::terminal;

/// Maximum number of warnings to print.
const WARNINGS: usize = 10;

pub(crate) const EXAMPLES: &str = "\
Examples:
  Write a site for all contracts in a directory:
    contract docs ./contracts --out public/contracts
  Write a site with a custom title for some contracts:
    contract docs 'contracts/*-orders.json' --title \"Contracts of orders\" --out site

The site works without a server: open index.html in a browser. Existing files with the same names are \
replaced. Other files are kept.

Exit codes:
  0  the site was written
  1  a path does not exist, or a file is not a contract
  2  invalid arguments, no contract was found, or the site cannot be written";

#[derive(Args)]
pub(crate) struct DocsArguments {
    /// Contract file, directory to search recursively, or pattern such as 'contracts/*-orders.json'
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Directory for the site; it is created if necessary
    #[arg(short, long, value_name = "DIRECTORY")]
    out: PathBuf,

    /// Title of the site
    #[arg(long, value_name = "TEXT", default_value = "Contracts")]
    title: String,
}

pub(crate) fn run(arguments: &DocsArguments) -> ExitCode {
    match write(arguments) {
        Ok(text) => {
            terminal::print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => terminal::fail(&error),
    }
}

fn write(arguments: &DocsArguments) -> Result<String> {
    let found = contract::read_contracts(&arguments.paths)?;
    if found.contracts.is_empty() {
        let places: Vec<_> = arguments.paths.iter().map(|path| path.display().to_string()).collect();
        return Err(CliError::usage(format!(
            "no contract files found in {}; run the consumer's tests first, or pass another path",
            places.join(", ")
        )));
    }
    for warning in found.warnings.iter().take(WARNINGS) {
        terminal::log(&format!("warning: {}", contract::escape_line(warning)));
    }
    if let Some(more) = found.warnings.len().checked_sub(WARNINGS).filter(|more| *more > 0) {
        terminal::log(&format!("warning: {more} more files have warnings"));
    }
    let contracts = found.contracts.into_iter();
    let site = Site {
        title: arguments.title.clone(),
        contracts: contracts
            .map(|(source, contract)| SiteContract { source, contract })
            .collect(),
    };
    let count = site.render(|path, text| write_file(&arguments.out.join(path), text))?;
    let index = arguments.out.join("index.html");
    Ok(format!(
        "Wrote {count} files for {}. Open {}\n",
        match site.contracts.len() {
            1 => "1 contract".to_owned(),
            count => format!("{count} contracts"),
        },
        index.display()
    ))
}

/// Writes a file, and creates its directory.
fn write_file(path: &Path, text: &str) -> Result<()> {
    let written = fs::write(path, text).or_else(|error| match (error.kind(), path.parent()) {
        (ErrorKind::NotFound, Some(parent)) => fs::create_dir_all(parent).and_then(|()| fs::write(path, text)),
        _ => Err(error),
    });
    written.map_err(|error| CliError::file(path, "write", &error))
}
