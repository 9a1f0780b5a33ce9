//! TLS certificates and keys for clients and servers.

mod client;
mod server;

use tokio_rustls::rustls::pki_types::pem;

pub use client::{ClientTls, Identity, MoreAuthorities, Tls};
pub use server::{ServerCertificate, ServerTls, ServerTlsError};

/// Describes a problem in a PEM file without quoting the file, because it may contain a private key.
fn pem_problem(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "it is truncated: the line \"-----END …\" is missing".to_owned(),
        pem::Error::IllegalSectionStart { .. } => "the line \"-----BEGIN …\" does not end with \"-----\"".to_owned(),
        pem::Error::Base64Decode(_) => "the content between BEGIN and END is not valid base64".to_owned(),
        pem::Error::NoItemsFound => "it contains no matching block".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    use super::pem_problem;

    #[test]
    fn does_not_quote_invalid_pem() {
        for (pem, problem) in [
            (
                "-----BEGIN CERTIFICATE-----\nhu\u{e9}sh\n-----END CERTIFICATE-----\n",
                "not valid base64",
            ),
            ("-----BEGIN CERTIFICATE-----\nhush", "truncated"),
            ("-----BEGIN hush\n", "does not end with \"-----\""),
            ("hush", "no matching block"),
        ] {
            let error = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap_err();
            let text = pem_problem(&error);
            assert!(text.contains(problem), "{text}");
            assert!(!text.contains("hu") && !text.contains("InvalidCharacter"), "{text}");
        }
        let key = PrivateKeyDer::from_pem_slice(b"-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n");
        assert!(pem_problem(&key.unwrap_err()).contains("not valid base64"));
    }
}
