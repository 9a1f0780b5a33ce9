//! Records the received requests in order.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use base64::Engine;
use bytes::Bytes;
use contract_matching::{ActualBody, ActualRequest, Location, Mismatch, MismatchKind, RequestPlan};
use contract_model::{Headers, Query, Text};
use contract_report::{Counts, Finding, RequestView, ServerProblem, redact};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::explain::Explanation;
use crate::options::Limits;

/// Maximum number of failed requests to store with all details.
const FAILURES: usize = 200;
/// Maximum number of mismatches to store for each failed request after the first [`FAILURES`].
const SHORT: usize = 3;
/// Number of recent failures to compare with a new failure. If one of them is identical, as for a retry, its count is
/// increased instead of storing the new one.
const LOOK_BACK: usize = 16;
/// Maximum number of matched requests to store with their body.
const MATCHED_BODIES: usize = 256;
/// Maximum total size of the stored bodies in bytes, separately for matched and for failed requests.
const BODY_BYTES: usize = 16 << 20;
/// Maximum number of different server problems to store.
const TROUBLES: usize = 20;

/// A received request as stored in the journal. Secrets are not redacted.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Received {
    /// Number of the request, counted from 0. Requests that are no longer stored are included in the count.
    pub number: u64,
    /// Time at which the request was recorded, after its body was received. Serialized as milliseconds since 1970.
    #[serde(serialize_with = "milliseconds")]
    pub at: SystemTime,
    #[serde(serialize_with = "text")]
    pub method: Text,
    /// Path as received, without the query string.
    #[serde(serialize_with = "text")]
    pub path: Text,
    /// The decoded query. Serialized as a query string.
    #[serde(serialize_with = "query")]
    pub query: Query,
    /// The headers. Each value of a comma-separated list is a separate item.
    #[serde(serialize_with = "contract_report::serialize_headers")]
    pub headers: Headers,
    /// The first [`Limits::journal_body`] bytes of the body. Empty if the body was discarded: only the most recent
    /// bodies are stored. Serialized as text, or as base64 with the `bodyEncoding` member.
    #[serde(flatten, serialize_with = "body")]
    pub body: Bytes,
    /// Size of the complete body in bytes.
    pub body_length: u64,
    pub outcome: RequestOutcome,
    /// JSON pointers to the fields of a matched request's body that the contract does not define. Empty if the body is
    /// not stored completely, if a plugin compares it, or in strict mode, in which such fields are mismatches.
    pub unexpected_fields: Vec<String>,
}

/// The result of a request. Interactions are identified by their index in the list passed to the server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RequestOutcome {
    Matched {
        interaction: usize,
    },
    /// An interaction has the method and path of the request, but other parts of the request do not match it.
    Mismatched {
        closest: usize,
        /// Mismatches with the closest interaction. Secrets are redacted, and long values are truncated.
        mismatches: Vec<Finding>,
    },
    /// No interaction has the method and path of the request, or the request could not be read.
    NotFound {
        /// Index of the interaction with the most similar method and path, or `None` if no interaction is similar.
        #[serde(skip_serializing_if = "Option::is_none")]
        closest: Option<usize>,
        /// Reason why the request could not be read, for example because its body exceeds the limit. `None` if it was
        /// read.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A CORS preflight request. It does not affect the outcome.
    Preflight,
}

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) request: RequestView,
    pub(crate) explanation: Explanation,
    pub(crate) reason: Option<String>,
    /// True if the closest interaction is pending. In this case, the request does not fail the test.
    pub(crate) is_pending: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) failures: Vec<(Arc<Failure>, u64)>,
    pub(crate) omitted: u64,
    pub(crate) counts: Counts,
    /// Server problems, each with its number of occurrences.
    pub(crate) troubles: Vec<(ServerProblem, u64)>,
}

#[derive(Debug)]
pub(crate) struct Journal {
    state: Mutex<State>,
    entries: usize,
    body: usize,
}

pub(crate) enum Event {
    Matched { target: String, expectation: usize },
    Failed(Arc<Failure>),
    Preflight { target: String },
    ServerProblem(ServerProblem),
}

