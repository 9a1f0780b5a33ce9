//! The `health` command, for health checks of containers, whose image may contain no other program for it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::serve::address_of;
use crate::error::{CliError, Result, UNREACHABLE};
use crate::terminal;

/// Timeout for connecting, and for each read and write. It is shorter than the 30 s that Docker allows for a health
/// check.
const TIMEOUT: Duration = Duration::from_secs(5);

const REQUEST: &str = "GET /diagnostic/status/heartbeat HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

pub(super) const EXAMPLES: &str = "\
Example:
  contract-broker health --listen 127.0.0.1:9292

The command reads the same environment variables as contract-broker serve.

Exit codes:
  0  the broker responds
  1  the broker responds with an error
  2  invalid arguments
  4  the broker does not respond within 5 s";

#[derive(Args)]
pub(super) struct Arguments {
    /// Address and port on which the broker listens
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:9292",
        env = "CONTRACT_BROKER_LISTEN"
    )]
    listen: String,

    /// PEM file with the certificate of a broker that uses HTTPS. If this option is set, the command only checks that
    /// the broker accepts connections
    #[arg(long, value_name = "FILE", env = "CONTRACT_BROKER_TLS_CERTIFICATE")]
    tls_certificate: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let address = reachable(address_of(&arguments.listen)?);
    let unreachable = |error: &io::Error| CliError {
        message: format!("the broker at {address} does not respond: {error}"),
        code: None,
        exit_code: UNREACHABLE,
    };
    let connection = TcpStream::connect_timeout(&address, TIMEOUT).map_err(|error| unreachable(&error))?;
    if arguments.tls_certificate.is_none() {
        let status = request(connection).map_err(|error| unreachable(&error))?;
        if status.split(' ').nth(1) != Some("200") {
            return Err(CliError::failed(format!(
                "the broker at {address} responds with \"{status}\""
            )));
        }
    }
    terminal::print(&format!("The broker at {address} responds.\n"));
    Ok(())
}

/// Replaces a wildcard address with the loopback address, because clients cannot connect to a wildcard address.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Sends [`REQUEST`] and returns the status line of the response.
fn request(mut connection: TcpStream) -> io::Result<String> {
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    connection.write_all(REQUEST.as_bytes())?;
    let mut line = String::new();
    BufReader::new(connection).take(1000).read_line(&mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}
