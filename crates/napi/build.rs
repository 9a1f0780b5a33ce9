//! Passes the linker options that a Node-API module requires on this platform.

use std::env::var;

fn main() {
    napi_build::setup();
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "windows") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // zig ignores the list of exports that rustc passes, and would export all functions, which are too many.
        let list = format!("{}/exports.def", var("OUT_DIR").unwrap_or_default());
        let written = std::fs::write(&list, "EXPORTS\n  napi_register_module_v1\n  contract_main\n");
        assert!(written.is_ok(), "{list}: {written:?}");
        println!("cargo:rustc-cdylib-link-arg={list}");
    }
}
