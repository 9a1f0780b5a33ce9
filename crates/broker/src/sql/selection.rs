//! Queries for the contracts that a provider verifies. Each query starts at the integrations of the provider and follows stored
//! heads, so its cost does not depend on the length of the history.

use std::collections::{HashMap, HashSet};

use super::pacts::{self, COLUMNS, LOOKUPS, Publication, of};
use super::results;
use crate::domain::selector::{
    Choice, Criterion, Group, Reason, SelectionRequest, Selector, Success, VerificationScope,
};
use crate::store::{BoundQuery, StoreError, Tx, Value, params};

const WIDTH: usize = 11;

/// A content to verify, with all reasons for it.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The publication by the newest of the selected versions.
    pub(crate) publication: Publication,
    pub(crate) choices: Vec<Choice>,
}

/// Returns the selected contracts, each content once, ordered by consumer and age.
pub(crate) fn choose(tx: &mut Tx<'_>, provider: i64, wanted: &SelectionRequest) -> Result<Vec<Chosen>, StoreError> {
    let steps: Vec<Step<'_>> = if wanted.selectors.is_empty() {
        by_default(provider)
    } else {
        wanted
            .selectors
            .iter()
            .flat_map(|selector| by_selector(provider, selector))
            .collect()
    };
    Ok(united(found(tx, steps)?))
}

/// Queries with the function that turns their results into publications and reasons.
struct Step<'a> {
    queries: Vec<BoundQuery>,
    reading: Reading<'a>,
}

/// Receives the results of the queries of a step in order.
type Reading<'a> = Box<dyn Fn(Vec<Heads>) -> Found + 'a>;

/// Publications with the name of the branch, tag or environment that selected each.
type Heads = Vec<(Publication, String)>;

impl<'a> Step<'a> {
    fn new(queries: Vec<BoundQuery>, reading: impl Fn(Vec<Heads>) -> Found + 'a) -> Self {
        let reading = Box::new(reading);
        Self { queries, reading }
    }

    /// Selects all results of one query.
    fn all(question: BoundQuery, reason: impl Fn(String) -> Reason + 'a) -> Self {
        Self::new(vec![question], move |heads| {
            let all = heads.into_iter().flatten();
            all.map(|(publication, name)| (publication, reason(name))).collect()
        })
    }
}

/// Runs the queries of all steps together.
fn found(tx: &mut Tx<'_>, steps: Vec<Step<'_>>) -> Result<Found, StoreError> {
    let (queries, readings): (Vec<_>, Vec<_>) = steps.into_iter().map(|step| (step.queries, step.reading)).unzip();
    let counts: Vec<usize> = queries.iter().map(Vec::len).collect();
    let queries: Vec<BoundQuery> = queries.into_iter().flatten().collect();
    let mut answers = tx.query_all(&queries)?.into_iter();
    let mut found = Found::new();
    for (count, reading) in counts.into_iter().zip(readings) {
        let heads = answers
            .by_ref()
            .take(count)
            .map(|rows| rows.iter().map(|row| (of(row), row.text(WIDTH))).collect())
            .collect();
        found.extend(reading(heads));
    }
    Ok(found)
}

type Found = Vec<(Publication, Reason)>;

fn united(found: Found) -> Vec<Chosen> {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut chosen: Vec<Chosen> = Vec::new();
    for (publication, reason) in found {
        let choice = Choice {
            reason,
            version_id: publication.version_id,
            version: publication.version.clone(),
        };
        if let Some(&at) = places.get(&publication.content_id) {
            let known = &mut chosen[at];
            if publication.version_id > known.publication.version_id {
                known.publication = publication;
            }
            if !known.choices.contains(&choice) {
                known.choices.push(choice);
            }
        } else {
            places.insert(publication.content_id, chosen.len());
            chosen.push(Chosen {
                publication,
                choices: vec![choice],
            });
        }
    }
    for one in &mut chosen {
        one.choices.sort_by(Choice::order);
    }
    chosen.sort_by_cached_key(|one| {
        let publication = &one.publication;
        (
            publication.consumer.to_lowercase(),
            publication.consumer.clone(),
            publication.version_id,
        )
    });
    chosen
}

