//! TLS settings for servers.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use super::pem_problem;

/// Number of days for which a generated certificate is valid. `VALID_BEFORE` is the number of days for which it has
/// already been valid when it is generated, because clocks differ.
const VALID: u64 = 365;
const VALID_BEFORE: u64 = 2;

/// The certificate of an HTTPS server. `None` if it is generated when the server starts.
#[derive(Clone, Debug, Default)]
pub struct ServerCertificate(Option<CertificateAndKey>);

#[derive(Clone)]
struct CertificateAndKey {
    chain: String,
    key: String,
}

impl std::fmt::Debug for CertificateAndKey {
    /// Omits the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CertificateAndKey")
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}

impl ServerCertificate {
    /// Generates a certificate for `localhost`, 127.0.0.1, `::1`, and the server's host, signed by a generated CA.
    /// [`ServerTls::authority`] returns the CA certificate, which clients must trust.
    pub fn self_signed() -> Self {
        Self(None)
    }

    /// Uses this certificate chain and private key, both in PEM format.
    pub fn from_pem(chain: impl Into<String>, key: impl Into<String>) -> Self {
        Self(Some(CertificateAndKey {
            chain: chain.into(),
            key: key.into(),
        }))
    }
}

/// TLS settings of a server. Performs handshakes.
#[derive(Clone)]
pub struct ServerTls {
    acceptor: TlsAcceptor,
    /// The generated CA certificate in PEM format. `None` if the server's certificate was not generated.
    authority: Option<Arc<str>>,
}

#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct ServerTlsError {
    problem: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ServerTls {
    /// Creates the settings for a server that offers HTTP/1.1 and HTTP/2. `host` is the host name or IP address for a
    /// generated certificate.
    pub fn new(certificate: &ServerCertificate, host: &str) -> Result<Self, ServerTlsError> {
        let identity = match &certificate.0 {
            Some(pem) => Identity::read(pem)?,
            None => Identity::generate(host).map_err(|error| problem("could not create a certificate", error))?,
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(identity.chain, identity.key)
            })
            .map_err(|error| problem("the certificate and the key do not match", error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            authority: identity.authority.map(Into::into),
        })
    }

    /// Returns the CA certificate that clients must trust, in PEM format. Returns `None` if the server's certificate
    /// was not generated.
    pub fn authority(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    pub async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

impl std::fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerTls").finish_non_exhaustive()
    }
}

struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    /// The generated CA certificate in PEM format. `None` if the server's certificate was not generated.
    authority: Option<String>,
}

impl Identity {
    fn read(pem: &CertificateAndKey) -> Result<Self, ServerTlsError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(pem.chain.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| unreadable("the certificate is not valid PEM", error))?;
        if chain.is_empty() {
            return Err(ServerTlsError {
                problem: "the PEM contains no certificate (\"-----BEGIN CERTIFICATE-----\")".into(),
                source: None,
            });
        }
        let key = PrivateKeyDer::from_pem_slice(pem.key.as_bytes())
            .map_err(|error| unreadable("the key is not a private key in PEM format", error))?;
        Ok(Self {
            chain,
            key,
            authority: None,
        })
    }

    /// Creates a CA certificate, and a server certificate signed by that CA. Some clients reject a self-signed CA
    /// certificate as a server certificate.
    fn generate(host: &str) -> Result<Self, rcgen::Error> {
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
    let epoch = date_time_ymd(1970, 1, 1);
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    parameters.not_before = epoch + now.saturating_sub(days(VALID_BEFORE));
    parameters.not_after = epoch + now + days(VALID);
    Ok(parameters)
}

fn unreadable(message: &str, source: pem::Error) -> ServerTlsError {
    ServerTlsError {
        problem: format!("{message}: {}", pem_problem(&source)),
        source: Some(Box::new(source)),
    }
}

fn problem(message: &str, source: impl Error + Send + Sync + 'static) -> ServerTlsError {
    ServerTlsError {
        problem: format!("{message} ({source})"),
        source: Some(Box::new(source)),
    }
}
