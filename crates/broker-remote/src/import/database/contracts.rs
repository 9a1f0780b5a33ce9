//! Reads contract contents, the contracts of consumer versions, and verification results.

use std::collections::HashMap;

use contract_broker_core::cases::import::{
    ImportedContent, ImportedContract, ImportedResult, ImportedRevision, ImportedTagSuccess, Record,
};
use contract_broker_core::store::Row;
use contract_broker_domain::content::Content;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{Message, ReadError, ReadResult, Reader, milliseconds};

/// Maximum total size in bytes of the documents that one query returns. A single document can be larger.
const SIZE: i64 = 16 * 1024 * 1024;

/// Columns that describe the verifier, and the path of each in the result's member `verifiedBy`. Old databases lack
/// some of these columns.
const VERIFIED_BY: [(&str, [&str; 2]); 5] = [
    ("verified_by_implementation", ["implementation", ""]),
    ("verified_by_version", ["version", ""]),
    ("verified_by_client_implementation", ["clientLanguage", "name"]),
    ("verified_by_client_version", ["clientLanguage", "version"]),
    ("verified_by_client_test_framework", ["clientLanguage", "testFramework"]),
];

/// The properties of contract content, without the document itself.
struct Header {
    id: i64,
    names: (String, String, String),
    created_at: i64,
    size: i64,
}

