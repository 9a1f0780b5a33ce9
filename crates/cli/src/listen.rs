//! Options for commands that start a mock server, stub, or recorder.

use std::path::{Path, PathBuf};

use clap::Args;
use contract::ListenOptions;

use crate::error::{CliError, Result};
use crate::files::read_pem;
use crate::values::host;

#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ListenArguments {
    /// Host to listen on; use 0.0.0.0 to accept connections from other machines
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1", value_parser = host)]
    host: String,

    /// Port to listen on; 0 selects a free port
    #[arg(short, long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Use TLS, with a certificate that is generated at startup unless --tls-cert is set
    #[arg(long)]
    tls: bool,

    /// PEM file with the certificate chain of the server; enables TLS (requires --tls-key)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// PEM file with the unencrypted private key of the server
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Write the generated CA certificate, which clients must trust, to this file (requires --tls)
    #[arg(long, value_name = "FILE", requires = "tls", conflicts_with = "tls_cert")]
    ca_file: Option<PathBuf>,
}

impl ListenArguments {
    pub(crate) fn options(&self, cors: bool) -> Result<ListenOptions> {
        let certificate = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                let text = |path: &Path| read_pem(path).map(|pem| pem.0);
                Some((text(certificate)?, text(key)?))
            }
            _ => None,
        };
        Ok(ListenOptions {
            host: self.host.clone(),
            port: self.port,
            https: self.tls || certificate.is_some(),
            certificate,
            cors,
        })
    }

    /// Writes the server's CA certificate to the file specified by `--ca-file`. Does nothing if the option is not set
    /// or there is no certificate.
    pub(crate) fn write_ca(&self, certificate: Option<&str>) -> Result<()> {
        match (&self.ca_file, certificate) {
            (Some(path), Some(certificate)) => std::fs::write(path, certificate)
                .map_err(|error| CliError::file(path, "write the certificate to", &error)),
            _ => Ok(()),
        }
    }
}
