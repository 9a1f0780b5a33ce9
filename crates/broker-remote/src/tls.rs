use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, ServerConfig};

pub use tokio_rustls::rustls::ServerConfig as TlsConfig;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    #[error("the file contains no PEM certificates")]
    Certificates,
    #[error("the file contains no PEM private key")]
    Key,
    /// The key does not match the certificate, or its algorithm is not supported.
    #[error("the certificates and the key cannot be used: {0}")]
    Together(#[from] rustls::Error),
}

/// Creates the TLS configuration of the server from the contents of PEM files. The server's own certificate must be the
/// first one in `certificates`.
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

/// Creates an HTTP client that trusts the system's certificates and those in the PEM file `certificates`. It does not
/// follow redirects, because they could lead to another host. `timeout` applies to each request.
pub fn http_client(certificates: Option<&Path>, timeout: Duration) -> Result<reqwest::Client, String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let mut roots = RootCertStore::empty();
    // Ignore system certificates that cannot be read.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = certificates {
        let certificates = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let certificates = certificates.map_err(|error| format!("{}: {error}", path.display()))?;
        roots.add_parsable_certificates(certificates);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(config)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(timeout)
        .build()
        .map_err(|error| failed(&error))
}
