//! One HTTP/2 connection to a plugin, kept for its life.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use http::HeaderValue;
use http::uri::{Authority, Scheme};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tonic::body::Body;
use tower_service::Service;

/// Requests for a plugin, each with its key.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    send: SendRequest<Body>,
    authority: Authority,
    key: HeaderValue,
}

/// Bytes of an answer that may be on their way: nearly all answers are smaller.
const WINDOW: u32 = 1 << 20;

/// Where plugins listen: some on the one, some on the other. Few others listen on the first alone.
pub(crate) const HOSTS: [IpAddr; 2] = [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)];

impl Connection {
    /// Connects; the task that serves the connection ends with it.
    pub(crate) async fn open(host: IpAddr, port: u16, key: &str) -> Result<Self, String> {
        let address = SocketAddr::new(host, port);
        let stream = TcpStream::connect(address)
            .await
            .map_err(|error| format!("{address}: {error}"))?;
        // Small messages both ways: waiting for more to send would only cost time.
        let _ = stream.set_nodelay(true);
        let (send, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            // Fixed: to find out how much is on its way costs a ping for each answer.
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| format!("{address}: {error}"))?;
        tokio::spawn(async move {
            // The calls under way learn of its end.
            let _ = connection.await;
        });
        let authority = address.to_string();
        Ok(Self {
            send,
            authority: authority.parse().map_err(|_| format!("{address} is no authority"))?,
            key: HeaderValue::from_str(key).map_err(|_| "its server key cannot be sent in a header".to_owned())?,
        })
    }
}

impl Service<http::Request<Body>> for Connection {
    type Response = http::Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.send.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        let mut parts = std::mem::take(request.uri_mut()).into_parts();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(self.authority.clone());
        if let Ok(uri) = http::Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
        // As it is: plugins compare the whole value.
        request
            .headers_mut()
            .insert(http::header::AUTHORIZATION, self.key.clone());
        Box::pin(self.send.send_request(request))
    }
}
