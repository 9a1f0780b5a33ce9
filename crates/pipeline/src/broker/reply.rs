//! Results of broker operations.

use contract_broker_client::{Resource, Secrets, plain};
use contract_model::{Json, Object};

use super::failure::BrokerFailure;
use contract_call::message::Message;

/// The result of a broker operation.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerReply {
    /// The value, in the format of this library.
    pub value: Json,
    /// The response of the broker if there was exactly one; otherwise the value.
    pub document: Json,
}

impl BrokerReply {
    pub(super) fn new(value: impl Into<Json>, document: Json) -> Self {
        Self {
            value: value.into(),
            document,
        }
    }

    pub(super) fn list(values: impl Iterator<Item = Json>, document: Json) -> Self {
        Self::new(values.collect::<Vec<_>>(), document)
    }

    /// Creates the result of a deletion. A missing item is an error.
    pub(super) fn deleted(existed: bool, what: String, advice: impl Into<Message>) -> Result<Self, BrokerFailure> {
        if !existed {
            return Err(BrokerFailure::not_found(what, advice));
        }
        Ok(Self::deletion(true))
    }

    /// Removes our own credentials, because a broker may return them.
    pub(super) fn without_secrets(self, secrets: &Secrets) -> Self {
        Self {
            value: secrets.redact_json(self.value),
            document: secrets.redact_json(self.document),
        }
    }

    pub(super) fn deletion(existed: bool) -> Self {
        let out: Object = [("deleted", existed)].into_iter().collect();
        Json::from(out).into()
    }
}

impl From<Json> for BrokerReply {
    fn from(value: Json) -> Self {
        Self {
            document: value.clone(),
            value,
        }
    }
}

impl From<Resource> for BrokerReply {
    /// Uses the response without its links as the value.
    fn from(resource: Resource) -> Self {
        Self::new(plain(resource.document()), resource.into_document())
    }
}
