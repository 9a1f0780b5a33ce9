//! Runs each target with its seeds, inputs that once failed, and mutations of both.

use std::path::Path;

use fastrand::Rng;

/// Number of mutations for each target. The mutations are the same in every run.
const CHANGES: usize = 150;

fn inputs(folder: &str, name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name);
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a folder that can be read").path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).expect("a file that can be read"))
        .collect()
}

/// Recombines parts of inputs at random, like a fuzzer without coverage feedback.
fn changed(inputs: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let pick = |random: &mut Rng| &inputs[random.usize(..inputs.len())];
    let mut input = pick(random).clone();
    for _ in 0..random.usize(1..5) {
        let at = random.usize(..=input.len());
        let end = (at + random.usize(0..16)).min(input.len());
        match random.u8(..5) {
            0 => drop(input.drain(at..end)),
            1 => input.insert(at, random.u8(..)),
            2 => {
                let again = input[at..end].repeat(random.usize(1..20));
                input.splice(at..at, again);
            }
            3 => {
                let other = pick(random);
                let from = random.usize(..=other.len());
                let piece = other[from..(from + random.usize(0..32)).min(other.len())].to_vec();
                input.splice(at..end, piece);
            }
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.u8(..8);
                }
            }
        }
    }
    input
}

#[test]
fn every_target_has_seeds_and_passes() {
    for (name, run) in contract_fuzz::TARGETS {
        let mut all = inputs("seeds", name);
        assert!(!all.is_empty(), "seeds/{name} contains no inputs");
        all.extend(inputs("found", name));
        let mut random = Rng::with_seed(1);
        let changes: Vec<_> = (0..CHANGES).map(|_| changed(&all, &mut random)).collect();
        for input in all.iter().chain(&changes) {
            let outcome = std::panic::catch_unwind(|| run(input));
            assert!(
                outcome.is_ok(),
                "the target {name} fails with {:?}",
                String::from_utf8_lossy(input)
            );
        }
    }
}
