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

/// The results of all requests that a mock server has received so far; see [`Outcome::to_text`].
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// True if there are no mismatches.
    pub matched: bool,
    /// Mismatches of requests, in the order in which the requests were received. They are followed by the interactions
    /// that were not requested the expected number of times, in the order in which the server lists them.
    pub mismatches: Vec<ServerMismatch>,
    /// Mismatches of pending interactions, which do not count as failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<ServerMismatch>,
    /// Number of failed requests that are not listed in `mismatches`.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// Number of requests for each interaction, in the order in which the server lists them.
    pub interactions: Vec<InteractionCount>,
    pub requests: Counts,
    /// Problems with connections, and values that could not be generated. They are not failures, but often explain
    /// missing requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<ServerProblem>,
}

/// A mismatch found by a mock server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ServerMismatch {
    /// A request that has the method and path of an interaction, but does not match it.
    RequestMismatch {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction that the request does not match.
        interaction: InteractionRef,
        /// Mismatches between the interaction and the request.
        mismatches: Vec<Finding>,
        /// Number of mismatches that are not listed in `mismatches`.
        #[serde(skip_serializing_if = "is_zero")]
        omitted: u64,
        /// The received request.
        request: RequestView,
        /// Number of times that this request was received.
        count: u64,
    },
    /// A request that no interaction expects.
    RequestNotFound {
        /// The received method.
        method: String,
        /// The received path.
        path: String,
        /// The received request.
        request: RequestView,
        /// The closest interaction. Missing if no interaction is similar to the request.
        #[serde(skip_serializing_if = "Option::is_none")]
        closest: Option<Closest>,
        /// Reason why the request could not be compared, for example because its body exceeds the limit. Missing if it
        /// was compared.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Number of times that this request was received.
        count: u64,
    },
    /// A request that was rejected before it could be compared, for example because its head exceeds the limit.
    RequestRefused {
        /// Status of the response, such as 431. Missing if no response was sent.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// Stable name of the reason, such as `head-too-large`.
        code: &'static str,
        /// The reason in one or two sentences, with advice.
        reason: String,
        /// Number of times that such a request was rejected.
        count: u64,
    },
    /// An interaction that was never requested.
    MissingRequest {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction that was not requested.
        interaction: InteractionRef,
        /// The expected request.
        request: RequestView,
    },
    /// An interaction that was requested too often or not often enough.
    TimesMismatch {
        /// The expected method.
        method: String,
        /// The expected path.
        path: String,
        /// The interaction that was requested the wrong number of times.
        interaction: InteractionRef,
        /// Minimum number of requests.
        min: u64,
        /// Maximum number of requests. Missing if the number is unlimited.
        max: Option<u64>,
        /// Number of requests that were received.
        actual: u64,
    },
    /// A mismatch that the mock server of a plugin found.
    PluginMismatch {
        /// Name of the plugin.
        plugin: String,
        /// Name of the plugin's transport, such as `grpc`.
        transport: String,
        /// Name that the plugin uses for the request, such as the path of a gRPC method.
        #[serde(skip_serializing_if = "String::is_empty")]
        path: String,
        /// Error message of the plugin. Missing if the plugin reported only mismatches.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Mismatches that the plugin found.
        mismatches: Vec<Finding>,
    },
}

/// The interaction that is most similar to an unexpected request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Closest {
    /// Description and provider states of the interaction.
    pub interaction: InteractionRef,
    /// The expected method.
    pub method: String,
    /// The expected path.
    pub path: String,
    /// Mismatches between the interaction and the request.
    pub mismatches: Vec<Finding>,
    /// Number of mismatches that are not listed in `mismatches`.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Identifies an interaction of a mock server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InteractionRef {
    /// Index of the interaction in the list of those that the server serves. Starts at 0.
    pub index: usize,
    /// Description of the interaction.
    pub description: String,
    /// Provider states of the interaction. Missing if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "states")]
    pub states: Vec<ProviderState>,
    /// Key of the interaction in the contract. Missing if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Number of requests for one interaction, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InteractionCount {
    /// Number of requests that matched.
    pub matched: u64,
    /// Number of requests that did not match and that were closest to this interaction.
    pub mismatched: u64,
}

/// Number of requests, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub matched: u64,
    /// Number of requests that had the method and path of an interaction, but did not match it.
    pub mismatched: u64,
    /// Number of requests that no interaction expects.
    pub not_found: u64,
    /// Number of CORS preflight requests, which the server answers itself.
    pub preflights: u64,
}

impl InteractionRef {
    /// Creates a reference to the interaction at `index`. Redacts secrets in the parameters of its provider states.
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
