//! Results of broker operations.

use std::marker::PhantomData;

use contract_broker_client::{Resource, Secrets, plain};
use contract_model::Json;
use serde::Serialize;

use super::failure::BrokerFailure;
use super::values::Deletion;
use contract_call::json::to_value;
use contract_call::message::Message;

/// The result of a broker operation. `T` describes its members.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerReply<T = Json> {
    /// The value in this library's format.
    pub value: Json,
    /// The broker's response. If there was not exactly one response, it equals the value.
    pub document: Json,
    value_type: PhantomData<fn() -> T>,
}

impl<T: Serialize> BrokerReply<T> {
    /// Creates a result from a value in this library's format.
    pub(super) fn new(value: &T) -> Self {
        Self::passed_on(to_value(value))
    }

    pub(super) fn with_document(self, document: Json) -> Self {
        Self { document, ..self }
    }
}

impl<T> BrokerReply<T> {
    /// Creates a result from a value that the broker returned. Members that `T` does not have are kept.
    pub(super) fn passed_on(value: impl Into<Json>) -> Self {
        let value = value.into();
        Self {
            document: value.clone(),
            value,
            value_type: PhantomData,
        }
    }

    pub(super) fn list(values: impl IntoIterator<Item = impl Into<Json>>, document: Json) -> Self {
        let values: Vec<Json> = values.into_iter().map(Into::into).collect();
        Self {
            value: values.into(),
            document,
            value_type: PhantomData,
        }
    }

    /// Removes the credentials of this client, because a broker may return them.
    pub(super) fn without_secrets(self, secrets: &Secrets) -> Self {
        Self {
            value: secrets.redact_json(self.value),
            document: secrets.redact_json(self.document),
            value_type: PhantomData,
        }
    }

    pub fn into_json(self) -> BrokerReply {
        BrokerReply {
            value: self.value,
            document: self.document,
            value_type: PhantomData,
        }
    }
}

impl BrokerReply<Deletion> {
    /// Returns the result of a deletion, or an error if the item did not exist.
    pub(super) fn deleted(deleted: bool, what: String, advice: impl Into<Message>) -> Result<Self, BrokerFailure> {
        if !deleted {
            return Err(BrokerFailure::not_found(what, advice));
        }
        Ok(Self::new(&Deletion { deleted }))
    }
}

impl<T> From<Resource> for BrokerReply<T> {
    /// Creates a result from a response. The value is the response without its links.
    fn from(resource: Resource) -> Self {
        Self {
            value: plain(resource.document()).into(),
            document: resource.into_document(),
            value_type: PhantomData,
        }
    }
}
