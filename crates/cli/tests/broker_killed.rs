//! A broker that is killed at any moment has every write that it acknowledged when it starts again.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const KILLS: usize = 20;
const WRITERS: usize = 6;
/// Acknowledged writes after which it is killed.
const WRITES: usize = 40;

struct Broker {
    process: Child,
    address: String,
}

impl Drop for Broker {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(file: &Path) -> Broker {
    let mut process = Command::new(env!("CARGO_BIN_EXE_contract"))
        .arg0("contract-broker")
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log-level",
            "error",
            "--stop-with-stdin",
            "--db",
        ])
        .arg(format!("sqlite:{}", file.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the executable starts");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .expect("a line");
    let address = line.split("http://").nth(1).expect("an address").trim().to_owned();
    Broker { process, address }
}

/// The status; `None` when the broker went away before it answered.
fn ask(address: &str, method: &str, path: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = "host: broker\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2";
    stream
        .write_all(format!("{method} {path} HTTP/1.1\r\n{head}\r\n\r\n{{}}").as_bytes())
        .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
fn every_acknowledged_write_survives() {
    let folder = std::env::temp_dir().join(format!("contract-broker-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("broker.sqlite");
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..KILLS {
        let mut broker = start(&file);
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
            while done.lock().expect("no panic").len() < WRITES + round {
                std::thread::yield_now();
            }
            broker.process.kill().expect("it is killed");
            is_over.store(true, Ordering::Relaxed);
        });
        acknowledged.extend(done.into_inner().expect("no panic"));
        drop(broker);
        let again = start(&file);
        let lost: Vec<&String> = acknowledged
            .iter()
            .rev()
            .take(3 * WRITES)
            .filter(|path| ask(&again.address, "GET", path) != Some(200))
            .collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
    }
    let restarted = start(&file);
    assert!(acknowledged.len() >= KILLS * WRITES);
    let lost = acknowledged
        .iter()
        .filter(|path| ask(&restarted.address, "GET", path) != Some(200))
        .count();
    assert_eq!(lost, 0);
    drop(restarted);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
