//! Contracts as they are handed in, and what callbacks are told of an interaction.

use std::sync::Arc;

use contract_model::{Contract, Interaction, InteractionKind, Json, Object, ProviderState, Text};
use contract_report::Origin;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A contract to verify, and where it came from.
#[derive(Clone, Debug)]
pub struct NamedContract {
    /// The contract.
    pub contract: Arc<Contract>,
    /// A file, a URL, or what else tells people where it stands.
    pub source: String,
    /// Details of the source.
    pub origin: Option<Origin>,
    /// Whether a failure of it is reported only.
    pub pending: bool,
    /// What is to be read before it is verified, in the words of whoever gave it.
    pub notices: Vec<String>,
    /// The line of the file on which each interaction begins, counted from 1; empty if unknown.
    pub lines: Arc<[u32]>,
}

impl NamedContract {
    /// A contract that is not pending.
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

/// An interaction, as filters and hooks receive it.
#[derive(Clone, Debug, PartialEq)]
pub struct InteractionInfo {
    /// The name of the consumer.
    pub consumer: Text,
    /// The name of the provider.
    pub provider: Text,
    /// The description.
    pub description: Text,
    /// The provider states, in order.
    pub states: Vec<ProviderState>,
    /// The kind, such as `Synchronous/HTTP`.
    pub kind: Text,
    /// The key in the contract.
    pub key: Option<Text>,
    /// The identifier at the broker.
    pub id: Option<Text>,
    /// A fingerprint that is the same in every run, as long as consumer, kind, description and states are the same.
    /// Filters accept it as an id.
    pub fingerprint: Text,
    /// Whether a failure is only reported.
    pub pending: bool,
    /// The consumer test that wrote the interaction.
    pub test_name: Option<Text>,
}

/// The context of a request filter.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The interaction.
    pub interaction: Arc<InteractionInfo>,
    /// The parameters of the states, overridden by the values that state handlers returned.
    pub state_values: Object,
}

impl InteractionInfo {
    pub(crate) fn new(named: &NamedContract, interaction: &Interaction) -> Self {
        let contract = &named.contract;
        Self {
            consumer: contract.consumer.clone(),
            provider: contract.provider.clone(),
            description: interaction.description.clone(),
            states: interaction.states.clone(),
            kind: interaction.kind.type_name().into(),
            key: interaction.key.clone(),
            id: interaction.broker_id.clone(),
            fingerprint: fingerprint(contract, interaction),
            pending: named.pending || interaction.pending,
            test_name: interaction
                .comments
                .get("testname")
                .and_then(Json::as_str)
                .map(Text::from),
        }
    }

    /// Whether the name is one of this interaction's: key, broker id or fingerprint.
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

/// 64 bits of FNV-1a: short enough for an environment variable, and no secret hangs on it.
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
        // The order of parameters does not count in the interaction's identity.
        let mut parameters: Vec<_> = state.parameters.iter().collect();
        parameters.sort_unstable_by_key(|(name, _)| name);
        for (name, value) in parameters {
            add(name);
            add(&value.to_text());
        }
    }
    format!("{hash:016x}").into()
}

/// Whether the kind is named by the word: the file's name for it, or `HTTP`, `Async`, `Sync`.
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
    fn fingerprints_tell_states_apart_and_not_the_order_of_their_parameters() {
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
