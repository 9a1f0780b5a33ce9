//! Passes the linker options that a Python extension module requires on this platform.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
