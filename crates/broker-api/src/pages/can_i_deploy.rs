//! Collects the data for the page with a deployment verdict and the steps that lead to a deployment.

use std::collections::HashMap;

use contract_pages::Status;
use contract_pages::pages::can_i_deploy::{Answer, CanIDeploy, Evidence, Proposal, Related, Step, Verdict};

use super::super::live;
use super::super::params::Param;
use super::super::reply::{HandlerError, HandlerResult, Reply, not_found};
use super::super::request::Request;
use super::labels::Labels;
use super::owners::Owners;
use super::pact::mismatch;
use super::reply;
use contract_broker_core::cases::CaseError;
use contract_broker_core::cases::integrations::failed_interactions;
use contract_broker_core::cases::verdict::{self, Matrix};
use contract_broker_core::sql::environments::{self, Environment};
use contract_broker_core::sql::pacticipants::{self, Pacticipant};
use contract_broker_core::sql::{pacts, results, versions};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::matrix::{LatestBy, Query, Versions};
use contract_broker_domain::verdict::{Row, Verdict as FoundVerdict};
use contract_model::Json;

/// Maximum number of steps for which the page proposes a provider version that passed the verification.
const PROPOSALS: usize = 5;
/// Maximum number of steps on the page. The evidence table is complete.
const STEPS: usize = 20;
/// Maximum number of other environments whose verdicts the page shows.
const RELATED: usize = 6;

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let value = |name: &str| rq.query_value(name).unwrap_or_default().trim().to_owned();
    let (pacticipant, version, environment) = (value("pacticipant"), value("version"), value("environment"));
    answer(rq, tx, (&pacticipant, &version, &environment))
}

/// Returns the page with the verdict about the head of a branch in an environment.
pub(crate) fn of_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let branch = rq.param(Param::Branch);
    let head = versions::head_of_branch(tx, owner.id, branch)?;
    let head = head.ok_or_else(|| Reply::error(404, format!("Branch {branch} of {} does not exist.", owner.name)))?;
    answer(rq, tx, (&owner.name, &head.number, rq.param(Param::Environment)))
}

fn answer(rq: &Request, tx: &mut Tx<'_>, (pacticipant, version, environment): (&str, &str, &str)) -> HandlerResult {
    let all = environments::all(tx)?;
    let mut view = CanIDeploy {
        pacticipant: pacticipant.to_owned(),
        version: version.to_owned(),
        environment: environment.to_owned(),
        applications: pacticipants::names(tx)?,
        environments: all.iter().map(|one| one.name.clone()).collect(),
        ..CanIDeploy::default()
    };
    let mut status = 200;
    if !pacticipant.is_empty() {
        let found = check(tx, &mut view, &all)?;
        if let Some(owner) = found.filter(|_| view.errors.is_empty()) {
            fill(tx, &mut view, &owner, &all)?;
            view.main_branch = owner.details.main_branch;
        }
        if !view.errors.is_empty() {
            status = 400;
        }
    }
    Ok(reply(status, view.page(&rq.shell())))
}

/// Sends a server-sent event when the verdict on a page changes.
pub(crate) fn events(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let value = |name: &str| rq.query_value(name).unwrap_or_default();
    let (pacticipant, version, environment) = (value("pacticipant"), value("version"), value("environment"));
    let found = versions::find_named(tx, pacticipant, version)?;
    let environment = environments::all(tx)?.into_iter().find(|one| one.name == environment);
    let (Some(_), Some(environment)) = (found, environment) else {
        return Err(not_found().into());
    };
    let verdict = decide(tx, pacticipant, version, &environment.name)?.verdict;
    Ok(live::event(value("counts"), &counts(&verdict), live::counts(&verdict)))
}

fn counts(verdict: &FoundVerdict) -> String {
    format!("{}.{}.{}", verdict.failed, verdict.unknown, verdict.success)
}

/// Checks the form fields, and returns the application if it exists. If the version is empty, sets it to the head of
/// the main branch, or to the newest version if there is no main branch.
fn check(tx: &mut Tx<'_>, view: &mut CanIDeploy, all: &[Environment]) -> Result<Option<Pacticipant>, StoreError> {
    let mut wrong = |field: &str, text: &str| view.errors.push((field.to_owned(), text.to_owned()));
    let owner = pacticipants::find(tx, &view.pacticipant)?;
    let Some(owner) = owner else {
        wrong("pacticipant", "This application does not exist.");
        return Ok(None);
    };
    if !view.environment.is_empty() && all.iter().all(|one| one.name != view.environment) {
        wrong("environment", "This environment does not exist.");
    }
    let found = if view.version.is_empty() {
        let head = match &owner.details.main_branch {
            Some(branch) => versions::head_of_branch(tx, owner.id, branch)?,
            None => None,
        };
        match head {
            Some(head) => Some(head),
            None => versions::latest(tx, owner.id)?,
        }
    } else {
        versions::find(tx, owner.id, &view.version)?
    };
    match found {
        Some(found) => view.version = found.number,
        None if view.version.is_empty() => wrong("version", "The application has no version yet."),
        None => wrong("version", "The application has no version with this number."),
    }
    Ok(Some(owner))
}

