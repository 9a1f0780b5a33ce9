//! Certificates, as a call says them.

use contract_model::Json;

use super::refused::refused;
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
        let mut tls = self.tls.clone();
        if let Some(Document(ca)) = said.ca {
            let pem = |json: &Json| {
                Pem::from_json(json).map_err(|problem| refused(told![option("ca"), format!(" {problem}")]).about("ca"))
            };
            tls.ca = match ca {
                Json::Array(items) => items.iter().map(pem).collect::<Result<_, _>>()?,
                one => vec![pem(&one)?],
            };
        }
        tls.cert = said.cert.or(tls.cert);
        tls.key = said.key.or(tls.key);
        let before = std::mem::replace(&mut self.tls, tls);
        if let Err(error) = self.client(None, &mut Vec::new(), None) {
            self.tls = before;
            return Err(error);
        }
        Ok(())
    }
}
