use contract_model::Json;

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerReply {
    /// The value, in shapes of this library.
    pub value: Json,
    /// The broker's own document, where it is one alone; else the value.
    pub document: Json,
}

impl From<Json> for BrokerReply {
    fn from(value: Json) -> Self {
        Self {
            document: value.clone(),
            value,
        }
    }
}
