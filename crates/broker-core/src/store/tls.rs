//! TLS connections to PostgreSQL. The database address can contain the libpq parameters `sslmode`, `sslrootcert`,
//! `sslcert`, and `sslkey`.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{self, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::StoreError;

/// The value of `sslmode`, as in libpq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Disable,
    /// Encrypt if the server supports it. Default. The server certificate is not checked.
    Prefer,
    /// Encrypt. The server certificate is checked only if `sslrootcert` is set, and its host name is not.
    Require,
    /// Encrypt. A trusted authority must have signed the server certificate.
    VerifyCa,
    /// Encrypt. In addition, the server certificate must match the host name.
    VerifyFull,
}

/// The TLS parameters of a database address.
#[derive(Debug)]
pub(super) struct Security {
    mode: Mode,
    /// Path of a file with trusted root certificates. `None` and `system` select the certificates of the operating
    /// system.
    roots: Option<String>,
    /// Path of the file with the client certificate. Requires `key`.
    certificate: Option<String>,
    key: Option<String>,
}

impl Security {
    /// Removes the TLS parameters from a database address. Returns the rest of the address and the parameters.
    pub(super) fn parse(address: &str) -> Result<(String, Self), StoreError> {
        let mut settings = Self {
            mode: Mode::Prefer,
            roots: None,
            certificate: None,
            key: None,
        };
        let Some((before, query)) = address.split_once('?') else {
            return Ok((address.to_owned(), settings));
        };
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            match name {
                "sslmode" => settings.mode = Mode::parse(&value)?,
                "sslrootcert" => settings.roots = Some(value),
                "sslcert" => settings.certificate = Some(value),
                "sslkey" => settings.key = Some(value),
                _ => rest.push(pair),
            }
        }
        if settings.mode == Mode::Require && settings.roots.is_some() {
            settings.mode = Mode::VerifyCa;
        }
        let separator = if rest.is_empty() { "" } else { "?" };
        Ok((format!("{before}{separator}{}", rest.join("&")), settings))
    }

    pub(super) fn negotiation(&self) -> SslMode {
        match self.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }

    pub(super) fn connector(&self) -> Result<Connector, StoreError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| StoreError::unusable("cannot set up TLS", error))?;
        let roots = match self.mode {
            Mode::Disable | Mode::Prefer | Mode::Require => None,
            Mode::VerifyCa | Mode::VerifyFull => Some(self.root_certificates()?),
        };
        let builder = match (self.mode, roots) {
            (Mode::VerifyFull, Some(roots)) => builder.with_root_certificates(roots),
            (_, roots) => {
                let verifier = Arc::new(LenientVerifier { provider, roots });
                builder.dangerous().with_custom_certificate_verifier(verifier)
            }
        };
        let config = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                let key = PrivateKeyDer::from_pem_file(key)
                    .map_err(|error| StoreError::unusable(format!("cannot read sslkey {key}"), error))?;
                builder
                    .with_client_auth_cert(certificates(certificate, "sslcert")?, key)
                    .map_err(|error| StoreError::unusable("sslcert and sslkey cannot be used", error))?
            }
            (None, None) => builder.with_no_client_auth(),
            _ => {
                return Err(StoreError::database(
                    "sslcert requires sslkey, and sslkey requires sslcert",
                ));
            }
        };
        Ok(Connector(TlsConnector::from(Arc::new(config))))
    }

    fn root_certificates(&self) -> Result<RootCertStore, StoreError> {
        let mut roots = RootCertStore::empty();
        match self.roots.as_deref() {
            None | Some("system") => {
                // Skip system certificates that cannot be read.
                let _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            Some(file) => {
                for certificate in certificates(file, "sslrootcert")? {
                    roots
                        .add(certificate)
                        .map_err(|error| StoreError::unusable(format!("sslrootcert {file} cannot be used"), error))?;
                }
            }
        }
        Ok(roots)
    }
}

impl Mode {
    fn parse(text: &str) -> Result<Self, StoreError> {
        Ok(match text {
            "disable" => Self::Disable,
            // "allow" would try a connection without encryption first, which has no benefit.
            "allow" | "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                return Err(StoreError::database(
                    "sslmode in the database address must be disable, prefer, require, verify-ca, or verify-full",
                ));
            }
        })
    }
}

fn certificates(file: &str, option: &str) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| StoreError::unusable(format!("cannot read {option} {file}"), error))?;
    if found.is_empty() {
        let text = format!("{option} {file} contains no PEM certificates");
        return Err(StoreError::database(text));
    }
    Ok(found)
}

/// Accepts any host name. Without root certificates, also accepts any certificate.
#[derive(Debug)]
struct LenientVerifier {
    provider: Arc<CryptoProvider>,
    roots: Option<RootCertStore>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(roots) = &self.roots {
            let certificate = ParsedCertificate::try_from(end_entity)?;
            let algorithms = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&certificate, roots, intermediates, now, algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[derive(Clone)]
pub(super) struct Connector(TlsConnector);

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Stream;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        Ok(Handshake {
            connector: self.0.clone(),
            host: host.to_owned(),
        })
    }
}

pub(super) struct Handshake {
    connector: TlsConnector,
    host: String,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Stream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            Ok(Stream(self.connector.connect(name, socket).await?))
        })
    }
}

pub(super) struct Stream(TlsStream<Socket>);

impl tokio_postgres::tls::TlsStream for Stream {
    fn channel_binding(&self) -> ChannelBinding {
        // Password authentication works without channel binding, and verify-full prevents interception.
        ChannelBinding::none()
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_tls_parameters() {
        for (query, mode, rest) in [
            ("", Mode::Prefer, ""),
            ("?sslmode=disable", Mode::Disable, ""),
            (
                "?sslmode=require&application_name=x",
                Mode::Require,
                "?application_name=x",
            ),
            ("?sslmode=require&sslrootcert=%2Fca.pem", Mode::VerifyCa, ""),
            (
                "?connect_timeout=1&sslmode=verify-full",
                Mode::VerifyFull,
                "?connect_timeout=1",
            ),
        ] {
            let (address, security) = Security::parse(&format!("postgres://a:b@c/d{query}")).expect("an address");
            assert_eq!(address, format!("postgres://a:b@c/d{rest}"));
            assert_eq!(security.mode, mode, "{query}");
        }
        assert!(Security::parse("postgres://a/b?sslmode=perhaps").is_err());
    }

    #[test]
    fn errors_name_the_file() {
        for query in [
            "sslmode=verify-full&sslrootcert=/no/ca.pem",
            "sslcert=/no/a.pem&sslkey=/no/a.key",
            "sslcert=/no/a.pem",
        ] {
            let (_, security) = Security::parse(&format!("postgres://a/b?{query}")).expect("an address");
            let refused = security.connector().err().expect("files that do not exist").to_string();
            assert!(
                refused.contains("/no/") || refused.contains("requires sslkey"),
                "{refused}"
            );
        }
    }
}
