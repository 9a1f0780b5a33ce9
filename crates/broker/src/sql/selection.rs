//! Which contracts a provider is to verify. Each query starts at the provider's integrations and follows kept heads: how much
//! was published before does not matter.

use std::collections::HashMap;

use super::pacts::{COLUMNS, LOOKUPS, Publication, of};
use super::results;
use crate::domain::selector::{Asker, Choice, Criterion, Group, Reason, Selector, Success, Wanted};
use crate::store::{StoreError, Tx, Value, params};

const WIDTH: usize = 11;

/// A content to verify, with all the choices that led to it.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The newest of the chosen versions that published the content.
    pub(crate) publication: Publication,
    pub(crate) choices: Vec<Choice>,
}

/// The selected contracts, each content of a consumer once, by consumers' names and age.
pub(crate) fn choose(tx: &mut Tx<'_>, provider: i64, wanted: &Wanted) -> Result<Vec<Chosen>, StoreError> {
    let mut found = Vec::new();
    if wanted.selectors.is_empty() {
        by_default(tx, provider, &mut found)?;
    }
    for selector in &wanted.selectors {
        by_selector(tx, provider, selector, &mut found)?;
    }
    Ok(united(found))
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

/// Without selectors: the main branch of each consumer, or what comes nearest to one, and whatever is in use.
fn by_default(tx: &mut Tx<'_>, provider: i64, found: &mut Found) -> Result<(), StoreError> {
    found.extend(main_branches(tx, provider, None)?);
    let tagged = heads(
        tx,
        "CROSS JOIN pacticipant m CROSS JOIN tag_head h CROSS JOIN publication pub",
        "m.id = i.consumer_id AND h.pacticipant_id = m.id AND h.name = m.main_branch AND pub.version_id = h.version_id
         AND NOT EXISTS (SELECT 1 FROM branch b WHERE b.pacticipant_id = m.id AND b.name = m.main_branch AND b.head_version_id IS NOT NULL)",
        "h.name",
        provider,
        None,
        &[],
    )?;
    found.extend(
        tagged
            .into_iter()
            .map(|(publication, tag)| (publication, Reason::LatestWithTag { tag, instead_of: None })),
    );
    let rest = heads(
        tx,
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
    )?;
    found.extend(rest.into_iter().map(|(publication, _)| (publication, Reason::Latest)));
    present(tx, provider, None, "deployment", None, found)?;
    present(tx, provider, None, "released", None, found)
}

fn by_selector(tx: &mut Tx<'_>, provider: i64, selector: &Selector, found: &mut Found) -> Result<(), StoreError> {
    let consumer = selector.consumer.as_deref();
    match &selector.criterion {
        Criterion::MainBranch => found.extend(main_branches(tx, provider, consumer)?),
        Criterion::Branch { name, fallback } => {
            let heads = branch_heads(tx, provider, consumer, Some(name))?;
            let others = match fallback {
                Some(fallback) => branch_heads(tx, provider, consumer, Some(fallback))?,
                None => Vec::new(),
            };
            let reason = |name: &str, instead_of| Reason::Branch {
                name: name.to_owned(),
                instead_of,
            };
            with_fallback(heads, name, others, fallback.as_deref(), reason, found);
        }
        Criterion::EveryBranch => {
            let heads = branch_heads(tx, provider, consumer, None)?;
            found.extend(
                heads
                    .into_iter()
                    .map(|(publication, name)| (publication, Reason::Branch { name, instead_of: None })),
            );
        }
        Criterion::LatestWithTag { tag, fallback } => {
            let heads = tag_heads(tx, provider, consumer, tag)?;
            let others = match fallback {
                Some(fallback) => tag_heads(tx, provider, consumer, fallback)?,
                None => Vec::new(),
            };
            let reason = |tag: &str, instead_of| Reason::LatestWithTag {
                tag: tag.to_owned(),
                instead_of,
            };
            with_fallback(heads, tag, others, fallback.as_deref(), reason, found);
        }
        Criterion::EveryWithTag { tag } => {
            let all = heads(
                tx,
                "CROSS JOIN tag t CROSS JOIN publication pub",
                "t.pacticipant_id = i.consumer_id AND t.name = $3 AND pub.version_id = t.version_id",
                "t.name",
                provider,
                consumer,
                &[tag.into()],
            )?;
            found.extend(
                all.into_iter()
                    .map(|(publication, tag)| (publication, Reason::EveryWithTag { tag })),
            );
        }
        Criterion::Latest => {
            let all = heads(
                tx,
                "CROSS JOIN publication pub",
                "pub.id = (SELECT q.id FROM publication q WHERE q.consumer_id = i.consumer_id AND q.provider_id = i.provider_id
                 AND q.newest = 1 ORDER BY q.version_id DESC LIMIT 1)",
                "''",
                provider,
                consumer,
                &[],
            )?;
            found.extend(all.into_iter().map(|(publication, _)| (publication, Reason::Latest)));
        }
        Criterion::Present {
            deployed,
            released,
            environment,
        } => {
            for (asked, table) in [(deployed, "deployment"), (released, "released")] {
                if *asked {
                    present(tx, provider, consumer, table, environment.as_deref(), found)?;
                }
            }
        }
    }
    Ok(())
}

