//! Reads the rows of the matrix: contracts and their results.

use std::collections::{HashMap, HashSet};

use super::results::number_of;
use super::statement::FromColumns;
use crate::store::{BoundQuery, Columns, StoreError, Tx, each, params};
use contract_broker_domain::matrix::{LatestBy, Query};
use contract_broker_domain::verdict::{Evidence, Pair, Row, Verified, VersionSet};

/// The part of a publication that rows contain.
struct Published {
    version: i64,
    content: i64,
    revision: i64,
    at: i64,
    sha: String,
}

/// Returns the rows of all pairs, pair by pair.
pub fn rows(tx: &mut Tx<'_>, pairs: &[Pair], query: &Query, evidence: &Evidence) -> Result<Vec<Row>, StoreError> {
    let queries = pairs
        .iter()
        .map(|pair| publications(pair, evidence.versions(pair.consumer), query));
    let published: Vec<Vec<Published>> = tx
        .query_lists(queries.collect())?
        .into_iter()
        .zip(pairs)
        .map(|(rows, pair)| {
            let mut published: Vec<Published> = rows.iter().flatten().map(Published::from_row).collect();
            if *evidence.versions(pair.consumer) == VersionSet::Every {
                published.sort_by_key(|publication| std::cmp::Reverse((publication.version, publication.revision)));
                published.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
            }
            published
        })
        .collect();
    let queries = pairs.iter().zip(&published).map(|(pair, published)| {
        let contents: HashSet<i64> = published.iter().map(|publication| publication.content).collect();
        let contents: Vec<i64> = contents.into_iter().collect();
        results(&contents, evidence.versions(pair.provider), query)
    });
    let results = tx.query_lists(queries.collect())?;
    let mut rows = Vec::new();
    for ((pair, published), results) in pairs.iter().zip(published).zip(results) {
        let verified = verified(results.iter().flatten(), query);
        for publication in published {
            let row = |verified: Option<Verified>| Row {
                consumer: pair.consumer,
                consumer_version: publication.version,
                revision: publication.revision,
                provider: pair.provider,
                published_at: publication.at,
                sha: publication.sha.clone(),
                verified,
            };
            match verified.get(&publication.content) {
                None if pair.only_verified => {}
                None => rows.push(row(None)),
                Some(results) => rows.extend(results.iter().map(|result| row(Some(*result)))),
            }
        }
    }
    Ok(rows)
}

impl FromColumns for Published {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            version: columns.int(),
            content: columns.int(),
            revision: columns.int(),
            at: columns.int(),
            sha: columns.text(),
        }
    }
}

fn publications(pair: &Pair, versions: &VersionSet, query: &Query) -> Vec<BoundQuery> {
    let select = "SELECT pub.version_id, pub.content_id, pub.revision, pub.created_at, ct.sha FROM publication pub
        LEFT JOIN content ct ON ct.id = pub.content_id";
    let every_revision = query.latest_by == LatestBy::Nothing;
    match versions {
        // Each kind of revision has its own index scan, because one scan for both would need a sort.
        VersionSet::Every => [1, 0]
            .into_iter()
            .filter(|newest| every_revision || *newest == 1)
            .map(|newest| {
                let sql = format!(
                    "{select} WHERE pub.consumer_id = $1 AND pub.provider_id = $2 AND pub.newest = {newest}
                     ORDER BY pub.version_id DESC LIMIT $3"
                );
                (sql, params![pair.consumer, pair.provider, query.limit].to_vec())
            })
            .collect(),
        VersionSet::These(ids) => {
            let newest = if every_revision { "" } else { "AND pub.newest = 1" };
            each(
                |ids| format!("{select} WHERE pub.version_id IN ({ids}) AND pub.provider_id = $1 {newest}"),
                params![pair.provider],
                ids,
            )
        }
    }
}

fn results(contents: &[i64], versions: &VersionSet, query: &Query) -> Vec<BoundQuery> {
    let select = match query.latest_by {
        LatestBy::Nothing => "SELECT l.content_id, l.version_id, l.id, l.success, l.created_at FROM result l",
        LatestBy::Both | LatestBy::Consumer => {
            "SELECT l.content_id, l.version_id, l.result_id, l.success, r.created_at FROM latest_result l
             LEFT JOIN result r ON r.id = l.result_id"
        }
    };
    let order = match query.latest_by {
        LatestBy::Nothing => "l.version_id DESC, l.id DESC",
        LatestBy::Both | LatestBy::Consumer => "l.version_id DESC",
    };
    match versions {
        VersionSet::Every => {
            let most = if query.latest_by == LatestBy::Consumer {
                1
            } else {
                query.limit
            };
            let sql = format!("{select} WHERE l.content_id = $1 ORDER BY {order} LIMIT $2");
            contents
                .iter()
                .map(|content| (sql.clone(), params![*content, most].to_vec()))
                .collect()
        }
        VersionSet::These(ids) => ids
            .iter()
            .flat_map(|id| {
                let sql = |ids: &str| format!("{select} WHERE l.version_id = $1 AND l.content_id IN ({ids})");
                each(sql, params![*id], contents)
            })
            .collect(),
    }
}

/// Groups results by the ID of the content. In each group, the newest provider version comes first, and its newest
/// result first.
fn verified<'a>(rows: impl Iterator<Item = &'a crate::store::Row>, query: &Query) -> HashMap<i64, Vec<Verified>> {
    let mut found: HashMap<i64, Vec<Verified>> = HashMap::new();
    for row in rows {
        found.entry(row.int(0)).or_default().push(Verified {
            version: row.int(1),
            number: number_of(row.int(2)),
            success: row.bool(3),
            at: row.int(4),
        });
    }
    for results in found.values_mut() {
        results.sort_by_key(|result| std::cmp::Reverse((result.version, result.number)));
        if query.latest_by == LatestBy::Consumer {
            results.truncate(1);
        }
    }
    found
}
