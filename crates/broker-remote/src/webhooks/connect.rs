//! Opens connections for webhook requests, only to allowed addresses.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use contract_broker_domain::webhook::WebhookRules;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OnceCell, Semaphore, oneshot};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};
use url::{Host, Url};

use super::error::SendError;

/// Maximum number of concurrent name resolutions. Each one occupies a thread, possibly long after the request has timed
/// out.
const RESOLUTIONS: usize = 8;
/// Maximum number of a host's addresses to try.
const MAX_ADDRESSES: usize = 4;

pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

pub(super) struct Connector {
    resolutions: Arc<Semaphore>,
    /// Created for the first HTTPS request, because reading the trusted certificates takes time.
    tls: OnceCell<TlsConnector>,
}

impl Connector {
    pub(super) fn new() -> Self {
        Self {
            resolutions: Arc::new(Semaphore::new(RESOLUTIONS)),
            tls: OnceCell::new(),
        }
    }

    /// Resolves the host of a URL, and connects to the first allowed address that accepts the connection.
    pub(super) async fn connect(&self, rules: &WebhookRules, url: &Url) -> Result<Box<dyn Stream>, SendError> {
        let host = url.host().ok_or(SendError::IncompleteUrl("host"))?.to_owned();
        let port = url.port_or_known_default().ok_or(SendError::IncompleteUrl("port"))?;
        let addresses = match &host {
            Host::Ipv4(address) => vec![SocketAddr::from((*address, port))],
            Host::Ipv6(address) => vec![SocketAddr::from((*address, port))],
            Host::Domain(name) => self.resolve(name.clone(), port).await?,
        };
        let host_name = host.to_string();
        let addresses = allowed(rules, &host_name, &addresses)?;
        let stream = open(&host_name, &addresses).await?;
        // Requests are small and written at once.
        let _ = stream.set_nodelay(true);
        if url.scheme() == "https" {
            let name = match host {
                Host::Domain(name) => ServerName::try_from(name)?,
                Host::Ipv4(address) => ServerName::from(std::net::IpAddr::V4(address)),
                Host::Ipv6(address) => ServerName::from(std::net::IpAddr::V6(address)),
            };
            let tls = self.tls.get_or_try_init(tls).await?;
            let connected = tls.connect(name, stream).await;
            Ok(Box::new(connected.map_err(SendError::Handshake)?))
        } else {
            Ok(Box::new(stream))
        }
    }

    async fn resolve(&self, host: String, port: u16) -> Result<Vec<SocketAddr>, SendError> {
        let permit = Arc::clone(&self.resolutions).acquire_owned().await;
        let (sender, resolved) = oneshot::channel();
        let name = host.clone();
        // Use a separate thread, because a slow name server must not occupy the threads that parse requests.
        let thread = std::thread::Builder::new()
            .name("webhook-dns".to_owned())
            .spawn(move || {
                let resolved = (name.as_str(), port).to_socket_addrs().map(Iterator::collect);
                drop(permit);
                // The request may have timed out.
                let _ = sender.send(resolved);
            });
        thread.map_err(SendError::Thread)?;
        let resolved: io::Result<Vec<SocketAddr>> = resolved.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        match resolved {
            Ok(addresses) if addresses.is_empty() => Err(SendError::NoAddress(host)),
            Ok(addresses) => Ok(addresses),
            Err(error) => Err(SendError::HostNotFound(host, error)),
        }
    }
}

/// Returns the addresses that the rules allow, at most [`MAX_ADDRESSES`]. If there are none, returns the reason as an
/// error.
fn allowed(rules: &WebhookRules, host: &str, addresses: &[SocketAddr]) -> Result<Vec<SocketAddr>, SendError> {
    let mut problem = SendError::NoAddress(host.to_owned());
    let mut allowed = Vec::new();
    for address in addresses {
        match rules.check_address(address.ip()) {
            Ok(()) => allowed.push(*address),
            Err(error) => problem = SendError::Address(error),
        }
    }
    allowed.truncate(MAX_ADDRESSES);
    if allowed.is_empty() { Err(problem) } else { Ok(allowed) }
}

async fn open(host: &str, addresses: &[SocketAddr]) -> Result<TcpStream, SendError> {
    let mut problem = SendError::NoAddress(host.to_owned());
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => problem = SendError::Connect(*address, error),
        }
    }
    Err(problem)
}

async fn tls() -> Result<TlsConnector, SendError> {
    let reading = tokio::task::spawn_blocking(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots
    });
    let roots = reading.await.map_err(|_| SendError::Certificates)?;
    if roots.is_empty() {
        return Err(SendError::NoCertificates);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use contract_broker_domain::webhook::Network;

    use super::*;

    fn addresses(all: &[&str]) -> Vec<SocketAddr> {
        all.iter().map(|text| text.parse().expect("an address")).collect()
    }

    #[test]
    fn connects_only_to_allowed_addresses() {
        let rules = WebhookRules::default();
        let resolved = addresses(&["10.0.0.1:443", "1.1.1.1:443", "[::ffff:127.0.0.1]:443"]);
        assert_eq!(
            allowed(&rules, "h", &resolved).expect("one"),
            addresses(&["1.1.1.1:443"])
        );
        let refused = allowed(&rules, "h", &addresses(&["[::1]:443"]))
            .expect_err("loopback")
            .to_string();
        assert!(refused.contains("::1") && refused.contains("not public"), "{refused}");
        let rules = WebhookRules {
            networks: vec![Network::parse("127.0.0.0/8").expect("a network")],
            ..rules
        };
        assert_eq!(allowed(&rules, "h", &resolved).expect("two").len(), 2);
    }
}
