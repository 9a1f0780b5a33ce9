//! Listen options of the servers that command-line programs start.

use contract_mock_server::{ServerCertificate, ServerOptions, Transport};

/// Address, certificate, and CORS setting of a server.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// IP address or host name to listen on. Default: `127.0.0.1`.
    pub host: String,
    /// Port to listen on; 0 selects a free port. Default: 0.
    pub port: u16,
    /// Whether to use TLS if no certificate is set. Default: false.
    pub https: bool,
    /// Certificate chain and private key, both in PEM format. If set, the server uses TLS. If `None` and `https` is
    /// true, a certificate is created for this server.
    pub certificate: Option<(String, String)>,
    /// True if the server responds to CORS preflight requests and adds CORS headers to its responses. Default: true.
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
