//! From a URL to a connection: directly or through a proxy, with TLS or without.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Extensions, HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tower_service::Service;

use super::{ClientOptions, Proxies};
use crate::SettingsError;
use crate::tls::Connectors;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone)]
pub(super) struct Connector {
    tcp: HttpConnector,
    tls: Arc<Connectors>,
    proxies: Option<Arc<Matcher>>,
    timeout: Duration,
}

/// A connection that knows how often it was used.
pub(super) struct Stream {
    io: Io,
    is_proxied: bool,
    uses: Uses,
}

enum Io {
    Plain(TokioIo<TcpStream>),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
}

/// How many requests went over a connection.
#[derive(Clone, Default)]
pub(super) struct Uses(Arc<AtomicUsize>);

impl Uses {
    /// Counts one request and says whether there was one before it.
    pub(super) fn count(connected: &Connected) -> bool {
        let mut extras = Extensions::new();
        connected.get_extras(&mut extras);
        extras
            .get::<Self>()
            .is_some_and(|uses| uses.0.fetch_add(1, Ordering::Relaxed) > 0)
    }
}

/// The time for a connection was over.
#[derive(Debug, thiserror::Error)]
#[error("no connection within {0:?}")]
pub(super) struct ConnectTimeout(pub(super) Duration);

/// A proxy stood in the way.
#[derive(Debug, thiserror::Error)]
#[error("through the proxy {proxy}: {source}")]
pub(super) struct ProxyFailure {
    pub(super) proxy: String,
    source: Failure,
}

impl Connector {
    pub(super) fn new(options: &ClientOptions) -> Result<Self, SettingsError> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        Ok(Self {
            tcp,
            tls: Arc::new(Connectors::new(&options.tls, options.http)?),
            proxies: matcher(&options.proxies),
            timeout: options.connect_timeout,
        })
    }

    fn proxy(&self, uri: &Uri) -> Option<Intercept> {
        let proxies = self.proxies.as_ref()?;
        if is_loopback(uri.host()?) {
            return None;
        }
        proxies.intercept(uri)
    }

    /// What a proxy wants to see in the request itself; a tunnel gets it when it is dug.
    pub(super) fn proxy_credentials(&self, uri: &Uri) -> Option<HeaderValue> {
        if uri.scheme_str() == Some("https") {
            return None;
        }
        self.proxy(uri)?.basic_auth().cloned()
    }

    async fn connect(mut self, uri: Uri) -> Result<Stream, Failure> {
        let is_tls = uri.scheme_str() == Some("https");
        let proxy = self.proxy(&uri);
        let is_proxied = proxy.is_some() && !is_tls;
        let tcp = match proxy {
            None => self.tcp.call(uri.clone()).await?,
            Some(proxy) => self.through(proxy, &uri, is_tls).await?,
        };
        let io = if is_tls {
            let host = uri.host().unwrap_or_default();
            let stream = self.tls.handshake(host, tcp.into_inner()).await?;
            Io::Tls(Box::new(TokioIo::new(stream)))
        } else {
            Io::Plain(tcp)
        };
        Ok(Stream {
            io,
            is_proxied,
            uses: Uses::default(),
        })
    }

    async fn through(&mut self, proxy: Intercept, uri: &Uri, is_tls: bool) -> Result<TokioIo<TcpStream>, Failure> {
        let address = proxy.uri().clone();
        let failure = |source: Failure| ProxyFailure {
            proxy: crate::without_credentials(&address.to_string()),
            source,
        };
        if !is_tls {
            return self
                .tcp
                .call(address.clone())
                .await
                .map_err(|error| failure(error.into()).into());
        }
        let mut tunnel = Tunnel::new(address.clone(), self.tcp.clone());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        tunnel
            .call(uri.clone())
            .await
            .map_err(|error| failure(error.into()).into())
    }
}

fn matcher(proxies: &Proxies) -> Option<Arc<Matcher>> {
    if proxies.http.is_none() && proxies.https.is_none() && proxies.all.is_none() {
        return None;
    }
    let mut builder = Matcher::builder();
    if let Some(all) = &proxies.all {
        builder = builder.all(all.as_str());
    }
    if let Some(http) = &proxies.http {
        builder = builder.http(http.as_str());
    }
    if let Some(https) = &proxies.https {
        builder = builder.https(https.as_str());
    }
    if let Some(no) = &proxies.no {
        builder = builder.no(no.as_str());
    }
    Some(Arc::new(builder.build()))
}

/// This machine itself, by name or address.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_unspecified(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.to_ipv4_mapped().is_some_and(|address| address.is_loopback())
        }
        Err(_) => {
            let name = host.to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, Failure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let timeout = connector.timeout;
            tokio::time::timeout(timeout, connector.connect(uri))
                .await
                .unwrap_or_else(|_| Err(ConnectTimeout(timeout).into()))
        })
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.is_proxied).extra(self.uses.clone());
        match &self.io {
            Io::Tls(stream) if stream.inner().get_ref().1.alpn_protocol() == Some(b"h2") => connected.negotiated_h2(),
            _ => connected,
        }
    }
}

impl Read for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<std::io::Result<()>> {
        match &mut self.get_mut().io {
            Io::Plain(io) => Pin::new(io).poll_read(cx, buf),
            Io::Tls(io) => Pin::new(io).poll_read(cx, buf),
        }
    }
}

impl Write for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<std::io::Result<usize>> {
        match &mut self.get_mut().io {
            Io::Plain(io) => Pin::new(io).poll_write(cx, buf),
            Io::Tls(io) => Pin::new(io).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match &mut self.get_mut().io {
            Io::Plain(io) => Pin::new(io).poll_flush(cx),
            Io::Tls(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match &mut self.get_mut().io {
            Io::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Io::Tls(io) => Pin::new(io).poll_shutdown(cx),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.io {
            Io::Plain(io) => io.is_write_vectored(),
            Io::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        match &mut self.get_mut().io {
            Io::Plain(io) => Pin::new(io).poll_write_vectored(cx, bufs),
            Io::Tls(io) => Pin::new(io).poll_write_vectored(cx, bufs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn loopback() {
        for host in [
            "127.0.0.1",
            "127.8.9.1",
            "[::1]",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "0.0.0.0",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["10.0.0.1", "localhost.example.com", "example.com", "[fe80::1]"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
