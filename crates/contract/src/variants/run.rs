//! Chooses the answer for each run of a test against variants, and records how each run ended.

use std::time::{Duration, Instant};

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::json::parse_json;
use contract_definition::UnreadFields;
use contract_model::Json;
use contract_variants::{Answer, HeaderCase, Search, Settings, Unread, Variant, Variants, nearest_names};
use serde::{Deserialize, Serialize};

use super::settings::VariantSettings;

/// Error code: the test has no variant with the name in `CONTRACT_VARIANT`.
const UNKNOWN: &str = "ERR_CONTRACT_VARIANT_UNKNOWN";
/// Maximum time for all variants of a test together.
const TOTAL: Duration = Duration::from_secs(10);
/// Maximum number of similar names that an error message lists.
const NEAREST: usize = 5;

/// How a callback ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackEnd {
    /// The callback returned without an error.
    Passed,
    /// The callback threw an error.
    Failed,
    /// The callback did not finish before the timeout.
    TimedOut,
}

/// How a run of a test with a variant ended.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantEnd {
    /// How the callback ended.
    pub end: CallbackEnd,
    /// Message of the error that the callback threw. `None` if it threw none.
    pub error: Option<String>,
    /// Whether the callback returned the same value as with the example. `None` if it returned no value with the
    /// example.
    pub same: Option<bool>,
}

impl VariantEnd {
    /// Reads the end of a run from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, parse_json(text)?)
    }
}

/// The response or message that the consumer receives in one run of a test.
#[derive(Clone, Debug, Serialize)]
pub struct ServedAnswer {
    /// Name of the variant, such as `null@$.note`, or `null` for the example. Names of a combination are separated by
    /// ` + `.
    pub name: Option<String>,
    /// Description of the interaction.
    pub interaction: String,
    /// Status code of the response, or `null` for a message.
    pub status: Option<u16>,
    /// Headers of the response by name. Several values are separated by `, `. Empty for a message.
    pub headers: Json,
    /// The body as a JSON value, or as a string if its content type is not JSON.
    pub body: Json,
    /// Timeout for this run in milliseconds. 0 for the example.
    pub timeout: u64,
    /// True if the contract does not allow this answer. It is served to find out whether the consumer reads a field, so
    /// the callback may fail, and `check` is not called.
    pub probe: bool,
}

/// A variant that one test of a suite receives, or the example.
#[derive(Clone, Debug, Serialize)]
pub struct ListedVariant {
    /// Name of the variant, such as `null@$.note`, or `example`. If several interactions have variants, the name ends
    /// with ` in ` and the description of the interaction.
    pub name: String,
    /// Kind of the variant, such as `branch`, or `null` for the example.
    pub kind: Option<&'static str>,
    /// Location of the changed value, such as `$.note`. Empty for the example.
    pub place: String,
    /// Description of the interaction. Empty for the example.
    pub interaction: String,
    /// Why the contract allows the value. Empty for the example.
    pub rule: String,
    /// The value that is served. Empty for the example.
    pub value: String,
}

/// An interaction that has variants.
#[derive(Debug)]
pub(crate) struct VariedPart {
    /// Index of the interaction among the interactions of the test.
    pub(crate) index: usize,
    pub(crate) description: String,
    pub(crate) variants: Variants,
    pub(crate) search: Search,
    /// The search for fields that the consumer does not read. `None` until all variants have passed.
    pub(crate) unread: Option<Unread>,
}

/// The answer for the next run of a test.
#[derive(Debug)]
pub(crate) struct NextRun {
    /// Index of the interaction among the interactions of the test.
    pub(crate) index: usize,
    pub(crate) answer: Answer,
    pub(crate) header_case: Option<HeaderCase>,
    /// The answer in the form for bindings.
    pub(crate) served: ServedAnswer,
}

/// The purpose of a run: to try variants of a part, or to find out which fields of a part the consumer reads.
#[derive(Clone, Copy, Debug)]
enum Current {
    Variants { part: usize },
    UnreadFields { part: usize },
}

/// The state of a test that runs against variants.
#[derive(Debug)]
pub(crate) struct VariantRun {
    pub(crate) parts: Vec<VariedPart>,
    pub(crate) max: usize,
    /// The runs that have ended, without those that search for unread fields.
    pub(crate) records: Vec<Record>,
    current: Option<Current>,
    settings: Settings,
    pub(crate) unread: Option<UnreadFields>,
    timeout: Duration,
    /// Duration of the run with the example. It may be an estimate.
    example: Duration,
    pub(crate) is_late: bool,
    started: Instant,
    total: Duration,
    /// If `CONTRACT_VARIANT` selects a variant, the index of its part and of the variant. Otherwise `None`, which
    /// serves all variants.
    replayed: Option<(usize, usize)>,
}

