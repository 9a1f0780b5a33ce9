//! The executable of the npm packages. It loads the native library in its directory and calls the command line in it, so that an
//! installation contains the core only once (docs/decisions/0047). `crates/cli` has an executable that needs no library.
#![deny(unsafe_code)]

mod error;
mod library;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use error::LaunchError;

/// The exit code for invalid arguments and files. No command uses it for a negative result.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    match library_path().and_then(library::run_command_line) {
        Ok(exit_code) => std::process::exit(exit_code),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(USAGE)
        }
    }
}

/// Returns the path of the native library, which is next to this executable. Links to the executable can be anywhere.
fn library_path() -> Result<PathBuf, LaunchError> {
    let own = std::env::current_exe().map_err(LaunchError::OwnPath)?;
    // On Windows, canonical paths have a prefix that LoadLibraryExW does not document.
    let own = if cfg!(unix) {
        own.canonicalize().unwrap_or(own)
    } else {
        own
    };
    let library = own.with_file_name("contract.node");
    if library.exists() {
        Ok(library)
    } else {
        Err(LaunchError::Missing { library })
    }
}
