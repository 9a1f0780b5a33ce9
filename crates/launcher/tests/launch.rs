//! Starts the launcher with libraries of examples in place of the native library.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const LAUNCHER: &str = env!("CARGO_BIN_EXE_contract-launcher");

/// Returns a directory with the launcher, and its path there.
fn installed() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let executable = directory.path().join(format!("contract{EXE_SUFFIX}"));
    fs::copy(LAUNCHER, &executable).expect("a copy");
    (directory, executable)
}

/// Copies the library of an example to the place of the native library.
fn install_library(directory: &TempDir, example: &str) {
    let name = format!("{DLL_PREFIX}{example}{DLL_SUFFIX}");
    let built = Path::new(LAUNCHER).with_file_name("examples").join(name);
    fs::copy(built, directory.path().join("contract.node")).expect("cargo builds examples before tests");
}

#[track_caller]
fn run(command: &mut Command) -> Output {
    command.output().expect("the launcher starts")
}

/// Checks that the launcher fails with a message about this problem that names the library and the fix, and returns the message.
#[track_caller]
fn check_failure(directory: &TempDir, executable: &Path, problem: &str) -> String {
    let output = run(&mut Command::new(executable));
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    let library = directory.path().canonicalize().expect("a path").join("contract.node");
    let file_name = Path::new("contract.node");
    let path = if cfg!(unix) { library.as_path() } else { file_name };
    assert!(
        text.starts_with("error: ") && text.contains(problem) && text.contains(&*path.to_string_lossy()),
        "{text}"
    );
    assert!(
        text.ends_with("copy contract.node from the same package into its directory.\n"),
        "{text}"
    );
    text
}

// On Windows, the library reads the arguments of the process.
#[cfg(unix)]
#[test]
fn the_command_line_gets_the_arguments_and_returns_the_exit_code() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::process::CommandExt;

    let (directory, executable) = installed();
    install_library(&directory, "command_line");
    let arguments = ["serve", "", "two words"].map(OsStr::new);
    let invalid = OsStr::from_bytes(b"\xff");
    let output = run(Command::new(executable)
        .arg0("contract-broker")
        .args(arguments)
        .arg(invalid));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "contract-broker|serve||two words|\u{fffd}\n"
    );
    assert_eq!(output.status.code(), Some(5));
}

#[cfg(unix)]
#[test]
fn the_library_is_found_through_a_link_to_the_executable() {
    let (directory, executable) = installed();
    install_library(&directory, "command_line");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let link = elsewhere.path().join("contract-broker");
    std::os::unix::fs::symlink(executable, &link).expect("a link");
    let output = run(&mut Command::new(&link));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{}\n", link.display()));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_missing_library_is_reported() {
    let (directory, executable) = installed();
    check_failure(&directory, &executable, "does not exist");
}

#[test]
fn a_damaged_library_is_reported_with_the_reason() {
    let (directory, executable) = installed();
    fs::write(directory.path().join("contract.node"), "not a library").expect("a file");
    let text = check_failure(&directory, &executable, "could not load the native library");
    assert!(!text.contains("dlopen failed"), "{text}");
}

#[test]
fn a_library_without_a_command_line_is_reported() {
    let (directory, executable) = installed();
    install_library(&directory, "other_library");
    check_failure(&directory, &executable, "contains no command line");
}
