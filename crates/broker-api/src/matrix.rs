//! Handlers for the matrix, and for verdicts about deployments (`can-i-deploy`).

use serde_json::{Value, json};

use super::live::with_wait;
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Media, Reply, invalid, invalid_query, name_not_found, not_found};
use super::request::Request;
use super::urls::{link, named};
use super::versions::branch_of_version;
use contract_broker_core::cases::CaseError;
use contract_broker_core::cases::verdict::{self, DeploymentParameters, InvalidQuery, Matrix};
use contract_broker_core::sql::version_context::{self, VersionContext};
use contract_broker_core::sql::versions::Version;
use contract_broker_core::sql::{branches, environments, tags};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::matrix::{LatestBy, Query, Selector, Versions};
use contract_broker_domain::time;
use contract_broker_domain::verdict::{Row, Verdict, Verified};

fn decide(tx: &mut Tx<'_>, query: &Query) -> Result<Matrix, HandlerError> {
    verdict::decide(tx, query).map_err(rejected)
}

fn rejected(error: CaseError<InvalidQuery>) -> HandlerError {
    HandlerError::from_case(error, |errors| invalid_query(&errors))
}

fn answer(rq: &Request, tx: &mut Tx<'_>, query: &Query) -> HandlerResult {
    let matrix = decide(tx, query)?;
    let reply = if rq.accepts_text {
        Reply::text(200, Media::Text, table(query, &matrix))
    } else {
        Reply::ok(&body(rq, tx, query, &matrix)?)
    };
    with_wait(rq, reply, &matrix.verdict)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let query = Query::parse(&rq.query).map_err(|texts| invalid_query(&texts))?;
    answer(rq, tx, &query)
}

pub(super) fn every(name: &str) -> Selector {
    Selector {
        pacticipant: name.to_owned(),
        versions: Versions::Every,
    }
}

pub(super) fn of_pair(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    rq.pair(tx)?;
    let mut errors = Vec::new();
    let mut query = Query::options(&rq.query, &mut errors);
    if !errors.is_empty() {
        return Err(invalid_query(&errors).into());
    }
    query.selectors = vec![every(rq.param(Param::Consumer)), every(rq.param(Param::Provider))];
    answer(rq, tx, &query)
}

pub(super) fn can_i_deploy(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let parameters = DeploymentParameters {
        pacticipant: rq.query_value("pacticipant"),
        version: rq.query_value("version"),
        environment: rq.query_value("environment"),
        to: rq.query_value("to"),
        all: &rq.query,
    };
    let query = verdict::deployment_query(tx, parameters).map_err(|error| HandlerError::from_case(error, invalid))?;
    answer(rq, tx, &query)
}

fn tag_to_tag(rq: &Request) -> Query {
    let tag = |param: Param| Versions::Tag {
        tag: rq.param(param).to_owned(),
        latest: true,
    };
    Query::deployment(
        rq.param(Param::Pacticipant),
        tag(Param::Tag),
        tag(Param::To),
        LatestBy::Consumer,
    )
}

fn branch_to_environment(rq: &Request) -> Query {
    let head = Versions::Branch {
        branch: rq.param(Param::Branch).to_owned(),
        latest: true,
    };
    let environment = Versions::Environment(rq.param(Param::Environment).to_owned());
    Query::deployment(rq.param(Param::Pacticipant), head, environment, LatestBy::Both)
}

pub(super) fn can_tag_be_deployed(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    if !tags::is_used(tx, owner.id, rq.param(Param::Tag))? {
        return Err(name_not_found("tag", rq.param(Param::Tag)).into());
    }
    answer(rq, tx, &tag_to_tag(rq))
}

pub(super) fn can_branch_be_deployed(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let (branch, environment) = (rq.param(Param::Branch), rq.param(Param::Environment));
    if branches::find(tx, owner.id, branch)?.is_none() {
        return Err(name_not_found("branch", branch).into());
    }
    if environments::find_named(tx, environment)?.is_none() {
        return Err(name_not_found("environment", environment).into());
    }
    answer(rq, tx, &branch_to_environment(rq))
}

