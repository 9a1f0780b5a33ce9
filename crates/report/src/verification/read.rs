//! Parses JSON reports. Numbers keep their notation, such as `1.0` or `1e400`.

use std::fmt::Display;

use contract_model::{Json, Object, ProviderState};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NotKnown;

use super::origin::{ContractPublication, Notice, NoticeTime, Origin, OriginKind, Publication};
use super::{
    ContractReport, ErrorCode, Expectation, FORMAT_VERSION, InteractionError, InteractionReport, Report, ReportedBody,
    ReportedHeader, ReportedRequest, ReportedResponse, Status, Summary, Timing,
};
use crate::finding::{Finding, Part};

/// Reason why a text is not a valid verification report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadReportError {
    #[error("the report is not JSON: {0}")]
    Json(contract_model::JsonError),
    /// A later version of this package wrote the report.
    #[error(
        "the report has format version {0}, but only versions up to {FORMAT_VERSION} are supported; update this package"
    )]
    Version(u64),
    /// A field is missing or has the wrong type.
    #[error("invalid verification report: {at} must be {wanted}")]
    Member {
        /// JSON pointer to the field.
        at: String,
        /// The expected type or value, such as `a number`.
        wanted: &'static str,
    },
}

type Read<T> = Result<T, ReadReportError>;

impl Report {
    /// Parses a report in JSON format.
    pub fn read(text: &str) -> Result<Self, ReadReportError> {
        let json = Json::parse(text.as_bytes()).map_err(ReadReportError::Json)?;
        let version = number(&json, "formatVersion")?;
        if version > u64::from(FORMAT_VERSION) {
            return Err(ReadReportError::Version(version));
        }
        Ok(Self {
            format_version: FORMAT_VERSION,
            provider: text_of(&json, "provider")?,
            command: optional(&json, "command", as_text)?,
            date: optional(&json, "date", as_text)?,
            provider_version: optional(&json, "providerVersion", as_text)?,
            provider_branch: optional(&json, "providerBranch", as_text)?,
            build_url: optional(&json, "buildUrl", as_text)?,
            success: flag(&json, "success")?,
            summary: member(&json, "summary", summary)?,
            warnings: each(&json, "warnings", as_text)?,
            publication: optional(&json, "publication", publication)?,
            contracts: numbered(each(&json, "contracts", contract)?),
        })
    }
}

