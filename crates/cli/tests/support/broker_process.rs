//! A running broker, for tests of the executable and for the broker's load example.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running broker. It is killed when this value is dropped.
pub(crate) struct BrokerProcess {
    pub(crate) child: Child,
    /// The host and the port on which the broker listens.
    pub(crate) address: String,
}

impl BrokerProcess {
    /// Starts a broker and waits until it prints its address.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        let mut broker = Self {
            child: command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?,
            address: String::new(),
        };
        let mut line = String::new();
        if let Some(stdout) = broker.child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.split_once("http://").map(|(_, address)| address.trim());
        address
            .ok_or_else(|| io::Error::other("the broker did not start"))?
            .clone_into(&mut broker.address);
        Ok(broker)
    }
}

impl Drop for BrokerProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
