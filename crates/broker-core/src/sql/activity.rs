//! Reads the newest events of an application: publications, results, deployments, and releases.

use super::statement::{self, FromColumns};
use crate::store::{Columns, StoreError, Tx, params};

/// What happened to a version of an application, and when.
#[derive(Clone, Debug)]
pub struct Activity {
    pub at: i64,
    pub version: String,
    pub event: Event,
}

#[derive(Clone, Debug)]
pub enum Event {
    /// A contract between this version and a provider was published.
    Published {
        provider: String,
    },
    /// This version, as the provider, verified a consumer's contract.
    Verified {
        consumer: String,
        consumer_version: String,
        success: bool,
    },
    /// A provider verified a contract that this version published.
    Result {
        provider: String,
        provider_version: String,
        success: bool,
    },
    Deployed {
        environment: String,
        production: bool,
    },
    Undeployed {
        environment: String,
        production: bool,
    },
    Released {
        environment: String,
        production: bool,
    },
}

struct Row {
    at: i64,
    version: String,
    texts: (String, String),
    flag: bool,
}

impl FromColumns for Row {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            at: columns.int(),
            version: columns.text(),
            texts: (columns.text(), columns.text()),
            flag: columns.bool(),
        }
    }
}

/// Selects the newest versions of the application. Only contracts and results of these versions are read.
const VERSIONS: &str = "SELECT id FROM version WHERE pacticipant_id = $1 ORDER BY id DESC LIMIT $2";

/// Returns at most `limit` events of an application, newest first. Contracts and results of versions other than the
/// newest `limit` are ignored.
pub fn newest(tx: &mut Tx<'_>, pacticipant: i64, limit: i64) -> Result<Vec<Activity>, StoreError> {
    let mut all = Vec::new();
    let mut read = |sql: &str, event: fn((String, String), bool) -> Event| {
        let rows: Vec<Row> = statement::list(tx, sql, params![pacticipant, limit])?;
        all.extend(rows.into_iter().map(|row| Activity {
            at: row.at,
            version: row.version,
            event: event(row.texts, row.flag),
        }));
        Ok::<(), StoreError>(())
    };
    read(
        &format!(
            "SELECT pub.created_at, v.number, p.name, '', 1 FROM publication pub
             JOIN version v ON v.id = pub.version_id JOIN pacticipant p ON p.id = pub.provider_id
             WHERE pub.version_id IN ({VERSIONS}) AND pub.newest = 1 ORDER BY pub.id DESC LIMIT $2"
        ),
        |(provider, _), _| Event::Published { provider },
    )?;
    read(
        &format!(
            "SELECT r.created_at, v.number, c.name, coalesce((SELECT cv.number FROM publication pub
               JOIN version cv ON cv.id = pub.version_id WHERE pub.content_id = r.content_id
               ORDER BY pub.version_id DESC LIMIT 1), ''), r.success
             FROM result r JOIN version v ON v.id = r.version_id
             JOIN content k ON k.id = r.content_id JOIN pacticipant c ON c.id = k.consumer_id
             WHERE r.version_id IN ({VERSIONS}) ORDER BY r.id DESC LIMIT $2"
        ),
        |(consumer, consumer_version), success| Event::Verified {
            consumer,
            consumer_version,
            success,
        },
    )?;
    read(
        &format!(
            "SELECT r.created_at, cv.number, p.name, pv.number, r.success
             FROM result r JOIN version pv ON pv.id = r.version_id
             JOIN content k ON k.id = r.content_id JOIN pacticipant p ON p.id = k.provider_id
             JOIN version cv ON cv.id = (SELECT max(pub.version_id) FROM publication pub WHERE pub.content_id = r.content_id)
             WHERE r.content_id IN (SELECT content_id FROM publication WHERE version_id IN ({VERSIONS}))
             ORDER BY r.id DESC LIMIT $2"
        ),
        |(provider, provider_version), success| Event::Result {
            provider,
            provider_version,
            success,
        },
    )?;
    let presences = |table: &str, time: &str| {
        format!(
            "SELECT d.{time}, v.number, e.name, '', e.production FROM {table} d
             JOIN version v ON v.id = d.version_id JOIN environment e ON e.id = d.environment_id
             WHERE d.pacticipant_id = $1 AND d.{time} IS NOT NULL ORDER BY d.{time} DESC LIMIT $2"
        )
    };
    read(
        &presences("deployment", "created_at"),
        |(environment, _), production| Event::Deployed {
            environment,
            production,
        },
    )?;
    read(&presences("deployment", "ended_at"), |(environment, _), production| {
        Event::Undeployed {
            environment,
            production,
        }
    })?;
    read(&presences("released", "created_at"), |(environment, _), production| {
        Event::Released {
            environment,
            production,
        }
    })?;
    all.sort_by_key(|one| std::cmp::Reverse(one.at));
    all.truncate(usize::try_from(limit).unwrap_or(0));
    Ok(all)
}