fn summary(json: &Json) -> Read<Summary> {
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

fn contract(json: &Json) -> Read<ContractReport> {
    Ok(ContractReport {
        consumer: text_of(json, "consumer")?,
        provider: text_of(json, "provider")?,
        source: text_of(json, "source")?,
        origin: optional(json, "origin", origin)?,
        pending: flag(json, "pending")?,
        notices: optional(json, "notices", |list| items(list, notice))?.unwrap_or_default(),
        publication: optional(json, "publication", contract_publication)?,
        number: 0,
        interactions: each(json, "interactions", interaction)?,
    })
}

fn numbered(mut contracts: Vec<ContractReport>) -> Vec<ContractReport> {
    for (number, contract) in contracts.iter_mut().enumerate() {
        contract.number = number;
    }
    contracts
}

fn origin(json: &Json) -> Read<Origin> {
    let kind = |json: &Json| {
        let known: Result<_, NotKnown> = OriginKind::deserialize(json.as_str().unwrap_or_default().into_deserializer());
        known.map_err(|_| not("file, url, document, or broker"))
    };
    Ok(Origin {
        kind: member(json, "kind", kind)?,
        broker: optional(json, "broker", as_text)?,
        name: optional(json, "name", as_text)?,
        selection: optional(json, "selection", as_text)?,
        wip: optional(json, "wip", as_flag)?.unwrap_or_default(),
    })
}

fn notice(json: &Json) -> Read<Notice> {
    let moment = |json: &Json| {
        let known: Result<_, NotKnown> = NoticeTime::deserialize(json.as_str().unwrap_or_default().into_deserializer());
        known.map_err(|_| not("before or after"))
    };
    Ok(Notice {
        moment: member(json, "moment", moment)?,
        text: text_of(json, "text")?,
    })
}

fn contract_publication(json: &Json) -> Read<ContractPublication> {
    Ok(ContractPublication {
        published: flag(json, "published")?,
        url: optional(json, "url", as_text)?,
        reason: optional(json, "reason", as_text)?,
    })
}

fn publication(json: &Json) -> Read<Publication> {
    Ok(Publication {
        version: text_of(json, "version")?,
        branch: optional(json, "branch", as_text)?,
        tags: optional(json, "tags", |list| items(list, as_text))?.unwrap_or_default(),
        published: usize::try_from(number(json, "published")?).unwrap_or(usize::MAX),
        error: optional(json, "error", as_text)?,
    })
}

fn interaction(json: &Json) -> Read<InteractionReport> {
    Ok(InteractionReport {
        description: text_of(json, "description")?,
        states: each(json, "states", state)?,
        key: optional(json, "key", as_text)?,
        id: optional(json, "id", as_text)?,
        fingerprint: optional(json, "fingerprint", as_text)?.unwrap_or_default(),
        kind: text_of(json, "kind")?,
        pending: flag(json, "pending")?,
        test_name: optional(json, "testName", as_text)?,
        line: optional(json, "line", as_line)?,
        comments: json.get("comments").cloned(),
        status: member(json, "status", status)?,
        duration_ms: decimal(json, "durationMs")?,
        timing: optional(json, "timing", timing)?.unwrap_or_default(),
        expected: optional(json, "expected", expectation)?,
        request: optional(json, "request", request)?,
        response: optional(json, "response", response)?,
        unhandled_states: optional(json, "unhandledStates", |list| items(list, as_text))?.unwrap_or_default(),
        mismatches: each(json, "mismatches", finding)?,
        diff: optional(json, "diff", as_text)?,
        error: optional(json, "error", error)?,
        output: optional(json, "output", |list| items(list, as_text))?.unwrap_or_default(),
        teardown_error: optional(json, "teardownError", error)?,
    })
}

fn state(json: &Json) -> Read<ProviderState> {
    let parameters = optional(json, "parameters", as_object)?.unwrap_or_default();
    Ok(ProviderState {
        name: text_of(json, "name")?.into(),
        parameters,
    })
}

fn timing(json: &Json) -> Read<Timing> {
    Ok(Timing {
        states: decimal(json, "statesMs")?,
        request: decimal(json, "requestMs")?,
        teardown: decimal(json, "teardownMs")?,
        total: decimal(json, "totalMs")?,
    })
}

fn expectation(json: &Json) -> Read<Expectation> {
    Ok(Expectation {
        status: optional(json, "status", as_status)?,
        headers: optional(json, "headers", headers)?.unwrap_or_default(),
        metadata: json.get("metadata").cloned(),
        body: flag(json, "body")?,
    })
}

fn headers(json: &Json) -> Read<Vec<ReportedHeader>> {
    items(json, |header| {
        Ok(ReportedHeader {
            name: text_of(header, "name")?,
            values: each(header, "values", as_text)?,
        })
    })
}

fn request(json: &Json) -> Read<ReportedRequest> {
    Ok(ReportedRequest {
        method: text_of(json, "method")?,
        url: text_of(json, "url")?,
        headers: optional(json, "headers", headers)?,
        body: optional(json, "body", body)?,
    })
}

fn response(json: &Json) -> Read<ReportedResponse> {
    Ok(ReportedResponse {
        status: optional(json, "status", as_status)?,
        headers: optional(json, "headers", headers)?,
        metadata: json.get("metadata").cloned(),
        body: optional(json, "body", body)?,
    })
}

fn body(json: &Json) -> Read<ReportedBody> {
    Ok(ReportedBody {
        content_type: optional(json, "contentType", as_text)?,
        size: usize::try_from(number(json, "size")?).unwrap_or(usize::MAX),
        encoding: member(json, "encoding", |json| match json.as_str() {
            Some("text") => Ok("text"),
            Some("base64") => Ok("base64"),
            _ => Err(not("text or base64")),
        })?,
        content: text_of(json, "content")?,
        truncated: flag(json, "truncated")?,
    })
}

fn error(json: &Json) -> Read<InteractionError> {
    let code = text_of(json, "code")?;
    let known: Result<_, NotKnown> = ErrorCode::deserialize(code.as_str().into_deserializer());
    Ok(InteractionError {
        token: json.get("token").and_then(Json::as_u64),
        ..InteractionError::new(known.unwrap_or(ErrorCode::Unknown), text_of(json, "message")?)
    })
}

fn finding(json: &Json) -> Read<Finding> {
    let mut finding = Finding {
        part: member(json, "type", |json| {
            let part = Part::ALL.into_iter().find(|part| json.as_str() == Some(part.name()));
            part.ok_or_else(|| not("a mismatch type"))
        })?,
        kind: optional(json, "kind", as_text)?.unwrap_or_default(),
        place: optional(json, "place", as_text)?.unwrap_or_default(),
        parameter: optional(json, "parameter", as_text)?,
        key: optional(json, "key", as_text)?,
        index: json.get("index").and_then(Json::as_u64),
        path: optional(json, "path", as_text)?,
        pointer: optional(json, "pointer", as_text)?,
        expected: json.get("expected").cloned(),
        actual: json.get("actual").cloned(),
        rule: json.get("rule").cloned(),
        sentence: text_of(json, "mismatch")?,
        brief: None,
        explanation: optional(json, "explanation", as_text)?,
    };
    if finding.place.is_empty() {
        finding.place = finding.format_place();
    }
    Ok(finding)
}

fn status(json: &Json) -> Read<Status> {
    let known: Result<_, NotKnown> = Status::deserialize(json.as_str().unwrap_or_default().into_deserializer());
    known.map_err(|_| not("passed, failed, pending, or skipped"))
}

fn as_text(json: &Json) -> Read<String> {
    json.as_str().map(str::to_owned).ok_or_else(|| not("a string"))
}

fn as_object(json: &Json) -> Read<Object> {
    json.as_object().cloned().ok_or_else(|| not("an object"))
}

fn as_status(json: &Json) -> Read<u16> {
    let status = json.as_u64().and_then(|status| u16::try_from(status).ok());
    status.ok_or_else(|| not("a status code"))
}

fn as_line(json: &Json) -> Read<u32> {
    let line = json.as_u64().and_then(|line| u32::try_from(line).ok());
    line.ok_or_else(|| not("a line number"))
}

fn text_of(json: &Json, name: &str) -> Read<String> {
    member(json, name, as_text)
}

fn as_flag(json: &Json) -> Read<bool> {
    json.as_bool().ok_or_else(|| not("true or false"))
}

fn flag(json: &Json, name: &str) -> Read<bool> {
    member(json, name, as_flag)
}

fn number(json: &Json, name: &str) -> Read<u64> {
    member(json, name, |json| json.as_u64().ok_or_else(|| not("an integer")))
}

fn decimal(json: &Json, name: &str) -> Read<f64> {
    member(json, name, |json| match json {
        Json::Number(number) => Ok(number.as_f64()),
        _ => Err(not("a number")),
    })
}

/// Reads a required field of an object, and adds its name to errors.
fn member<T>(json: &Json, name: &str, read: impl Fn(&Json) -> Read<T>) -> Read<T> {
    read(json.get(name).unwrap_or(&Json::Null)).map_err(|error| error.within(name))
}

fn optional<T>(json: &Json, name: &str, read: impl Fn(&Json) -> Read<T>) -> Read<Option<T>> {
    let value = json.get(name).filter(|value| !value.is_null());
    value.map(read).transpose().map_err(|error| error.within(name))
}

fn each<T>(json: &Json, name: &str, read: impl Fn(&Json) -> Read<T>) -> Read<Vec<T>> {
    member(json, name, |list| items(list, &read))
}

fn items<T>(json: &Json, read: impl Fn(&Json) -> Read<T>) -> Read<Vec<T>> {
    let items = json.as_array().ok_or_else(|| not("an array"))?;
    let item = |(at, item)| read(item).map_err(|error| error.within(at));
    items.iter().enumerate().map(item).collect()
}

fn not(expected: &'static str) -> ReadReportError {
    ReadReportError::Member {
        at: String::new(),
        wanted: expected,
    }
}

impl ReadReportError {
    fn within(self, place: impl Display) -> Self {
        match self {
            Self::Member { at, wanted } => Self::Member {
                at: format!("/{place}{at}"),
                wanted,
            },
            other => other,
        }
    }
}