/// How a run of a part ended.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) part: usize,
    pub(crate) end: RunEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    Passed,
    Threw(String),
    /// The callback passed, but the requests did not match the contract. Contains the text of the mismatches.
    Requests(String),
    TimedOut(Duration),
}

impl RunEnd {
    /// Converts the end that a binding reports, without the mismatches of requests.
    pub(crate) fn without_requests(ended: VariantEnd, timeout: Duration) -> Self {
        match ended.end {
            CallbackEnd::TimedOut => Self::TimedOut(timeout),
            CallbackEnd::Failed => Self::Threw(ended.error.unwrap_or_default()),
            CallbackEnd::Passed => Self::Passed,
        }
    }
}

impl VariantRun {
    /// Creates the variants of these answers. `example` is the duration of the run with the example. `remaining` is the
    /// time left until the timeout of the test, or `None` without a timeout.
    pub(crate) fn new(
        answers: impl IntoIterator<Item = (usize, String, Answer)>,
        settings: &VariantSettings,
        example: Duration,
        remaining: Option<Duration>,
    ) -> Result<Self, ArgumentError> {
        let mut parts = Vec::new();
        let mut own = settings.settings.clone();
        for (index, description, answer) in answers {
            let variants = Variants::new(answer, &own)
                .map_err(|error| ArgumentError::new("ERR_CONTRACT_MATCHER", error.to_string()).in_operation("serve"))?;
            let search = Search::new(&variants, &own);
            own.max -= search.planned();
            parts.push(VariedPart {
                index,
                description,
                variants,
                search,
                unread: None,
            });
        }
        let mut run = Self {
            parts,
            max: settings.settings.max,
            records: Vec::new(),
            current: None,
            settings: settings.settings.clone(),
            // A replay serves nothing else.
            unread: settings.unread.filter(|_| settings.replay.is_none()),
            timeout: Duration::ZERO,
            example,
            is_late: false,
            started: Instant::now(),
            replayed: None,
            // The report must be complete before the timeout of the test.
            total: remaining.map_or(TOTAL, |remaining| TOTAL.min(remaining * 4 / 5)),
        };
        if let Some(name) = &settings.replay {
            run.replay(name)?;
        }
        Ok(run)
    }

    /// Returns the name of a variant. If several interactions have variants, it contains the description of the
    /// interaction.
    pub(crate) fn name(&self, part: &VariedPart, variant: &Variant) -> String {
        if self.parts.len() > 1 {
            format!("{} in {}", variant.name, part.description)
        } else {
            variant.name.clone()
        }
    }

