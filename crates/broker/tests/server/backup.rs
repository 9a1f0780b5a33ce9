//! Backups are complete, and restoring a damaged one changes nothing.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use contract_broker::{BackupError, Database, Limits, Summary, backup, export, migrate, restore};
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::history::{Shared, fill, publish, runtime, verify, versions};
use crate::support::{self, Running};

fn limits() -> Limits {
    Limits::default()
}

fn back_up(shared: &Shared, name: &str) -> (PathBuf, Summary) {
    let file = shared.folder.path().join(name);
    let written = runtime().block_on(backup(&shared.database, &limits(), &file));
    (file, written.expect("a backup"))
}

fn restore_into(shared: &Shared, file: &Path) -> Result<Summary, BackupError> {
    runtime().block_on(restore(&shared.database, &limits(), file))
}

fn filled(schema: &str) -> (Shared, Running) {
    let shared = Shared::new(schema);
    let broker = shared.start();
    fill(&broker);
    for success in [true, false] {
        verify(&broker, "1-deployed", "u1", success);
    }
    broker.send(
        "PUT",
        "/pacticipants/web/labels/team%3Ashop",
        &[("content-type", "application/json")],
        Some(b"{}"),
    );
    broker.send(
        "PUT",
        "/pacticipants/web/labels/%C3%A9%22%0A",
        &[("content-type", "application/json")],
        Some(b"{}"),
    );
    (shared, broker)
}

/// Responses that depend on all tables.
fn answers(broker: &Running) -> Vec<Value> {
    [
        "/pacticipants/web/versions?size=100",
        "/pacticipants/web",
        "/pacts/provider/users/consumer/web/version/1-deployed",
        "/matrix?q[][pacticipant]=web&q[][pacticipant]=users&latestby=cvpv",
        "/environments",
        "/integrations",
        "/pacticipants/web/branches",
        "/pacts/provider/users/for-verification",
        "/dashboard",
    ]
    .map(|path| {
        let text = broker.get(path).text.replace(&broker.base(), "BASE");
        serde_json::from_str(&text).expect("JSON")
    })
    .to_vec()
}

