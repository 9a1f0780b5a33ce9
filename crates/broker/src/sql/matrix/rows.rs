//! What each pair published and verified, as far as the question goes.

use std::collections::{HashMap, HashSet};

use super::pairs::Pair;
use crate::domain::matrix::{LatestBy, Query};
use crate::domain::verdict::{Among, Evidence, Row, Verified};
use crate::sql::results;
use crate::store::{StoreError, Tx, Value, params};

fn among(evidence: &Evidence, pacticipant: i64) -> &Among {
    evidence
        .parties
        .iter()
        .find(|party| party.pacticipant == pacticipant)
        .map_or(&Among::Every, |party| &party.versions)
}

/// A publication, as far as rows need it.
struct Published {
    version: i64,
    content: i64,
    revision: i64,
    at: i64,
    sha: String,
}

pub(super) fn rows_of(
    tx: &mut Tx<'_>,
    pair: &Pair,
    query: &Query,
    evidence: &Evidence,
) -> Result<Vec<Row>, StoreError> {
    let published = published(tx, pair, among(evidence, pair.consumer), query)?;
    let contents: HashSet<i64> = published.iter().map(|one| one.content).collect();
    let contents: Vec<i64> = contents.into_iter().collect();
    let verified = verified(tx, &contents, among(evidence, pair.provider), query)?;
    let mut rows = Vec::new();
    for one in published {
        let row = |verified: Option<Verified>| Row {
            consumer: pair.consumer,
            consumer_version: one.version,
            revision: one.revision,
            provider: pair.provider,
            published_at: one.at,
            sha: one.sha.clone(),
            verified,
        };
        match verified.get(&one.content) {
            None if pair.only_verified => {}
            None => rows.push(row(None)),
            Some(results) => rows.extend(results.iter().map(|result| row(Some(*result)))),
        }
    }
    Ok(rows)
}

fn published(tx: &mut Tx<'_>, pair: &Pair, among: &Among, query: &Query) -> Result<Vec<Published>, StoreError> {
    let select = "SELECT pub.version_id, pub.content_id, pub.revision, pub.created_at, ct.sha FROM publication pub
        LEFT JOIN content ct ON ct.id = pub.content_id";
    let newest = if query.latest_by == LatestBy::Nothing {
        ""
    } else {
        "AND pub.newest = 1"
    };
    let rows = match among {
        Among::Every => tx.query(
            &format!(
                "{select} WHERE pub.consumer_id = $1 AND pub.provider_id = $2 AND pub.newest IN (0, 1) {newest}
                 ORDER BY pub.version_id DESC, pub.revision DESC LIMIT $3"
            ),
            params![pair.consumer, pair.provider, query.limit],
        )?,
        Among::These(ids) => tx.query_each(
            &format!("{select} WHERE pub.version_id IN ({{ids}}) AND pub.provider_id = $1 {newest}"),
            params![pair.provider],
            ids,
        )?,
    };
    let of = |row: &crate::store::Row| Published {
        version: row.int(0),
        content: row.int(1),
        revision: row.int(2),
        at: row.int(3),
        sha: row.text(4),
    };
    Ok(rows.iter().map(of).collect())
}

/// By content, the results of the provider versions in question, newest version and newest result first.
fn verified(
    tx: &mut Tx<'_>,
    contents: &[i64],
    among: &Among,
    query: &Query,
) -> Result<HashMap<i64, Vec<Verified>>, StoreError> {
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
    let mut rows = Vec::new();
    match among {
        Among::Every => {
            let most = if query.latest_by == LatestBy::Consumer {
                1
            } else {
                query.limit
            };
            for content in contents {
                let sql = format!("{select} WHERE l.content_id = $1 ORDER BY {order} LIMIT $2");
                rows.extend(tx.query(&sql, params![*content, most])?);
            }
        }
        Among::These(ids) => {
            for id in ids {
                let sql = format!("{select} WHERE l.version_id = $1 AND l.content_id IN ({{ids}})");
                rows.extend(tx.query_each(&sql, &[Value::Int(*id)], contents)?);
            }
        }
    }
    let mut found: HashMap<i64, Vec<Verified>> = HashMap::new();
    for row in rows {
        found.entry(row.int(0)).or_default().push(Verified {
            version: row.int(1),
            number: results::number_of(row.int(2)),
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
    Ok(found)
}
