//! The interface of the WebAssembly module: three functions that exchange messages in the module's memory.
//!
//! A message starts with two 32-bit little-endian numbers: the size of the JSON document and the size of the body, in
//! bytes. The document and the body follow.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;

use crate::call::call;
use crate::engine::Engine;

/// Size of the two numbers at the start of a message, in bytes.
const HEAD: usize = 8;

thread_local! {
    /// The engine of this instance. Each instance has one thread and one engine.
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Allocates memory for a message. Returns null if there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn contract_alloc(size: usize) -> *mut u8 {
    let Some(layout) = layout(size) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the size of the layout is not zero.
    unsafe { alloc(layout) }
}

/// Frees a message.
///
/// # Safety
///
/// `message` must be a message of this size that `contract_alloc` or `contract_call` returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_free(message: *mut u8, size: usize) {
    if let (Some(layout), false) = (layout(size), message.is_null()) {
        // SAFETY: the caller guarantees that the memory was allocated with this layout.
        unsafe { dealloc(message, layout) }
    }
}

/// Performs a call. Returns a message, which the caller must free, or null if there is not enough memory. Does not free
/// `message`.
///
/// # Safety
///
/// `message` must be an initialized message of this size that `contract_alloc` returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_call(message: *const u8, size: usize) -> *mut u8 {
    // SAFETY: the caller guarantees that the memory is valid and initialized.
    let message = unsafe { std::slice::from_raw_parts(message, size) };
    let (document, body) = parts(message);
    let (document, body) = ENGINE.with_borrow_mut(|engine| call(engine, document, body.to_vec()));
    let total = HEAD + document.len() + body.len();
    let answer = contract_alloc(total);
    if answer.is_null() {
        return answer;
    }
    // SAFETY: the memory was allocated above with this size, and is zeroed before it is used as a slice.
    let target = unsafe {
        std::ptr::write_bytes(answer, 0, total);
        std::slice::from_raw_parts_mut(answer, total)
    };
    target[..4].copy_from_slice(&length(&document).to_le_bytes());
    target[4..HEAD].copy_from_slice(&length(&body).to_le_bytes());
    target[HEAD..HEAD + document.len()].copy_from_slice(&document);
    target[HEAD + document.len()..].copy_from_slice(&body);
    answer
}

/// Splits a message. The sizes in it are limited to the size of the message, so a malformed message results in invalid
/// JSON at worst.
fn parts(message: &[u8]) -> (&[u8], &[u8]) {
    let size = message.first_chunk::<4>().map_or(0, |size| u32::from_le_bytes(*size));
    let content = message.get(HEAD..).unwrap_or_default();
    content.split_at(content.len().min(usize::try_from(size).unwrap_or(usize::MAX)))
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), 8).ok()
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}
