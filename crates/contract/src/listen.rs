//! Listen options of the servers that the command line starts.

use contract_mock_server::{ServerCertificate, ServerOptions, Transport};

/// The address and certificate of a server.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// IP address or host name.
    pub host: String,
    /// Port number; 0 selects a free port.
    pub port: u16,
    /// Whether the server uses TLS.
    pub https: bool,
    /// The certificate chain and the private key in PEM format. Default: a certificate that is created for this server.
    pub certificate: Option<(String, String)>,
    /// Whether the server responds to CORS preflight requests and adds CORS headers.
    pub cors: bool,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 0,
            https: false,
            certificate: None,
            cors: true,
        }
    }
}

impl ListenOptions {
    pub(crate) fn server_options(&self) -> ServerOptions {
        let transport = match &self.certificate {
            Some((certificate, key)) => Transport::Https(ServerCertificate::from_pem(certificate, key)),
            None if self.https => Transport::Https(ServerCertificate::self_signed()),
            None => Transport::Http,
        };
        ServerOptions {
            host: self.host.clone(),
            port: self.port,
            transport,
            cors: self.cors,
            ..ServerOptions::default()
        }
    }
}