fn fill(tx: &mut Tx<'_>, view: &mut CanIDeploy, owner: &Pacticipant, all: &[Environment]) -> Result<(), HandlerError> {
    if !view.environment.is_empty() {
        let matrix = decide(tx, &view.pacticipant, &view.version, &view.environment)?;
        view.answer = Some(answer_of(tx, view, owner, &matrix)?);
    }
    for environment in all.iter().filter(|one| one.name != view.environment).take(RELATED) {
        let found = decide(tx, &view.pacticipant, &view.version, &environment.name)?.verdict;
        view.related.push(Related {
            environment: environment.name.clone(),
            verdict: verdict_of(&found),
            failed: found.failed,
            unknown: found.unknown,
            verified: found.success,
        });
    }
    Ok(())
}

pub(super) fn decide(
    tx: &mut Tx<'_>,
    pacticipant: &str,
    version: &str,
    environment: &str,
) -> Result<Matrix, StoreError> {
    let query = Query::deployment(
        pacticipant,
        Versions::Number(version.to_owned()),
        Versions::Environment(environment.to_owned()),
        LatestBy::Both,
    );
    verdict::decide(tx, &query).map_err(|error| match error {
        CaseError::Store(error) => error,
        // The names have already been checked.
        CaseError::Rejected(_) => StoreError::panicked(),
    })
}

/// Returns the verdict for the page. A failure remains a failure even if other results are missing, so the page shows
/// "not deployable" where the API returns `null`.
pub(super) fn verdict_of(found: &FoundVerdict) -> Verdict {
    match found.deployable {
        Some(true) => Verdict::Deployable,
        _ if found.failed > 0 => Verdict::NotDeployable,
        Some(false) => Verdict::NotDeployable,
        None => Verdict::Unknown,
    }
}

fn answer_of(tx: &mut Tx<'_>, view: &CanIDeploy, owner: &Pacticipant, matrix: &Matrix) -> Result<Answer, StoreError> {
    let rows = &matrix.evidence.rows;
    let ids: Vec<i64> = rows
        .iter()
        .flat_map(|row| {
            [
                Some(row.consumer_version),
                row.verified.map(|verified| verified.version),
            ]
        })
        .flatten()
        .collect();
    let labels = Labels::read(tx, &ids)?;
    let failures = failures(tx, rows)?;
    let mut evidence: Vec<Evidence> = rows
        .iter()
        .map(|row| evidence_of(row, owner.id, matrix, &labels, &failures))
        .collect();
    evidence.sort_by_cached_key(|one| (one.status, one.other.to_lowercase()));
    let verdict = &matrix.verdict;
    let notices = matrix.evidence.missing.iter().chain(&matrix.evidence.warnings);
    Ok(Answer {
        verdict: verdict_of(verdict),
        failed: verdict.failed,
        unknown: verdict.unknown,
        verified: verdict.success,
        steps: steps(tx, view, matrix, &failures)?,
        notices: notices.cloned().collect(),
        evidence,
        place: view.environment.clone(),
    })
}

/// Details of a failed result: the numbers of failed and of all interactions, and the first mismatch.
struct Failure {
    count: Option<(usize, usize)>,
    mismatch: Option<String>,
}

fn failures(tx: &mut Tx<'_>, rows: &[Row]) -> Result<HashMap<i64, Failure>, StoreError> {
    let failed = rows
        .iter()
        .filter_map(|row| row.verified.filter(|verified| !verified.success));
    let ids: Vec<i64> = failed.map(|verified| results::id_of(verified.number)).collect();
    let texts = results::test_results(tx, &ids)?;
    let failure = |text: &str| Failure {
        count: failed_interactions(text),
        mismatch: first_mismatch(text),
    };
    Ok(texts
        .into_iter()
        .map(|(id, text)| (results::number_of(id), failure(&text)))
        .collect())
}

fn first_mismatch(test_results: &str) -> Option<String> {
    let parsed = Json::parse(test_results.as_bytes()).ok()?;
    let tests = parsed.as_array()?;
    let found = tests
        .iter()
        .find_map(|test| test.get("mismatches")?.as_array()?.first().map(mismatch))?;
    Some(format!("{}.", found.description.trim_end_matches('.'))).filter(|text| text.len() > 1)
}