    fn names(&self) -> impl Iterator<Item = (String, usize, usize)> {
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            let list = part.variants.list().iter().enumerate();
            list.map(move |(variant, named)| (self.name(part, named), at, variant))
        })
    }

    /// Returns, for each variant to serve, the index of its part, the index of the variant, and its description. The
    /// maximum number of answers and the time limit do not apply.
    pub(crate) fn listed(&self) -> Vec<(usize, usize, ListedVariant)> {
        let replayed = self.replayed;
        let all = self
            .names()
            .filter(|(_, part, variant)| replayed.is_none_or(|only| only == (*part, *variant)));
        all.filter_map(|(name, at, variant)| {
            let part = self.parts.get(at)?;
            let varied = part.variants.list().get(variant)?;
            let listed = ListedVariant {
                name,
                kind: Some(varied.kind.name()),
                place: varied.place.clone(),
                interaction: part.description.clone(),
                rule: varied.rule.clone(),
                value: varied.value.clone(),
            };
            Some((at, variant, listed))
        })
        .collect()
    }

    fn replay(&mut self, name: &str) -> Result<(), ArgumentError> {
        let found = self.names().find(|(known, ..)| known == name);
        let Some((_, part, variant)) = found else {
            let names: Vec<String> = self.names().map(|(name, ..)| name).collect();
            let nearest = nearest_names(name, names.iter().map(String::as_str), NEAREST);
            let advice = if nearest.is_empty() {
                "This test has no variants.".to_owned()
            } else {
                let quoted: Vec<String> = nearest.iter().map(|name| format!("{name:?}")).collect();
                format!("The nearest names are:\n  {}", quoted.join("\n  "))
            };
            let message = format!("CONTRACT_VARIANT: this test has no variant {name:?}. {advice}");
            return Err(ArgumentError::new(UNKNOWN, message).in_operation("serve"));
        };
        self.replayed = Some((part, variant));
        for (at, other) in self.parts.iter_mut().enumerate() {
            if at == part {
                other.search = Search::replay(&other.variants, variant);
            } else {
                other.search = Search::nothing(&other.variants);
            }
        }
        Ok(())
    }

    /// Records how the current run ended.
    pub(crate) fn record(&mut self, end: RunEnd) {
        if let Some(Current::Variants { part }) = self.current.take() {
            self.parts[part].search.record(end == RunEnd::Passed);
            self.records.push(Record { part, end });
        }
    }

    /// Returns true if the current run searches for fields that the consumer does not read.
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self.current, Some(Current::UnreadFields { .. }))
    }

    /// Records, for a run that searches for unread fields, whether it had the same result and the same requests as the
    /// run with the example.
    pub(crate) fn record_probe(&mut self, ended: &VariantEnd, has_same_requests: bool) -> Result<(), ArgumentError> {
        let Some(Current::UnreadFields { part }) = self.current.take() else {
            return Ok(());
        };
        let is_same = match (ended.end, ended.same) {
            (CallbackEnd::Passed, None) => {
                let message = "variants: \"unread\" requires a callback that returns a value. Return the client's result from the callback";
                return Err(ArgumentError::new(OPTIONS, message).for_argument("variants"));
            }
            (CallbackEnd::Passed, Some(is_same)) => is_same && has_same_requests,
            (CallbackEnd::Failed | CallbackEnd::TimedOut, _) => false,
        };
        if let Some(unread) = &mut self.parts[part].unread {
            unread.record(is_same);
        }
        Ok(())
    }

    /// Returns the answer for the next run, or `None` if no run is left.
    pub(crate) fn next(&mut self) -> Option<NextRun> {
        let left = self.total.saturating_sub(self.started.elapsed());
        // A slow callback must not fail because little time is left.
        let needed = self.example * 2;
        if left <= needed {
            self.stop();
            return None;
        }
        // A callback that never ends must leave time to isolate the variant.
        self.timeout = needed.max(left / 4);
        self.next_variants().or_else(|| self.next_probe())
    }

    fn next_variants(&mut self) -> Option<NextRun> {
        for at in 0..self.parts.len() {
            let Some(changes) = self.parts[at].search.next_run() else {
                continue;
            };
            self.current = Some(Current::Variants { part: at });
            let part = &self.parts[at];
            let answer = part.variants.answer(&changes);
            let names = changes.iter().filter_map(|change| part.variants.list().get(*change));
            let names: Vec<String> = names.map(|variant| self.name(part, variant)).collect();
            let served = served(&answer, &part.description, Some(names.join(" + ")));
            return Some(NextRun {
                index: part.index,
                header_case: part.variants.header_case(&changes),
                served: self.limited(served),
                answer,
            });
        }
        None
    }

    /// Returns the next answer that shows whether the consumer reads some fields. Returns `None` if this is not
    /// requested, or if a variant has failed.
    fn next_probe(&mut self) -> Option<NextRun> {
        self.unread?;
        if self.parts.iter().any(|part| !part.search.findings().is_empty()) {
            return None;
        }
        for at in 0..self.parts.len() {
            let part = &mut self.parts[at];
            let settings = &self.settings;
            let unread = part
                .unread
                .get_or_insert_with(|| Unread::new(part.variants.answer(&[]), settings));
            let Some((answer, places)) = unread.next_run() else {
                continue;
            };
            self.current = Some(Current::UnreadFields { part: at });
            let part = &self.parts[at];
            let names: Vec<String> = places.iter().map(|place| format!("unread@{place}")).collect();
            let mut served = served(&answer, &part.description, Some(names.join(" + ")));
            served.probe = true;
            return Some(NextRun {
                index: part.index,
                header_case: None,
                served: self.limited(served),
                answer,
            });
        }
        None
    }

    fn limited(&self, served: ServedAnswer) -> ServedAnswer {
        ServedAnswer {
            timeout: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX).max(1),
            ..served
        }
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Ends the search for failures and unread fields, because the time limit was reached.
    fn stop(&mut self) {
        for part in &mut self.parts {
            if part.search.next_run().is_some() {
                self.is_late = true;
            }
            part.search.stop();
            if let Some(unread) = &mut part.unread {
                unread.stop();
            }
        }
    }
}

/// Returns an answer in the form for bindings. The caller sets the timeout.
pub(crate) fn served(answer: &Answer, interaction: &str, name: Option<String>) -> ServedAnswer {
    let (status, headers) = match answer {
        Answer::Response(response) => {
            let lines = response
                .headers
                .iter()
                .map(|(name, values)| (name.clone(), values.join(", ")));
            (Some(response.status), Json::Object(lines.collect()))
        }
        Answer::Message(_) => (None, Json::object()),
    };
    let text = answer.body_text();
    let body = if answer.is_json() {
        Json::parse(text.as_bytes()).unwrap_or(Json::Null)
    } else {
        text.into()
    };
    ServedAnswer {
        name,
        interaction: interaction.to_owned(),
        status,
        headers,
        body,
        timeout: 0,
        probe: false,
    }
}