#[test]
fn a_restored_backup_answers_the_same() {
    let (original, broker) = filled("backup_original");
    let (file, written) = back_up(&original, "backup.jsonl.gz");
    assert_eq!(
        (
            written.rows["pacticipant"],
            written.rows["version"],
            written.rows["result"]
        ),
        (2, 8, 2)
    );
    let copy = Shared::new("backup_copy");
    assert_eq!(restore_into(&copy, &file).expect("a restored database"), written);
    let restored = copy.start();
    assert_eq!(answers(&restored), answers(&broker));
    // New rows do not collide with restored ones.
    publish(&restored, "8", Some("main"), "/8");
    verify(&restored, "8", "u2", true);
    assert_eq!(versions(&restored, "web").len(), 8);
    let (_, again) = back_up(&original, "again.jsonl.gz");
    assert_eq!(again, written, "an unchanged database has the same checksum");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_backup() {
    use std::os::unix::fs::PermissionsExt as _;
    let (shared, _broker) = filled("backup_mode");
    let (file, _) = back_up(&shared, "backup.jsonl.gz");
    let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let refused = runtime().block_on(backup(&shared.database, &limits(), &file));
    assert!(matches!(refused, Err(BackupError::Exists(_))), "{refused:?}");
    let missing = runtime().block_on(backup(
        &shared.database,
        &limits(),
        &shared.folder.path().join("no/such.gz"),
    ));
    assert!(matches!(missing, Err(BackupError::Write { .. })), "{missing:?}");
    let left: Vec<_> = std::fs::read_dir(shared.folder.path())
        .expect("a folder")
        .flatten()
        .collect();
    assert!(
        left.iter()
            .all(|entry| !entry.file_name().to_string_lossy().contains("partial")),
        "{left:?}"
    );
}

fn text_of(file: &Path) -> String {
    let mut text = String::new();
    let bytes = std::fs::File::open(file).expect("a file");
    GzDecoder::new(bytes).read_to_string(&mut text).expect("text");
    text
}

fn write_text(file: &Path, text: &str) {
    let mut out = GzEncoder::new(
        std::fs::File::create(file).expect("a file"),
        flate2::Compression::fast(),
    );
    out.write_all(text.as_bytes()).expect("a file");
    out.finish().expect("a file");
}

#[test]
fn damaged_backups_are_rejected_and_leave_an_empty_database() {
    let (original, _broker) = filled("backup_damaged");
    let (file, _) = back_up(&original, "backup.jsonl.gz");
    let text = text_of(&file);
    let bytes = std::fs::read(&file).expect("a file");
    let target = Shared::new("backup_target");
    let damaged = target.folder.path().join("damaged.gz");
    let lines: Vec<&str> = text.lines().collect();
    let without = |at: usize| {
        let rest: Vec<&str> = lines
            .iter()
            .enumerate()
            .filter(|(line, _)| *line != at)
            .map(|(_, line)| *line)
            .collect();
        format!("{}\n", rest.join("\n"))
    };
    for (changed, reason) in [
        (without(lines.len() - 1), "its end is missing"),
        (without(3), "so the backup is damaged"),
        (text.replace("1-deployed", "1-deplored"), "its checksum does not match"),
        (
            text.replacen("\"format\":1", "\"format\":2", 1),
            "supports only formats up to 1. Use a newer version.",
        ),
        (
            text.replacen("contract-broker", "other", 1),
            "the file is not a contract-broker backup",
        ),
        (
            text.replacen("created_at", "made_at", 1),
            "line 2: the pacticipant table or one of its columns is unknown",
        ),
        (
            text.replacen("[1,", "[1,1,", 1),
            "line 3: expected a row of the pacticipant table",
        ),
        (text.replacen("[1,", "{1,", 1), "line 3: the line is not valid JSON"),
        (String::new(), "its end is missing"),
    ] {
        write_text(&damaged, &changed);
        let error = restore_into(&target, &damaged).expect_err("damaged").to_string();
        assert!(error.contains(reason), "{error} does not contain {reason}");
    }
    for (changed, reason) in [
        (bytes[..bytes.len() / 2].to_vec(), "its end is missing"),
        (bytes[..bytes.len() - 4].to_vec(), "its end is missing"),
        (b"no gzip".to_vec(), "the file is not a contract-broker backup"),
    ] {
        std::fs::write(&damaged, changed).expect("a file");
        let error = restore_into(&target, &damaged).expect_err("damaged").to_string();
        assert!(error.contains(reason), "{error} does not contain {reason}");
    }
    restore_into(&target, &file).expect("the database is still empty");
    let error = restore_into(&target, &file).expect_err("rows").to_string();
    assert_eq!(
        error,
        "the database is not empty: the pacticipant table has rows. Restore into a new database."
    );
    let missing = restore_into(&target, Path::new("/no/such/file")).expect_err("no file");
    assert!(matches!(missing, BackupError::Read { .. }), "{missing}");
}

#[test]
fn a_migration_copies_everything() {
    let (original, broker) = filled("migrate_from");
    let expected = answers(&broker);
    // If PostgreSQL is configured, migrate from SQLite to PostgreSQL and back.
    let folder = tempfile::tempdir().expect("a folder");
    let first = Database::Sqlite(folder.path().join("first.sqlite"));
    let second =
        support::postgres("migrate_to").unwrap_or_else(|| Database::Sqlite(folder.path().join("second.sqlite")));
    let one = runtime()
        .block_on(migrate(&original.database, &first, &limits()))
        .expect("a copy");
    let two = runtime()
        .block_on(migrate(&first, &second, &limits()))
        .expect("a copy of the copy");
    assert_eq!(one, two);
    let copied = support::start_as(support::options(second.clone()));
    assert_eq!(answers(&copied), expected);
    let again = runtime().block_on(migrate(&first, &second, &limits()));
    assert!(matches!(again, Err(BackupError::Target(_))), "{again:?}");
    let same = runtime().block_on(migrate(&first, &first, &limits()));
    assert!(matches!(same, Err(BackupError::SameDatabase)), "{same:?}");
}

#[test]
fn an_export_has_readable_files() {
    let (shared, broker) = filled("export");
    let directory = shared.folder.path().join("export");
    let summary = runtime()
        .block_on(export(&shared.database, &limits(), &directory))
        .expect("an export");
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).expect("a file");
    let manifest: Value = serde_json::from_str(&read("manifest.json")).expect("JSON");
    assert_eq!(manifest["sha256"], summary.checksum.as_str());
    assert_eq!(manifest["rows"]["version"], 8);
    let versions = read("tables/version.jsonl");
    let first: Value = serde_json::from_str(versions.lines().next().expect("a version")).expect("JSON");
    assert_eq!(first["number"], "1-deployed");
    let contract: Value = serde_json::from_str(&read("contracts/1.json")).expect("JSON");
    let served = broker
        .get("/pacts/provider/users/consumer/web/version/1-deployed")
        .json();
    assert_eq!(
        contract["interactions"][0]["description"],
        served["interactions"][0]["description"]
    );
    let again = runtime().block_on(export(&shared.database, &limits(), &directory));
    assert!(matches!(again, Err(BackupError::Exists(_))), "{again:?}");
}
