//! Tests TLS, HTTP/2, and proxies.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use contract_verifier::{ErrorCode, InteractionReport};
use contract_wire::{Client, ClientOptions, HttpVersion, Identity, Proxies, SettingsError, Tls};
use rcgen::{CertificateParams, Issuer, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::support::{Provider, answer, assert_error, assert_passed, exchange, options, raw, serve, verify_one};

/// A certificate authority, and the certificates that it signed.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            pem,
            issuer: Issuer::new(params, key),
        }
    }

    fn sign(&self, name: &str) -> Identity {
        self.sign_as(name, rcgen::IsCa::NoCa)
    }

    fn sign_as(&self, name: &str, is_ca: rcgen::IsCa) -> Identity {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.is_ca = is_ca;
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity {
            certificate: certificate.pem().into_bytes(),
            key: key.serialize_pem().into_bytes(),
        }
    }
}

/// Starts a TLS provider at `https://localhost`. Returns its URL, and a list to which it adds the HTTP version of each
/// request.
async fn provider(authority: &Authority, name: &str, client_certificates: bool) -> (String, Arc<Mutex<Vec<String>>>) {
    provider_with(authority, authority.sign(name), client_certificates).await
}

async fn provider_with(
    authority: &Authority,
    identity: Identity,
    client_certificates: bool,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let chain = vec![CertificateDer::from_pem_slice(&identity.certificate).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(&identity.key).unwrap();
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = if client_certificates {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap())
            .unwrap();
        builder.with_client_cert_verifier(
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .unwrap(),
        )
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder.with_single_cert(chain, key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let versions = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&versions);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else {
                    return;
                };
                serve(stream, move |request| {
                    seen.lock().unwrap().push(format!("{:?}", request.version()));
                    answer(200, "")
                })
                .await;
            });
        }
    });
    (url, versions)
}

async fn run(url: &str, tls: Tls, http: HttpVersion) -> InteractionReport {
    let mut options = options(url);
    options.client = Client::new(ClientOptions {
        tls,
        http,
        ..ClientOptions::default()
    })
    .unwrap();
    verify_one(options, exchange(r#"{"path": "/"}"#, "{}")).await
}

fn trusting(authority: &Authority) -> Tls {
    Tls {
        authorities: vec![authority.pem.clone().into_bytes()],
        ..Tls::default()
    }
}

#[tokio::test]
async fn authorities_and_versions() {
    let authority = Authority::new();
    let (url, versions) = provider(&authority, "localhost", false).await;
    assert_passed(&run(&url, trusting(&authority), HttpVersion::Negotiated).await);
    assert_passed(&run(&url, trusting(&authority), HttpVersion::Http1).await);
    assert_passed(
        &run(
            &url,
            Tls {
                insecure: true,
                ..Tls::default()
            },
            HttpVersion::Http2,
        )
        .await,
    );
    assert_eq!(*versions.lock().unwrap(), ["HTTP/2.0", "HTTP/1.1", "HTTP/2.0"]);
    let report = run(&url, Tls::default(), HttpVersion::Negotiated).await;
    assert_error(
        &report,
        ErrorCode::RequestTls,
        &["UnknownIssuer", "Pass the certificate of its authority"],
    );
}

#[tokio::test]
async fn loads_more_authorities_only_when_needed() {
    let authority = Authority::new();
    let (secure, _) = provider(&authority, "localhost", false).await;
    let plain = Provider::start(|_| answer(200, "")).await;
    let (asked, pem) = (Arc::new(AtomicUsize::new(0)), authority.pem.clone());
    let count = Arc::clone(&asked);
    let tls = Tls {
        more: Some(Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            vec![b"junk".to_vec(), pem.clone().into_bytes()]
        })),
        ..Tls::default()
    };
    for (url, times) in [(plain.url.as_str(), 0), (&secure, 1)] {
        assert_passed(&run(url, tls.clone(), HttpVersion::Negotiated).await);
        assert_eq!(asked.load(Ordering::Relaxed), times, "{url}");
    }
}

#[tokio::test]
async fn names_must_agree() {
    let authority = Authority::new();
    let (url, _) = provider(&authority, "example.com", false).await;
    let report = run(&url, trusting(&authority), HttpVersion::Negotiated).await;
    assert_error(
        &report,
        ErrorCode::RequestTls,
        &["its certificate is for example.com, not for localhost. Use a host name that the certificate covers"],
    );
    assert_passed(
        &run(
            &url,
            Tls {
                insecure: true,
                ..Tls::default()
            },
            HttpVersion::Negotiated,
        )
        .await,
    );
}

#[tokio::test]
async fn reports_ca_certificates_of_servers() {
    let authority = Authority::new();
    let identity = authority.sign_as("localhost", rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained));
    let (url, _) = provider_with(&authority, identity, false).await;
    let report = run(&url, trusting(&authority), HttpVersion::Negotiated).await;
    assert_error(
        &report,
        ErrorCode::RequestTls,
        &["its certificate is a CA certificate (basicConstraints CA:TRUE). Create one with CA:FALSE for the provider"],
    );
}

