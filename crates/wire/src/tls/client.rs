//! TLS settings for clients.

use std::sync::Arc;

use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::pem_problem;
use crate::error::SettingsError;
use crate::version::HttpVersion;

/// The certificates that a client trusts, and the client's own certificate.
#[derive(Clone, Default)]
pub struct Tls {
    /// PEM files with trusted CA certificates, in addition to the system certificates.
    pub authorities: Vec<Vec<u8>>,
    /// The certificate to send if the server requests one. If `None`, the client sends no certificate.
    pub identity: Option<Identity>,
    /// Loads additional trusted CA certificates. It is called for the first TLS connection, because most providers
    /// under test use plain HTTP.
    pub more: Option<MoreAuthorities>,
    /// True if server certificates are accepted without verification.
    pub insecure: bool,
}

/// A function that returns PEM files with CA certificates. Invalid certificates are skipped.
pub type MoreAuthorities = Arc<dyn Fn() -> Vec<Vec<u8>> + Send + Sync>;

/// A client certificate and its private key, both in PEM format.
#[derive(Clone)]
pub struct Identity {
    /// The certificate, followed by any intermediate certificates.
    pub certificate: Vec<u8>,
    /// The unencrypted private key.
    pub key: Vec<u8>,
}

impl std::fmt::Debug for Tls {
    /// Omits the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls")
            .field("authorities", &self.authorities.len())
            .field("more", &self.more.is_some())
            .field("identity", &self.identity.is_some())
            .field("insecure", &self.insecure)
            .finish()
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}

/// Parsed TLS settings, shared by all HTTP clients.
pub struct ClientTls {
    authorities: Vec<CertificateDer<'static>>,
    more: Option<MoreAuthorities>,
    identity: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
    insecure: bool,
    version: HttpVersion,
}

impl std::fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientTls").finish_non_exhaustive()
    }
}

impl ClientTls {
    /// Parses the certificates and keys. Fails if one of them is invalid or if the client certificate does not belong
    /// to its key.
    pub fn new(tls: &Tls, version: HttpVersion) -> Result<Self, SettingsError> {
        let mut authorities = Vec::new();
        for pem in &tls.authorities {
            authorities.extend(certificates("CA certificates", pem)?);
        }
        let identity = tls.identity.as_ref().map(identity).transpose()?;
        let settings = Self {
            authorities,
            more: tls.more.clone(),
            identity,
            insecure: tls.insecure,
            version,
        };
        settings.check()?;
        Ok(settings)
    }

    /// Fails if the client certificate does not belong to its key.
    fn check(&self) -> Result<(), SettingsError> {
        if self.identity.is_none() {
            return Ok(());
        }
        self.with_roots(RootCertStore::empty())
            .map(drop)
            .map_err(|error| SettingsError::Tls {
                what: "client certificate",
                problem: error.to_string(),
            })
    }

    /// Creates a configuration that trusts the configured certificates, the system certificates, and those of
    /// [`Tls::more`]. The latter two are loaded by this call.
    pub fn config(&self) -> Result<ClientConfig, Error> {
        let mut roots = RootCertStore::empty();
        if !self.insecure {
            // Invalid system certificates are skipped. If one of them is required, the handshake fails.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            for pem in self.more.iter().flat_map(|more| more()) {
                roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&pem).map_while(Result::ok));
            }
        }
        roots.add_parsable_certificates(self.authorities.iter().cloned());
        self.with_roots(roots)
    }

    /// Creates a configuration without trusted certificates, for clients that do not use TLS. The system certificates
    /// are not loaded.
    pub fn unused_config(&self) -> Result<ClientConfig, Error> {
        self.with_roots(RootCertStore::empty())
    }

    fn with_roots(&self, roots: RootCertStore) -> Result<ClientConfig, Error> {
        let provider = Arc::new(ring::default_provider());
        let builder =
            ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
        let builder = if self.insecure {
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        } else {
            builder.with_root_certificates(roots)
        };
        let mut config = match &self.identity {
            Some((chain, key)) => builder.with_client_auth_cert(chain.clone(), key.clone_key())?,
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = match self.version {
            HttpVersion::Negotiated => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            HttpVersion::Http1 => vec![b"http/1.1".to_vec()],
            HttpVersion::Http2 => vec![b"h2".to_vec()],
        };
        Ok(config)
    }
}

fn certificates(setting: &'static str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let invalid = |problem: String| SettingsError::Tls { what: setting, problem };
    let found = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| invalid(format!("invalid PEM: {}", pem_problem(&error))))?;
    if found.is_empty() {
        return Err(invalid(
            "the PEM contains no certificate (\"-----BEGIN CERTIFICATE-----\")".to_owned(),
        ));
    }
    Ok(found)
}

fn identity(identity: &Identity) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), SettingsError> {
    let chain = certificates("client certificate", &identity.certificate)?;
    let key = PrivateKeyDer::from_pem_slice(&identity.key).map_err(|error| {
        let encrypted = identity.key.windows(9).any(|window| window == b"ENCRYPTED");
        SettingsError::Tls {
            what: "client key",
            problem: if encrypted {
                "it is encrypted; decrypt it first".to_owned()
            } else {
                format!("not a private key in PEM format: {}", pem_problem(&error))
            },
        }
    })?;
    Ok((chain, key))
}

/// Accepts every server certificate, for clients with [`Tls::insecure`].
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
