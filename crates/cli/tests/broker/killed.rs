//! Acknowledged writes are not lost when the broker is killed.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::process::{BrokerProcess, send};
use crate::serve::start_with_file;

/// Number of times that the broker is killed. `CONTRACT_BROKER_KILLS` overrides it.
const KILLS: usize = 20;
const WRITERS: usize = 6;
/// Number of acknowledged writes before a kill.
const WRITES: usize = 40;

#[test]
fn every_acknowledged_write_survives() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("broker.sqlite");
    let kills = std::env::var("CONTRACT_BROKER_KILLS").map_or(KILLS, |count| count.parse().expect("a number"));
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..kills {
        acknowledged.extend(write_until_killed(&file, round));
        let restarted = start_with_file(&file);
        let recent = acknowledged.iter().rev().take(3 * WRITES);
        let lost: Vec<_> = recent.filter(|path| !exists(&restarted, path)).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
    }
    let restarted = start_with_file(&file);
    assert!(acknowledged.len() >= kills * WRITES);
    let lost = acknowledged.iter().filter(|path| !exists(&restarted, path)).count();
    assert_eq!(lost, 0);
}

fn exists(broker: &BrokerProcess, path: &str) -> bool {
    send(&broker.address, "GET", path, "{}").is_some_and(|(status, _)| status == 200)
}

/// Returns the paths of acknowledged writes.
fn write_until_killed(file: &Path, round: usize) -> Vec<String> {
    let mut broker = start_with_file(file);
    let (done, is_over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (done, is_over, address) = (&done, &is_over, broker.address.clone());
            scope.spawn(move || {
                for count in 0.. {
                    let path = format!("/pacticipants/a{writer}/branches/b/versions/{round}-{count}");
                    match send(&address, "PUT", &path, "{}") {
                        Some((201, _)) => done.lock().expect("no panic").push(path),
                        Some((status, _)) => panic!("{status} for {path}"),
                        None => break,
                    }
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        while done.lock().expect("no panic").len() < WRITES + round % 20 {
            std::thread::yield_now();
        }
        broker.child.kill().expect("the process is killed");
        is_over.store(true, Ordering::Relaxed);
    });
    done.into_inner().expect("no panic")
}
