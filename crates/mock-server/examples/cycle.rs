//! Measures how long the server takes to start, to respond to one request, and to stop. Prints the medians.
//!
//! `cargo run --release -p contract-mock-server --example cycle`

use std::time::{Duration, Instant};

use contract_mock_server::{MockServer, ServerOptions};
use contract_model::Interaction;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const ROUNDS: usize = 2000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let server = MockServer::start([Interaction::default()], ServerOptions::default()).await?;
        times[0].push(begun.elapsed());
        let begun = Instant::now();
        let mut client = TcpStream::connect(("127.0.0.1", server.port())).await?;
        client.write_all(b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n").await?;
        let _ = client.read(&mut [0; 1024]).await?;
        times[1].push(begun.elapsed());
        let begun = Instant::now();
        let outcome = server.stop().await;
        times[2].push(begun.elapsed());
        assert!(outcome.matched, "{outcome}");
    }
    for (step, times) in ["start", "connect and request", "stop"].into_iter().zip(&mut times) {
        println!("{step}: {:?}", median(times));
    }
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
