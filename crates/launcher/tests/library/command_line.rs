//! A native library whose command line prints its arguments and returns their number.

use std::ffi::{CStr, c_char, c_int};
use std::io::Write;

#[unsafe(no_mangle)]
unsafe extern "C" fn contract_main(count: c_int, arguments: *const *const c_char) -> c_int {
    let texts = (0..usize::try_from(count).unwrap_or(0)).map(|index| {
        // SAFETY: the launcher passes `count` texts.
        unsafe { CStr::from_ptr(*arguments.add(index)) }
            .to_string_lossy()
            .into_owned()
    });
    let texts: Vec<String> = texts.collect();
    writeln!(std::io::stdout(), "{}", texts.join("|")).expect("the output can be written");
    count
}
