//! The command line for the executable of the npm packages (`crates/launcher`), which calls it through the C interface. Node is not
//! involved.

use std::ffi::{OsString, c_char, c_int};
use std::io::Write;
use std::panic::catch_unwind;

/// The exit code of an executable whose main function has panicked.
const PANICKED: c_int = 101;

/// Runs the command line with these arguments, which begin with its name, and returns the exit code. May end the process instead. On
/// Windows, it reads the arguments of the process.
///
/// # Safety
///
/// `arguments` must point to `count` texts that end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_main(count: c_int, arguments: *const *const c_char) -> c_int {
    // SAFETY: the caller passes `count` texts.
    let arguments = unsafe { arguments_from(count, arguments) };
    let exit_code = catch_unwind(|| contract_cli::main(arguments)).map_or(PANICKED, c_int::from);
    // The executable has a standard library of its own, which does not flush the output of this one.
    let _ = std::io::stdout().flush();
    exit_code
}

#[cfg(unix)]
unsafe fn arguments_from(count: c_int, arguments: *const *const c_char) -> Vec<OsString> {
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStringExt;

    let count = usize::try_from(count).unwrap_or(0);
    let argument = |index| {
        // SAFETY: there are `count` texts.
        let text = unsafe { CStr::from_ptr(*arguments.add(index)) };
        OsString::from_vec(text.to_bytes().to_vec())
    };
    (0..count).map(argument).collect()
}

#[cfg(windows)]
unsafe fn arguments_from(_count: c_int, _arguments: *const *const c_char) -> Vec<OsString> {
    std::env::args_os().collect()
}