/// Returns the verdict for the badge about two tags. Returns an error if the application does not exist or the query is
/// invalid.
pub(super) fn verdict_of_tag(rq: &Request, tx: &mut Tx<'_>) -> Result<Verdict, HandlerError> {
    rq.pacticipant(tx)?;
    Ok(decide(tx, &tag_to_tag(rq))?.verdict)
}

/// Returns whether the latest provider version with one tag passed the verification of the contract of the latest
/// consumer version with another tag. Returns `None` if there is no result.
pub(super) fn verified_between_tags(rq: &Request, tx: &mut Tx<'_>) -> Result<Option<bool>, HandlerError> {
    let latest = |role: Param, tag: Param| Selector {
        pacticipant: rq.param(role).to_owned(),
        versions: Versions::Tag {
            tag: rq.param(tag).to_owned(),
            latest: true,
        },
    };
    let query = Query {
        selectors: vec![latest(Param::Consumer, Param::Tag), latest(Param::Provider, Param::To)],
        latest_by: LatestBy::Both,
        ..Query::default()
    };
    verdict::is_verified(tx, &query).map_err(rejected)
}

pub(super) fn verdict_of_branch(rq: &Request, tx: &mut Tx<'_>) -> Result<Verdict, HandlerError> {
    rq.pacticipant(tx)?;
    Ok(decide(tx, &branch_to_environment(rq))?.verdict)
}

pub(super) fn verdict_of_merge(rq: &Request, tx: &mut Tx<'_>) -> Result<Verdict, HandlerError> {
    let known = rq.pacticipant(tx)?;
    let branch = known.details.main_branch.ok_or_else(not_found)?;
    let head = Versions::Branch { branch, latest: true };
    let query = Query::deployment(
        &known.name,
        head,
        Versions::MainBranch { latest: true },
        LatestBy::Consumer,
    );
    Ok(decide(tx, &query)?.verdict)
}

/// Returns the rows to display, and whether each of them is ignored. The parameters `success[]` and `limit` only filter
/// these rows: they do not affect the verdict.
pub(super) fn visible_rows<'a>(query: &Query, matrix: &'a Matrix) -> Vec<(&'a Row, bool)> {
    let most = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let counted = matrix.evidence.rows.iter().map(|row| (row, false));
    counted
        .chain(matrix.evidence.ignored.iter().map(|row| (row, true)))
        .filter(|(row, _)| query.shows(row.success()))
        .take(most)
        .collect()
}

fn body(rq: &Request, tx: &mut Tx<'_>, query: &Query, matrix: &Matrix) -> Result<Value, StoreError> {
    let Matrix { evidence, verdict, .. } = matrix;
    let visible = visible_rows(query, matrix);
    let mut ids: Vec<i64> = visible
        .iter()
        .flat_map(|(row, _)| {
            [
                Some(row.consumer_version),
                row.verified.map(|verified| verified.version),
            ]
        })
        .flatten()
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let version_context = version_context::read(tx, &ids)?;
    let rows: Vec<Value> = visible
        .iter()
        .map(|(row, is_ignored)| row_body(rq, matrix, &version_context, row, *is_ignored))
        .collect();
    let notices: Vec<Value> = verdict
        .notices
        .iter()
        .map(|notice| json!({ "type": notice.kind, "text": notice.text }))
        .collect();
    let mut summary = json!({
        "deployable": verdict.deployable,
        "reason": verdict.reason(),
        "success": verdict.success,
        "failed": verdict.failed,
        "unknown": verdict.unknown,
    });
    if !query.ignore.is_empty() {
        summary["ignored"] = evidence.ignored.len().into();
    }
    Ok(json!({ "summary": summary, "notices": notices, "matrix": rows }))
}

