//! Passes the linker what an extension module of Python needs on this platform.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
