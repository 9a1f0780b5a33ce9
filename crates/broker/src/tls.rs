use std::sync::Arc;

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

pub use tokio_rustls::rustls::ServerConfig as TlsConfig;

/// Why certificates and a key cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The certificates are not PEM, or there are none.
    #[error("the file holds no certificates in PEM form")]
    Certificates,
    /// The key is not PEM.
    #[error("the file holds no private key in PEM form")]
    Key,
    /// They do not belong together, or are of a kind that is not known.
    #[error("certificates and key cannot be used: {0}")]
    Together(#[from] rustls::Error),
}

/// What TLS needs, from the contents of PEM files: certificates, the broker's own first, and its key.
pub fn tls(certificates: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificates)
        .collect::<Result<_, _>>()
        .map_err(|_| TlsError::Certificates)?;
    if certificates.is_empty() {
        return Err(TlsError::Certificates);
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::Key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    Ok(Arc::new(config))
}
