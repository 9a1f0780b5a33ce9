//! HTTPS: the handshake before a connection is served.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use contract_report::Trouble;
use contract_wire::ServerTls;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;

use crate::connection;
use crate::exchange::Exchange;
use crate::refusal;
use crate::stream::Stream;

/// Serves a connection after a handshake.
pub(crate) async fn serve(tls: ServerTls, stream: TcpStream, exchange: Arc<Exchange>, mut stop: watch::Receiver<bool>) {
    let handshake = async {
        // Looked at before the TLS library does: it would answer with an alert, which no HTTP client understands.
        let mut first = [0];
        match stream.peek(&mut first).await? {
            // Some clients connect ahead of need.
            0 => return Ok(Greeting::None),
            _ if first[0] != HANDSHAKE => return Ok(Greeting::Plain(stream)),
            _ => {}
        }
        Ok(Greeting::Secure(Box::new(tls.accept(stream).await?)))
    };
    let handshake = tokio::time::timeout(exchange.limits.handshake_time, handshake);
    let outcome = tokio::select! {
        biased;
        _ = stop.changed() => return,
        outcome = handshake => outcome,
    };
    match outcome {
        Ok(Ok(Greeting::Secure(stream))) => {
            // Some clients, Node among them, look at the certificate only after the handshake.
            if connection::serve(Stream::Secure(stream), Arc::clone(&exchange), stop).await {
                let reason = "the client left right after it, without a request".to_owned();
                exchange.journal.trouble(Trouble::Handshake { reason });
            }
        }
        Ok(Ok(Greeting::None)) => {}
        Ok(Ok(Greeting::Plain(stream))) => refuse_plain(&exchange, stream).await,
        Ok(Err(error)) => note(&exchange, &error),
        Err(_) => exchange.journal.trouble(Trouble::TimedOut {
            what: "finish the TLS handshake",
        }),
    }
}

/// The first byte of a TLS connection: the type of a handshake record (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 0x16;

/// What a client begins with.
enum Greeting {
    None,
    Secure(Box<TlsStream<TcpStream>>),
    Plain(TcpStream),
}

async fn refuse_plain(exchange: &Exchange, mut stream: TcpStream) {
    exchange.journal.trouble(Trouble::PlainToTls);
    let answer = refusal::raw(
        "400 Bad Request",
        "this port speaks HTTPS; use the server's https:// URL",
    );
    // Told for the person's sake; a client that is gone needs it no more. What it sent is read before the end, for closing
    // with bytes unread would take the answer back.
    let told = async {
        let mut head = [0; 8 << 10];
        let _ = stream.read(&mut head).await;
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
}

fn note(exchange: &Exchange, error: &io::Error) {
    tracing::debug!(target: "contract::mock_server", %error, "a TLS handshake failed");
    let reason = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the client left in the middle of it".to_owned(),
        _ => error.to_string(),
    };
    exchange.journal.trouble(Trouble::Handshake { reason });
}
