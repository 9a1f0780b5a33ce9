//! A report read back from its JSON, as reporters take it: one form for those who run a verification and for those who only
//! have what it wrote.

use std::borrow::Cow;

use contract_model::Json;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NotKnown;

use super::failures::{self, PARTS};
use super::{FORMAT_VERSION, Status, Summary};
use crate::ErrorCode;
use crate::escape::{LONGEST_LINE, cut};

/// Why a text is no report of a verification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadReportError {
    /// It is not JSON.
    #[error("the report is not JSON: {0}")]
    Json(contract_model::JsonError),
    /// It was written by a later version.
    #[error(
        "the report has the format version {0}, and versions up to {FORMAT_VERSION} can be read; update this package"
    )]
    Version(u64),
    /// Something is missing, or of another kind.
    #[error("this is no report of a verification: {at} is not {wanted}")]
    Member {
        /// A JSON pointer.
        at: String,
        /// What should be there.
        wanted: &'static str,
    },
}

pub(super) type Read<T> = Result<T, ReadReportError>;

pub(super) struct Document<'a> {
    pub(super) provider: &'a str,
    pub(super) success: bool,
    pub(super) summary: Summary,
    pub(super) warnings: Vec<&'a str>,
    pub(super) contracts: Vec<Contract<'a>>,
}

pub(super) struct Contract<'a> {
    pub(super) consumer: &'a str,
    pub(super) provider: &'a str,
    pub(super) source: &'a str,
    pub(super) pending: bool,
    pub(super) interactions: Vec<Interaction<'a>>,
}

pub(super) struct Interaction<'a> {
    pub(super) description: &'a str,
    pub(super) states: Vec<State<'a>>,
    pub(super) kind: &'a str,
    pub(super) pending: bool,
    pub(super) test_name: Option<&'a str>,
    pub(super) comments: Vec<Cow<'a, str>>,
    pub(super) status: Status,
    pub(super) duration_ms: f64,
    pub(super) checks: Vec<Check<'a>>,
    pub(super) request: Option<Exchanged<'a>>,
    pub(super) response: Option<Exchanged<'a>>,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) run_again: String,
}

pub(super) struct State<'a> {
    pub(super) name: &'a str,
    /// JSON text; none without parameters.
    pub(super) parameters: Option<String>,
}

/// One thing that the contract asks of the answer.
pub(super) struct Check<'a> {
    pub(super) what: Cow<'a, str>,
    pub(super) is_ok: bool,
}

/// A request or an answer.
pub(super) struct Exchanged<'a> {
    /// Method and URL, or the status; empty for a message.
    pub(super) first_line: String,
    /// Headers or metadata.
    pub(super) headers: Vec<(&'a str, String)>,
    pub(super) body: Option<Body<'a>>,
}

pub(super) struct Body<'a> {
    pub(super) content: &'a str,
    pub(super) is_text: bool,
    pub(super) size: u64,
    pub(super) truncated: bool,
}

/// One part that failed.
pub(super) struct Part<'a> {
    pub(super) title: &'static str,
    /// Code and message; there are no mismatches then.
    pub(super) error: Option<(&'a str, &'a str)>,
    pub(super) mismatches: Vec<Mismatch<'a>>,
    pub(super) diff: Option<&'a str>,
}

pub(super) struct Mismatch<'a> {
    of: &'a str,
    key: &'a str,
    /// Where, unless the text names it.
    pub(super) place: Option<Cow<'a, str>>,
    /// The difference in one line.
    pub(super) text: Cow<'a, str>,
    pub(super) explanation: Option<&'a str>,
}

impl<'a> Document<'a> {
    pub(super) fn read(json: &'a Json) -> Read<Self> {
        let version = number(json, "formatVersion")?;
        if version > u64::from(FORMAT_VERSION) {
            return Err(ReadReportError::Version(version));
        }
        let command = json.get("command").and_then(Json::as_str);
        let summary = json.get("summary").ok_or_else(|| missing("summary", "an object"))?;
        Ok(Self {
            provider: text(json, "provider")?,
            success: flag(json, "success")?,
            summary: read_summary(summary).map_err(|error| error.within("/summary"))?,
            warnings: each(json, "warnings", |warning| {
                warning.as_str().ok_or_else(|| missing("", "text"))
            })?,
            contracts: each(json, "contracts", |contract| Contract::read(contract, command))?,
        })
    }

