//! Publications. Each is a revision of the contract between a consumer version and a provider.

use std::collections::HashMap;

use super::statement::{self, Conditions, FromColumns};
use super::{Page, pacticipants};
use crate::store::{Columns, StoreError, Tx, Value, params};

/// A revision of the contract between a consumer version and a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    pub id: i64,
    pub consumer_id: i64,
    pub consumer: String,
    pub provider_id: i64,
    pub provider: String,
    pub version_id: i64,
    pub version: String,
    pub content_id: i64,
    pub sha: String,
    pub revision: i64,
    pub created_at: i64,
}

/// The columns of a publication `pub`, and the joins that they need. LEFT JOIN makes both databases look up the names
/// last.
pub(super) const COLUMNS: &str = "pub.id, pub.consumer_id, c.name, pub.provider_id, p.name, pub.version_id, v.number,
    pub.content_id, ct.sha, pub.revision, pub.created_at";
pub(super) const LOOKUPS: &str =
    "LEFT JOIN pacticipant c ON c.id = pub.consumer_id LEFT JOIN pacticipant p ON p.id = pub.provider_id
    LEFT JOIN version v ON v.id = pub.version_id LEFT JOIN content ct ON ct.id = pub.content_id";

impl FromColumns for Publication {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            consumer_id: columns.int(),
            consumer: columns.text(),
            provider_id: columns.int(),
            provider: columns.text(),
            version_id: columns.int(),
            version: columns.text(),
            content_id: columns.int(),
            sha: columns.text(),
            revision: columns.int(),
            created_at: columns.int(),
        }
    }
}

fn find_where(tx: &mut Tx<'_>, condition: &str, parameters: &[Value]) -> Result<Option<Publication>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM publication pub {LOOKUPS} {condition}");
    statement::find(tx, &sql, parameters)
}