fn row_body(rq: &Request, matrix: &Matrix, known: &VersionContext, row: &Row, is_ignored: bool) -> Value {
    let urls = &rq.urls;
    let (consumer, provider) = (matrix.name(row.consumer), matrix.name(row.provider));
    let version = |id: i64| matrix.version(id).map(|version| version_body(rq, version, known));
    let number = matrix.number(row.consumer_version);
    let result = row.verified.map(|verified| {
        let metadata = super::pacts::Metadata {
            versions: vec![row.consumer_version],
            ..Default::default()
        };
        let content = urls.content(provider, consumer, &row.sha);
        let url = format!(
            "{content}/metadata/{}/verification-results/{}",
            metadata.to_text(),
            verified.number
        );
        json!({
            "success": verified.success,
            "verifiedAt": time::iso(verified.at),
            "_links": { "self": link(url) },
        })
    });
    let mut body = json!({
        "consumer": {
            "name": consumer,
            "version": version(row.consumer_version),
            "_links": { "self": link(urls.pacticipant(consumer)) },
        },
        "provider": {
            "name": provider,
            "version": row.verified.and_then(|verified| version(verified.version)),
            "_links": { "self": link(urls.pacticipant(provider)) },
        },
        "pact": {
            "createdAt": time::iso(row.published_at),
            "_links": { "self": link(urls.pact(provider, consumer, number)) },
        },
        "verificationResult": result,
    });
    if is_ignored {
        body["ignored"] = true.into();
    }
    body
}

fn version_body(rq: &Request, version: &Version, known: &VersionContext) -> Value {
    let urls = &rq.urls;
    let (owner, number) = (version.pacticipant.as_str(), version.number.as_str());
    let on = known.branches.get(&version.id).map(Vec::as_slice).unwrap_or_default();
    let branches: Vec<Value> = on
        .iter()
        .map(|branch| branch_of_version(urls, owner, number, &branch.name, branch.is_head))
        .collect();
    let tags: Vec<Value> = known
        .tags
        .get(&version.id)
        .into_iter()
        .flatten()
        .map(|tag| {
            let itself = link(urls.tag(owner, number, &tag.name));
            json!({ "name": tag.name, "latest": tag.is_latest, "_links": { "self": itself } })
        })
        .collect();
    let environments: Vec<Value> = known
        .environments
        .get(&version.id)
        .into_iter()
        .flatten()
        .map(|environment| {
            let itself = named("Environment", &environment.name, urls.environment(&environment.uuid));
            json!({
                "uuid": environment.uuid,
                "name": environment.name,
                "displayName": environment.display_name,
                "production": environment.production,
                "createdAt": time::iso(environment.created_at),
                "_links": { "self": itself },
            })
        })
        .collect();
    json!({
        "number": number,
        "branch": on.last().map(|branch| branch.name.as_str()),
        "branches": branches,
        "branchVersions": branches,
        "environments": environments,
        "tags": tags,
        "_links": { "self": link(urls.version(owner, number)) },
    })
}

/// Formats the matrix as a plain-text table.
fn table(query: &Query, matrix: &Matrix) -> String {
    let header = [
        "CONSUMER",
        "C_VERSION",
        "REVISION",
        "PROVIDER",
        "P_VERSION",
        "NUMBER",
        "SUCCESS",
    ];
    let mut lines: Vec<[String; 7]> = vec![header.map(str::to_owned)];
    for (row, _) in visible_rows(query, matrix) {
        let result = |column: &dyn Fn(Verified) -> String| row.verified.map(column).unwrap_or_default();
        lines.push([
            matrix.name(row.consumer).to_owned(),
            matrix.number(row.consumer_version).to_owned(),
            row.revision.to_string(),
            matrix.name(row.provider).to_owned(),
            result(&|verified| matrix.number(verified.version).to_owned()),
            result(&|verified| verified.number.to_string()),
            result(&|verified| verified.success.to_string()),
        ]);
    }
    let widths: Vec<usize> = (0..header.len())
        .map(|column| {
            lines
                .iter()
                .map(|line| line[column].chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        text.push_str(&cells.join(" | "));
        text.push('\n');
        if at == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            text.push_str(&rules.join("-|-"));
            text.push('\n');
        }
    }
    let verdict = &matrix.verdict;
    let deployable = verdict
        .deployable
        .map_or_else(String::new, |deployable| deployable.to_string());
    format!("{text}\nDeployable: {deployable}\nReason: {}\n", verdict.reason())
}