    /// All interactions of that status, each with its contract.
    pub(super) fn of_status(&self, status: Status) -> impl Iterator<Item = (&Contract<'a>, &Interaction<'a>)> {
        self.contracts
            .iter()
            .flat_map(|contract| {
                contract
                    .interactions
                    .iter()
                    .map(move |interaction| (contract, interaction))
            })
            .filter(move |(_, interaction)| interaction.status == status)
    }

    /// What became of it, in one line.
    pub(super) fn verdict(&self) -> String {
        let summary = &self.summary;
        if summary.failed > 0 {
            let all = super::interactions(summary.total);
            return format!("The verification failed: {} of {all} failed", summary.failed);
        }
        super::text::verdict(summary)
    }

    /// Each count that is not zero with its word; passed in any case.
    pub(super) fn counts(&self) -> Vec<(usize, &'static str)> {
        let summary = &self.summary;
        let others = [
            (summary.failed, "failed"),
            (summary.pending, "pending"),
            (summary.skipped, "skipped"),
            (summary.filtered, "filtered out"),
        ];
        std::iter::once((summary.passed, "passed"))
            .chain(others.into_iter().filter(|(count, _)| *count > 0))
            .collect()
    }
}

impl<'a> Contract<'a> {
    fn read(json: &'a Json, command: Option<&str>) -> Read<Self> {
        Ok(Self {
            consumer: text(json, "consumer")?,
            provider: text(json, "provider")?,
            source: text(json, "source")?,
            pending: flag(json, "pending")?,
            interactions: each(json, "interactions", |one| Interaction::read(one, command))?,
        })
    }
}

impl<'a> Interaction<'a> {
    fn read(json: &'a Json, command: Option<&str>) -> Read<Self> {
        let description = text(json, "description")?;
        let states = each(json, "states", State::read)?;
        let mismatches = each(json, "mismatches", Mismatch::read)?;
        let run_again = failures::run_again(description, states.first().map(|state| state.name), command);
        let checks = if json.get("error").is_none() {
            json.get("expected")
                .map_or_else(Vec::new, |expected| checks(expected, &mismatches))
        } else {
            Vec::new()
        };
        Ok(Self {
            description,
            states,
            kind: text(json, "kind")?,
            pending: flag(json, "pending")?,
            test_name: json.get("testName").and_then(Json::as_str),
            comments: comments(json),
            status: status(json)?,
            duration_ms: decimal(json, "durationMs")?,
            checks,
            request: json.get("request").map(Exchanged::request),
            response: json.get("response").map(Exchanged::response),
            parts: parts(json, mismatches)?,
            run_again,
        })
    }

    /// `order 7 exists and the user is logged in`; empty without states.
    pub(super) fn given(&self) -> String {
        let names: Vec<_> = self.states.iter().map(|state| state.name).collect();
        names.join(" and ")
    }

    /// What failed, as lines of plain text.
    pub(super) fn explained(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            let mut line = |text: &str, indent: &str| {
                for text in text.lines() {
                    out.push_str(indent);
                    out.push_str(text);
                    out.push('\n');
                }
            };
            line(part.title, "");
            if let Some((_, message)) = part.error {
                line(message, "  ");
            }
            for mismatch in part.mismatches.iter().take(super::text::LISTED) {
                match &mismatch.place {
                    Some(place) => line(&format!("{place} -> {}", mismatch.text), "  "),
                    None => line(&mismatch.text, "  "),
                }
                line(mismatch.explanation.unwrap_or_default(), "    ");
            }
            if let Some(more) = part.not_listed() {
                line(&format!("… and {more} more"), "  ");
            }
            if let Some(diff) = part.diff {
                line("-expected +actual", "  ");
                line(diff, "  ");
            }
        }
        out
    }
}

impl Part<'_> {
    /// How many mismatches are too many to list.
    pub(super) fn not_listed(&self) -> Option<usize> {
        self.mismatches
            .len()
            .checked_sub(super::text::LISTED)
            .filter(|more| *more > 0)
    }
}

impl<'a> State<'a> {
    fn read(json: &'a Json) -> Read<Self> {
        let parameters = json.get("parameters").and_then(Json::as_object);
        Ok(Self {
            name: text(json, "name")?,
            parameters: parameters
                .filter(|parameters| !parameters.is_empty())
                .map(|parameters| Json::from(parameters.clone()).to_text()),
        })
    }
}

