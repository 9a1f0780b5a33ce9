//! Messages and services of the plugin interface. The code is generated from `proto/` (see CONTRIBUTING.md).
//!
//! Messages that are the same in both versions are in [`v2`](v1::v2). The modules are nested like the protobuf
//! packages.

#![allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated code; the host and its tests use only part of it"
)]

pub mod v1 {
    include!("wire/v1.rs");
    pub mod v2 {
        include!("wire/v2.rs");
    }
}
pub use v1::v2;

#[cfg(test)]
mod tests {
    /// Checks the generated code, which contains the hash of its sources.
    #[test]
    fn the_generated_code_is_current() {
        let protos = [
            include_bytes!("../proto/plugin.proto").as_slice(),
            include_bytes!("../proto/plugin_v2.proto").as_slice(),
        ];
        let hash = protos.concat().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        for code in [include_str!("wire/v1.rs"), include_str!("wire/v2.rs")] {
            let head = code.lines().next().unwrap_or_default();
            assert!(
                head.contains(&format!("{hash:016x}")),
                "{head}: run `cargo run --manifest-path crates/plugins/proto/generate/Cargo.toml`"
            );
        }
    }
}
