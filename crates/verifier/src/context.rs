//! Contracts to verify, and the data that callbacks receive.

use std::sync::Arc;

use contract_model::{Contract, Interaction, InteractionKind, Json, Object, ProviderState, Text};
use contract_report::Origin;
use serde::ser::{Serialize, SerializeStruct, Serializer};

#[derive(Clone, Debug)]
pub struct NamedContract {
    pub contract: Arc<Contract>,
    /// Source of the contract, such as a file path or a URL. Used in reports.
    pub source: String,
    pub origin: Option<Origin>,
    /// If true, failures of this contract are reported, but do not fail the verification.
    pub pending: bool,
    /// Notices from the broker, which are printed before the verification.
    pub notices: Vec<String>,
    /// The line in the contract file at which each interaction starts, counted from 1. Empty if unknown.
    pub lines: Arc<[u32]>,
}

impl NamedContract {
    pub fn new(contract: impl Into<Arc<Contract>>, source: impl Into<String>) -> Self {
        Self {
            contract: contract.into(),
            source: source.into(),
            origin: None,
            pending: false,
            notices: Vec::new(),
            lines: Arc::default(),
        }
    }
}

/// Data about an interaction, for filters, hooks, and other callbacks.
#[derive(Clone, Debug, PartialEq)]
pub struct InteractionInfo {
    pub consumer: Text,
    pub provider: Text,
    pub description: Text,
    /// Provider states, in the order of the contract.
    pub states: Vec<ProviderState>,
    /// Interaction type as in contract files, such as `Synchronous/HTTP`.
    pub kind: Text,
    /// Key of the interaction in the contract, or `None` if it has no key.
    pub key: Option<Text>,
    /// ID of the interaction in the broker, or `None` if the contract contains no IDs.
    pub id: Option<Text>,
    /// Hash of the consumer, provider, type, description, and states, as 16 hexadecimal digits. It is the same in every
    /// run, and filters accept it as an ID.
    pub fingerprint: Text,
    /// If true, failures of this interaction are reported, but do not fail the verification.
    pub pending: bool,
    /// Name of the consumer test that recorded the interaction, or `None` if the contract does not contain it.
    pub test_name: Option<Text>,
}

/// The arguments of a request filter, besides the request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    pub interaction: Arc<InteractionInfo>,
    /// Parameters of the provider states, overridden by values that state handlers returned.
    pub state_values: Object,
}

impl InteractionInfo {
    pub(crate) fn new(origin: &NamedContract, interaction: &Interaction) -> Self {
        let contract = &origin.contract;
        Self {
            consumer: contract.consumer.clone(),
            provider: contract.provider.clone(),
            description: interaction.description.clone(),
            states: interaction.states.clone(),
            kind: interaction.kind.type_name().into(),
            key: interaction.key.clone(),
            id: interaction.broker_id.clone(),
            fingerprint: fingerprint(contract, interaction),
            pending: origin.pending || interaction.pending,
            test_name: interaction
                .comments
                .get("testname")
                .and_then(Json::as_str)
                .map(Text::from),
        }
    }

    /// Returns true if `name` is the key, the broker ID, or the fingerprint of this interaction.
    pub fn is_named(&self, name: &str) -> bool {
        self.key.as_deref() == Some(name) || self.id.as_deref() == Some(name) || self.fingerprint == name
    }
}

impl Serialize for InteractionInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("InteractionInfo", 10)?;
        out.serialize_field("consumer", self.consumer.as_str())?;
        out.serialize_field("provider", self.provider.as_str())?;
        out.serialize_field("description", self.description.as_str())?;
        out.serialize_field("states", &contract_report::reported_states(&self.states))?;
        out.serialize_field("kind", self.kind.as_str())?;
        out.serialize_field("key", &self.key.as_deref())?;
        out.serialize_field("id", &self.id.as_deref())?;
        out.serialize_field("fingerprint", self.fingerprint.as_str())?;
        out.serialize_field("pending", &self.pending)?;
        out.serialize_field("testName", &self.test_name.as_deref())?;
        out.end()
    }
}

/// Returns a 64-bit FNV-1a hash in hexadecimal. It is short enough for environment variables, and is not used for
/// security.
fn fingerprint(contract: &Contract, interaction: &Interaction) -> Text {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(&contract.consumer);
    add(&contract.provider);
    add(interaction.kind.type_name());
    add(&interaction.description);
    for state in &interaction.states {
        add(&state.name);
        // Sort the parameters, because their order is not significant.
        let mut parameters: Vec<_> = state.parameters.iter().collect();
        parameters.sort_unstable_by_key(|(name, _)| name);
        for (name, value) in parameters {
            add(name);
            add(&value.to_text());
        }
    }
    format!("{hash:016x}").into()
}

/// Returns true if `word` is a name of this type, ignoring case: the name in contract files, or `HTTP`, `Async`, or
/// `Sync`.
pub(crate) fn kind_is(kind: &InteractionKind, word: &str) -> bool {
    let short = match kind {
        InteractionKind::Http(_) => "http",
        InteractionKind::AsyncMessage(_) => "async",
        InteractionKind::SyncMessage(_) => "sync",
        InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => "",
    };
    kind.type_name().eq_ignore_ascii_case(word) || short.eq_ignore_ascii_case(word)
}

#[cfg(test)]
mod tests {
    use contract_model::{Contract, Interaction, Json, ProviderState};

    use super::fingerprint;

    #[test]
    fn fingerprints_ignore_the_order_of_parameters() {
        let contract = Contract::default();
        let with = |parameters: &str| {
            let parameters = Json::parse(parameters.as_bytes()).unwrap();
            let state = ProviderState {
                name: "s".into(),
                parameters: parameters.as_object().unwrap().clone(),
            };
            fingerprint(
                &contract,
                &Interaction {
                    states: vec![state],
                    ..Interaction::default()
                },
            )
        };
        assert_eq!(with(r#"{"a": 1, "b": 2}"#), with(r#"{"b": 2, "a": 1}"#));
        assert_ne!(with(r#"{"a": 1}"#), with(r#"{"a": 2}"#));
        assert_ne!(with("{}"), fingerprint(&contract, &Interaction::default()));
    }
}
