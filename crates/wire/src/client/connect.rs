//! Connects to servers, directly or through a proxy, with or without TLS.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Extensions, HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Intercept;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::options::ClientOptions;
use super::proxies::ProxyRules;
use crate::SettingsError;
use crate::tls::ClientTls;

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Opens connections, at most for the duration of the connect timeout.
#[derive(Clone)]
pub(super) struct Connector {
    dialer: Dialer,
    tls: Arc<ClientTls>,
    /// Created for the first `https` URL, because loading the system certificates takes time and most providers under
    /// test use plain HTTP.
    secure: Arc<OnceLock<Result<HttpsConnector<Dialer>, TlsUnusable>>>,
    timeout: Duration,
}

/// Opens a TCP stream to the host or to its proxy.
#[derive(Clone)]
struct Dialer {
    tcp: HttpConnector,
    proxies: Arc<ProxyRules>,
}

/// A connection that counts the requests sent over it.
pub(super) struct Counted {
    io: TokioIo<TcpStream>,
    is_proxied: bool,
    uses: Uses,
}

/// Number of requests sent over a connection. Clones share the number.
#[derive(Clone, Default)]
pub(super) struct Uses(Arc<AtomicUsize>);

impl Uses {
    /// Counts a request. Returns true if the connection has already been used for another request.
    pub(super) fn count(connected: &Connected) -> bool {
        let mut extras = Extensions::new();
        connected.get_extras(&mut extras);
        extras
            .get::<Self>()
            .is_some_and(|uses| uses.0.fetch_add(1, Ordering::Relaxed) > 0)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no connection within {0:?}")]
pub(super) struct ConnectTimeout(pub(super) Duration);

#[derive(Debug, thiserror::Error)]
#[error("through the proxy {proxy}: {source}")]
pub(super) struct ProxyFailure {
    pub(super) proxy: String,
    source: BoxError,
}

/// No TLS configuration could be created from the settings.
#[derive(Clone, Debug, thiserror::Error)]
#[error("invalid TLS settings: {0}")]
pub(super) struct TlsUnusable(String);

impl Connector {
    pub(super) fn new(options: &ClientOptions) -> Result<Self, SettingsError> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        Ok(Self {
            dialer: Dialer {
                tcp,
                proxies: Arc::new(ProxyRules::new(&options.proxies)),
            },
            tls: Arc::new(ClientTls::new(&options.tls, options.http)?),
            secure: Arc::default(),
            timeout: options.connect_timeout,
        })
    }

    /// Returns the credentials to send with a plain HTTP request through a proxy, or `None` if there are none. For
    /// `https` URLs, they are sent with the CONNECT request instead.
    pub(super) fn proxy_credentials(&self, uri: &Uri) -> Option<HeaderValue> {
        if uri.scheme_str() == Some("https") {
            return None;
        }
        self.dialer.proxies.for_url(uri)?.basic_auth().cloned()
    }

    fn secure(&self) -> Result<HttpsConnector<Dialer>, TlsUnusable> {
        let make = || match self.tls.config() {
            Ok(config) => Ok((self.dialer.clone(), config).into()),
            Err(error) => Err(TlsUnusable(error.to_string())),
        };
        self.secure.get_or_init(make).clone()
    }

    async fn connect(mut self, uri: Uri) -> Result<MaybeHttpsStream<Counted>, BoxError> {
        if uri.scheme_str() == Some("https") {
            return self.secure()?.call(uri).await;
        }
        self.dialer.call(uri).await.map(MaybeHttpsStream::Http)
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Counted>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
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

impl Dialer {
    async fn dial(mut self, uri: Uri) -> Result<Counted, BoxError> {
        let is_tls = uri.scheme_str() == Some("https");
        let proxy = self.proxies.for_url(&uri);
        let is_proxied = proxy.is_some() && !is_tls;
        let io = match proxy {
            None => self.tcp.call(uri).await?,
            Some(proxy) => self.through(&proxy, uri, is_tls).await.map_err(|source| ProxyFailure {
                proxy: crate::redact_url(&proxy.uri().to_string()),
                source,
            })?,
        };
        Ok(Counted {
            io,
            is_proxied,
            uses: Uses::default(),
        })
    }

    async fn through(&mut self, proxy: &Intercept, uri: Uri, is_tls: bool) -> Result<TokioIo<TcpStream>, BoxError> {
        if !is_tls {
            return Ok(self.tcp.call(proxy.uri().clone()).await?);
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        Ok(tunnel.call(uri).await?)
    }
}

impl Service<Uri> for Dialer {
    type Response = Counted;
    type Error = BoxError;
    type Future = Connecting<Counted>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().dial(uri))
    }
}

impl Connection for Counted {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.is_proxied).extra(self.uses.clone())
    }
}

impl Read for Counted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl Write for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }
}