/// Selects one of the contracts between a consumer and a provider. `Latest` variants skip versions without a contract
/// for the provider; `Head` variants do not.
#[derive(Clone, Copy, Debug)]
pub enum PactQuery<'a> {
    Latest,
    LatestWithTag(&'a str),
    LatestUntagged,
    LatestOnBranch(&'a str),
    LatestOnMainBranch,
    /// The contract of the branch's head. There is none if the head has not published a contract for the provider.
    HeadOfBranch(&'a str),
    HeadOfMainBranch,
}

/// Returns the query for the ID of the newest publication between `consumer` and `provider`, which are SQL expressions.
/// `condition` is empty or starts with AND. The query scans an index and stops at the first row.
pub(super) fn newest_publication(consumer: &str, provider: &str, condition: &str) -> String {
    format!(
        "SELECT q.id FROM publication q WHERE q.consumer_id = {consumer} AND q.provider_id = {provider} AND q.newest = 1
         {condition} ORDER BY q.version_id DESC LIMIT 1"
    )
}

impl PactQuery<'_> {
    /// Returns the query for the ID of the selected publication between `consumer` and `provider`, which are SQL
    /// expressions. Like [`newest_publication`], each query stops at the first row. The `+ 0` terms keep PostgreSQL
    /// from choosing another index. They are removed for SQLite.
    fn publication_id(self, consumer: &str, provider: &str, conditions: &mut Conditions) -> String {
        match self {
            Self::Latest => newest_publication(consumer, provider, ""),
            Self::LatestUntagged => newest_publication(
                consumer,
                provider,
                "AND NOT EXISTS (SELECT 1 FROM tag t WHERE t.version_id = q.version_id)",
            ),
            Self::LatestWithTag(tag) => {
                let tag = conditions.parameter(tag);
                format!(
                    "SELECT q.id FROM tag t CROSS JOIN publication q WHERE t.pacticipant_id = {consumer} AND t.name = {tag}
                     AND q.version_id = t.version_id AND q.provider_id + 0 = {provider} AND q.newest + 0 = 1
                     ORDER BY t.version_id DESC LIMIT 1"
                )
            }
            Self::LatestOnBranch(branch) => {
                let branch = conditions.parameter(branch);
                format!(
                    "SELECT q.id FROM branch b CROSS JOIN branch_version bv CROSS JOIN publication q
                     WHERE b.pacticipant_id = {consumer} AND b.name = {branch} AND bv.branch_id = b.id
                     AND q.version_id = bv.version_id AND q.provider_id + 0 = {provider} AND q.newest + 0 = 1
                     ORDER BY bv.version_id DESC LIMIT 1"
                )
            }
            Self::LatestOnMainBranch => format!(
                "SELECT q.id FROM pacticipant m CROSS JOIN branch b CROSS JOIN branch_version bv CROSS JOIN publication q
                 WHERE m.id = {consumer} AND b.pacticipant_id = {consumer} AND b.name = m.main_branch AND bv.branch_id = b.id
                 AND q.version_id = bv.version_id AND q.provider_id = {provider} AND q.newest = 1
                 ORDER BY bv.version_id DESC LIMIT 1"
            ),
            Self::HeadOfBranch(branch) => {
                let branch = conditions.parameter(branch);
                format!(
                    "SELECT q.id FROM branch b CROSS JOIN publication q WHERE b.pacticipant_id = {consumer} AND b.name = {branch}
                     AND q.version_id = b.head_version_id AND q.provider_id + 0 = {provider} AND q.newest + 0 = 1"
                )
            }
            Self::HeadOfMainBranch => format!(
                "SELECT q.id FROM pacticipant m CROSS JOIN branch b CROSS JOIN publication q
                 WHERE m.id = {consumer} AND b.pacticipant_id = {consumer} AND b.name = m.main_branch
                 AND q.version_id = b.head_version_id AND q.provider_id + 0 = {provider} AND q.newest + 0 = 1"
            ),
        }
    }

    fn find(
        self,
        tx: &mut Tx<'_>,
        [consumer, provider]: [&str; 2],
        mut conditions: Conditions,
    ) -> Result<Option<Publication>, StoreError> {
        let id = self.publication_id(consumer, provider, &mut conditions);
        conditions.add(format!("pub.id = ({id})"));
        find_where(tx, &conditions.where_clause(), conditions.parameters())
    }
}

/// Finds the contract that the query selects, in its last revision.
pub fn find(
    tx: &mut Tx<'_>,
    consumer: i64,
    provider: i64,
    query: PactQuery<'_>,
) -> Result<Option<Publication>, StoreError> {
    let mut conditions = Conditions::default();
    let (consumer, provider) = (conditions.parameter(consumer), conditions.parameter(provider));
    query.find(tx, [&consumer, &provider], conditions)
}

/// Like [`find`], but takes the names of the consumer and the provider.
pub fn find_named(
    tx: &mut Tx<'_>,
    names: (&str, &str),
    query: PactQuery<'_>,
) -> Result<Option<Publication>, StoreError> {
    let mut conditions = Conditions::default();
    let [consumer, provider] = ids_of_names(&mut conditions, names);
    query.find(tx, [&consumer, &provider], conditions)
}

/// Returns SQL expressions for the IDs of the consumer and the provider with these names.
fn ids_of_names(conditions: &mut Conditions, (consumer, provider): (&str, &str)) -> [String; 2] {
    [consumer, provider].map(|name| {
        let name = conditions.parameter(name);
        format!("(SELECT id FROM pacticipant WHERE name = {name})")
    })
}

/// Returns the contract between a consumer version and a provider, in its last revision.
pub fn of_version(tx: &mut Tx<'_>, version: i64, provider: i64) -> Result<Option<Publication>, StoreError> {
    find_where(tx, OF_VERSION, params![version, provider])
}

const OF_VERSION: &str = "WHERE pub.version_id = $1 AND pub.provider_id = $2 AND pub.newest = 1";

/// What the database contains before a contract is published.
pub struct Before {
    /// The contract that the version has already published for the provider, or `None`.
    pub publication: Option<Publication>,
    /// The ID of the stored content with the same hash, or `None` if the content is new.
    pub content: Option<i64>,
}

pub fn before(
    tx: &mut Tx<'_>,
    version: &super::versions::Version,
    provider: i64,
    sha: &str,
) -> Result<Before, StoreError> {
    let published = format!("SELECT {COLUMNS} FROM publication pub {LOOKUPS} {OF_VERSION}");
    let answers = tx.query_all(&[
        (published, params![version.id, provider].to_vec()),
        (
            CONTENT_ID.to_owned(),
            params![version.pacticipant_id, provider, sha].to_vec(),
        ),
    ])?;
    let row = |at: usize| answers.get(at).and_then(|rows| rows.first());
    Ok(Before {
        publication: row(0).map(Publication::from_row),
        content: row(1).map(|row| row.int(0)),
    })
}

/// Selects contracts by the tag or branch of their consumer versions.
#[derive(Clone, Copy, Debug)]
pub enum PactFilter<'a> {
    All,
    Tag(&'a str),
    Branch(&'a str),
    MainBranch,
}

impl PactFilter<'_> {
    /// Adds the filter's condition on the publication `pub`. `main_branch` is an SQL expression for the consumer's main
    /// branch.
    fn add_to(self, conditions: &mut Conditions, main_branch: &str) {
        let on_branch = |name: &str| {
            format!(
                "EXISTS (SELECT 1 FROM branch_version bv JOIN branch b ON b.id = bv.branch_id
                 WHERE bv.version_id = pub.version_id AND b.name = {name})"
            )
        };
        match self {
            Self::All => {}
            Self::Tag(tag) => {
                let tag = conditions.parameter(tag);
                conditions.add(format!(
                    "EXISTS (SELECT 1 FROM tag t WHERE t.version_id = pub.version_id AND t.name = {tag})"
                ));
            }
            Self::Branch(branch) => {
                let branch = conditions.parameter(branch);
                conditions.add(on_branch(&branch));
            }
            Self::MainBranch => conditions.add(on_branch(main_branch)),
        }
    }
}