#[derive(Debug, Default)]
struct State {
    entries: VecDeque<Entry>,
    /// Number of the oldest stored entry.
    first: u64,
    matched: Kept,
    failed: Kept,
    summary: Summary,
    /// Times at which the server problems first occurred, in the order of [`Summary::troubles`].
    troubled: Vec<SystemTime>,
}

/// A stored request. It is small, because adding an entry and removing the oldest one access memory that is not in the
/// processor's caches.
#[derive(Debug)]
struct Entry {
    at: SystemTime,
    method: Text,
    path: Text,
    /// `None` if the request has no query.
    query: Option<Box<Query>>,
    /// Consecutive requests with the same headers share them.
    headers: Arc<Headers>,
    /// `None` if the request has no body.
    body: Option<Box<StoredBody>>,
    ending: Ending,
}

#[derive(Debug)]
struct StoredBody {
    /// The first bytes of the body. Empty if they were discarded.
    bytes: Bytes,
    /// Size of the complete body in bytes.
    length: u64,
}

#[derive(Debug)]
enum Ending {
    Matched { expectation: usize },
    Failed(Arc<Failure>),
    Preflight,
}

#[derive(Debug, Default)]
struct Kept {
    /// Numbers of the entries whose bodies are stored, oldest first, each with the size of the body in bytes.
    bodies: VecDeque<(u64, usize)>,
    bytes: usize,
}

impl Journal {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            state: Mutex::default(),
            entries: limits.journal,
            body: limits.journal_body,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn matched(&self, request: ActualRequest, expectation: usize) {
        let entry = self.entry(request, Ending::Matched { expectation });
        let mut state = self.state();
        state.summary.counts.matched += 1;
        state.push(entry, self.entries);
    }

    pub(crate) fn preflight(&self, request: ActualRequest) {
        let entry = self.entry(request, Ending::Preflight);
        let mut state = self.state();
        state.summary.counts.preflights += 1;
        state.push(entry, self.entries);
    }

    pub(crate) fn failed(&self, request: ActualRequest, failure: Failure) {
        let entry = |failure| self.entry(request, Ending::Failed(failure));
        let mut state = self.state();
        if failure.explanation.on_target {
            state.summary.counts.mismatched += 1;
        } else {
            state.summary.counts.not_found += 1;
        }
        let failure = state.summary.add(failure);
        state.push(entry(failure), self.entries);
    }

    pub(crate) fn trouble(&self, trouble: ServerProblem) {
        tracing::warn!(target: "contract::mock_server", "{trouble}");
        let mut state = self.state();
        let summary = &mut state.summary;
        if let Some((_, count)) = summary.troubles.iter_mut().find(|(known, _)| *known == trouble) {
            *count += 1;
        } else if summary.troubles.len() < TROUBLES {
            summary.troubles.push((trouble, 1));
            state.troubled.push(SystemTime::now());
        } else {
            summary.omitted += u64::from(trouble.rejection_status().is_some());
        }
    }

    /// Returns at most `most` requests, the most recent ones, and all server problems. The number counts the earlier
    /// requests, which are omitted.
    pub(crate) fn events(&self, most: usize) -> (Vec<(SystemTime, Event)>, u64) {
        let state = self.state();
        let skipped = state.entries.len().saturating_sub(most);
        let requests = state
            .entries
            .iter()
            .skip(skipped)
            .map(|entry| (entry.at, entry.event()));
        let troubles = state.troubled.iter().zip(&state.summary.troubles);
        let troubles = troubles.map(|(at, (trouble, _))| (*at, Event::ServerProblem(trouble.clone())));
        (requests.chain(troubles).collect(), state.first + skipped as u64)
    }

    pub(crate) fn summary(&self) -> Summary {
        self.state().summary.clone()
    }

    pub(crate) fn counts(&self) -> Counts {
        self.state().summary.counts
    }

    /// Returns the method and path of the most recent request, such as `GET /users`, and its time. Returns `None` if
    /// the journal contains no requests.
    pub(crate) fn last(&self) -> Option<(String, SystemTime)> {
        let state = self.state();
        let last = state.entries.back()?;
        Some((format!("{} {}", last.method, last.path), last.at))
    }