impl Reader<'_, '_> {
    /// Reads the contents to which a contract or a result refers. The Pact Broker would eventually delete all others.
    pub(super) fn read_contents(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT pv.id, c.name, p.name, pv.sha, {created}, octet_length(pv.content)
             FROM pact_versions pv JOIN pacticipants c ON c.id = pv.consumer_id JOIN pacticipants p ON p.id = pv.provider_id
             WHERE pv.id > $1 AND (EXISTS (SELECT 1 FROM pact_publications pp WHERE pp.pact_version_id = pv.id)
               OR EXISTS (SELECT 1 FROM verifications r WHERE r.pact_version_id = pv.id))
             ORDER BY pv.id LIMIT $2",
            created = milliseconds("pv.created_at")
        );
        let mut count = 0;
        self.each_batch::<1>(&sql, |reader, rows| {
            count += rows.len();
            let headers: Vec<Header> = rows.iter().map(header).collect();
            let (reply, known) = oneshot::channel();
            let names = headers.iter().map(|header| header.names.clone()).collect();
            reader.send(Message::KnownContents(names, reply))?;
            let known = known.blocking_recv().map_err(|_| ReadError::Stopped)?;
            let new = headers.into_iter().zip(known).filter(|(_, is_known)| !is_known);
            let mut part = Vec::new();
            let mut size = 0;
            for (header, _) in new {
                if size + header.size > SIZE && !part.is_empty() {
                    reader.read_documents(std::mem::take(&mut part))?;
                    size = 0;
                }
                size += header.size;
                part.push(header);
            }
            reader.read_documents(part)?;
            reader.progress(format!("{count} contract contents"))
        })
    }

    fn read_documents(&mut self, headers: Vec<Header>) -> ReadResult {
        let ids: Vec<i64> = headers.iter().map(|header| header.id).collect();
        let sql = |ids: &str| format!("SELECT id, content FROM pact_versions WHERE id IN ({ids})");
        let rows = self.tx.query_list(sql, &[], &ids)?;
        let mut documents: HashMap<i64, String> = rows.iter().map(|row| (row.int(0), row.text(1))).collect();
        for header in headers {
            let (consumer, provider, sha) = header.names;
            let document = documents.remove(&header.id).unwrap_or_default();
            match Content::read(document.as_bytes()) {
                Ok(mut content) => {
                    // Keep the hash, because it depends on the settings of the Pact Broker, and results refer to it.
                    content.sha = sha;
                    let content = ImportedContent {
                        consumer,
                        provider,
                        content,
                        size: document.len(),
                        created_at: header.created_at,
                    };
                    self.add(Record::Content(content))?;
                }
                Err(error) => {
                    self.fail(
                        "contracts",
                        format!("content {sha} of the contract between {consumer} and {provider}: {error}"),
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Reads the contracts of consumer versions, with all their revisions.
    pub(super) fn read_contracts(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT pp.consumer_version_id, pp.provider_id, pp.revision_number, c.name, v.number, p.name, pv.sha, {created}
             FROM pact_publications pp JOIN versions v ON v.id = pp.consumer_version_id
             JOIN pacticipants c ON c.id = v.pacticipant_id JOIN pacticipants p ON p.id = pp.provider_id
             JOIN pact_versions pv ON pv.id = pp.pact_version_id
             WHERE (pp.consumer_version_id, pp.provider_id, pp.revision_number) > ($1, $2, $3)
             ORDER BY pp.consumer_version_id, pp.provider_id, pp.revision_number LIMIT $4",
            created = milliseconds("pp.created_at")
        );
        let mut open: Option<((i64, i64), ImportedContract)> = None;
        let mut count = 0;
        self.each_batch::<3>(&sql, |reader, rows| {
            for row in rows {
                let key = (row.int(0), row.int(1));
                let revision = ImportedRevision {
                    sha: row.text(6),
                    created_at: row.int(7),
                };
                if let Some((_, contract)) = open.as_mut().filter(|(current, _)| *current == key) {
                    contract.revisions.push(revision);
                    continue;
                }
                count += 1;
                let contract = ImportedContract {
                    consumer: row.text(3),
                    version: row.text(4),
                    provider: row.text(5),
                    revisions: vec![revision],
                };
                if let Some((_, complete)) = open.replace((key, contract)) {
                    reader.add(Record::Contract(complete))?;
                }
            }
            reader.progress(format!("{count} contracts"))
        })?;
        match open {
            Some((_, last)) => self.add(Record::Contract(last)),
            None => Ok(()),
        }
    }

    pub(super) fn read_results(&mut self) -> ReadResult {
        let existing = self.columns("verifications")?;
        let has = |column: &str| existing.iter().any(|existing| existing == column);
        let verified_by = VERIFIED_BY.map(|(column, _)| {
            if has(column) {
                format!("r.{column}")
            } else {
                "NULL".to_owned()
            }
        });
        let verified_by = verified_by.map(|column| format!("CAST({column} AS TEXT)")).join(", ");
        let sql = format!(
            "SELECT r.id, r.pact_version_id, r.provider_version_id, c.name, p.name, pv.sha, v.number, CAST(r.success AS INT),
               CAST(COALESCE(r.wip, false) AS INT), r.build_url, r.test_results, {at}, {verified_by}
             FROM verifications r JOIN pact_versions pv ON pv.id = r.pact_version_id
             JOIN pacticipants c ON c.id = pv.consumer_id JOIN pacticipants p ON p.id = pv.provider_id
             LEFT JOIN versions v ON v.id = r.provider_version_id WHERE r.id > $1 ORDER BY r.id LIMIT $2",
            at = milliseconds("r.execution_date")
        );
        // The number of results so far with the same content, provider version, status, and time.
        let mut equal: HashMap<(i64, i64, i64), i64> = HashMap::new();
        let mut count = 0;
        self.each_batch::<1>(&sql, |reader, rows| {
            count += rows.len();
            for row in rows {
                let Some(provider_version) = row.maybe_text(6) else {
                    let (id, provider) = (row.int(0), row.text(4));
                    reader.fail(
                        "results",
                        format!("result {id} of {provider}: the provider version is missing"),
                    )?;
                    continue;
                };
                let (success, at) = (row.bool(7), row.int(11));
                let status_and_time = at.saturating_mul(2) | i64::from(success);
                let occurrence = equal.entry((row.int(1), row.int(2), status_and_time)).or_default();
                *occurrence += 1;
                let result = ImportedResult {
                    consumer: row.text(3),
                    provider: row.text(4),
                    sha: row.text(5),
                    provider_version,
                    occurrence: *occurrence,
                    is_rounded: false,
                    success,
                    wip: row.bool(8),
                    build_url: row.maybe_text(9),
                    test_results: row.maybe_text(10).filter(|results| is_json(results)),
                    verified_by: verified_by_of(&row, 12),
                    created_at: at,
                };
                reader.add(Record::Result(result))?;
            }
            reader.progress(format!("{count} results"))
        })
    }

    /// Reads successful verifications whose results were deleted. They still determine which contracts are pending or
    /// work in progress.
    pub(super) fn read_tag_successes(&mut self) -> ReadResult {
        const TABLE: &str = "pact_version_provider_tag_successful_verifications";
        // Versions before 2.92 do not have the table.
        if !self.has_table(TABLE)? {
            return Ok(());
        }
        let sql = format!(
            "SELECT s.id, c.name, p.name, pv.sha, s.provider_version_tag_name, CAST(s.wip AS INT), {at}
             FROM {TABLE} s JOIN pact_versions pv ON pv.id = s.pact_version_id
             JOIN pacticipants c ON c.id = pv.consumer_id JOIN pacticipants p ON p.id = pv.provider_id
             WHERE s.id > $1 AND s.verification_id IS NULL
               AND (EXISTS (SELECT 1 FROM pact_publications pp WHERE pp.pact_version_id = pv.id)
                 OR EXISTS (SELECT 1 FROM verifications r WHERE r.pact_version_id = pv.id))
             ORDER BY s.id LIMIT $2",
            at = milliseconds("s.execution_date")
        );
        self.each_batch::<1>(&sql, |reader, rows| {
            for row in rows {
                let success = ImportedTagSuccess {
                    consumer: row.text(1),
                    provider: row.text(2),
                    sha: row.text(3),
                    tag: row.text(4),
                    wip: row.bool(5),
                    first_at: row.int(6),
                };
                reader.add(Record::TagSuccess(success))?;
            }
            Ok(())
        })
    }
}

fn header(row: &Row) -> Header {
    Header {
        id: row.int(0),
        names: (row.text(1), row.text(2), row.text(3)),
        created_at: row.int(4),
        size: row.int(5),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns the `verifiedBy` member of a result as JSON, or `None` if it would be empty. `first` is the index of the
/// first of its columns.
fn verified_by_of(row: &Row, first: usize) -> Option<String> {
    let mut verified_by = Map::new();
    for (at, (_, [outer, inner])) in VERIFIED_BY.iter().enumerate() {
        let Some(value) = row.maybe_text(first + at) else {
            continue;
        };
        if inner.is_empty() {
            verified_by.insert((*outer).to_owned(), value.into());
        } else if let Value::Object(members) = verified_by.entry(*outer).or_insert_with(|| Map::new().into()) {
            members.insert((*inner).to_owned(), value.into());
        }
    }
    (!verified_by.is_empty()).then(|| Value::Object(verified_by).to_string())
}
