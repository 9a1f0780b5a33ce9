//! Passes the linker what a Node-API module needs on this platform.

fn main() {
    napi_build::setup();
}
