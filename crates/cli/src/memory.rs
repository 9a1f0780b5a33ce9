/// Returns free memory to the operating system. glibc's allocator would otherwise keep hundreds of megabytes after
/// large contracts were processed.
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
