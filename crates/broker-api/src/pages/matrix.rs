//! Collects the data for the matrix page.

use contract_pages::Status;
use contract_pages::pages::can_i_deploy::summary;
use contract_pages::pages::matrix::{Answer, Matrix as View, Row as ViewRow, Selector as ViewSelector};

use super::super::matrix::{every, visible_rows};
use super::super::params::Param;
use super::super::reply::{HandlerError, HandlerResult, Reply};
use super::super::request::Request;
use super::can_i_deploy::verdict_of;
use super::labels::Labels;
use super::reply;
use contract_broker_core::cases::CaseError;
use contract_broker_core::cases::verdict;
use contract_broker_core::sql::{environments, pacticipants};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::matrix::Query;
use contract_broker_domain::query;
use contract_broker_domain::verdict::{Participant, Row, VersionSet};

/// Default number of rows on the page. The API's default is higher, because a row of a page needs more space.
const ROWS: i64 = 50;

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    // The form works without a script, so its fields differ from the API parameters.
    if rq.query.iter().any(|(name, _)| name == "q[][by]") {
        let location = format!("{}/matrix?{}", rq.urls.base(), from_form(&rq.query));
        return Ok(Reply::empty(303).with("location", location));
    }
    let has_selector = rq.query.iter().any(|(name, _)| name.starts_with('q'));
    let parsed = has_selector.then(|| Query::parse(&rq.query));
    respond(rq, tx, &rq.query, parsed)
}

pub(crate) fn of_pair(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    rq.pair(tx)?;
    let names = [rq.param(Param::Consumer), rq.param(Param::Provider)];
    let selectors = names.map(|name| ("q[][pacticipant]".to_owned(), name.to_owned()));
    let pairs: Vec<_> = selectors.into_iter().chain(rq.query.clone()).collect();
    let mut errors = Vec::new();
    let mut query = Query::options(&rq.query, &mut errors);
    query.selectors = names.map(every).to_vec();
    let parsed = if errors.is_empty() { Ok(query) } else { Err(errors) };
    respond(rq, tx, &pairs, Some(parsed))
}

/// Converts the fields of the search form to the query parameters of the API.
fn from_form(fields: &[(String, String)]) -> String {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: &str| pairs.push((name.to_owned(), value.to_owned()));
    let selectors = query::objects(fields, "q");
    for selector in &selectors {
        let field = |name: &str| query::value(selector, name).unwrap_or_default().trim();
        if field("pacticipant").is_empty() {
            continue;
        }
        add("q[][pacticipant]", field("pacticipant"));
        match (field("by"), field("value")) {
            ("latest", _) => add("q[][latest]", "true"),
            ("main", _) => add("q[][mainBranch]", "true"),
            (_, "") | ("", _) => (),
            (attribute @ ("version" | "branch" | "tag" | "environment"), value) => {
                add(&format!("q[][{attribute}]"), value);
            }
            _ => (),
        }
    }
    let parameters = fields
        .iter()
        .filter(|(name, value)| !name.starts_with("q[") && !value.is_empty());
    let results = fields.iter().filter(|(name, _)| name == "success[]").count();
    for (name, value) in parameters {
        // Omit default values.
        let is_default = (name == "success[]" && results == 3) || (name == "limit" && value == "50");
        if !is_default && (name != "add") {
            add(name, value);
        }
    }
    if fields.iter().any(|(name, _)| name == "add") {
        add("fields", &(selectors.len() + 1).to_string());
    }
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={}", contract_pages::encode(value)))
        .collect();
    pairs.join("&")
}

