//! A provider that runs on separate threads and always sends the same response.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

pub(crate) const ANSWER: &str = r#"{"id": 7, "name": "Alice", "tags": ["new", "paid"], "total": 12.50, "paid": true}"#;

/// Starts the provider and returns its base URL.
pub(crate) fn start() -> Result<String, Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let url = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || runtime.block_on(accept(listener)));
    Ok(url)
}

async fn accept(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            let service = service_fn(|_: Request<Incoming>| async {
                let mut response = Response::new(Full::new(Bytes::from_static(ANSWER.as_bytes())));
                let json = http::HeaderValue::from_static("application/json");
                response.headers_mut().insert(http::header::CONTENT_TYPE, json);
                Ok::<_, Infallible>(response)
            });
            let _ = auto::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Number of repetitions of each measurement.
pub(crate) const ROUNDS: usize = 7;

/// Returns the median in milliseconds.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
