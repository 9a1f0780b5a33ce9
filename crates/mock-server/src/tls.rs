//! Performs the TLS handshake of a connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use contract_report::ServerProblem;
use contract_wire::ServerTls;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;

use crate::connection;
use crate::exchange::Exchange;
use crate::refusal;
use crate::stream::Stream;

pub(crate) async fn serve(tls: ServerTls, stream: TcpStream, exchange: Arc<Exchange>, mut stop: watch::Receiver<bool>) {
    let handshake = async {
        // Check the first byte before the TLS library does, because HTTP clients cannot read the TLS alert that it
        // would send.
        let mut first = [0];
        match stream.peek(&mut first).await? {
            // Some clients open connections in advance.
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
            // Some clients, such as Node.js, check the certificate only after the handshake has completed.
            if connection::serve(Stream::Secure(stream), Arc::clone(&exchange), stop).await {
                let reason = "the client disconnected right after the handshake, without sending a request".to_owned();
                exchange.journal.trouble(ServerProblem::Handshake { reason });
            }
        }
        Ok(Ok(Greeting::None)) => {}
        Ok(Ok(Greeting::Plain(stream))) => refuse_plain(&exchange, stream).await,
        Ok(Err(error)) => note(&exchange, &error),
        Err(_) => exchange.journal.trouble(ServerProblem::TimedOut {
            what: "finish the TLS handshake",
        }),
    }
}

/// The first byte of a TLS connection, which is the type of a handshake record (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 0x16;

enum Greeting {
    None,
    Secure(Box<TlsStream<TcpStream>>),
    Plain(TcpStream),
}

async fn refuse_plain(exchange: &Exchange, mut stream: TcpStream) {
    exchange.journal.trouble(ServerProblem::PlainToTls);
    let answer = refusal::raw(
        "400 Bad Request",
        "this port serves HTTPS. Use the server's https:// URL",
    );
    // Read the request before closing the connection, because the response could be lost if there were unread bytes.
    let respond = async {
        let mut head = [0; 8 << 10];
        let _ = stream.read(&mut head).await;
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), respond).await;
}

fn note(exchange: &Exchange, error: &io::Error) {
    tracing::debug!(target: "contract::mock_server", %error, "a TLS handshake failed");
    let reason = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the client disconnected during the handshake".to_owned(),
        _ => error.to_string(),
    };
    exchange.journal.trouble(ServerProblem::Handshake { reason });
}