fn respond(
    rq: &Request,
    tx: &mut Tx<'_>,
    pairs: &[(String, String)],
    parsed: Option<Result<Query, Vec<String>>>,
) -> HandlerResult {
    let value = |name: &str| query::value(pairs, name).unwrap_or_default();
    let mut selectors: Vec<ViewSelector> = query::objects(pairs, "q")
        .iter()
        .map(|fields| selector(fields))
        .collect();
    // Limit the number of fields, because the parameter can contain any number.
    let fields = value("fields").parse::<usize>().unwrap_or(0).min(10);
    while selectors.len() < fields {
        selectors.push(ViewSelector::default());
    }
    let mut view = View {
        selectors,
        latest_by: if parsed.is_none() { "cvpv" } else { value("latestby") }.to_owned(),
        environment: value("environment").to_owned(),
        success: query::list(pairs, "success").into_iter().map(str::to_owned).collect(),
        limit: value("limit").parse().unwrap_or(ROWS),
        applications: pacticipants::names(tx)?,
        environments: environments::all(tx)?.into_iter().map(|one| one.name).collect(),
        url: rq.self_url(),
        ..View::default()
    };
    let mut status = 200;
    match parsed {
        None => (),
        Some(Err(errors)) => {
            view.errors = errors;
            status = 400;
        }
        Some(Ok(parsed)) => match answer(tx, &parsed, view.limit) {
            Ok(answer) => view.answer = Some(answer),
            Err(CaseError::Rejected(errors)) => {
                view.errors = errors;
                status = 400;
            }
            Err(CaseError::Store(error)) => return Err(HandlerError::Store(error)),
        },
    }
    Ok(reply(status, view.page(&rq.shell())))
}

fn selector(fields: &[(String, String)]) -> ViewSelector {
    let value = |name: &str| query::value(fields, name).filter(|text| !text.is_empty());
    let parameters = ["version", "branch", "tag", "environment"];
    let found = parameters.iter().find_map(|name| Some((*name, value(name)?)));
    let (kind, text) = match found {
        Some(found) => found,
        None if value("mainBranch") == Some("true") => ("main", ""),
        None if value("latest") == Some("true") => ("latest", ""),
        None => ("", ""),
    };
    ViewSelector {
        pacticipant: value("pacticipant").unwrap_or_default().to_owned(),
        kind: kind.to_owned(),
        value: text.to_owned(),
    }
}

fn answer(tx: &mut Tx<'_>, query: &Query, limit: i64) -> Result<Answer, CaseError<Vec<String>>> {
    let matrix = verdict::decide(tx, query)?;
    let mut visible = visible_rows(query, &matrix);
    let found = visible.len();
    visible.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let labels = labels(tx, &visible)?;
    let rows: Vec<ViewRow> = visible
        .iter()
        .map(|(row, is_ignored)| ViewRow {
            consumer: labels.label(
                row.consumer_version,
                matrix.name(row.consumer),
                matrix.number(row.consumer_version),
            ),
            provider: matrix.name(row.provider).to_owned(),
            version: row.verified.map(|verified| {
                labels.label(
                    verified.version,
                    matrix.name(row.provider),
                    matrix.number(verified.version),
                )
            }),
            status: Status::of_result(row.success()),
            sha: row.sha.clone(),
            at: row.verified.map(|verified| verified.at),
            is_ignored: *is_ignored,
        })
        .collect();
    let outcome = &matrix.verdict;
    let total = matrix.evidence.rows.len() + matrix.evidence.ignored.len();
    // A verdict applies to one version of an application, or to the versions in an environment.
    let is_single =
        |participant: &Participant| participant.numbers.len() < 2 && participant.versions != VersionSet::Every;
    let is_history = query.destination.is_none() && !matrix.evidence.participants.iter().any(is_single);
    let missing = matrix.evidence.missing.join(" ");
    let reason = || {
        let verdict = verdict_of(outcome);
        if missing.is_empty() {
            summary(verdict, outcome.failed, outcome.unknown, outcome.success)
        } else {
            missing.clone()
        }
    };
    Ok(Answer {
        verdict: (!is_history).then(|| (verdict_of(outcome), reason())),
        is_truncated: rows.len() < found || query.success.is_empty() && rows.len() < total,
        rows,
    })
}

fn labels(tx: &mut Tx<'_>, visible: &[(&Row, bool)]) -> Result<Labels, StoreError> {
    let versions = visible.iter().flat_map(|(row, _)| {
        [
            Some(row.consumer_version),
            row.verified.map(|verified| verified.version),
        ]
    });
    Labels::read(tx, &versions.flatten().collect::<Vec<_>>())
}