/// The default selection: the main branch of each consumer or its closest substitute, and all versions in environments.
fn by_default<'a>(provider: i64) -> Vec<Step<'a>> {
    let tagged = heads(
        "CROSS JOIN pacticipant m CROSS JOIN tag_head h CROSS JOIN publication pub",
        "m.id = i.consumer_id AND h.pacticipant_id = m.id AND h.name = m.main_branch AND pub.version_id = h.version_id
         AND NOT EXISTS (SELECT 1 FROM branch b WHERE b.pacticipant_id = m.id AND b.name = m.main_branch AND b.head_version_id IS NOT NULL)",
        "h.name",
        provider,
        None,
        &[],
    );
    let rest = heads(
        "CROSS JOIN publication pub",
        "pub.id = (SELECT q.id FROM publication q WHERE q.consumer_id = i.consumer_id AND q.provider_id = i.provider_id
         AND q.newest = 1 ORDER BY q.version_id DESC LIMIT 1)
         AND NOT EXISTS (SELECT 1 FROM pacticipant m JOIN branch b ON b.pacticipant_id = m.id AND b.name = m.main_branch
           WHERE m.id = i.consumer_id AND b.head_version_id IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM pacticipant m JOIN tag_head h ON h.pacticipant_id = m.id AND h.name = m.main_branch
           WHERE m.id = i.consumer_id)",
        "''",
        provider,
        None,
        &[],
    );
    vec![
        main_branches(provider, None),
        Step::all(tagged, |tag| Reason::LatestWithTag { tag, instead_of: None }),
        Step::all(rest, |_| Reason::Latest),
        present(provider, None, "deployment", None),
        present(provider, None, "released", None),
    ]
}

fn by_selector(provider: i64, selector: &Selector) -> Vec<Step<'_>> {
    let consumer = selector.consumer.as_deref();
    match &selector.criterion {
        Criterion::MainBranch => vec![main_branches(provider, consumer)],
        Criterion::Branch { name, fallback } => {
            let asked = |name: &str| branch_heads(provider, consumer, Some(name));
            let reason = |name: &str, instead_of| Reason::Branch {
                name: name.to_owned(),
                instead_of,
            };
            vec![with_fallback(asked, name, fallback.as_deref(), reason)]
        }
        Criterion::EveryBranch => {
            let all = branch_heads(provider, consumer, None);
            vec![Step::all(all, |name| Reason::Branch { name, instead_of: None })]
        }
        Criterion::LatestWithTag { tag, fallback } => {
            let asked = |tag: &str| tag_heads(provider, consumer, tag);
            let reason = |tag: &str, instead_of| Reason::LatestWithTag {
                tag: tag.to_owned(),
                instead_of,
            };
            vec![with_fallback(asked, tag, fallback.as_deref(), reason)]
        }
        Criterion::EveryWithTag { tag } => {
            let all = heads(
                "CROSS JOIN tag t CROSS JOIN publication pub",
                "t.pacticipant_id = i.consumer_id AND t.name = $3 AND pub.version_id = t.version_id",
                "t.name",
                provider,
                consumer,
                &[tag.into()],
            );
            vec![Step::all(all, |tag| Reason::EveryWithTag { tag })]
        }
        Criterion::Latest => {
            let all = heads(
                "CROSS JOIN publication pub",
                "pub.id = (SELECT q.id FROM publication q WHERE q.consumer_id = i.consumer_id AND q.provider_id = i.provider_id
                 AND q.newest = 1 ORDER BY q.version_id DESC LIMIT 1)",
                "''",
                provider,
                consumer,
                &[],
            );
            vec![Step::all(all, |_| Reason::Latest)]
        }
        Criterion::Present {
            deployed,
            released,
            environment,
        } => [(*deployed, "deployment"), (*released, "released")]
            .into_iter()
            .filter(|(asked, _)| *asked)
            .map(|(_, table)| present(provider, consumer, table, environment.as_deref()))
            .collect(),
    }
}

