use std::fmt;
use std::io;

use contract_matching::PlanError;
use contract_wire::ServerTlsError;

/// Reason why a server could not be started. For I/O errors, `source()` returns the error of the operating system.
#[derive(Debug)]
pub struct StartError(Box<Problem>);

#[derive(Debug)]
pub(crate) enum Problem {
    /// The host is neither an IP address nor a host name that can be resolved.
    Host {
        host: String,
        source: io::Error,
    },
    Bind {
        host: String,
        port: u16,
        source: io::Error,
    },
    Rule {
        interaction: String,
        source: PlanError,
    },
    Answer {
        interaction: String,
        problem: String,
    },
    Tls(ServerTlsError),
}

impl StartError {
    pub fn is_address_in_use(&self) -> bool {
        self.bind_kind() == Some(io::ErrorKind::AddrInUse)
    }

    /// Returns true if the host cannot be resolved, or its address does not belong to this machine.
    pub fn is_bad_address(&self) -> bool {
        matches!(*self.0, Problem::Host { .. }) || self.bind_kind() == Some(io::ErrorKind::AddrNotAvailable)
    }

    /// Returns true if this process is not permitted to listen on the port.
    pub fn is_permission_denied(&self) -> bool {
        self.bind_kind() == Some(io::ErrorKind::PermissionDenied)
    }

    pub fn is_tls(&self) -> bool {
        matches!(*self.0, Problem::Tls(_))
    }

    pub fn is_rule(&self) -> bool {
        matches!(*self.0, Problem::Rule { .. })
    }

    /// Returns true if the response of an interaction cannot be sent over HTTP.
    pub fn is_response(&self) -> bool {
        matches!(*self.0, Problem::Answer { .. })
    }

    /// Returns the requested host, or `None` if the error does not concern the address.
    pub fn host(&self) -> Option<&str> {
        match &*self.0 {
            Problem::Host { host, .. } | Problem::Bind { host, .. } => Some(host),
            _ => None,
        }
    }

    /// Returns the requested port, or `None` if listening on the port did not fail.
    pub fn port(&self) -> Option<u16> {
        match &*self.0 {
            Problem::Bind { port, .. } => Some(*port),
            _ => None,
        }
    }

    /// Returns the description of the interaction that cannot be served, or `None` for other errors.
    pub fn interaction(&self) -> Option<&str> {
        match &*self.0 {
            Problem::Rule { interaction, .. } | Problem::Answer { interaction, .. } => Some(interaction),
            _ => None,
        }
    }

    /// Returns the operating system's error number, such as `EADDRINUSE`, or `None` if there is none.
    pub fn os_error(&self) -> Option<i32> {
        match &*self.0 {
            Problem::Host { source, .. } | Problem::Bind { source, .. } => source.raw_os_error(),
            _ => None,
        }
    }

    fn bind_kind(&self) -> Option<io::ErrorKind> {
        match &*self.0 {
            Problem::Bind { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}

impl From<Problem> for StartError {
    fn from(problem: Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Problem::Host { host, source } => {
                write!(
                    f,
                    "cannot start the mock server on {host:?}: the host is not a valid address ({source})"
                )
            }
            Problem::Bind { host, port, source } if source.kind() == io::ErrorKind::AddrInUse => write!(
                f,
                "cannot start the mock server on {host} port {port}: the port is in use ({source}). \
                 Stop the program that uses it, or use port 0 to select a free port"
            ),
            Problem::Bind { host, port, source } => {
                write!(f, "cannot start the mock server on {host} port {port}: {source}")
            }
            Problem::Rule { interaction, source } => {
                write!(f, "cannot serve the interaction {interaction:?}: {source}")
            }
            Problem::Answer { interaction, problem } => {
                write!(
                    f,
                    "cannot send the response of the interaction {interaction:?}: {problem}"
                )
            }
            Problem::Tls(problem) => write!(f, "cannot start the mock server with HTTPS: {problem}"),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Problem::Host { source, .. } | Problem::Bind { source, .. } => Some(source),
            Problem::Rule { source, .. } => Some(source),
            Problem::Answer { .. } => None,
            Problem::Tls(problem) => std::error::Error::source(problem),
        }
    }
}