fn evidence_of(
    row: &Row,
    subject: i64,
    matrix: &Matrix,
    labels: &Labels,
    failures: &HashMap<i64, Failure>,
) -> Evidence {
    let (consumer, provider) = (matrix.name(row.consumer), matrix.name(row.provider));
    let number = matrix.number(row.consumer_version);
    let label = |id: i64, name: &str| labels.on_branch(id, name, matrix.number(id));
    let is_consumer = row.consumer == subject;
    let version = if is_consumer {
        let running = || running_version(matrix, row.provider).map(|number| (number, provider));
        match row.verified {
            Some(verified) => Some(label(verified.version, provider)),
            None => running().map(|(number, name)| contract_pages::VersionLabel::new(name, number)),
        }
    } else {
        Some(label(row.consumer_version, consumer))
    };
    let detail = row.verified.and_then(|verified| failures.get(&verified.number)?.count);
    Evidence {
        other: if is_consumer { provider } else { consumer }.to_owned(),
        version,
        role: if is_consumer { "provider" } else { "consumer" },
        status: Status::of_result(row.success()),
        detail: detail.map(|(failed, all)| format!("{failed} of {all}")),
        at: row.verified.map(|verified| verified.at),
        contract: (consumer.to_owned(), provider.to_owned(), number.to_owned()),
    }
}

/// Returns the number of the application's version in the matrix. Returns `None` if the matrix contains several
/// versions or none.
fn running_version(matrix: &Matrix, pacticipant: i64) -> Option<String> {
    match matrix.evidence.participant(pacticipant)?.numbers.as_slice() {
        [number] => Some(number.clone()),
        _ => None,
    }
}

/// Returns the steps that are required before the deployment. Failed contracts come before those without a result.
fn steps(
    tx: &mut Tx<'_>,
    view: &CanIDeploy,
    matrix: &Matrix,
    failures: &HashMap<i64, Failure>,
) -> Result<Vec<Step>, StoreError> {
    let open = |success: Option<bool>| matrix.evidence.rows.iter().filter(move |row| row.success() == success);
    let open: Vec<&Row> = open(Some(false)).chain(open(None)).take(STEPS).collect();
    let providers: Vec<i64> = open.iter().map(|row| row.provider).collect();
    let owners = Owners::read(tx, &providers)?;
    let mut steps = Vec::new();
    for (number, row) in open.into_iter().enumerate() {
        let provider = matrix.name(row.provider);
        let failure = row.verified.and_then(|verified| failures.get(&verified.number));
        let version = match row.verified {
            Some(verified) => matrix.number(verified.version).to_owned(),
            None => running_version(matrix, row.provider).unwrap_or_default(),
        };
        let is_candidate = number < PROPOSALS && provider != view.pacticipant;
        steps.push(Step {
            has_failed: row.success() == Some(false),
            pacticipant: provider.to_owned(),
            version,
            consumer: matrix.name(row.consumer).to_owned(),
            consumer_version: matrix.number(row.consumer_version).to_owned(),
            provider: provider.to_owned(),
            owner: owners.team(row.provider).unwrap_or_else(|| provider.to_owned()),
            detail: failure
                .and_then(|failure| failure.count)
                .map(|(failed, all)| format!("{failed} of {all}")),
            mismatch: failure.and_then(|failure| failure.mismatch.clone()),
            proposal: if is_candidate {
                proposal(tx, view, matrix, row)?
            } else {
                None
            },
        });
    }
    Ok(steps)
}

/// Finds the newest provider version that passed the verification of a contract, and determines whether it can be
/// deployed.
fn proposal(tx: &mut Tx<'_>, view: &CanIDeploy, matrix: &Matrix, row: &Row) -> Result<Option<Proposal>, StoreError> {
    let (consumer, provider) = (matrix.name(row.consumer), matrix.name(row.provider));
    let Some(content) = pacts::content_named(tx, (consumer, provider), &row.sha)? else {
        return Ok(None);
    };
    let found = results::latest_by_version(tx, content, 20)?;
    let Some((id, result)) = found.into_iter().find(|(_, result)| result.success) else {
        return Ok(None);
    };
    let found = decide(tx, provider, &result.provider_version, &view.environment)?.verdict;
    let labels = Labels::read(tx, &[id])?;
    Ok(Some(Proposal {
        version: labels.label(id, provider, &result.provider_version),
        is_deployable: found.deployable == Some(true),
    }))
}
