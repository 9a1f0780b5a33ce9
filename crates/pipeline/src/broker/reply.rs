//! What calls give.

use contract_broker_client::{Resource, Secrets, plain};
use contract_model::{Json, Object};

use super::failure::BrokerFailure;
use contract_call::message::Message;

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerReply {
    /// The value, in shapes of this library.
    pub value: Json,
    /// The broker's own document, where it is one alone; else the value.
    pub document: Json,
}

impl BrokerReply {
    /// A value, and the document that it was made of.
    pub(super) fn new(value: impl Into<Json>, document: Json) -> Self {
        Self {
            value: value.into(),
            document,
        }
    }

    /// Values, and the document that they stand in.
    pub(super) fn list(values: impl Iterator<Item = Json>, document: Json) -> Self {
        Self::new(values.collect::<Vec<_>>(), document)
    }

    /// Whether something that was to go was there; an error when it had to be.
    pub(super) fn deleted(was_there: bool, what: String, advice: impl Into<Message>) -> Result<Self, BrokerFailure> {
        if !was_there {
            return Err(BrokerFailure::not_there(what, advice));
        }
        Ok(Self::gone(true))
    }

    /// The same without our own credentials, which a broker may echo.
    pub(super) fn without(self, secrets: &Secrets) -> Self {
        Self {
            value: secrets.blank_json(self.value),
            document: secrets.blank_json(self.document),
        }
    }

    pub(super) fn gone(was_there: bool) -> Self {
        let out: Object = [("deleted", was_there)].into_iter().collect();
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
    /// A document without its links, and with them.
    fn from(resource: Resource) -> Self {
        Self::new(plain(resource.document()), resource.into_document())
    }
}
