//! What a server has to say about the requests it got.

use std::sync::atomic::Ordering::Relaxed;

use contract_matching::Mismatch;
use contract_model::{Interaction, Json, Object, ProviderState};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::expectations::{Expectation, Expectations};
use crate::explain::Near;
use crate::journal::{Counts, Failure, Summary};
use crate::options::Times;
use crate::redact;
use crate::shown::ShownRequest;
use crate::trouble::Trouble;

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

/// Something wrong.
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
        mismatches: Vec<Mismatch>,
        /// Differences beyond these.
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
        #[serde(flatten)]
        times: Times,
        /// How often it was.
        actual: u64,
    },
}

/// An interaction that a request comes close to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Closest {
    /// Which.
    pub interaction: InteractionRef,
    /// The expected method.
    pub method: String,
    /// The expected path.
    pub path: String,
    /// What differs.
    pub mismatches: Vec<Mismatch>,
    /// Differences beyond these.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Names an interaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InteractionRef {
    /// Its place in the list that the server was given.
    pub index: usize,
    /// In words.
    pub description: String,
    /// The provider states it needs.
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

impl InteractionRef {
    pub(crate) fn new(index: usize, interaction: &Interaction) -> Self {
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

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("min", &self.min)?;
        map.serialize_entry("max", &self.max)?;
        map.end()
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

impl Outcome {
    pub(crate) fn new(expectations: &Expectations, summary: Summary) -> Self {
        let mut outcome = Self {
            matched: false,
            mismatches: Vec::new(),
            pending: Vec::new(),
            omitted: summary.omitted,
            interactions: vec![InteractionCount::default(); expectations.given],
            requests: summary.counts,
            troubles: summary.troubles,
        };
        for (failure, count) in &summary.failures {
            outcome.add_failure(expectations, failure, *count);
        }
        for expectation in &expectations.list {
            let count = expectation.counted();
            outcome.interactions[expectation.listed] = count;
            if let Some(mismatch) = expectation.unmet(count) {
                outcome.add(mismatch, expectation.is_pending());
            }
        }
        outcome.matched = outcome.mismatches.is_empty() && outcome.omitted == 0;
        outcome
    }

    fn add(&mut self, mismatch: ServerMismatch, is_pending: bool) {
        if is_pending {
            self.pending.push(mismatch);
        } else {
            self.mismatches.push(mismatch);
        }
    }

    fn add_failure(&mut self, expectations: &Expectations, failure: &Failure, count: u64) {
        let request = failure.request.clone();
        let closest = failure.explanation.closest.as_ref();
        let closest = closest.map(|near| (near, &expectations.list[near.at]));
        match closest {
            Some((near, expectation)) if failure.explanation.on_target => {
                let expected = &expectation.http().request;
                let mismatch = ServerMismatch::RequestMismatch {
                    method: expected.method.to_string(),
                    path: expected.path.to_string(),
                    interaction: expectation.reference(),
                    mismatches: near.mismatches.clone(),
                    omitted: near.omitted as u64,
                    request,
                    count,
                };
                self.add(mismatch, failure.is_pending);
            }
            _ => self.mismatches.push(ServerMismatch::RequestNotFound {
                method: request.method.to_string(),
                path: request.path.to_string(),
                request,
                closest: closest.map(|(near, expectation)| Closest::new(near, expectation)),
                reason: failure.reason.clone(),
                count,
            }),
        }
    }
}

impl Closest {
    fn new(near: &Near, expectation: &Expectation) -> Self {
        let expected = &expectation.http().request;
        Self {
            interaction: expectation.reference(),
            method: expected.method.to_string(),
            path: expected.path.to_string(),
            mismatches: near.mismatches.clone(),
            omitted: near.omitted as u64,
        }
    }
}

impl Expectation {
    pub(crate) fn reference(&self) -> InteractionRef {
        InteractionRef::new(self.listed, &self.served.interaction)
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.served.interaction.pending
    }

    fn counted(&self) -> InteractionCount {
        InteractionCount {
            matched: self.matched.load(Relaxed),
            mismatched: self.mismatched.load(Relaxed),
        }
    }

    /// What is wrong with how often it was requested. One that was tried and failed is reported for that alone.
    fn unmet(&self, count: InteractionCount) -> Option<ServerMismatch> {
        let times = self.served.bounds();
        let expected = &self.http().request;
        let too_few = count.matched < times.min && count.mismatched == 0;
        let too_many = times.max.is_some_and(|max| count.matched > max);
        let (method, path, interaction) = (expected.method.to_string(), expected.path.to_string(), self.reference());
        if too_many || (too_few && count.matched > 0) {
            return Some(ServerMismatch::TimesMismatch {
                method,
                path,
                interaction,
                times,
                actual: count.matched,
            });
        }
        too_few.then(|| ServerMismatch::MissingRequest {
            method,
            path,
            interaction,
            request: ShownRequest::expected(expected),
        })
    }
}
