//! Runs the broker as a process.

use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::broker_process::BrokerProcess;

pub(crate) struct Process {
    broker: BrokerProcess,
    pub(crate) address: SocketAddr,
    /// Time from the start of the process to its first response.
    pub(crate) listening: Duration,
}

impl Process {
    pub(crate) fn start(executable: &str, database: &str) -> Self {
        let begun = Instant::now();
        let mut command = Command::new(executable);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, "contract-broker");
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log-level",
            "error",
            "--stop-with-stdin",
            "--db",
            database,
            // The whole load comes from one address with one token.
            "--rate-limit-per-credential",
            "0",
            "--rate-limit-per-address",
            "0",
            "--webhook-scheme-whitelist",
            "http",
            "--webhook-host-whitelist",
            "127.0.0.1",
            "--webhook-network-whitelist",
            "127.0.0.1",
        ]);
        let broker =
            BrokerProcess::start(command).unwrap_or_else(|error| crate::fail(&format!("{executable}: {error}")));
        let address = broker.address.parse();
        let address: SocketAddr = address.unwrap_or_else(|_| crate::fail("the broker printed no address"));
        let heartbeat = crate::client::Client::new(address).get("/diagnostic/status/heartbeat");
        let listening = begun.elapsed();
        if heartbeat.status != 200 {
            crate::fail("the broker does not respond");
        }
        Self {
            broker,
            address,
            listening,
        }
    }

    /// Returns the resident memory in megabytes, if the system reports it.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.broker.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kibibytes * 1_024 / 1_000_000)
    }

    /// Stops the process gracefully.
    pub(crate) fn stop(mut self) {
        drop(self.broker.child.stdin.take());
        let _ = self.broker.child.wait();
    }
}
