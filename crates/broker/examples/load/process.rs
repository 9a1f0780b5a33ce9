//! Runs the broker as a process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
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
        let mut child = command
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--log-level",
                "error",
                "--stop-with-stdin",
                "--db",
                database,
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| crate::fail(&format!("{executable}: {error}")));
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            // End of file is handled like an error.
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let address = line.split("://").nth(1).and_then(|address| address.trim().parse().ok());
        let address: SocketAddr = address.unwrap_or_else(|| crate::fail("the broker did not start"));
        let heartbeat = crate::client::Client::new(address).get("/diagnostic/status/heartbeat");
        let listening = begun.elapsed();
        if heartbeat.status != 200 {
            crate::fail("the broker does not respond");
        }
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            address,
            listening,
        }
    }

    /// Returns the resident memory in megabytes, if the system reports it.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kibibytes * 1_024 / 1_000_000)
    }

    /// Stops the process gracefully.
    pub(crate) fn stop(mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
