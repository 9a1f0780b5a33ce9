//! Binds listeners for a host and a port.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpListener;

use crate::error::{Problem, StartError};

/// Maximum number of attempts to find a port that is free on both addresses of `localhost`.
const ATTEMPTS: usize = 16;

/// The listeners on one port. `host` is the host in the URL of the server.
pub(crate) struct Bound {
    pub(crate) listeners: Vec<TcpListener>,
    pub(crate) host: String,
    pub(crate) port: u16,
}

pub(crate) async fn bind(host: &str, port: u16) -> Result<Bound, StartError> {
    if host.eq_ignore_ascii_case("localhost") {
        return bind_localhost(port).await;
    }
    let listener = match literal(host) {
        Some(address) => listen(SocketAddr::new(address, port)).await,
        None => listen_by_name(host, port).await?,
    };
    let listener = listener.map_err(|source| bind_error(host, port, source))?;
    let address = listener.local_addr().map_err(|source| bind_error(host, port, source))?;
    Ok(Bound {
        host: reachable(host, address.ip()),
        port: address.port(),
        listeners: vec![listener],
    })
}

/// Returns true if `host` is an IP address or a syntactically valid host name.
pub fn is_host(host: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || "-_.%".contains(c);
    literal(host).is_some() || (!host.is_empty() && host.chars().all(is_of_name))
}

/// Parses an IP address, with or without brackets around IPv6. Returns `None` for host names.
fn literal(host: &str) -> Option<IpAddr> {
    let bare = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(host);
    bare.parse().ok()
}

async fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

async fn listen_by_name(host: &str, port: u16) -> Result<io::Result<TcpListener>, StartError> {
    let unknown = |source| Problem::Host {
        host: host.to_owned(),
        source,
    };
    // Do not try to resolve a string that cannot be a host name.
    if !is_host(host) {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "not a valid host name");
        return Err(unknown(source).into());
    }
    let addresses = tokio::net::lookup_host((host, port)).await.map_err(unknown)?;
    let mut outcome = Err(io::Error::new(
        io::ErrorKind::NotFound,
        "the host name does not resolve to an address",
    ));
    for address in addresses {
        outcome = listen(address).await;
        if outcome.is_ok() {
            break;
        }
    }
    Ok(outcome)
}

/// Listens on 127.0.0.1 and `::1`, or only on 127.0.0.1 if the machine does not support IPv6. Fails if another program
/// uses the port on `::1`, because clients that try `::1` first would connect to that program.
async fn bind_localhost(port: u16) -> Result<Bound, StartError> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let first = listen((Ipv4Addr::LOCALHOST, port).into()).await;
        let first = first.map_err(|source| bind_error("127.0.0.1", port, source))?;
        let bound = first
            .local_addr()
            .map_err(|source| bind_error("127.0.0.1", port, source))?;
        let mut listeners = vec![first];
        match listen((Ipv6Addr::LOCALHOST, bound.port()).into()).await {
            Ok(second) => listeners.push(second),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                last = Some(bind_error("::1", bound.port(), error));
                if port != 0 {
                    break;
                }
                continue;
            }
            // This machine does not support IPv6.
            Err(_) => {}
        }
        return Ok(Bound {
            listeners,
            host: "localhost".into(),
            port: bound.port(),
        });
    }
    Err(last.expect("the loop ends early only by returning or with an error"))
}

fn bind_error(host: &str, port: u16, source: io::Error) -> StartError {
    Problem::Bind {
        host: host.to_owned(),
        port,
        source,
    }
    .into()
}

/// Returns the host for the URL of the server. A wildcard address becomes the loopback address, because clients cannot
/// connect to a wildcard address.
fn reachable(requested: &str, bound: IpAddr) -> String {
    match bound {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.to_string(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => format!("[{}]", Ipv6Addr::LOCALHOST),
        IpAddr::V6(address) if literal(requested).is_some() => format!("[{address}]"),
        _ => requested.to_owned(),
    }
}