/// Returns a page of a provider's contracts, newest first, in their last revisions, and their total number. `consumer`
/// limits them to one consumer.
pub fn list(
    tx: &mut Tx<'_>,
    provider: i64,
    consumer: Option<i64>,
    filter: PactFilter<'_>,
    page: Page,
) -> Result<(Vec<Publication>, i64), StoreError> {
    let mut conditions = Conditions::default();
    conditions.equal("pub.provider_id", provider);
    if let Some(consumer) = consumer {
        conditions.equal("pub.consumer_id", consumer);
    }
    conditions.add("pub.newest = 1");
    filter.add_to(&mut conditions, "c.main_branch");
    let tables = format!("publication pub {LOOKUPS}");
    statement::list_page(
        tx,
        (COLUMNS, &tables, "pub.version_id DESC, pub.id DESC"),
        conditions,
        page,
    )
}

/// Returns the contract that the query selects for each consumer of a provider, ordered by the consumers' names.
pub fn latest_of_each(tx: &mut Tx<'_>, provider: i64, query: PactQuery<'_>) -> Result<Vec<Publication>, StoreError> {
    let mut conditions = Conditions::default();
    conditions.equal("i.provider_id", provider);
    let id = query.publication_id("i.consumer_id", "i.provider_id", &mut conditions);
    conditions.add(format!("pub.id = ({id})"));
    let sql = format!(
        "SELECT {COLUMNS} FROM integration i CROSS JOIN publication pub {LOOKUPS} {} ORDER BY lower(c.name), c.name",
        conditions.where_clause()
    );
    statement::list(tx, &sql, conditions.parameters())
}

/// Returns the newest contract of each integration in which one of these applications is the consumer.
pub fn latest_of_consumers(tx: &mut Tx<'_>, consumers: &[i64]) -> Result<Vec<Publication>, StoreError> {
    let newest = newest_publication("i.consumer_id", "i.provider_id", "");
    let sql = |ids: &str| {
        format!(
            "SELECT {COLUMNS} FROM integration i CROSS JOIN publication pub {LOOKUPS}
             WHERE i.consumer_id IN ({ids}) AND pub.id = ({newest})"
        )
    };
    Ok(FromColumns::from_rows(&tx.query_list(sql, &[], consumers)?))
}

