//! Runs a folder of cases in the format of the specification's published ones: `npm run conformance -- FOLDER`.

#[path = "../tests/support/cases.rs"]
mod cases;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: conformance FOLDER");
        return ExitCode::from(2);
    };
    let all = match cases::cases_below(&folder) {
        Ok(all) => all,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::from(2);
        }
    };
    if all.is_empty() {
        eprintln!(
            "{}: no case below a folder named request, response or message",
            folder.display()
        );
    }
    let failed = cases::failures(&all);
    for (case, reason) in &failed {
        println!("{}: {reason}", case.file.display());
    }
    println!("{} passed, {} failed", all.len() - failed.len(), failed.len());
    if failed.is_empty() && !all.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
