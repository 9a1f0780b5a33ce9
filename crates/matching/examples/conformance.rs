//! Runs a folder of test cases in the format of the Pact Specification: `npm run conformance -- FOLDER`.

#[path = "../tests/support/cases.rs"]
mod cases;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: npm run conformance -- FOLDER");
        return ExitCode::from(2);
    };
    // npm runs scripts in the folder of package.json and passes the original folder in `INIT_CWD`.
    let folder = std::env::var_os("INIT_CWD")
        .map_or_else(PathBuf::new, PathBuf::from)
        .join(folder);
    let all = match cases::cases_below(&folder) {
        Ok(all) => all,
        Err(error) => {
            eprintln!("cannot read the folder {}: {error}", folder.display());
            return ExitCode::from(2);
        }
    };
    if all.is_empty() {
        eprintln!(
            "{} contains no test cases: expected .json files in a folder named request, response, or message",
            folder.display()
        );
        return ExitCode::from(2);
    }
    let failed = cases::failures(&all, None);
    for (case, reason) in &failed {
        println!("{}: {reason}", case.file.display());
    }
    println!("{} passed, {} failed", all.len() - failed.len(), failed.len());
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
