//! Benchmark baseline: sends the same requests in a loop, and discards the responses.
//!
//! `cargo run --release -p contract-verifier --example bare_client [COUNT]`

use std::time::Instant;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

mod common;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    let url = common::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let mut times = Vec::new();
    for _ in 0..common::ROUNDS {
        let started = Instant::now();
        runtime.block_on(ask(&url, count))?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    println!("bare client, {count} requests: {:.1} ms", common::median(times));
    Ok(())
}

async fn ask(url: &str, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    for number in 0..count {
        let request = Request::get(format!("{url}/orders/{number}?page=1"))
            .header("Accept", "application/json")
            .body(Full::default())?;
        client.request(request).await?.into_body().collect().await?.to_bytes();
    }
    Ok(())
}