/// Returns the contracts of each consumer's newest version with each tag, newest first. For each consumer, considers at
/// most `max_tags` tags, those with the newest versions.
pub fn tagged_of_consumers(tx: &mut Tx<'_>, consumers: &[i64], max_tags: i64) -> Result<Vec<Publication>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT {COLUMNS} FROM (
                SELECT h.version_id, row_number() OVER (PARTITION BY h.pacticipant_id ORDER BY h.version_id DESC) AS place
                FROM tag_head h WHERE h.pacticipant_id IN ({ids})
             ) tagged CROSS JOIN publication pub {LOOKUPS}
             WHERE tagged.place <= $1 AND pub.version_id = tagged.version_id AND pub.newest = 1 ORDER BY pub.version_id DESC, pub.id"
        )
    };
    Ok(FromColumns::from_rows(&tx.query_list(
        sql,
        params![max_tags],
        consumers,
    )?))
}

pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Publication>, StoreError> {
    let sql = |ids: &str| format!("SELECT {COLUMNS} FROM publication pub {LOOKUPS} WHERE pub.id IN ({ids})");
    Ok(FromColumns::from_rows(&tx.query_each(sql, &[], ids)?))
}

/// Returns the contracts that these versions published, in their last revisions.
pub fn of_versions(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<Publication>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT {COLUMNS} FROM publication pub {LOOKUPS} WHERE pub.version_id IN ({ids}) AND pub.newest = 1
             ORDER BY pub.version_id DESC, p.name"
        )
    };
    Ok(FromColumns::from_rows(&tx.query_list(sql, &[], versions)?))
}

/// Returns the newest publication of a contract content, even if a later revision has replaced it.
pub fn newest_of_content(tx: &mut Tx<'_>, content: i64) -> Result<Option<Publication>, StoreError> {
    find_where(
        tx,
        "WHERE pub.content_id = $1 ORDER BY pub.version_id DESC, pub.revision DESC LIMIT 1",
        params![content],
    )
}

/// Returns the publication of a contract content by the newest of these versions.
pub fn of_content_in(tx: &mut Tx<'_>, content: i64, versions: &[i64]) -> Result<Option<Publication>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT {COLUMNS} FROM publication pub {LOOKUPS} WHERE pub.content_id = $1 AND pub.version_id IN ({ids})"
        )
    };
    let rows = tx.query_each(sql, params![content], versions)?;
    let found = Publication::from_rows(&rows).into_iter();
    Ok(found.max_by_key(|publication| publication.version_id))
}

/// Returns the newest contract with different content that an earlier version of the same consumer published for the
/// same provider.
pub fn previous_distinct(tx: &mut Tx<'_>, publication: &Publication) -> Result<Option<Publication>, StoreError> {
    find_where(
        tx,
        "WHERE pub.consumer_id = $1 AND pub.provider_id = $2 AND pub.newest = 1 AND pub.version_id < $3 AND pub.content_id <> $4
         ORDER BY pub.version_id DESC LIMIT 1",
        params![publication.consumer_id, publication.provider_id, publication.version_id, publication.content_id],
    )
}

const CONTENT_ID: &str = "SELECT id FROM content WHERE consumer_id = $1 AND provider_id = $2 AND sha = $3";

/// Returns the ID of the contract content with this hash between the applications with these names.
pub fn content_named(tx: &mut Tx<'_>, names: (&str, &str), sha: &str) -> Result<Option<i64>, StoreError> {
    let mut conditions = Conditions::default();
    let [consumer, provider] = ids_of_names(&mut conditions, names);
    conditions.add(format!("consumer_id = {consumer} AND provider_id = {provider}"));
    conditions.equal("sha", sha);
    let sql = format!("SELECT id FROM content {}", conditions.where_clause());
    Ok(tx.query_row(&sql, conditions.parameters())?.map(|row| row.int(0)))
}

