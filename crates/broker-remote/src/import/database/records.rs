//! Reads applications with their versions and branches, as well as environments, deployments, and releases.

use std::collections::HashMap;

use contract_broker_core::cases::import::{
    ImportedApplication, ImportedBranch, ImportedBranchHead, ImportedEnvironment, ImportedLink, ImportedPresence,
    ImportedVersion, Record,
};
use contract_broker_core::sql::environments::PresenceKind;
use contract_broker_core::sql::pacticipants::Details;
use contract_broker_core::store::Row;

use super::{ReadResult, Reader, by, milliseconds};

impl Reader<'_, '_> {
    pub(super) fn read_environments(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT id, uuid, name, COALESCE(display_name, name), CAST(production AS INT), contacts, {created}
             FROM environments WHERE id > $1 ORDER BY id LIMIT $2",
            created = milliseconds("created_at")
        );
        self.each_batch::<1>(&sql, |reader, rows| {
            for row in rows {
                let environment = ImportedEnvironment {
                    uuid: row.text(1),
                    name: row.text(2),
                    display_name: row.text(3),
                    production: row.bool(4),
                    contacts: row.maybe_text(5),
                    created_at: row.int(6),
                };
                reader.add(Record::Environment(environment))?;
            }
            Ok(())
        })?;
        self.progress("environments")
    }

    pub(super) fn read_applications(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT id, name, display_name, main_branch, repository_url, repository_name, repository_namespace, {created}, {updated}
             FROM pacticipants WHERE id > $1 ORDER BY id LIMIT $2",
            created = milliseconds("created_at"),
            updated = milliseconds("updated_at")
        );
        self.each_batch::<1>(&sql, |reader, rows| {
            let ids: Vec<i64> = rows.iter().map(|row| row.int(0)).collect();
            let labels = |ids: &str| format!("SELECT pacticipant_id, name FROM labels WHERE pacticipant_id IN ({ids})");
            let mut labels = by(reader.tx.query_list(labels, &[], &ids)?, 0);
            for row in rows {
                // The column is nullable in old versions.
                let Some(name) = row.maybe_text(1) else {
                    reader.fail(
                        "applications",
                        format!("application {}: the name is missing", row.int(0)),
                    )?;
                    continue;
                };
                let labels = labels.remove(&row.int(0)).unwrap_or_default();
                let application = ImportedApplication {
                    name,
                    details: Details {
                        display_name: row.maybe_text(2),
                        main_branch: row.maybe_text(3),
                        repository_url: row.maybe_text(4),
                        repository_name: row.maybe_text(5),
                        repository_namespace: row.maybe_text(6),
                    },
                    labels: labels.iter().map(|label| label.text(1)).collect(),
                    created_at: row.int(7),
                    updated_at: row.maybe_int(8).unwrap_or_else(|| row.int(7)),
                };
                reader.add(Record::Application(application))?;
            }
            Ok(())
        })?;
        self.progress("applications")
    }

    /// Reads branches with their creation times, on which it depends which contracts are work in progress.
    pub(super) fn read_branches(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT b.id, p.name, b.name, {created} FROM branches b JOIN pacticipants p ON p.id = b.pacticipant_id
             WHERE b.id > $1 ORDER BY b.id LIMIT $2",
            created = milliseconds("b.created_at")
        );
        self.each_batch::<1>(&sql, |reader, rows| {
            for row in rows {
                let branch = ImportedBranch {
                    application: row.text(1),
                    name: row.text(2),
                    created_at: row.int(3),
                };
                reader.add(Record::Branch(branch))?;
            }
            Ok(())
        })
    }

    /// Reads versions in the order in which they were created. This order is unique within an application.
    pub(super) fn read_versions(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT COALESCE(v.\"order\", 0), v.id, p.name, v.number, v.build_url, {created}
             FROM versions v JOIN pacticipants p ON p.id = v.pacticipant_id
             WHERE (COALESCE(v.\"order\", 0), v.id) > ($1, $2) ORDER BY COALESCE(v.\"order\", 0), v.id LIMIT $3",
            created = milliseconds("v.created_at")
        );
        let mut count = 0;
        self.each_batch::<2>(&sql, |reader, rows| {
            let ids: Vec<i64> = rows.iter().map(|row| row.int(1)).collect();
            let (mut branches, mut tags) = (reader.branches_of(&ids)?, reader.tags_of(&ids)?);
            count += rows.len();
            for row in rows {
                let links = |rows: Vec<Row>| rows.iter().map(link).collect();
                let version = ImportedVersion {
                    application: row.text(2),
                    number: row.text(3),
                    build_url: row.maybe_text(4),
                    branches: branches.remove(&row.int(1)).map(links).unwrap_or_default(),
                    tags: tags.remove(&row.int(1)).map(links).unwrap_or_default(),
                    created_at: row.int(5),
                    is_old: false,
                };
                reader.add(Record::Version(version))?;
            }
            reader.progress(format!("{count} versions"))
        })
    }

    fn branches_of(&mut self, versions: &[i64]) -> ReadResult<HashMap<i64, Vec<Row>>> {
        let sql = |ids: &str| {
            format!(
                "SELECT bv.version_id, b.name, CAST(COALESCE(bv.auto_created, false) AS INT), {created}
                 FROM branch_versions bv JOIN branches b ON b.id = bv.branch_id WHERE bv.version_id IN ({ids}) ORDER BY bv.id",
                created = milliseconds("bv.created_at")
            )
        };
        Ok(by(self.tx.query_list(sql, &[], versions)?, 0))
    }

    fn tags_of(&mut self, versions: &[i64]) -> ReadResult<HashMap<i64, Vec<Row>>> {
        let sql = |ids: &str| {
            format!(
                "SELECT version_id, name, 0, {created} FROM tags WHERE version_id IN ({ids}) ORDER BY created_at, name",
                created = milliseconds("created_at")
            )
        };
        Ok(by(self.tx.query_list(sql, &[], versions)?, 0))
    }

    /// Reads which version is the head of each branch. It is not always the branch's newest version.
    pub(super) fn read_branch_heads(&mut self) -> ReadResult {
        let sql = "SELECT h.branch_id, p.name, b.name, v.number FROM branch_heads h
             JOIN branches b ON b.id = h.branch_id JOIN pacticipants p ON p.id = b.pacticipant_id
             JOIN versions v ON v.id = h.version_id WHERE h.branch_id > $1 ORDER BY h.branch_id LIMIT $2";
        self.each_batch::<1>(sql, |reader, rows| {
            for row in rows {
                let head = ImportedBranchHead {
                    application: row.text(1),
                    branch: row.text(2),
                    version: row.text(3),
                };
                reader.add(Record::BranchHead(head))?;
            }
            Ok(())
        })
    }

    pub(super) fn read_presences(&mut self) -> ReadResult {
        // A deployment is current if the table of current deployments contains it.
        let deployed = format!(
            "SELECT d.id, d.uuid, p.name, v.number, e.uuid, d.target, {created},
               CASE WHEN c.deployed_version_id IS NULL THEN {ended} END
             FROM deployed_versions d JOIN versions v ON v.id = d.version_id JOIN pacticipants p ON p.id = v.pacticipant_id
             JOIN environments e ON e.id = d.environment_id
             LEFT JOIN currently_deployed_version_ids c ON c.deployed_version_id = d.id
             WHERE d.id > $1 ORDER BY d.id LIMIT $2",
            created = milliseconds("d.created_at"),
            ended = milliseconds("COALESCE(d.undeployed_at, d.updated_at)")
        );
        self.read_presences_of(PresenceKind::Deployed, &deployed)?;
        let released = format!(
            "SELECT r.id, r.uuid, p.name, v.number, e.uuid, CAST(NULL AS TEXT), {created}, {ended}
             FROM released_versions r JOIN versions v ON v.id = r.version_id JOIN pacticipants p ON p.id = v.pacticipant_id
             JOIN environments e ON e.id = r.environment_id WHERE r.id > $1 ORDER BY r.id LIMIT $2",
            created = milliseconds("r.created_at"),
            ended = milliseconds("r.support_ended_at")
        );
        self.read_presences_of(PresenceKind::Released, &released)?;
        self.progress("deployments and releases")
    }

    fn read_presences_of(&mut self, kind: PresenceKind, sql: &str) -> ReadResult {
        self.each_batch::<1>(sql, |reader, rows| {
            for row in rows {
                let presence = ImportedPresence {
                    kind,
                    uuid: row.text(1),
                    application: row.text(2),
                    version: row.text(3),
                    environment: row.text(4),
                    instance: row.maybe_text(5),
                    created_at: row.int(6),
                    ended_at: row.maybe_int(7),
                };
                reader.add(Record::Presence(presence))?;
            }
            Ok(())
        })
    }
}

fn link(row: &Row) -> ImportedLink {
    ImportedLink {
        name: row.text(1),
        automatic: row.bool(2),
        created_at: row.int(3),
    }
}