    /// Returns the stored requests. `listed` converts the index of an expectation to an index in the list passed to the
    /// server.
    pub(crate) fn received(&self, listed: impl Fn(usize) -> usize) -> Vec<Received> {
        let state = self.state();
        let numbered = (state.first..).zip(&state.entries);
        numbered
            .map(|(number, entry)| Received {
                number,
                at: entry.at,
                method: entry.method.clone(),
                path: entry.path.clone(),
                query: entry.query.as_deref().cloned().unwrap_or_default(),
                headers: Headers::clone(&entry.headers),
                body: entry.body.as_ref().map(|body| body.bytes.clone()).unwrap_or_default(),
                body_length: entry.body.as_ref().map_or(0, |body| body.length),
                outcome: entry.ending.outcome(&listed),
                unexpected_fields: Vec::new(),
            })
            .collect()
    }

    fn entry(&self, request: ActualRequest, ending: Ending) -> Entry {
        let body = request.body.bytes();
        let body = (!body.is_empty()).then(|| {
            Box::new(StoredBody {
                // Copy the bytes, because the received bytes share memory with the buffer of the connection.
                bytes: Bytes::copy_from_slice(body.get(..self.body).unwrap_or(body)),
                length: body.len() as u64,
            })
        });
        Entry {
            at: SystemTime::now(),
            method: request.method,
            path: request.path,
            query: request.query.raw().is_some().then(|| Box::new(request.query)),
            headers: request.headers,
            body,
            ending,
        }
    }
}

impl State {
    fn push(&mut self, mut entry: Entry, most: usize) {
        if most == 0 {
            self.first += 1;
            return;
        }
        // Other connections of the same client usually send the same headers.
        if let Some(last) = self.entries.back()
            && !Arc::ptr_eq(&last.headers, &entry.headers)
            && last.headers.is_identical(&entry.headers)
        {
            entry.headers = Arc::clone(&last.headers);
        }
        while self.entries.len() >= most {
            self.entries.pop_front();
            self.first += 1;
        }
        let number = self.first + self.entries.len() as u64;
        let length = entry.body.as_ref().map_or(0, |body| body.bytes.len());
        let is_failed = matches!(entry.ending, Ending::Failed(_));
        self.entries.push_back(entry);
        if length > 0 {
            self.keep_body(number, length, is_failed);
        }
    }

    /// Counts the stored body of an entry. If this exceeds a limit, discards the oldest bodies.
    fn keep_body(&mut self, number: u64, length: usize, is_failed: bool) {
        let (kept, most) = if is_failed {
            (&mut self.failed, usize::MAX)
        } else {
            (&mut self.matched, MATCHED_BODIES)
        };
        kept.bodies.push_back((number, length));
        kept.bytes += length;
        while kept.bodies.len() > 1 && (kept.bodies.len() > most || kept.bytes > BODY_BYTES) {
            let Some((oldest, length)) = kept.bodies.pop_front() else {
                return;
            };
            kept.bytes -= length;
            // The entry may already have been removed.
            let place = oldest.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
            let entry = place.and_then(|at| self.entries.get_mut(at));
            if let Some(body) = entry.and_then(|entry| entry.body.as_mut()) {
                body.bytes = Bytes::new();
            }
        }
    }
}

impl Entry {
    fn event(&self) -> Event {
        let target = || {
            let query = match self.query.as_deref().filter(|query| !query.is_empty()) {
                Some(query) => format!("?{}", redact::query(query)),
                None => String::new(),
            };
            format!("{} {}{query}", self.method, self.path)
        };
        match &self.ending {
            Ending::Matched { expectation } => Event::Matched {
                target: target(),
                expectation: *expectation,
            },
            Ending::Failed(failure) => Event::Failed(Arc::clone(failure)),
            Ending::Preflight => Event::Preflight { target: target() },
        }
    }
}