/// Returns contract documents by the ID of their content. If their total size exceeds `max_size`, the largest ones are
/// omitted.
pub fn documents(tx: &mut Tx<'_>, contents: &[i64], max_size: i64) -> Result<HashMap<i64, String>, StoreError> {
    let sizes = tx.query_list(
        |ids| format!("SELECT content_id, size FROM content_text WHERE content_id IN ({ids})"),
        &[],
        contents,
    )?;
    let mut sizes: Vec<(i64, i64)> = sizes.iter().map(|row| (row.int(1), row.int(0))).collect();
    sizes.sort_unstable();
    let mut total = 0;
    let chosen = sizes.into_iter().take_while(|(size, _)| {
        total += size;
        total <= max_size
    });
    let ids: Vec<i64> = chosen.map(|(_, id)| id).collect();
    let rows = tx.query_list(
        |ids| format!("SELECT content_id, document FROM content_text WHERE content_id IN ({ids})"),
        &[],
        &ids,
    )?;
    Ok(rows.iter().map(|row| (row.int(0), row.text(1))).collect())
}

pub fn document(tx: &mut Tx<'_>, content: i64) -> Result<String, StoreError> {
    let row = tx.query_row(
        "SELECT document FROM content_text WHERE content_id = $1",
        params![content],
    )?;
    Ok(row.map(|row| row.text(0)).unwrap_or_default())
}

/// Stores contract content unless it is already stored. Returns its ID.
pub fn keep_content(
    tx: &mut Tx<'_>,
    consumer: i64,
    provider: i64,
    content: &contract_broker_domain::content::Content,
    now: i64,
) -> Result<i64, StoreError> {
    let inserted = tx.query_row(
        "INSERT INTO content (consumer_id, provider_id, sha, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING id",
        params![consumer, provider, &content.sha, now],
    )?;
    let Some(inserted) = inserted.map(|row| row.int(0)) else {
        let known = tx.query_row(CONTENT_ID, params![consumer, provider, &content.sha])?;
        return Ok(known.ok_or_else(StoreError::vanished)?.int(0));
    };
    let size = i64::try_from(content.text().len()).unwrap_or(i64::MAX);
    tx.execute_deferred(
        "INSERT INTO content_text (content_id, size, document) VALUES ($1, $2, $3)",
        params![inserted, size, content.packed()],
    )?;
    Ok(inserted)
}

/// What a publication changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishEffect {
    /// The version had no contract with this provider before.
    New,
    /// The version had already published the same content.
    Unchanged,
    /// The content replaced different content that the version had published before.
    Changed,
}

/// Publishes contract content for a consumer version and returns its ID. Different content becomes a new revision. The
/// caller must have locked the version's row.
pub fn publish(
    tx: &mut Tx<'_>,
    version: &super::versions::Version,
    provider: i64,
    content: &contract_broker_domain::content::Content,
    before: &Before,
    now: i64,
) -> Result<(PublishEffect, i64), StoreError> {
    let content = match before.content {
        Some(known) => known,
        None => keep_content(tx, version.pacticipant_id, provider, content, now)?,
    };
    let effect = add_revision(tx, version, provider, content, before.publication.as_ref(), now)?;
    Ok((effect, content))
}

/// Adds a revision with stored content, unless `latest` already has this content. `latest` is the contract's last
/// revision, or `None` for a new contract.
pub fn add_revision(
    tx: &mut Tx<'_>,
    version: &super::versions::Version,
    provider: i64,
    content: i64,
    latest: Option<&Publication>,
    now: i64,
) -> Result<PublishEffect, StoreError> {
    if latest.is_some_and(|latest| latest.content_id == content) {
        return Ok(PublishEffect::Unchanged);
    }
    let consumer = version.pacticipant_id;
    pacticipants::integrate(tx, consumer, provider, now)?;
    let revision = latest.map_or(1, |latest| latest.revision + 1);
    tx.execute_deferred(
        "INSERT INTO publication (consumer_id, provider_id, version_id, content_id, revision, newest, created_at)
         VALUES ($1, $2, $3, $4, $5, 1, $6)",
        params![consumer, provider, version.id, content, revision, now],
    )?;
    let Some(latest) = latest else {
        return Ok(PublishEffect::New);
    };
    tx.execute_deferred("UPDATE publication SET newest = 0 WHERE id = $1", params![latest.id])?;
    Ok(PublishEffect::Changed)
}

