//! The HTTP/2 connection to a plugin.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::HeaderValue;
use http::uri::{Authority, Scheme};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::TcpStream;
use tonic::body::Body;
use tower_service::Service;

/// A connection that sends the plugin's server key with every request. Clones share the connection. If it was closed,
/// the next call opens a new one.
#[derive(Clone, Debug)]
pub(crate) struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    send: Mutex<SendRequest<Body>>,
    address: SocketAddr,
    authority: Authority,
    key: HeaderValue,
}

/// Size of the HTTP/2 flow control window, in bytes. Nearly all responses are smaller.
const WINDOW: u32 = 1 << 20;

/// Addresses on which plugins may listen. IPv6 is tried first, because few other programs listen only on IPv6.
pub(crate) const HOSTS: [IpAddr; 2] = [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)];

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Error)]
pub(crate) enum ConnectionError {
    #[error("{address}: {error}")]
    Connect { address: SocketAddr, error: Failure },
    #[error("{0} is not a valid authority")]
    Authority(SocketAddr),
    #[error("its server key contains characters that are not allowed in headers")]
    ServerKey,
}

impl Connection {
    /// Opens a connection, and starts a task that serves it until it is dropped or closed.
    pub(crate) async fn open(host: IpAddr, port: u16, key: &str) -> Result<Self, ConnectionError> {
        let address = SocketAddr::new(host, port);
        let send = connect(address)
            .await
            .map_err(|error| ConnectionError::Connect { address, error })?;
        let authority = address.to_string();
        Ok(Self(Arc::new(Shared {
            send: Mutex::new(send),
            address,
            authority: authority.parse().map_err(|_| ConnectionError::Authority(address))?,
            key: HeaderValue::from_str(key).map_err(|_| ConnectionError::ServerKey)?,
        })))
    }
}

async fn connect(address: SocketAddr) -> Result<SendRequest<Body>, Failure> {
    let stream = TcpStream::connect(address).await?;
    // Messages are small, so delaying them to fill packets would only add latency.
    let _ = stream.set_nodelay(true);
    let (send, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        // The window has a fixed size, because an adaptive window would require a ping for each response.
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(async move {
        // Calls that are waiting for a response receive the error.
        let _ = connection.await;
    });
    Ok(send)
}

impl Shared {
    fn send(&self) -> SendRequest<Body> {
        self.send.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn reopen(&self) -> Result<SendRequest<Body>, Failure> {
        let send = connect(self.address).await?;
        *self.send.lock().unwrap_or_else(PoisonError::into_inner) = send.clone();
        Ok(send)
    }
}

impl Service<http::Request<Body>> for Connection {
    type Response = http::Response<Incoming>;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        let shared = Arc::clone(&self.0);
        let mut parts = std::mem::take(request.uri_mut()).into_parts();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(shared.authority.clone());
        if let Ok(uri) = http::Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
        // Send the key unchanged, because plugins compare the complete value.
        request
            .headers_mut()
            .insert(http::header::AUTHORIZATION, shared.key.clone());
        Box::pin(async move {
            let mut send = shared.send();
            if send.is_closed() {
                send = shared.reopen().await?;
            }
            Ok(send.send_request(request).await?)
        })
    }
}
