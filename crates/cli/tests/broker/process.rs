//! The executable as a broker, and the shortest of clients.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub(crate) struct Broker {
    pub(crate) process: Child,
    pub(crate) address: String,
}

impl Drop for Broker {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The broker with these arguments and variables, and no others that are about brokers.
pub(crate) fn command(arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CONTRACT_BROKER_") || text.starts_with("PACT_BROKER_") {
            command.env_remove(name);
        }
    }
    command.arg0("contract-broker").arg("serve").args(arguments);
    command.envs(variables.iter().copied());
    command
}

/// Starts one on a free port with its data in a file.
pub(crate) fn start(file: &Path, variables: &[(&str, &str)]) -> Broker {
    let database = format!("sqlite:{}", file.display());
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--log-level",
        "error",
        "--stop-with-stdin",
        "--db",
        &database,
    ];
    running(command(&arguments, variables))
}

/// Waits until it says where it answers.
pub(crate) fn running(mut command: Command) -> Broker {
    let mut process = command
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
pub(crate) fn ask(address: &str, method: &str, path: &str) -> Option<u16> {
    send(address, method, path, "{}").map(|(status, _)| status)
}

/// The status and the body; `None` when the broker went away before it answered.
pub(crate) fn send(address: &str, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = "host: broker\r\nconnection: close\r\ncontent-type: application/json";
    let length = body.len();
    stream
        .write_all(format!("{method} {path} HTTP/1.1\r\n{head}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes())
        .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}