impl<'a> Exchanged<'a> {
    fn request(json: &'a Json) -> Self {
        let part = |name| json.get(name).and_then(Json::as_str).unwrap_or_default();
        Self::read(json, format!("{} {}", part("method"), part("url")))
    }

    fn response(json: &'a Json) -> Self {
        let status = json.get("status").map(|status| format!("Status {status}"));
        Self::read(json, status.unwrap_or_default())
    }

    fn read(json: &'a Json, first_line: String) -> Self {
        let metadata = json.get("metadata").and_then(Json::as_object).into_iter();
        let metadata = metadata
            .flatten()
            .map(|(name, value)| (name.as_str(), value.text_form().into_owned()));
        Self {
            first_line,
            headers: named_values(json).chain(metadata).collect(),
            body: json.get("body").map(|body| Body {
                content: body.get("content").and_then(Json::as_str).unwrap_or_default(),
                is_text: body.get("encoding").and_then(Json::as_str) != Some("base64"),
                size: body.get("size").and_then(Json::as_u64).unwrap_or_default(),
                truncated: body.get("truncated").and_then(Json::as_bool).unwrap_or_default(),
            }),
        }
    }

    /// Whether there is more to show than the first line.
    pub(super) fn has_details(&self) -> bool {
        !self.headers.is_empty() || self.body.is_some()
    }
}

impl<'a> Mismatch<'a> {
    fn read(json: &'a Json) -> Read<Self> {
        let optional = |name| json.get(name).and_then(Json::as_str);
        let explanation = optional("explanation").map(str::trim_end);
        let (of, key) = (text(json, "type")?, optional("key").unwrap_or_default());
        let sentence = text(json, "mismatch")?;
        let part = match of {
            "HeaderMismatch" => "header",
            "MetadataMismatch" => "metadata",
            _ => "",
        };
        let place = match optional("path") {
            Some(path) if part.is_empty() => Some(path.into()),
            Some(path) => Some(format!("{part} {key} at {path}").into()),
            None if part.is_empty() || super::text::names(sentence, part, key) => None,
            None => Some(format!("{part} {key}").into()),
        };
        Ok(Self {
            of,
            key,
            place,
            text: cut(sentence, LONGEST_LINE),
            explanation: explanation.filter(|explanation| !explanation.is_empty()),
        })
    }

    fn is_about(&self, of: &str, key: &str) -> bool {
        self.of == of && self.key.eq_ignore_ascii_case(key)
    }
}

/// What the contract asks, item by item.
fn checks<'a>(expected: &'a Json, mismatches: &[Mismatch<'_>]) -> Vec<Check<'a>> {
    let mut checks = Vec::new();
    let mut check = |what: Cow<'a, str>, differs: &dyn Fn(&Mismatch<'_>) -> bool| {
        let is_ok = !mismatches.iter().any(differs);
        checks.push(Check { what, is_ok });
    };
    if let Some(status) = expected.get("status") {
        check(format!("status code {status}").into(), &|one| {
            one.is_about("StatusMismatch", "")
        });
    }
    for (name, value) in named_values(expected) {
        check(format!("header {name}: {value}").into(), &|one| {
            one.is_about("HeaderMismatch", name)
        });
    }
    for (name, value) in expected.get("metadata").and_then(Json::as_object).into_iter().flatten() {
        check(format!("metadata {name}: {value}").into(), &|one| {
            one.is_about("MetadataMismatch", name)
        });
    }
    if expected.get("body").and_then(Json::as_bool) == Some(true) {
        check("a matching body".into(), &|one| one.of.starts_with("Body"));
    }
    checks
}

