//! A broker that is killed at any moment has every write that it acknowledged when it starts again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::process::{ask, start};

/// How often it is killed; more with `CONTRACT_BROKER_KILLS`.
const KILLS: usize = 20;
const WRITERS: usize = 6;
/// Acknowledged writes after which it is killed.
const WRITES: usize = 40;

#[test]
fn every_acknowledged_write_survives() {
    let folder = std::env::temp_dir().join(format!("contract-broker-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("broker.sqlite");
    let kills = std::env::var("CONTRACT_BROKER_KILLS").map_or(KILLS, |count| count.parse().expect("a number"));
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..kills {
        let mut broker = start(&file, &[]);
        let (done, is_over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (done, is_over, address) = (&done, &is_over, broker.address.clone());
                scope.spawn(move || {
                    for at in 0.. {
                        let path = format!("/pacticipants/a{writer}/branches/b/versions/{round}-{at}");
                        match ask(&address, "PUT", &path) {
                            Some(201) => done.lock().expect("no panic").push(path),
                            Some(status) => panic!("{status} for {path}"),
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
            broker.process.kill().expect("it is killed");
            is_over.store(true, Ordering::Relaxed);
        });
        acknowledged.extend(done.into_inner().expect("no panic"));
        drop(broker);
        let again = start(&file, &[]);
        let lost: Vec<&String> = acknowledged
            .iter()
            .rev()
            .take(3 * WRITES)
            .filter(|path| ask(&again.address, "GET", path) != Some(200))
            .collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
    }
    let restarted = start(&file, &[]);
    assert!(acknowledged.len() >= kills * WRITES);
    let lost = acknowledged
        .iter()
        .filter(|path| ask(&restarted.address, "GET", path) != Some(200))
        .count();
    assert_eq!(lost, 0);
    drop(restarted);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
