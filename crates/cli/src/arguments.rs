//! The arguments of this process.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::OnceLock;

/// Set once at the start: on musl, the standard library does not have the arguments if it is a part of a library.
static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the arguments, which begin with the name of the command.
pub(crate) fn set(arguments: Vec<OsString>) {
    let _ = ARGUMENTS.set(arguments);
}

/// Returns all arguments, which begin with the name of the command.
pub(crate) fn all() -> &'static [OsString] {
    ARGUMENTS.get().map_or(&[], Vec::as_slice)
}

/// Returns the arguments without the name of the command. Invalid Unicode is replaced.
pub(crate) fn as_text() -> Vec<String> {
    let arguments = all().iter().skip(1);
    arguments.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the file name under which this process was started, without its extension.
pub(crate) fn command_name() -> Option<&'static OsStr> {
    all().first().map(Path::new).and_then(Path::file_stem)
}
