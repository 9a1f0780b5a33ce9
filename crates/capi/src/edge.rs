//! The edge: pointers to values, values to pointers, failures to statuses, and no panic beyond.

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use contract::{Json, Object};

use crate::types::{
    CONTRACT_ARGUMENT, CONTRACT_FILE, CONTRACT_INTERNAL, CONTRACT_MISUSE, CONTRACT_OK, CONTRACT_SERVER,
    CONTRACT_VERIFICATION, contract_handle, contract_status,
};

/// Text that the library gives: UTF-8, with its length in bytes. It is the caller's, who frees it with contract_text_free. A
/// zero byte follows it, which `length` does not count.
#[repr(C)]
pub struct contract_text {
    /// The bytes; null when there is no text.
    pub data: *mut c_char,
    /// How many there are.
    pub length: usize,
}

/// Frees a text that the library gave, and sets it to null. Null, and a text that was freed in this way before, are left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_text_free(text: *mut contract_text) {
    // SAFETY: the caller gives a text of the library's, which is set to null here, so that it is freed once.
    let Some(text) = (unsafe { text.as_mut() }) else {
        return;
    };
    let data = std::mem::replace(&mut text.data, std::ptr::null_mut());
    let length = std::mem::replace(&mut text.length, 0);
    if !data.is_null() {
        // SAFETY: `give` made it of a boxed slice of this length, with the zero byte behind.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data.cast::<u8>(), length + 1)) });
    }
}

/// What went wrong.
pub(crate) struct Failure {
    status: contract_status,
    details: Json,
}

impl Failure {
    pub(crate) fn misuse(code: &str, message: &str) -> Self {
        let details = [("kind", "misuse"), ("code", code), ("message", message)];
        Self {
            status: CONTRACT_MISUSE,
            details: details.into_iter().collect::<Object>().into(),
        }
    }

    pub(crate) fn to_text(&self) -> String {
        self.details.to_text()
    }

    pub(crate) fn internal() -> Self {
        contract::Failure::Internal.into()
    }
}

impl<E: Into<contract::Failure>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let status = match error {
            contract::Failure::Argument(_) => CONTRACT_ARGUMENT,
            contract::Failure::File(_) => CONTRACT_FILE,
            contract::Failure::Server(_) => CONTRACT_SERVER,
            contract::Failure::Verification(_) => CONTRACT_VERIFICATION,
            _ => CONTRACT_INTERNAL,
        };
        let details = error.to_json(&contract::Canonical);
        Self { status, details }
    }
}

/// Does the work, gives its status, and fills the error with JSON text when it failed; else with null.
pub(crate) unsafe fn guarded(error: *mut contract_text, work: impl FnOnce() -> Result<(), Failure>) -> contract_status {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Failure::internal()));
    let (status, text) = match done {
        Ok(()) => (CONTRACT_OK, None),
        Err(failure) => (failure.status, Some(failure.details.to_text())),
    };
    // SAFETY: the caller gives a place for a text, or null.
    if let Some(error) = unsafe { error.as_mut() } {
        *error = text.map_or(contract_text::NOTHING, owned);
    }
    status
}

fn owned(text: String) -> contract_text {
    let length = text.len();
    let mut bytes = text.into_bytes();
    bytes.push(0);
    let data = Box::into_raw(bytes.into_boxed_slice()).cast::<c_char>();
    contract_text { data, length }
}

/// Gives a text to the caller.
pub(crate) unsafe fn give(out: *mut contract_text, text: String) -> Result<(), Failure> {
    unsafe {
        place(out, "out")?;
        put(out, "out", owned(text))
    }
}

/// Gives a text to the caller, or null when there is none.
pub(crate) unsafe fn give_some(out: *mut contract_text, text: Option<String>) -> Result<(), Failure> {
    unsafe {
        place(out, "out")?;
        put(out, "out", text.map_or(contract_text::NOTHING, owned))
    }
}

/// Puts a value where the caller wants it.
pub(crate) unsafe fn put<T>(out: *mut T, name: &str, value: T) -> Result<(), Failure> {
    if out.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller gives a place for the value; what is there need not be one.
    unsafe { out.write(value) };
    Ok(())
}

fn null(name: &str) -> Failure {
    Failure::misuse("ERR_CONTRACT_NULL", &format!("{name} is a null pointer"))
}

/// What stands in the place of a result that there is not.
pub(crate) trait Nothing {
    const NOTHING: Self;
}

impl Nothing for contract_text {
    const NOTHING: Self = Self {
        data: std::ptr::null_mut(),
        length: 0,
    };
}

impl Nothing for contract_handle {
    const NOTHING: Self = 0;
}

/// Refuses a place for a result that is none, before anything is done; else empties it, so that nothing is freed or used there
/// when the call fails.
pub(crate) unsafe fn place<T: Nothing>(out: *mut T, name: &str) -> Result<(), Failure> {
    unsafe { put(out, name, T::NOTHING) }
}

/// Text of the caller's. It is borrowed for the call.
pub(crate) unsafe fn text<'a>(data: *const c_char, length: usize, name: &str) -> Result<&'a str, Failure> {
    if data.is_null() {
        return Err(null(name));
    }
    if isize::try_from(length).is_err() {
        return Err(Failure::misuse(
            "ERR_CONTRACT_LENGTH",
            &format!("the length of {name} is larger than any memory"),
        ));
    }
    // SAFETY: the caller gives this many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::misuse(
            "ERR_CONTRACT_UTF8",
            &format!("{name} is no UTF-8: the byte at {at} begins no character"),
        )
    })
}

/// The same where null is nothing.
pub(crate) unsafe fn optional<'a>(data: *const c_char, length: usize, name: &str) -> Result<Option<&'a str>, Failure> {
    if data.is_null() {
        return Ok(None);
    }
    unsafe { text(data, length, name) }.map(Some)
}

/// The same for a JSON object of options, where null is none.
pub(crate) unsafe fn options<'a>(data: *const c_char, length: usize, name: &str) -> Result<&'a str, Failure> {
    Ok(unsafe { optional(data, length, name) }?.unwrap_or("{}"))
}
