//! Reads the arguments of `tls`.

use contract_model::Json;
use contract_pipeline::identity;
use contract_wire::Client;

use super::invalid::{invalid, setup};
use crate::verify::operation::Tls;
use crate::verify::options::VerifyOptions;
use contract_call::error::ArgumentError;
use contract_call::message::{message, option};
use contract_call::pem::Pem;
use contract_call::read::{Argument, Document};
use contract_call::value;

impl VerifyOptions {
    pub(super) fn tls(&mut self, arguments: Tls) -> Result<(), ArgumentError> {
        if let Some(Document(passphrase)) = arguments.passphrase {
            let problem = if arguments.key.is_none() {
                " requires a key".to_owned()
            } else if matches!(passphrase, Json::String(_)) {
                // The Node binding decrypts the key itself.
                " is not supported; decrypt the key with `openssl pkey -in client.key -out decrypted.key`".to_owned()
            } else {
                format!(
                    " must be a string, received {}",
                    value::describe(&passphrase).unwrap_or_else(|| passphrase.kind().to_string())
                )
            };
            return Err(invalid(message![option("passphrase"), problem]).for_argument("passphrase"));
        }
        if arguments.pfx.is_some() {
            let message = message![
                option("pfx"),
                " is not supported; convert the file with `openssl pkcs12 -in client.pfx -nodes` and pass ",
                option("cert"),
                " and ",
                option("key")
            ];
            return Err(invalid(message).for_argument("pfx"));
        }
        let mut next = self.client.clone();
        if let Some(ca) = arguments.ca {
            let pem = |json: &Json| match Pem::from_json(json) {
                Ok(pem) => Ok(pem.bytes()),
                Err(problem) => Err(invalid(message![option("ca"), format!(" {problem}")]).for_argument("ca")),
            };
            next.tls.authorities = match ca {
                Argument::Value(all) => all.iter().map(Pem::bytes).collect(),
                Argument::Json(Json::Array(items)) => items.iter().map(pem).collect::<Result<_, _>>()?,
                Argument::Json(single) => vec![pem(&single)?],
            };
        }
        let before = next.tls.identity.map(|identity| (identity.certificate, identity.key));
        let (certificate, key) = before.unzip();
        let certificate = arguments.cert.map(|pem| pem.bytes()).or(certificate);
        next.tls.identity = identity(certificate, arguments.key.map(|pem| pem.bytes()).or(key))?;
        Client::new(next.clone()).map_err(setup)?;
        self.client = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contract_call::pem::Pem;
    use contract_call::read::Document;
    use contract_model::Json;

    use super::{Tls, VerifyOptions};

    #[test]
    fn rejects_passphrases_with_advice() {
        let pem = Json::from("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n");
        let key = || Some(Pem::from_json(&pem).unwrap());
        for (key, passphrase, expected) in [
            (None, Json::from("x"), "requires a key"),
            (key(), Json::from(true), "must be a string, received boolean"),
            (key(), Json::from("x"), "decrypt the key with `openssl pkey"),
        ] {
            let arguments = Tls {
                key,
                passphrase: Some(Document(passphrase)),
                ..Tls::default()
            };
            let error = VerifyOptions::default().tls(arguments).unwrap_err();
            assert!(format!("{error:?}").contains(expected), "{error:?}");
        }
    }
}
