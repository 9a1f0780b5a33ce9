//! The executable as `contract-broker`, a running broker, and a minimal HTTP client.

#[path = "broker_process.rs"]
mod broker_process;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub(crate) use broker_process::BrokerProcess;

/// `contract-broker` with only these environment variables and `PATH`.
pub(crate) fn command(arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
    command
        .arg0("contract-broker")
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(variables.iter().copied());
    command
}

/// Starts a broker and waits until it prints its address.
pub(crate) fn start(command: Command) -> BrokerProcess {
    BrokerProcess::start(command).expect("the broker starts")
}

/// Returns the status and the body; `None` if the connection was closed before the response was complete.
pub(crate) fn send(address: &str, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    let (head, body) = response.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}
