//! Measures the response times of publications while another process deletes old versions.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mix::{Kind, Mix, Pace};
use crate::{fail, summary};

const PUBLISHERS: usize = 16;
/// Publications per second.
const PER_SECOND: u64 = 50;

/// Measures publications without and with `contract-broker clean`, which deletes all versions that no rule keeps.
pub(crate) fn measure(mix: &Mix<'_>, address: SocketAddr, executable: &str, database: &str) -> Value {
    let publish = |seconds, seed| {
        let times = mix.run(
            address,
            PUBLISHERS,
            Pace::PerSecond(PER_SECOND),
            Duration::from_secs(seconds),
            seed,
        );
        let published = times.0.into_iter().find(|(kind, _)| *kind == Kind::Publish);
        published.map(|(_, times)| times).unwrap_or_default()
    };
    let quiet = publish(20, 1);
    let ended = AtomicBool::new(false);
    let (deleted, took, mut cleaning) = std::thread::scope(|scope| {
        let clean = scope.spawn(|| {
            let begun = Instant::now();
            let mut command = Command::new(executable);
            #[cfg(unix)]
            std::os::unix::process::CommandExt::arg0(&mut command, "contract-broker");
            let output = command
                .args(["clean", "--json", "--db", database, "--retention-days", "0"])
                .output()
                .unwrap_or_else(|error| fail(&error.to_string()));
            ended.store(true, Ordering::Relaxed);
            if !output.status.success() {
                fail(&String::from_utf8_lossy(&output.stderr));
            }
            let deleted: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            (deleted, begun.elapsed())
        });
        let mut times = Vec::new();
        let mut seed = 2;
        while !ended.load(Ordering::Relaxed) {
            times.extend(publish(5, seed));
            seed += 1;
        }
        let (deleted, took) = clean.join().unwrap_or_else(|_| fail("the thread panicked"));
        (deleted, took, times)
    });
    cleaning.sort_unstable();
    json!({
        "deleted": deleted,
        "cleanedInSeconds": took.as_secs(),
        "publishers": PUBLISHERS,
        "perSecond": PER_SECOND,
        "quiet": summary(&quiet),
        "cleaning": summary(&cleaning),
    })
}
