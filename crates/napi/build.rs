//! Passes the linker options that a Node-API module requires on this platform.

fn main() {
    napi_build::setup();
}
