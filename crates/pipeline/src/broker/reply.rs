//! Results of broker operations.

use std::marker::PhantomData;

use contract_broker_client::{Resource, Secrets, plain};
use contract_model::Json;
use serde::Serialize;

use super::failure::BrokerFailure;
use super::values::Deletion;
use contract_call::json::to_value;
use contract_call::message::Message;

/// The result of a broker operation. `T` is the type that describes the members of `value`.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerReply<T = Json> {
    /// The result in the format that bindings return.
    pub value: Json,
    /// The broker's response. Equal to `value` if the operation did not receive exactly one response.
    pub document: Json,
    value_type: PhantomData<fn() -> T>,
}

impl<T: Serialize> BrokerReply<T> {
    /// Creates a result from a value of this crate.
    pub(super) fn new(value: &T) -> Self {
        Self::passed_on(to_value(value))
    }

    pub(super) fn with_document(self, document: Json) -> Self {
        Self { document, ..self }
    }
}

impl<T> BrokerReply<T> {
    /// Creates a result from JSON that the broker returned. Members that `T` lacks are kept.
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

    /// Removes the client's credentials from the result, because a broker may include them in its response.
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
    /// Returns the result of a deletion. If `deleted` is false, returns an error with the message `what`.
    pub(super) fn deleted(deleted: bool, message: String, advice: impl Into<Message>) -> Result<Self, BrokerFailure> {
        if !deleted {
            return Err(BrokerFailure::not_found(message, advice));
        }
        Ok(Self::new(&Deletion { deleted }))
    }
}

impl<T> From<Resource> for BrokerReply<T> {
    /// Creates a result from a response. `value` is the response without links.
    fn from(resource: Resource) -> Self {
        Self {
            value: plain(resource.document()).into(),
            document: resource.into_document(),
            value_type: PhantomData,
        }
    }
}