/// For each consumer what was asked for; what stands in for it where there is nothing.
fn with_fallback(
    asked: Vec<(Publication, String)>,
    name: &str,
    others: Vec<(Publication, String)>,
    fallback: Option<&str>,
    reason: impl Fn(&str, Option<String>) -> Reason,
    found: &mut Found,
) {
    let known: Vec<i64> = asked.iter().map(|(publication, _)| publication.consumer_id).collect();
    found.extend(
        asked
            .into_iter()
            .map(|(publication, _)| (publication, reason(name, None))),
    );
    let missing = others
        .into_iter()
        .filter(|(publication, _)| !known.contains(&publication.consumer_id));
    found.extend(
        missing.map(|(publication, _)| (publication, reason(fallback.unwrap_or_default(), Some(name.to_owned())))),
    );
}

fn main_branches(tx: &mut Tx<'_>, provider: i64, consumer: Option<&str>) -> Result<Found, StoreError> {
    let heads = heads(
        tx,
        "CROSS JOIN pacticipant m CROSS JOIN branch b CROSS JOIN publication pub",
        "m.id = i.consumer_id AND b.pacticipant_id = m.id AND b.name = m.main_branch AND pub.version_id = b.head_version_id",
        "b.name",
        provider,
        consumer,
        &[],
    )?;
    Ok(heads
        .into_iter()
        .map(|(publication, name)| (publication, Reason::MainBranch { name }))
        .collect())
}

fn branch_heads(
    tx: &mut Tx<'_>,
    provider: i64,
    consumer: Option<&str>,
    name: Option<&str>,
) -> Result<Vec<(Publication, String)>, StoreError> {
    let named = if name.is_some() { "AND b.name = $3" } else { "" };
    let parameters: Vec<Value> = name.map(Value::from).into_iter().collect();
    heads(
        tx,
        "CROSS JOIN branch b CROSS JOIN publication pub",
        &format!("b.pacticipant_id = i.consumer_id {named} AND pub.version_id = b.head_version_id"),
        "b.name",
        provider,
        consumer,
        &parameters,
    )
}

fn tag_heads(
    tx: &mut Tx<'_>,
    provider: i64,
    consumer: Option<&str>,
    tag: &str,
) -> Result<Vec<(Publication, String)>, StoreError> {
    heads(
        tx,
        "CROSS JOIN tag_head h CROSS JOIN publication pub",
        "h.pacticipant_id = i.consumer_id AND h.name = $3 AND pub.version_id = h.version_id",
        "h.name",
        provider,
        consumer,
        &[tag.into()],
    )
}

