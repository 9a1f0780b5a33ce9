//! Certificates, as a call says them.

use contract_model::Json;
use contract_wire::{Client, Identity};

use super::refused::{refused, setup};
use crate::error::ArgumentError;
use crate::message::{option, told};
use crate::read::Document;
use crate::value;
use crate::verify::operation::Tls;
use crate::verify::options::VerifyOptions;
use crate::verify::pem::Pem;

impl VerifyOptions {
    pub(super) fn tls(&mut self, said: Tls) -> Result<(), ArgumentError> {
        if let Some(Document(passphrase)) = said.passphrase {
            let problem = if said.key.is_none() {
                " is about a key, and there is none".to_owned()
            } else {
                format!(
                    " must be text, got {}",
                    value::shown(&passphrase).unwrap_or_else(|| passphrase.kind().to_string())
                )
            };
            return Err(refused(told![option("passphrase"), problem]).about("passphrase"));
        }
        if said.pfx.is_some() {
            let message = told![
                option("pfx"),
                " cannot be read; turn it into PEM once, by `openssl pkcs12 -in client.pfx -nodes`, and give ",
                option("cert"),
                " and ",
                option("key")
            ];
            return Err(refused(message).about("pfx"));
        }
        let mut next = self.client.clone();
        if let Some(Document(ca)) = said.ca {
            let pem = |json: &Json| match Pem::from_json(json) {
                Ok(pem) => Ok(pem.bytes()),
                Err(problem) => Err(refused(told![option("ca"), format!(" {problem}")]).about("ca")),
            };
            next.tls.authorities = match ca {
                Json::Array(items) => items.iter().map(pem).collect::<Result<_, _>>()?,
                one => vec![pem(&one)?],
            };
        }
        let before = next.tls.identity.map(|identity| (identity.certificate, identity.key));
        let (certificate, key) = before.unzip();
        let certificate = said.cert.map(|pem| pem.bytes()).or(certificate);
        next.tls.identity = identity(certificate, said.key.map(|pem| pem.bytes()).or(key))?;
        Client::new(next.clone()).map_err(setup)?;
        self.client = next;
        Ok(())
    }
}

/// What a client shows who asks for a certificate: it needs its key.
pub(crate) fn identity(certificate: Option<Vec<u8>>, key: Option<Vec<u8>>) -> Result<Option<Identity>, ArgumentError> {
    let missing = match (certificate, key) {
        (Some(certificate), Some(key)) => return Ok(Some(Identity { certificate, key })),
        (None, None) => return Ok(None),
        (Some(_), None) => "key",
        (None, Some(_)) => "cert",
    };
    let message = told![option("cert"), " and ", option("key"), " belong together; give both"];
    Err(refused(message).about(missing))
}
