//! Results of broker operations.

use std::marker::PhantomData;

use contract_broker_client::{Resource, Secrets, plain};
use contract_model::Json;
use serde::Serialize;

use super::failure::BrokerFailure;
use super::values::Deletion;
use contract_call::json::to_value;
use contract_call::message::Message;

/// The result of a broker operation. `T` has the members of its value.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerReply<T = Json> {
    /// The value, in the format of this library.
    pub value: Json,
    /// The response of the broker if there was exactly one; otherwise the value.
    pub document: Json,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize> BrokerReply<T> {
    /// A value that this library determined.
    pub(super) fn new(value: &T) -> Self {
        Self::passed_on(to_value(value))
    }

    pub(super) fn with_document(self, document: Json) -> Self {
        Self { document, ..self }
    }
}

impl<T> BrokerReply<T> {
    /// A value of the broker. Members that `T` does not have are kept.
    pub(super) fn passed_on(value: impl Into<Json>) -> Self {
        let value = value.into();
        Self {
            document: value.clone(),
            value,
            of: PhantomData,
        }
    }

    pub(super) fn list(values: impl IntoIterator<Item = impl Into<Json>>, document: Json) -> Self {
        let values: Vec<Json> = values.into_iter().map(Into::into).collect();
        Self {
            value: values.into(),
            document,
            of: PhantomData,
        }
    }

    /// Removes our own credentials, because a broker may return them.
    pub(super) fn without_secrets(self, secrets: &Secrets) -> Self {
        Self {
            value: secrets.redact_json(self.value),
            document: secrets.redact_json(self.document),
            of: PhantomData,
        }
    }

    pub fn into_json(self) -> BrokerReply {
        BrokerReply {
            value: self.value,
            document: self.document,
            of: PhantomData,
        }
    }
}

impl BrokerReply<Deletion> {
    /// The result of a deletion. A missing item is an error.
    pub(super) fn deleted(deleted: bool, what: String, advice: impl Into<Message>) -> Result<Self, BrokerFailure> {
        if !deleted {
            return Err(BrokerFailure::not_found(what, advice));
        }
        Ok(Self::new(&Deletion { deleted }))
    }
}

impl<T> From<Resource> for BrokerReply<T> {
    /// The value is the response without its links.
    fn from(resource: Resource) -> Self {
        Self {
            value: plain(resource.document()).into(),
            document: resource.into_document(),
            of: PhantomData,
        }
    }
}
