//! Passes the options to the linker that a Node-API module requires on this platform.

fn main() {
    napi_build::setup();
}
