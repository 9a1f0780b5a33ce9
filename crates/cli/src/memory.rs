/// Returns free memory to the operating system. Otherwise, glibc's allocator keeps hundreds of megabytes after
/// processing large contracts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library without pointer arguments")]
pub(crate) fn release() {
    // SAFETY: malloc_trim may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn release() {}
