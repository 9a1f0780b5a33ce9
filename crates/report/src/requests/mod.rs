//! What a server has to say about the requests it got.

mod shown;
mod text;
mod trouble;

use contract_model::{Interaction, Json, Object, ProviderState};
use serde::Serialize;
use serde::ser::Serializer;

pub use shown::{ShownBody, ShownRequest, serialize_headers};
pub use trouble::Trouble;

use crate::finding::Finding;
use crate::redact;

/// The verdict on all requests so far. As text it is complete, see [`Outcome::to_text`].
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Whether nothing is wrong.
    pub matched: bool,
    /// What is wrong: requests in the order in which they came, then interactions in the order of the list.
    pub mismatches: Vec<ServerMismatch>,
    /// The same for interactions that are pending, which is no failure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<ServerMismatch>,
    /// Failed requests beyond those that are kept in detail.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// How often each interaction was requested, in the order of the list that the server was given.
    pub interactions: Vec<InteractionCount>,
    /// Requests in numbers.
    pub requests: Counts,
    /// What went wrong below HTTP, or could not be generated. Not failures, but often their reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<Trouble>,
}

/// What a mock server has to say against the consumer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ServerMismatch {
    /// A request that is expected, but not like this.
    RequestMismatch {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction that comes closest.
        interaction: InteractionRef,
        /// What differs.
        mismatches: Vec<Finding>,
        /// Differences beyond these, if there are any.
        #[serde(skip_serializing_if = "is_zero")]
        omitted: u64,
        /// As received.
        request: ShownRequest,
        /// How often it came.
        count: u64,
    },
    /// A request that no interaction expects.
    RequestNotFound {
        /// As received.
        method: String,
        /// As received.
        path: String,
        /// As received.
        request: ShownRequest,
        /// The interaction that comes closest, when one is close.
        #[serde(skip_serializing_if = "Option::is_none")]
        closest: Option<Closest>,
        /// Why it could not be compared at all, such as a body beyond the limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// How often it came.
        count: u64,
    },
    /// A request that was refused before it could be compared, such as one with a head beyond the limit.
    RequestRefused {
        /// With which status; absent when there was no answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// A stable name for the reason, such as `head-too-large`.
        code: &'static str,
        /// Why, and what to do.
        reason: String,
        /// How often.
        count: u64,
    },
    /// An interaction that was never requested.
    MissingRequest {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction.
        interaction: InteractionRef,
        /// The expected request.
        request: ShownRequest,
    },
    /// An interaction that was requested too often, or not often enough.
    TimesMismatch {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction.
        interaction: InteractionRef,
        /// How often it may be requested.
        min: u64,
        /// The most; nothing stands for no bound.
        max: Option<u64>,
        /// How often it was.
        actual: u64,
    },
    /// What the mock server of a plugin found wrong.
    PluginMismatch {
        /// The plugin.
        plugin: String,
        /// The protocol.
        transport: String,
        /// What was asked for, in the words of the protocol.
        #[serde(skip_serializing_if = "String::is_empty")]
        path: String,
        /// What went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// What differs.
        mismatches: Vec<Finding>,
    },
}

/// The interaction that a request comes closest to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Closest {
    /// Which.
    pub interaction: InteractionRef,
    /// The expected method.
    pub method: String,
    /// The expected path.
    pub path: String,
    /// What differs.
    pub mismatches: Vec<Finding>,
    /// Differences beyond these, if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Names an interaction of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InteractionRef {
    /// Its place among the interactions of the server.
    pub index: usize,
    /// In words.
    pub description: String,
    /// The provider states that it needs; absent when it needs none.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "states")]
    pub states: Vec<ProviderState>,
    /// Its key, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// How often one interaction was requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InteractionCount {
    /// Requests that matched in full.
    pub matched: u64,
    /// Requests that came closest to it and differed.
    pub mismatched: u64,
}

/// Requests in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Answered by an interaction.
    pub matched: u64,
    /// Expected, but not like this.
    pub mismatched: u64,
    /// Not expected.
    pub not_found: u64,
    /// Pre-flight requests of browsers.
    pub preflights: u64,
}

impl InteractionRef {
    /// The interaction at that place, without its secrets.
    pub fn new(index: usize, interaction: &Interaction) -> Self {
        Self {
            index,
            description: interaction.description.to_string(),
            states: interaction.states.iter().map(redacted).collect(),
            key: interaction.key.as_ref().map(ToString::to_string),
        }
    }
}

fn redacted(state: &ProviderState) -> ProviderState {
    ProviderState {
        name: state.name.clone(),
        parameters: redact::object(&state.parameters),
    }
}

fn states<S: Serializer>(states: &[ProviderState], serializer: S) -> Result<S::Ok, S::Error> {
    let values = states.iter().map(|state| {
        let mut members = Object::new();
        members.insert("name", state.name.clone());
        if !state.parameters.is_empty() {
            members.insert("parameters", state.parameters.clone());
        }
        Json::Object(members)
    });
    serializer.collect_seq(values)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
