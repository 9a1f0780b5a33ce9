//! Converts between pointers and values, and between errors and statuses. Also catches panics.

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use contract::{Json, Object};

use crate::types::{
    CONTRACT_ARGUMENT, CONTRACT_FILE, CONTRACT_INTERNAL, CONTRACT_MISUSE, CONTRACT_OK, CONTRACT_SERVER,
    CONTRACT_VERIFICATION, contract_handle, contract_status,
};

/// UTF-8 text that the library returns. The caller owns it and must free it with contract_text_free. A zero byte
/// follows the text and is not included in `length`.
#[repr(C)]
pub struct contract_text {
    /// The bytes of the text, or null if there is no text.
    pub data: *mut c_char,
    /// The length of the text in bytes.
    pub length: usize,
}

/// Frees text that the library returned, and sets `data` to null. Does nothing if `data` is null, for example because
/// the text was already freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_text_free(text: *mut contract_text) {
    // SAFETY: the caller passes text from the library. It is set to null here, so it is freed only once.
    let Some(text) = (unsafe { text.as_mut() }) else {
        return;
    };
    let data = std::mem::replace(&mut text.data, std::ptr::null_mut());
    let length = std::mem::replace(&mut text.length, 0);
    if !data.is_null() {
        // SAFETY: `owned` created it from a boxed slice of this length plus the zero byte.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data.cast::<u8>(), length + 1)) });
    }
}

/// The status and the error details of a failed call.
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

/// Runs `work` and returns its status. If `error` is not null, it receives the error as JSON, or null if there is no
/// error.
pub(crate) unsafe fn guarded(error: *mut contract_text, work: impl FnOnce() -> Result<(), Failure>) -> contract_status {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Failure::internal()));
    let (status, text) = match done {
        Ok(()) => (CONTRACT_OK, None),
        Err(failure) => (failure.status, Some(failure.details.to_text())),
    };
    // SAFETY: the caller passes a valid pointer or null.
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

/// Writes text to an output parameter.
pub(crate) unsafe fn give(out: *mut contract_text, text: String) -> Result<(), Failure> {
    unsafe {
        place(out, "out")?;
        put(out, "out", owned(text))
    }
}

/// Writes text to an output parameter, or null if there is no text.
pub(crate) unsafe fn give_some(out: *mut contract_text, text: Option<String>) -> Result<(), Failure> {
    unsafe {
        place(out, "out")?;
        put(out, "out", text.map_or(contract_text::NOTHING, owned))
    }
}

/// Writes a value to an output parameter.
pub(crate) unsafe fn put<T>(out: *mut T, name: &str, value: T) -> Result<(), Failure> {
    if out.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller passes a pointer to memory for the value, which may be uninitialized.
    unsafe { out.write(value) };
    Ok(())
}

fn null(name: &str) -> Failure {
    Failure::misuse("ERR_CONTRACT_NULL", &format!("{name} is a null pointer"))
}

/// The value that an output parameter contains if the call has no result.
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

/// Sets an output parameter to its empty value before the call has any effect, so that the caller does not free or use
/// an old value if the call fails. Returns an error if the pointer is null.
pub(crate) unsafe fn place<T: Nothing>(out: *mut T, name: &str) -> Result<(), Failure> {
    unsafe { put(out, name, T::NOTHING) }
}

/// Borrows text from the caller for the duration of the call.
pub(crate) unsafe fn text<'a>(data: *const c_char, length: usize, name: &str) -> Result<&'a str, Failure> {
    if data.is_null() {
        return Err(null(name));
    }
    if isize::try_from(length).is_err() {
        return Err(Failure::misuse(
            "ERR_CONTRACT_LENGTH",
            &format!("the length of {name} is larger than the address space"),
        ));
    }
    // SAFETY: the caller guarantees that this number of bytes is readable.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::misuse(
            "ERR_CONTRACT_UTF8",
            &format!("{name} is not valid UTF-8: invalid byte at index {at}"),
        )
    })
}

/// Like `text`, but a null pointer means that there is no text.
pub(crate) unsafe fn optional<'a>(data: *const c_char, length: usize, name: &str) -> Result<Option<&'a str>, Failure> {
    if data.is_null() {
        return Ok(None);
    }
    unsafe { text(data, length, name) }.map(Some)
}

/// Like `text`, but for JSON options. A null pointer means `{}`.
pub(crate) unsafe fn options<'a>(data: *const c_char, length: usize, name: &str) -> Result<&'a str, Failure> {
    Ok(unsafe { optional(data, length, name) }?.unwrap_or("{}"))
}
