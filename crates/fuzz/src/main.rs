//! Runs the target in the environment variable `FUZZ_TARGET` with libFuzzer. Build and start it with
//! `npm run fuzz -- TARGET [seconds]`.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<contract_fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    contract_fuzz::target(&name).expect("FUZZ_TARGET is the name of a target")
});

fuzz_target!(|input: &[u8]| TARGET(input));
