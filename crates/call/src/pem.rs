//! Checks that PEM certificates and keys are complete.

use serde::de::{self, Deserialize, Deserializer};

use contract_model::Json;

use crate::read::Document;
use crate::value::{Foreign, foreign};

#[derive(Clone, PartialEq, Eq)]
pub struct Pem(pub String);

impl std::fmt::Debug for Pem {
    /// Prints no content, because the file may contain a private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pem(…)")
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PemError {
    /// The end of a block is missing. Contains the expected line, such as `-----END CERTIFICATE-----`.
    #[error("is incomplete: the line {0:?} is missing")]
    Incomplete(String),
    #[error("must be the contents of a PEM file, but the line \"-----BEGIN …\" is missing")]
    NotPem,
}

impl Pem {
    /// Accepts a text that contains at least one PEM block and the end of each block. The content of the blocks is not
    /// checked.
    pub fn new(text: &str) -> Result<Self, PemError> {
        let mut rest = text;
        let mut found = false;
        while let Some((_, after)) = rest.split_once("-----BEGIN ") {
            found = true;
            let label = after.split("-----").next().unwrap_or_default();
            let end = format!("-----END {label}-----");
            match after.split_once(end.as_str()) {
                Some((_, after)) => rest = after,
                None => return Err(PemError::Incomplete(end)),
            }
        }
        if found {
            return Ok(Self(text.to_owned()));
        }
        Err(PemError::NotPem)
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.as_bytes().to_vec()
    }

    pub fn from_json(json: &Json) -> Result<Self, PemError> {
        match foreign(json) {
            Some(Foreign::Bytes(bytes)) => Self::new(&String::from_utf8_lossy(&bytes)),
            // Never print the value, because it may be a private key.
            _ => Self::new(json.as_str().unwrap_or_default()),
        }
    }
}

impl<'de> Deserialize<'de> for Pem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        Self::from_json(&json).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pem, PemError};

    #[test]
    fn reports_incomplete_files() {
        let whole = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
        assert!(Pem::new(&whole.repeat(2)).is_ok());
        assert_eq!(
            Pem::new(&format!("{whole}-----BEGIN PRIVATE KEY-----\nAA=="))
                .unwrap_err()
                .to_string(),
            "is incomplete: the line \"-----END PRIVATE KEY-----\" is missing"
        );
        assert_eq!(Pem::new("ca.pem"), Err(PemError::NotPem));
    }
}