#[tokio::test]
async fn client_certificates() {
    let authority = Authority::new();
    let (url, _) = provider(&authority, "localhost", true).await;
    let tls = Tls {
        identity: Some(authority.sign("me")),
        ..trusting(&authority)
    };
    assert_passed(&run(&url, tls, HttpVersion::Negotiated).await);
    let report = run(&url, trusting(&authority), HttpVersion::Http1).await;
    assert_eq!(
        report.error.as_ref().unwrap().code,
        ErrorCode::RequestTls,
        "{:?}",
        report.error
    );
    assert!(report.error.unwrap().message.contains("client certificate"));
}

#[test]
fn certificates_that_cannot_be_used() {
    let authority = Authority::new();
    let make = |tls: Tls| {
        Client::new(ClientOptions {
            tls,
            ..ClientOptions::default()
        })
        .unwrap_err()
        .to_string()
    };
    assert!(
        make(Tls {
            authorities: vec![b"junk".to_vec()],
            ..Tls::default()
        })
        .contains("contains no certificate")
    );
    let (one, other) = (authority.sign("a"), authority.sign("b"));
    let mixed = Identity {
        certificate: one.certificate.clone(),
        key: other.key,
    };
    assert!(
        make(Tls {
            identity: Some(mixed),
            ..Tls::default()
        })
        .contains("client certificate")
    );
    let encrypted = Identity {
        certificate: one.certificate,
        key: b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n".to_vec(),
    };
    assert!(
        make(Tls {
            identity: Some(encrypted),
            ..Tls::default()
        })
        .contains("decrypt it first")
    );
    let zero = ClientOptions {
        connect_timeout: std::time::Duration::ZERO,
        ..ClientOptions::default()
    };
    assert!(matches!(Client::new(zero), Err(SettingsError::Zero { .. })));
}

#[tokio::test]
async fn the_wrong_scheme() {
    let authority = Authority::new();
    let plain = Provider::start(|_| answer(200, "")).await;
    let report = run(
        &plain.url.replace("http:", "https:"),
        trusting(&authority),
        HttpVersion::Negotiated,
    )
    .await;
    assert_error(
        &report,
        ErrorCode::RequestTls,
        &["Does the provider use TLS on this port?"],
    );
    let (url, _) = provider(&authority, "localhost", false).await;
    let report = run(&url.replace("https:", "http:"), Tls::default(), HttpVersion::Negotiated).await;
    assert_error(&report, ErrorCode::ResponseInvalid, &["is not HTTP", "https://"]);
}

#[tokio::test]
async fn http_2_without_tls() {
    let plain = Provider::start(|_| answer(200, "")).await;
    assert_passed(&run(&plain.url, Tls::default(), HttpVersion::Http2).await);
    assert_eq!(plain.requests()[0].version(), http::Version::HTTP_2);
}

fn through(proxy: &str) -> Client {
    let url = Some(proxy.to_owned());
    let proxies = Proxies {
        http: url.clone(),
        https: url,
        ..Proxies::default()
    };
    Client::new(ClientOptions {
        proxies,
        tls: Tls {
            insecure: true,
            ..Tls::default()
        },
        ..ClientOptions::default()
    })
    .unwrap()
}

#[tokio::test]
async fn proxies_are_bypassed_for_loopback() {
    let proxy = Provider::start(|request| {
        answer(
            if request.uri().host() == Some("orders.invalid") {
                200
            } else {
                502
            },
            "",
        )
    })
    .await;
    let mut options = options("http://orders.invalid:8080/api");
    options.client = through(&proxy.url.replace("http://", "http://me:pw@"));
    assert_passed(&verify_one(options, exchange(r#"{"path": "/x"}"#, "{}")).await);
    let request = proxy.requests().remove(0);
    assert_eq!(request.uri().to_string(), "http://orders.invalid:8080/api/x");
    assert_eq!(request.headers()["proxy-authorization"], "Basic bWU6cHc=");

    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = crate::support::options(&provider.url);
    options.client = through(&proxy.url);
    assert_passed(&verify_one(options, exchange(r#"{"path": "/x"}"#, "{}")).await);
    assert_eq!((proxy.requests().len(), provider.requests().len()), (1, 1));
}

#[tokio::test]
async fn tls_goes_through_a_tunnel() {
    let authority = Authority::new();
    let (url, _) = provider(&authority, "orders.invalid", false).await;
    let port = url.rsplit(':').next().unwrap().to_owned();
    let proxy = raw(move |mut stream| {
        let port = port.clone();
        async move {
            let mut target = TcpStream::connect(format!("127.0.0.1:{port}")).await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut target).await;
        }
    })
    .await;
    let mut options = options("https://orders.invalid");
    options.client = through(&proxy);
    assert_passed(&verify_one(options, exchange(r#"{"path": "/x"}"#, "{}")).await);

    let refusing = raw(|mut stream| async move {
        let _ = stream
            .write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            .await;
        let _ = stream.read(&mut [0]).await;
    })
    .await;
    let mut options = crate::support::options("https://orders.invalid");
    options.client = through(&refusing);
    let report = verify_one(options, exchange(r#"{"path": "/x"}"#, "{}")).await;
    assert_error(
        &report,
        ErrorCode::RequestConnect,
        &["through the proxy http://127.0.0.1"],
    );
}
