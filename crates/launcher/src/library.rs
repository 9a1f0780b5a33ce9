//! Calls into the native library.
#![expect(unsafe_code, reason = "the library is called through the C interface")]

use std::ffi::{c_char, c_int};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use libloading::Library;

use crate::error::LaunchError;

/// `contract_main` in `crates/napi`: the number of arguments, the arguments, and the exit code. On Windows, there are none, because
/// the library has the arguments of the process.
type Main = unsafe extern "C" fn(c_int, *const *const c_char) -> c_int;

/// Runs the command line in the library with the arguments of this process, and returns its exit code.
pub(crate) fn run_command_line(library: PathBuf) -> Result<c_int, LaunchError> {
    // SAFETY: the library is a part of the same package. Loading it only registers functions for Node.
    let loaded = unsafe { Library::new(&library) };
    // Never unloaded, because its threads may run until the process ends.
    let loaded = match loaded {
        Ok(loaded) => ManuallyDrop::new(loaded),
        Err(error) => {
            let reason = reason(&error);
            return Err(LaunchError::Load { library, reason });
        }
    };
    // SAFETY: the function has this type in all versions.
    let Ok(main) = (unsafe { loaded.get::<Main>(c"contract_main") }) else {
        return Err(LaunchError::NoCommandLine { library });
    };
    Ok(call(*main))
}

#[cfg(unix)]
fn call(main: Main) -> c_int {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStringExt;

    // On musl, only an executable receives the arguments from the system.
    let arguments: Vec<CString> = std::env::args_os()
        .filter_map(|argument| CString::new(argument.into_vec()).ok())
        .collect();
    let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let count = c_int::try_from(pointers.len()).expect("the system passes the number of arguments in this type");
    // SAFETY: the pointers are valid texts during the call, and there are `count` of them.
    unsafe { main(count, pointers.as_ptr()) }
}

#[cfg(windows)]
fn call(main: Main) -> c_int {
    // SAFETY: no pointer is read if there are no arguments.
    unsafe { main(0, std::ptr::null()) }
}

/// Returns the message of the system.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}
