//! Runs one target, named by `FUZZ_TARGET`, with libFuzzer. Use `npm run fuzz -- TARGET [seconds]` to build and start
//! it.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<contract_fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    contract_fuzz::target(&name).expect("FUZZ_TARGET names one of the targets")
});

fuzz_target!(|input: &[u8]| TARGET(input));