/// Selects the fallback for each consumer without the requested branch or tag.
fn with_fallback<'a>(
    asked: impl Fn(&str) -> BoundQuery,
    name: &'a str,
    fallback: Option<&'a str>,
    reason: impl Fn(&str, Option<String>) -> Reason + 'a,
) -> Step<'a> {
    let queries = std::iter::once(name).chain(fallback).map(asked).collect();
    Step::new(queries, move |mut heads| {
        let others = if heads.len() > 1 { heads.pop() } else { None };
        let asked = heads.pop().unwrap_or_default();
        let known: Vec<i64> = asked.iter().map(|(publication, _)| publication.consumer_id).collect();
        let missing = others
            .unwrap_or_default()
            .into_iter()
            .filter(|(publication, _)| !known.contains(&publication.consumer_id))
            .map(|(publication, _)| (publication, reason(fallback.unwrap_or_default(), Some(name.to_owned()))));
        let asked = asked
            .into_iter()
            .map(|(publication, _)| (publication, reason(name, None)));
        asked.chain(missing).collect()
    })
}

fn main_branches<'a>(provider: i64, consumer: Option<&str>) -> Step<'a> {
    let heads = heads(
        "CROSS JOIN pacticipant m CROSS JOIN branch b CROSS JOIN publication pub",
        "m.id = i.consumer_id AND b.pacticipant_id = m.id AND b.name = m.main_branch AND pub.version_id = b.head_version_id",
        "b.name",
        provider,
        consumer,
        &[],
    );
    Step::all(heads, |name| Reason::MainBranch { name })
}

fn branch_heads(provider: i64, consumer: Option<&str>, name: Option<&str>) -> BoundQuery {
    let named = if name.is_some() { "AND b.name = $3" } else { "" };
    let parameters: Vec<Value> = name.map(Value::from).into_iter().collect();
    heads(
        "CROSS JOIN branch b CROSS JOIN publication pub",
        &format!("b.pacticipant_id = i.consumer_id {named} AND pub.version_id = b.head_version_id"),
        "b.name",
        provider,
        consumer,
        &parameters,
    )
}

fn tag_heads(provider: i64, consumer: Option<&str>, tag: &str) -> BoundQuery {
    heads(
        "CROSS JOIN tag_head h CROSS JOIN publication pub",
        "h.pacticipant_id = i.consumer_id AND h.name = $3 AND pub.version_id = h.version_id",
        "h.name",
        provider,
        consumer,
        &[tag.into()],
    )
}

fn present<'a>(provider: i64, consumer: Option<&str>, table: &'static str, environment: Option<&str>) -> Step<'a> {
    let named = if environment.is_some() { "AND e.name = $3" } else { "" };
    let parameters: Vec<Value> = environment.map(Value::from).into_iter().collect();
    let all = heads(
        &format!("CROSS JOIN {table} d CROSS JOIN environment e CROSS JOIN publication pub"),
        &format!(
            "d.pacticipant_id = i.consumer_id AND d.is_current = 1 AND e.id = d.environment_id {named} AND pub.version_id = d.version_id"
        ),
        "e.name",
        provider,
        consumer,
        &parameters,
    );
    Step::all(all, move |environment| {
        if table == "deployment" {
            Reason::Deployed { environment }
        } else {
            Reason::Released { environment }
        }
    })
}

/// Selects publications for a provider, each with a name. CROSS JOIN with conditions in WHERE fixes the table order for SQLite, from
/// few rows to a single one. The `+ 0` terms leave PostgreSQL only the lookup by version; otherwise it starts with all contracts of
/// the provider while the tables have no statistics. `$1` is the provider, `$2` the name of a consumer or ''.
fn heads(
    tables: &str,
    condition: &str,
    name: &str,
    provider: i64,
    consumer: Option<&str>,
    more: &[Value],
) -> BoundQuery {
    let sql = format!(
        "SELECT {COLUMNS}, {name} FROM integration i {tables} {LOOKUPS} WHERE i.provider_id = $1 AND ($2 = '' OR c.name = $2)
         AND {condition} AND pub.provider_id + 0 = $1 AND pub.consumer_id + 0 = i.consumer_id AND pub.newest + 0 = 1"
    );
    let pair: [Value; 2] = [provider.into(), consumer.unwrap_or_default().into()];
    (sql, pair.iter().chain(more).cloned().collect())
}

