/// Returns free memory of the allocator to the operating system. The allocator of glibc keeps what it once took: after large
/// contracts, hundreds of megabytes for ever.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "a function of the C library without arguments that could be wrong"
)]
pub(crate) fn release() {
    // SAFETY: malloc_trim may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn release() {}
