//! The results of a mock server.

mod problem;
mod text;
mod view;

use contract_model::{Interaction, Json, Object, ProviderState};
use serde::Serialize;
use serde::ser::Serializer;

pub use problem::ServerProblem;
pub use view::{BodyView, RequestView, serialize_headers};

use crate::finding::Finding;
use crate::redact;

/// The results of all requests so far; see [`Outcome::to_text`].
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Whether there are no mismatches.
    pub matched: bool,
    /// Mismatches: requests in the order in which they were received, then interactions in the order of the server.
    pub mismatches: Vec<ServerMismatch>,
    /// Mismatches of pending interactions. They are not failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<ServerMismatch>,
    /// Number of failed requests without details.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// Number of requests for each interaction, in the order of the server.
    pub interactions: Vec<InteractionCount>,
    /// Number of requests.
    pub requests: Counts,
    /// Problems below HTTP, and values that could not be generated. They are not failures, but often explain one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<ServerProblem>,
}

/// A mismatch found by a mock server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ServerMismatch {
    /// An expected request that differs.
    RequestMismatch {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The closest interaction.
        interaction: InteractionRef,
        /// The mismatches.
        mismatches: Vec<Finding>,
        /// Number of further mismatches.
        #[serde(skip_serializing_if = "is_zero")]
        omitted: u64,
        /// The request as received.
        request: RequestView,
        /// Number of times it was received.
        count: u64,
    },
    /// An unexpected request.
    RequestNotFound {
        /// The request as received.
        method: String,
        /// The request as received.
        path: String,
        /// The request as received.
        request: RequestView,
        /// The closest interaction, if one is close.
        #[serde(skip_serializing_if = "Option::is_none")]
        closest: Option<Closest>,
        /// Why it could not be compared, for example because its body exceeds the limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Number of times it was received.
        count: u64,
    },
    /// A request that was rejected before it could be compared, for example because its head exceeds the limit.
    RequestRefused {
        /// The status of the response; absent if there was none.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// A stable name for the reason, such as `head-too-large`.
        code: &'static str,
        /// Why, and what to do.
        reason: String,
        /// Number of times.
        count: u64,
    },
    /// A missing request: an interaction that was never requested.
    MissingRequest {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction.
        interaction: InteractionRef,
        /// The expected request.
        request: RequestView,
    },
    /// An interaction that was requested too often, or not often enough.
    TimesMismatch {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction.
        interaction: InteractionRef,
        /// Minimum number of requests.
        min: u64,
        /// Maximum number of requests; absent if unlimited.
        max: Option<u64>,
        /// Number of received requests.
        actual: u64,
    },
    /// A mismatch reported by the mock server of a plugin.
    PluginMismatch {
        /// The plugin.
        plugin: String,
        /// The protocol.
        transport: String,
        /// The request, as the protocol names it.
        #[serde(skip_serializing_if = "String::is_empty")]
        path: String,
        /// What went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The mismatches.
        mismatches: Vec<Finding>,
    },
}

/// The interaction closest to a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Closest {
    /// The interaction.
    pub interaction: InteractionRef,
    /// The expected method.
    pub method: String,
    /// The expected path.
    pub path: String,
    /// The mismatches.
    pub mismatches: Vec<Finding>,
    /// Number of further mismatches.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Identifies an interaction of a mock server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InteractionRef {
    /// Its index among the interactions of the server.
    pub index: usize,
    /// The description.
    pub description: String,
    /// The provider states, if any.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "states")]
    pub states: Vec<ProviderState>,
    /// The key, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Number of requests for one interaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InteractionCount {
    /// Requests that matched.
    pub matched: u64,
    /// Mismatched requests for which this was the closest interaction.
    pub mismatched: u64,
}

/// Number of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Requests that matched an interaction.
    pub matched: u64,
    /// Requests to the path of an interaction that did not match.
    pub mismatched: u64,
    /// Unexpected requests.
    pub not_found: u64,
    /// CORS preflight requests.
    pub preflights: u64,
}

impl InteractionRef {
    /// Identifies the interaction at `index`. Its state parameters are redacted.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
