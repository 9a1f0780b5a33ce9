//! Sets the name of the shared library that programs link to. It contains the version of the ABI.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcontract.so.1");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