/// Returns the scopes for which pending and work in progress are computed.
pub(crate) fn scopes(
    tx: &mut Tx<'_>,
    provider: i64,
    wanted: &SelectionRequest,
) -> Result<Vec<VerificationScope>, StoreError> {
    if let Some(name) = &wanted.provider_branch {
        let branch = super::branches::find(tx, provider, name)?;
        let since = branch.map(|branch| branch.created_at);
        return Ok(vec![VerificationScope {
            group: Group::Branch(name.clone()),
            since,
        }]);
    }
    let mut scopes = Vec::new();
    for tag in &wanted.provider_tags {
        let sql = "SELECT min(created_at) FROM tag WHERE pacticipant_id = $1 AND name = $2";
        let since = tx.one(sql, params![provider, tag])?.and_then(|row| row.maybe_int(0));
        scopes.push(VerificationScope {
            group: Group::Tag(tag.clone()),
            since,
        });
    }
    if scopes.is_empty() {
        scopes.push(VerificationScope {
            group: Group::Any,
            since: None,
        });
    }
    Ok(scopes)
}

/// Returns the first successes by content.
pub(crate) fn successes(tx: &mut Tx<'_>, contents: &[i64]) -> Result<HashMap<i64, Vec<Success>>, StoreError> {
    let mut known: HashMap<i64, Vec<Success>> = HashMap::new();
    for row in results::first_successes(tx, contents)? {
        let group = match row.kind.as_str() {
            "b" => Group::Branch(row.name),
            "t" => Group::Tag(row.name),
            _ => Group::Any,
        };
        let success = Success {
            group,
            first_at: row.first_at,
            first_chosen_at: row.first_chosen_at,
        };
        known.entry(row.content_id).or_default().push(success);
    }
    Ok(known)
}

/// A contract at the head of a branch or tag that may be work in progress. Most candidates turn out to be verified, so only the
/// ids are read.
pub(crate) struct Candidate {
    publication: i64,
    pub(crate) content: i64,
    reason: Reason,
}

/// Returns contracts at the head of a branch or tag that were published after `since` and are not in `chosen`.
pub(crate) fn candidates(
    tx: &mut Tx<'_>,
    provider: i64,
    since: i64,
    chosen: &[Chosen],
) -> Result<Vec<Candidate>, StoreError> {
    let question = |table: &str, condition: &str| -> BoundQuery {
        let sql = format!(
            "SELECT pub.id, pub.content_id, h.name FROM integration i CROSS JOIN {table} h CROSS JOIN publication pub
             WHERE i.provider_id = $1 AND h.pacticipant_id = i.consumer_id AND pub.version_id = {condition} AND pub.created_at > $2
             AND pub.provider_id + 0 = $1 AND pub.consumer_id + 0 = i.consumer_id AND pub.newest + 0 = 1"
        );
        (sql, params![provider, since].to_vec())
    };
    let answers = tx.query_all(&[
        question("branch", "h.head_version_id"),
        question("tag_head", "h.version_id"),
    ])?;
    let of_branch = |name| Reason::Branch { name, instead_of: None };
    let with_tag = |tag| Reason::LatestWithTag { tag, instead_of: None };
    let known: HashSet<i64> = chosen.iter().map(|one| one.publication.content_id).collect();
    let mut found = Vec::new();
    for (rows, reason) in answers.iter().zip([of_branch as fn(String) -> Reason, with_tag]) {
        let unknown = rows.iter().filter(|row| !known.contains(&row.int(1)));
        found.extend(unknown.map(|row| Candidate {
            publication: row.int(0),
            content: row.int(1),
            reason: reason(row.text(2)),
        }));
    }
    Ok(found)
}

/// Reads the publications of candidates.
pub(crate) fn in_full(tx: &mut Tx<'_>, candidates: Vec<Candidate>) -> Result<Vec<Chosen>, StoreError> {
    let ids: HashSet<i64> = candidates.iter().map(|one| one.publication).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let publications: HashMap<i64, Publication> = pacts::by_ids(tx, &ids)?
        .into_iter()
        .map(|publication| (publication.id, publication))
        .collect();
    let full = |one: Candidate| Some((publications.get(&one.publication)?.clone(), one.reason));
    Ok(united(candidates.into_iter().filter_map(full).collect()))
}
