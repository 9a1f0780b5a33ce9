//! HTTPS: certificates, and the handshake before a connection is served.

use contract_report::Trouble;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::connection;
use crate::error::{Problem, StartError};
use crate::exchange::Exchange;
use crate::refusal;

/// Days that a self-signed certificate is valid for, and before now that it was: clocks differ.
const VALID: u64 = 365;
const VALID_BEFORE: u64 = 2;

/// The certificate of an HTTPS server.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions(Option<Given>);

#[derive(Clone)]
struct Given {
    chain: String,
    key: String,
}

impl std::fmt::Debug for Given {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Given")
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}

impl TlsOptions {
    /// A certificate for `localhost`, 127.0.0.1, `::1` and the server's host, signed by an authority of its own:
    /// [`MockServer::ca_certificate`](crate::MockServer::ca_certificate) is what clients have to trust.
    pub fn self_signed() -> Self {
        Self(None)
    }

    /// This certificate with its chain, and its key, both as PEM.
    pub fn with_certificate(chain: impl Into<String>, key: impl Into<String>) -> Self {
        Self(Some(Given {
            chain: chain.into(),
            key: key.into(),
        }))
    }
}

/// Serves connections after a handshake.
#[derive(Clone)]
pub(crate) struct Secure(TlsAcceptor);

impl Secure {
    /// With the certificate of the authority when there is one of our own.
    pub(crate) fn new(options: &TlsOptions, host: &str) -> Result<(Self, Option<String>), StartError> {
        let identity = match &options.0 {
            Some(given) => Identity::read(given)?,
            None => Identity::make(host).map_err(|error| problem("no certificate could be made", error))?,
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(identity.chain, identity.key)
            })
            .map_err(|error| problem("the certificate and the key cannot be used together", error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok((Self(TlsAcceptor::from(Arc::new(config))), identity.authority))
    }

    pub(crate) async fn serve(self, stream: TcpStream, exchange: Arc<Exchange>, mut stop: watch::Receiver<bool>) {
        let handshake = async {
            // Looked at before the TLS library does: it would answer with an alert, which no HTTP client understands.
            let mut first = [0];
            match stream.peek(&mut first).await? {
                // Some clients connect ahead of need.
                0 => return Ok(Greeting::None),
                _ if first[0] != HANDSHAKE => return Ok(Greeting::Plain(stream)),
                _ => {}
            }
            Ok(Greeting::Secure(Box::new(self.0.accept(stream).await?)))
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
                if connection::serve(*stream, Arc::clone(&exchange), stop).await {
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
}

/// The first byte of a TLS connection: the type of a handshake record (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 0x16;

/// What a client begins with.
enum Greeting {
    None,
    Secure(Box<TlsStream<TcpStream>>),
    Plain(TcpStream),
}

impl std::fmt::Debug for Secure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secure").finish_non_exhaustive()
    }
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

/// What a server proves who it is with.
struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    /// As PEM.
    authority: Option<String>,
}

impl Identity {
    fn read(given: &Given) -> Result<Self, StartError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(given.chain.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| problem("the certificate is not PEM that can be read", error))?;
        if chain.is_empty() {
            return Err(Problem::Tls {
                problem: "there is no certificate in the PEM (\"-----BEGIN CERTIFICATE-----\")".into(),
                source: None,
            }
            .into());
        }
        let key = PrivateKeyDer::from_pem_slice(given.key.as_bytes())
            .map_err(|error| problem("the key is not a private key in PEM that can be read", error))?;
        Ok(Self {
            chain,
            key,
            authority: None,
        })
    }

    /// An authority, and a certificate that it signs: some clients take no certificate that is its own authority.
    fn make(host: &str) -> Result<Self, rcgen::Error> {
        let mut authority = parameters(Vec::new(), "contract mock server authority")?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

        let mut names = vec!["localhost".into(), "127.0.0.1".into(), "::1".into()];
        let host = host.trim_matches(['[', ']']).to_owned();
        if !names.contains(&host) {
            names.push(host);
        }
        let mut leaf = parameters(names, "contract mock server")?;
        leaf.use_authority_key_identifier_extension = true;
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let leaf = leaf.signed_by(&key, &authority)?;
        Ok(Self {
            chain: vec![leaf.der().clone()],
            key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            authority: Some(authority.pem()),
        })
    }
}

fn parameters(names: Vec<String>, title: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut parameters = CertificateParams::new(names)?;
    parameters.distinguished_name = rcgen::DistinguishedName::new();
    parameters.distinguished_name.push(DnType::CommonName, title);
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    let now = SystemTime::now();
    if let (Some((year, month, day)), Some(until)) = (
        now.checked_sub(days(VALID_BEFORE)).and_then(date),
        now.checked_add(days(VALID)).and_then(date),
    ) {
        parameters.not_before = date_time_ymd(year, month, day);
        parameters.not_after = date_time_ymd(until.0, until.1, until.2);
    }
    Ok(parameters)
}

/// Year, month and day in UTC.
fn date(at: SystemTime) -> Option<(i32, u8, u8)> {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let at = contract_datetime::DateTime::from_unix(i64::try_from(seconds).ok()?, 0, 0).ok()?;
    Some((at.year(), u8::try_from(at.month()).ok()?, u8::try_from(at.day()).ok()?))
}

fn problem(what: &str, source: impl std::error::Error + Send + Sync + 'static) -> StartError {
    Problem::Tls {
        problem: format!("{what} ({source})"),
        source: Some(Box::new(source)),
    }
    .into()
}