impl Summary {
    /// Counts a failure. Stores it with all details, unless it repeats a recent failure or [`FAILURES`] is reached.
    fn add(&mut self, mut failure: Failure) -> Arc<Failure> {
        let latest = self.failures.iter_mut().rev().take(LOOK_BACK);
        if let Some((same, count)) = latest.into_iter().find(|(kept, _)| kept.is_same_as(&failure)) {
            *count += 1;
            return Arc::clone(same);
        }
        if self.failures.len() >= FAILURES {
            self.omitted += u64::from(!failure.is_pending);
            failure.shorten();
            return Arc::new(failure);
        }
        let failure = Arc::new(failure);
        self.failures.push((Arc::clone(&failure), 1));
        failure
    }
}

impl Failure {
    /// Removes the request body, and all but the first [`SHORT`] mismatches.
    fn shorten(&mut self) {
        self.request.body = None;
        if let Some(near) = &mut self.explanation.closest {
            near.omitted += near.mismatches.len().saturating_sub(SHORT);
            near.mismatches.truncate(SHORT);
        }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        let closest = |failure: &Self| failure.explanation.closest.as_ref().map(|near| near.at);
        closest(self) == closest(other)
            && self.reason == other.reason
            && self.request == other.request
            && self.explanation.mismatches() == other.explanation.mismatches()
    }
}

impl Explanation {
    pub(crate) fn mismatches(&self) -> &[Finding] {
        self.closest.as_ref().map_or(&[], |near| &near.mismatches)
    }
}

impl Ending {
    fn outcome(&self, listed: &impl Fn(usize) -> usize) -> RequestOutcome {
        match self {
            Self::Matched { expectation } => RequestOutcome::Matched {
                interaction: listed(*expectation),
            },
            Self::Preflight => RequestOutcome::Preflight,
            Self::Failed(failure) => match &failure.explanation.closest {
                Some(near) if failure.explanation.on_target => RequestOutcome::Mismatched {
                    closest: listed(near.at),
                    mismatches: near.mismatches.clone(),
                },
                near => RequestOutcome::NotFound {
                    closest: near.as_ref().map(|near| listed(near.at)),
                    reason: failure.reason.clone(),
                },
            },
        }
    }
}

impl Received {
    /// Sets `unexpected_fields` by comparing the stored body with `strict`, a plan that reports these fields as
    /// mismatches.
    pub(crate) fn find_unexpected_fields(&mut self, strict: &RequestPlan) {
        if self.body.is_empty() || self.body.len() as u64 != self.body_length {
            return;
        }
        let request = ActualRequest {
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            headers: Arc::new(self.headers.clone()),
            body: ActualBody::new(self.body.clone(), self.headers.content_type()),
        };
        self.unexpected_fields = strict.compare(&request).iter().flat_map(unexpected).collect();
    }
}

fn milliseconds<S: Serializer>(at: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    serializer.serialize_u64(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn text<S: Serializer>(text: &Text, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

fn query<S: Serializer>(query: &Query, serializer: S) -> Result<S::Ok, S::Error> {
    match query.raw() {
        Some(raw) => serializer.serialize_str(raw),
        None => serializer.serialize_str(&query.to_text()),
    }
}

fn body<S: Serializer>(body: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    if let Ok(text) = std::str::from_utf8(body) {
        map.serialize_entry("body", text)?;
    } else {
        map.serialize_entry("body", &base64::prelude::BASE64_STANDARD.encode(body))?;
        map.serialize_entry("bodyEncoding", "base64")?;
    }
    map.end()
}

fn unexpected(mismatch: &Mismatch) -> Vec<String> {
    let (Location::Body(_), Some(at)) = (&mismatch.at, mismatch.at.pointer()) else {
        return Vec::new();
    };
    match &mismatch.kind {
        MismatchKind::Keys { unexpected, .. } => unexpected
            .iter()
            .map(|key| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")))
            .collect(),
        MismatchKind::Unexpected => vec![at],
        MismatchKind::UnexpectedChild { name } => vec![format!("{at}/{name}")],
        MismatchKind::UnexpectedAttribute { name } => vec![format!("{at}/@{name}")],
        _ => Vec::new(),
    }
}