/// What was published and verified for an integration before a version published its contract.
pub struct IntegrationHistory {
    /// One entry for each tag of the version: the ID of the content that the previous version with this tag published,
    /// or `None` if there is none. A version without tags has one entry, which refers to the previous version without
    /// tags.
    pub contents_before: Vec<Option<i64>>,
    /// Whether any contract between the consumer and the provider has a verification result.
    pub is_verified: bool,
}

/// Returns the history of an integration. `content` is the ID of the content that the version has just published.
pub fn history(
    tx: &mut Tx<'_>,
    version: &super::versions::Version,
    provider: i64,
    content: i64,
) -> Result<IntegrationHistory, StoreError> {
    let pair: &[Value] = params![version.pacticipant_id, provider];
    let pair_and_version = [pair, params![version.id]].concat();
    let answers = tx.query_all(&[
        (
            "SELECT (SELECT q.content_id FROM tag o CROSS JOIN publication q WHERE o.pacticipant_id = $1 AND o.name = t.name
               AND o.version_id < $3 AND q.version_id = o.version_id AND q.provider_id + 0 = $2 AND q.newest + 0 = 1
               ORDER BY o.version_id DESC LIMIT 1)
             FROM tag t WHERE t.version_id = $3"
                .to_owned(),
            pair_and_version.clone(),
        ),
        (
            "SELECT q.content_id FROM publication q WHERE q.consumer_id = $1 AND q.provider_id = $2 AND q.newest = 1
             AND q.version_id < $3 AND NOT EXISTS (SELECT 1 FROM tag t WHERE t.version_id = q.version_id)
             ORDER BY q.version_id DESC LIMIT 1"
                .to_owned(),
            pair_and_version,
        ),
        // Most contents were published and verified before. Searching for their results first avoids reading those of
        // another content, which are probably not in memory.
        (
            "SELECT 1 FROM latest_result p WHERE p.content_id = $3
             UNION ALL SELECT 1 FROM content ct CROSS JOIN latest_result l
             WHERE ct.consumer_id = $1 AND ct.provider_id = $2 AND l.content_id = ct.id LIMIT 1"
                .to_owned(),
            [pair, params![content]].concat(),
        ),
    ])?;
    let rows = |at: usize| answers.get(at).map(Vec::as_slice).unwrap_or_default();
    let contents_before = if rows(0).is_empty() {
        vec![rows(1).first().map(|row| row.int(0))]
    } else {
        rows(0).iter().map(|row| row.maybe_int(0)).collect()
    };
    Ok(IntegrationHistory {
        contents_before,
        is_verified: !rows(2).is_empty(),
    })
}

/// Deletes the contracts between a consumer and a provider that match the filter. `version` limits the deletion to one
/// version of the consumer. Returns the number of deleted revisions.
pub fn delete(
    tx: &mut Tx<'_>,
    consumer: i64,
    provider: i64,
    version: Option<i64>,
    filter: PactFilter<'_>,
) -> Result<u64, StoreError> {
    let mut conditions = Conditions::default();
    let consumer = conditions.parameter(consumer);
    conditions.add(format!("pub.consumer_id = {consumer}"));
    conditions.equal("pub.provider_id", provider);
    if let Some(version) = version {
        conditions.equal("pub.version_id", version);
    }
    let main_branch = format!("(SELECT main_branch FROM pacticipant WHERE id = {consumer})");
    filter.add_to(&mut conditions, &main_branch);
    let sql = format!(
        "DELETE FROM publication WHERE id IN (SELECT pub.id FROM publication pub {})",
        conditions.where_clause()
    );
    tx.execute(&sql, conditions.parameters())
}

/// Returns a page of the newest contracts of all integrations, ordered by the names of consumer and provider.
pub fn latest_of_all(tx: &mut Tx<'_>, page: Page) -> Result<Vec<Publication>, StoreError> {
    let newest = newest_publication("i.consumer_id", "i.provider_id", "");
    let sql = format!(
        "SELECT {COLUMNS} FROM integration i CROSS JOIN publication pub {LOOKUPS} WHERE pub.id = ({newest})
         ORDER BY lower(c.name), c.name, lower(p.name), p.name LIMIT $1 OFFSET $2"
    );
    statement::list(tx, &sql, params![page.size, page.offset()])
}
