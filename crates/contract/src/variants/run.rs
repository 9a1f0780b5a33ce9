//! Decides which answer a test receives next, and records how it ended.

use std::time::{Duration, Instant};

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::json::parse_json;
use contract_definition::UnreadFields;
use contract_model::Json;
use contract_variants::{Answer, HeaderCase, Search, Settings, Unread, Variant, Variants, nearest_names};
use serde::{Deserialize, Serialize};

use super::settings::VariantSettings;

/// The test has no variant with the name in `CONTRACT_VARIANT`.
const UNKNOWN: &str = "ERR_CONTRACT_VARIANT_UNKNOWN";
/// Maximum time for all variants of a test.
const TOTAL: Duration = Duration::from_secs(10);
/// Maximum number of similar names in an error message.
const NEAREST: usize = 5;

/// How a callback ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackEnd {
    /// The callback returned a value.
    Passed,
    /// The callback threw an error.
    Failed,
    /// The callback did not finish before the timeout.
    TimedOut,
}

/// How a test ended with a variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantEnd {
    /// How the callback ended.
    pub end: CallbackEnd,
    /// The message of the error that the callback threw, if it threw one.
    pub error: Option<String>,
    /// Whether the callback returned the same value as with the example. Absent if it returned no value with the
    /// example.
    pub same: Option<bool>,
}

impl VariantEnd {
    /// Parses the end from a binding's JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, parse_json(text)?)
    }
}

/// The provider's answer in one run of the test.
#[derive(Clone, Debug, Serialize)]
pub struct ServedAnswer {
    /// The name of the variant; `null` for the example. Names of several variants are separated by ` + `.
    pub name: Option<String>,
    /// The description of the interaction.
    pub interaction: String,
    /// The status of the response; `null` for a message.
    pub status: Option<u16>,
    /// The headers of the response; empty for a message.
    pub headers: Json,
    /// The body as JSON, or as text if it is not JSON.
    pub body: Json,
    /// The timeout of this run in milliseconds.
    pub timeout: u64,
    /// True if the contract does not allow the answer. It shows whether the consumer reads a field. The callback may
    /// fail, and `check` is not called.
    pub probe: bool,
}

/// A variant that a separate test receives.
#[derive(Clone, Debug, Serialize)]
pub struct ListedVariant {
    /// The name, such as `null@$.note`, or `example`.
    pub name: String,
    /// The kind, such as `null`; `null` for the example.
    pub kind: Option<&'static str>,
    /// Location of the value that differs, such as `$.note`; empty for the example.
    pub place: String,
    /// The description of the interaction; empty for the example.
    pub interaction: String,
    /// Why the contract allows the value; empty for the example.
    pub rule: String,
    /// The value to serve; empty for the example.
    pub value: String,
}

/// An interaction whose answer varies.
#[derive(Debug)]
pub(crate) struct VariedPart {
    /// Index among the interactions of the test.
    pub(crate) index: usize,
    pub(crate) description: String,
    pub(crate) variants: Variants,
    pub(crate) search: Search,
    /// The search for fields that are not read, once all variants have passed.
    pub(crate) unread: Option<Unread>,
}

/// The next run of a test.
#[derive(Debug)]
pub(crate) struct NextRun {
    /// Index of the interaction among the interactions of the test.
    pub(crate) index: usize,
    pub(crate) answer: Answer,
    pub(crate) header_case: Option<HeaderCase>,
    /// The description for the binding.
    pub(crate) served: ServedAnswer,
}

/// The purpose of the current run: trying variants of a part, or finding out which of its fields are read.
#[derive(Clone, Copy, Debug)]
enum Current {
    Variants { part: usize },
    UnreadFields { part: usize },
}

/// The runs of a test against variants.
#[derive(Debug)]
pub(crate) struct VariantRun {
    pub(crate) parts: Vec<VariedPart>,
    pub(crate) max: usize,
    /// The runs so far.
    pub(crate) records: Vec<Record>,
    current: Option<Current>,
    settings: Settings,
    pub(crate) unread: Option<UnreadFields>,
    timeout: Duration,
    /// The time of the run with the example, or more.
    example: Duration,
    pub(crate) is_late: bool,
    started: Instant,
    total: Duration,
    /// The part and the index of the only variant to serve, if the environment selects one.
    replayed: Option<(usize, usize)>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) part: usize,
    pub(crate) end: RunEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    Passed,
    Threw(String),
    /// The callback passed, but the requests did not match the contract. Contains the mismatches as text.
    Requests(String),
    TimedOut(Duration),
}

impl RunEnd {
    /// Returns the end of a run whose requests are not checked.
    pub(crate) fn without_requests(ended: VariantEnd, timeout: Duration) -> Self {
        match ended.end {
            CallbackEnd::TimedOut => Self::TimedOut(timeout),
            CallbackEnd::Failed => Self::Threw(ended.error.unwrap_or_default()),
            CallbackEnd::Passed => Self::Passed,
        }
    }
}

impl VariantRun {
    /// Prepares the variants of interactions. `example` is the time of the run with the example, and `remaining` the rest
    /// of the test's timeout.
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

    /// Returns the name of a variant. It includes the interaction's description if there are several.
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

    /// Returns the part, the index, and the description of each variant to serve. The time limit of a single test does
    /// not apply.
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

    /// Records the end of the current run.
    pub(crate) fn record(&mut self, end: RunEnd) {
        if let Some(Current::Variants { part }) = self.current.take() {
            self.parts[part].search.record(end == RunEnd::Passed);
            self.records.push(Record { part, end });
        }
    }

    /// Returns true if the current run shows whether fields are read.
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self.current, Some(Current::UnreadFields { .. }))
    }

    /// Records whether the current run had the same result and the same requests as the run with the example.
    pub(crate) fn record_probe(&mut self, ended: &VariantEnd, has_same_requests: bool) -> Result<(), ArgumentError> {
        let Some(Current::UnreadFields { part }) = self.current.take() else {
            return Ok(());
        };
        let is_same = match (ended.end, ended.same) {
            (CallbackEnd::Passed, None) => {
                let message = "variants: \"unread\" compares the results of the callback, which returned no value. Return what the client produces";
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

    /// Returns the next answer to serve, or `None` if there are no more runs.
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

    /// Returns an answer that shows whether fields are read, if this is requested and all variants have passed.
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

    /// Returns the timeout of the current run.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Ends all searches because the time limit was reached.
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

/// Describes an answer for a binding, without a timeout.
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