fn present(
    tx: &mut Tx<'_>,
    provider: i64,
    consumer: Option<&str>,
    table: &str,
    environment: Option<&str>,
    found: &mut Found,
) -> Result<(), StoreError> {
    let named = if environment.is_some() { "AND e.name = $3" } else { "" };
    let parameters: Vec<Value> = environment.map(Value::from).into_iter().collect();
    let all = heads(
        tx,
        &format!("CROSS JOIN {table} d CROSS JOIN environment e CROSS JOIN publication pub"),
        &format!(
            "d.pacticipant_id = i.consumer_id AND d.is_current = 1 AND e.id = d.environment_id {named} AND pub.version_id = d.version_id"
        ),
        "e.name",
        provider,
        consumer,
        &parameters,
    )?;
    found.extend(all.into_iter().map(|(publication, environment)| {
        let reason = if table == "deployment" {
            Reason::Deployed { environment }
        } else {
            Reason::Released { environment }
        };
        (publication, reason)
    }));
    Ok(())
}

/// Publications for a provider with a name beside each. CROSS JOIN with its condition in WHERE keeps the order of the tables:
/// from few to the one row wanted of many. `$1` is the provider, `$2` a consumer's name or ''.
fn heads(
    tx: &mut Tx<'_>,
    tables: &str,
    condition: &str,
    name: &str,
    provider: i64,
    consumer: Option<&str>,
    more: &[Value],
) -> Result<Vec<(Publication, String)>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, {name} FROM integration i {tables} {LOOKUPS} WHERE i.provider_id = $1 AND ($2 = '' OR c.name = $2)
         AND {condition} AND pub.provider_id = i.provider_id AND pub.consumer_id = i.consumer_id AND pub.newest = 1"
    );
    let mut parameters: Vec<Value> = vec![provider.into(), consumer.unwrap_or_default().into()];
    parameters.extend(more.iter().cloned());
    let rows = tx.query(&sql, &parameters)?;
    Ok(rows.iter().map(|row| (of(row), row.text(WIDTH))).collect())
}

/// For whom pending and work in progress are to be computed.
pub(crate) fn askers(tx: &mut Tx<'_>, provider: i64, wanted: &Wanted) -> Result<Vec<Asker>, StoreError> {
    if let Some(name) = &wanted.provider_branch {
        let branch = super::branches::find(tx, provider, name)?;
        let since = branch.map(|branch| branch.created_at);
        return Ok(vec![Asker {
            group: Group::Branch(name.clone()),
            since,
        }]);
    }
    let mut askers = Vec::new();
    for tag in &wanted.provider_tags {
        let sql = "SELECT min(created_at) FROM tag WHERE pacticipant_id = $1 AND name = $2";
        let since = tx.one(sql, params![provider, tag])?.and_then(|row| row.maybe_int(0));
        askers.push(Asker {
            group: Group::Tag(tag.clone()),
            since,
        });
    }
    if askers.is_empty() {
        askers.push(Asker {
            group: Group::Any,
            since: None,
        });
    }
    Ok(askers)
}

/// By content, when it was verified with success by whom.
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

/// Contracts at the head of some branch or tag, published after a moment and not chosen otherwise.
pub(crate) fn work_in_progress(
    tx: &mut Tx<'_>,
    provider: i64,
    since: i64,
    chosen: &[Chosen],
) -> Result<Vec<Chosen>, StoreError> {
    let branches = heads(
        tx,
        "CROSS JOIN branch b CROSS JOIN publication pub",
        "b.pacticipant_id = i.consumer_id AND pub.version_id = b.head_version_id AND pub.created_at > $3",
        "b.name",
        provider,
        None,
        &[since.into()],
    )?;
    let tags = heads(
        tx,
        "CROSS JOIN tag_head h CROSS JOIN publication pub",
        "h.pacticipant_id = i.consumer_id AND pub.version_id = h.version_id AND pub.created_at > $3",
        "h.name",
        provider,
        None,
        &[since.into()],
    )?;
    let branches = branches
        .into_iter()
        .map(|(publication, name)| (publication, Reason::Branch { name, instead_of: None }));
    let tags = tags
        .into_iter()
        .map(|(publication, tag)| (publication, Reason::LatestWithTag { tag, instead_of: None }));
    let is_chosen = |content: i64| chosen.iter().any(|one| one.publication.content_id == content);
    Ok(united(
        branches
            .chain(tags)
            .filter(|(publication, _)| !is_chosen(publication.content_id))
            .collect(),
    ))
}