/// What failed, in the order of [`InteractionReport::failures`](super::InteractionReport::failures).
fn parts<'a>(json: &'a Json, mut mismatches: Vec<Mismatch<'a>>) -> Read<Vec<Part<'a>>> {
    let error = |name: &str| -> Read<Option<Part<'a>>> {
        let Some(error) = json.get(name) else { return Ok(None) };
        let (code, message) = (text(error, "code")?, text(error, "message")?);
        let known: Result<_, NotKnown> = ErrorCode::deserialize(code.into_deserializer());
        Ok(Some(Part {
            title: known.map_or("The interaction could not be verified", ErrorCode::title),
            error: Some((code, message)),
            mismatches: Vec::new(),
            diff: None,
        }))
    };
    let mut parts: Vec<_> = error("error")?.into_iter().collect();
    for (title, types) in PARTS {
        let (of_part, others) = mismatches
            .into_iter()
            .partition::<Vec<_>, _>(|one| types.contains(&one.of));
        mismatches = others;
        if of_part.is_empty() {
            continue;
        }
        let is_body = types.contains(&"BodyMismatch");
        let diff = json.get("diff").and_then(Json::as_str).filter(|_| is_body);
        parts.push(Part {
            title,
            error: None,
            mismatches: of_part.into_iter().map(|one| one.beside(diff)).collect(),
            diff,
        });
    }
    parts.extend(error("teardownError")?);
    Ok(parts)
}

impl Mismatch<'_> {
    /// Without the differences line by line that the diff of the whole body shows already.
    fn beside(self, diff: Option<&str>) -> Self {
        let explanation = self.explanation.map(|explanation| {
            let end = diff.and_then(|_| explanation.find("@@ "));
            explanation[..end.unwrap_or(explanation.len())].trim_end()
        });
        Self {
            explanation: explanation.filter(|explanation| !explanation.is_empty()),
            ..self
        }
    }
}

fn comments(json: &Json) -> Vec<Cow<'_, str>> {
    match json.get("comments").and_then(|comments| comments.get("text")) {
        Some(Json::Array(texts)) => texts.iter().map(Json::text_form).collect(),
        Some(text) => vec![text.text_form()],
        None => Vec::new(),
    }
}

fn named_values(json: &Json) -> impl Iterator<Item = (&str, String)> {
    let headers = json.get("headers").and_then(Json::as_array).unwrap_or_default();
    headers.iter().filter_map(|header| {
        let values = header.get("values")?.as_array()?;
        let values: Vec<_> = values.iter().map(Json::text_form).collect();
        Some((header.get("name")?.as_str()?, values.join(", ")))
    })
}

fn read_summary(json: &Json) -> Read<Summary> {
    let count = |name| number(json, name).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    Ok(Summary {
        total: count("total")?,
        passed: count("passed")?,
        failed: count("failed")?,
        pending: count("pending")?,
        skipped: count("skipped")?,
        filtered: count("filtered")?,
        duration_ms: decimal(json, "durationMs")?,
    })
}

fn status(json: &Json) -> Read<Status> {
    let known: Result<_, NotKnown> = Status::deserialize(text(json, "status")?.into_deserializer());
    known.map_err(|_| missing("status", "passed, failed, pending or skipped"))
}

fn text<'a>(json: &'a Json, name: &str) -> Read<&'a str> {
    json.get(name)
        .and_then(Json::as_str)
        .ok_or_else(|| missing(name, "text"))
}

fn flag(json: &Json, name: &str) -> Read<bool> {
    let flag = json.get(name).and_then(Json::as_bool);
    flag.ok_or_else(|| missing(name, "true or false"))
}

fn number(json: &Json, name: &str) -> Read<u64> {
    let number = json.get(name).and_then(Json::as_u64);
    number.ok_or_else(|| missing(name, "a whole number"))
}

fn decimal(json: &Json, name: &str) -> Read<f64> {
    match json.get(name) {
        Some(Json::Number(number)) => Ok(number.as_f64()),
        _ => Err(missing(name, "a number")),
    }
}

fn each<'a, T>(json: &'a Json, name: &str, read: impl Fn(&'a Json) -> Read<T>) -> Read<Vec<T>> {
    let items = json.get(name).and_then(Json::as_array);
    let items = items.ok_or_else(|| missing(name, "a list"))?;
    let place = |at| format!("/{name}/{at}");
    items
        .iter()
        .enumerate()
        .map(|(at, item)| read(item).map_err(|error| error.within(&place(at))))
        .collect()
}

fn missing(name: &str, wanted: &'static str) -> ReadReportError {
    let at = if name.is_empty() {
        String::new()
    } else {
        format!("/{name}")
    };
    ReadReportError::Member { at, wanted }
}

impl ReadReportError {
    fn within(self, place: &str) -> Self {
        match self {
            Self::Member { at, wanted } => Self::Member {
                at: format!("{place}{at}"),
                wanted,
            },
            other => other,
        }
    }
}
