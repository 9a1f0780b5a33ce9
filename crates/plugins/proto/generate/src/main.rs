//! Generates the Rust code for the messages and services of the plugin interface: `cargo run --manifest-path
//! crates/plugins/proto/generate/Cargo.toml [OUT]`. Does not require protoc.

use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = std::env::args_os().nth(1).map_or_else(|| proto.join("../src/wire"), PathBuf::from);
    let files = ["plugin.proto", "plugin_v2.proto"];
    let descriptors = protox::compile(files, [&proto])?;
    let generated = std::env::temp_dir().join(format!("plugin-wire-{}", std::process::id()));
    std::fs::create_dir_all(&generated)?;
    tonic_prost_build::configure()
        .build_transport(false)
        .bytes(".")
        .btree_map(".")
        .disable_comments(["."])
        .out_dir(&generated)
        .compile_fds(descriptors)?;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in std::fs::read(proto.join(file))? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    for (from, to) in [("io.pact.plugin.rs", "v1.rs"), ("io.pact.plugin.v2.rs", "v2.rs")] {
        let text = std::fs::read_to_string(generated.join(from))?;
        let head = format!("// Generated from crates/plugins/proto ({hash:016x}); see CONTRIBUTING.md.\n");
        std::fs::write(out.join(to), head + &text)?;
    }
    std::fs::remove_dir_all(generated)?;
    Ok(())
}
