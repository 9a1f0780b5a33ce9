//! Tests HTTPS with real clients.

use std::sync::Arc;
use std::time::Duration;

use contract_mock_server::{Limits, MockServer, ServerCertificate, ServerOptions, ServerProblem, Transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::common::{NEVER, connect, ends, get, send, status, until};

async fn start(options: ServerOptions) -> MockServer {
    MockServer::start([get("/a")], options).await.unwrap()
}

fn https() -> ServerOptions {
    ServerOptions {
        transport: Transport::Https(ServerCertificate::self_signed()),
        ..ServerOptions::default()
    }
}

async fn handshake(
    server: &MockServer,
    ca: &str,
    name: &str,
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(ca.as_bytes()).unwrap())
        .unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, connect(server).await)
        .await
}

#[tokio::test]
async fn the_self_signed_certificate_covers_all_local_names() {
    let server = start(https()).await;
    assert!(server.url().starts_with("https://127.0.0.1:"));
    let ca = server.ca_certificate().unwrap();
    for name in ["localhost", "127.0.0.1", "::1"] {
        let mut stream = handshake(&server, ca, name, &[]).await.unwrap();
        stream
            .write_all(b"GET /a HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(status(&answer), 200, "{name}");
    }
    assert!(server.stop().await.matched);
}

#[tokio::test]
async fn offers_both_http_versions() {
    let server = start(https()).await;
    let ca = server.ca_certificate().unwrap();
    for protocol in ["h2", "http/1.1"] {
        let stream = handshake(&server, ca, "localhost", &[protocol]).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(protocol.as_bytes()));
    }
}

#[tokio::test]
async fn curl_speaks_http2_over_tls() {
    let server = start(https()).await;
    let ca = std::env::temp_dir().join(format!("contract-mock-server-{}.pem", std::process::id()));
    std::fs::write(&ca, server.ca_certificate().unwrap()).unwrap();
    let output = tokio::process::Command::new("curl")
        .args([
            "-sS",
            "--cacert",
            ca.to_str().unwrap(),
            "-w",
            " %{http_version} %{http_code}",
            &format!("{}/a", server.url()),
        ])
        .output()
        .await;
    std::fs::remove_file(ca).unwrap();
    // Skip the test if curl is not installed.
    let Ok(output) = output else { return };
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "here 2 200",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let outcome = server.stop().await;
    assert!(outcome.matched && outcome.troubles.is_empty(), "{outcome}");
}

#[tokio::test]
async fn uses_a_custom_certificate() {
    let own = rcgen::generate_simple_self_signed(["shop.test".to_owned()]).unwrap();
    let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let options = |certificate: &str, key: &str| ServerOptions {
        transport: Transport::Https(ServerCertificate::from_pem(certificate, key)),
        ..ServerOptions::default()
    };
    let server = start(options(&certificate, &key)).await;
    assert_eq!(server.ca_certificate(), None);
    handshake(&server, &certificate, "shop.test", &[]).await.unwrap();

    let other = rcgen::generate_simple_self_signed(["shop.test".to_owned()]).unwrap();
    for (certificate, key) in [
        ("", key.as_str()),
        ("no certificate", key.as_str()),
        (certificate.as_str(), "no key"),
        (certificate.as_str(), certificate.as_str()),
        (certificate.as_str(), other.signing_key.serialize_pem().as_str()),
    ] {
        let error = MockServer::start([get("/a")], options(certificate, key))
            .await
            .unwrap_err();
        assert!(error.is_tls(), "{error}");
        assert!(!error.to_string().contains("PRIVATE"), "{error}");
    }
    assert!(!format!("{:?}", options(&certificate, &key)).contains("PRIVATE"));
}

#[tokio::test]
async fn reports_clients_that_reject_the_certificate() {
    let server = start(https()).await;
    let other = rcgen::generate_simple_self_signed(["shop.test".to_owned()]).unwrap();
    assert!(handshake(&server, &other.cert.pem(), "localhost", &[]).await.is_err());
    until("a problem", async || !server.outcome().troubles.is_empty()).await;
    let problems = server.outcome().troubles;
    assert!(
        matches!(problems[..], [ServerProblem::Handshake { .. }]),
        "{problems:?}"
    );
}

#[tokio::test]
async fn reports_plain_http_on_a_tls_port() {
    let server = start(https()).await;
    let answer = send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    assert_eq!(status(&answer), 400);
    assert!(answer.ends_with("Use the server's https:// URL\"}"), "{answer}");
    let outcome = server.outcome();
    assert!(
        outcome
            .to_string()
            .contains("rejected with status 400\n   A client used plain HTTP"),
        "{outcome}"
    );
}

/// Starts a server with this handshake timeout, and opens a connection whose handshake never continues.
async fn stall(handshake_time: Duration) -> (MockServer, TcpStream) {
    let server = start(ServerOptions {
        limits: Limits {
            handshake_time,
            ..Limits::default()
        },
        ..https()
    })
    .await;
    let mut stalled = connect(&server).await;
    stalled.write_all(&[0x16, 0x03]).await.unwrap();
    (server, stalled)
}

#[tokio::test]
async fn stalled_handshakes_do_not_delay_others() {
    let (server, _stalled) = stall(NEVER).await;
    let other = handshake(&server, server.ca_certificate().unwrap(), "localhost", &[]);
    ends("the other handshake", other).await.unwrap();
}

#[tokio::test]
async fn stalled_handshakes_time_out() {
    let (server, mut stalled) = stall(Duration::from_millis(20)).await;
    let mut bytes = Vec::new();
    // A connection reset also ends the connection.
    let _ = ends("the connection", stalled.read_to_end(&mut bytes)).await;
    let stalled = ServerProblem::TimedOut {
        what: "finish the TLS handshake",
    };
    assert!(server.outcome().troubles.contains(&stalled));
}

#[tokio::test]
async fn stopping_ends_a_handshake_at_once() {
    let (server, _stalled) = stall(NEVER).await;
    // The server accepts connections in order, so it accepted this connection after the stalled one.
    handshake(&server, server.ca_certificate().unwrap(), "localhost", &[])
        .await
        .unwrap();
    ends("the stop", server.stop()).await;
}
