//! Acknowledged writes are durable, even with concurrent writers and after a restart.

use crate::support::{self, Running};
use contract_broker::{Broker, Database};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn contract(description: &str) -> Value {
    json!({ "interactions": [{ "description": description, "request": { "path": "/" } }] })
}

/// Concurrent publications of the same content for one version all succeed and create each row once.
fn parallel_publishers(broker: &Running) {
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let publishing = |at: usize| {
            let path = "/pacts/provider/Bar/consumer/Foo/version/1";
            let tag = format!("/pacticipants/Foo/versions/1/tags/{}", at % 4);
            let branch = format!("/pacticipants/Foo/branches/b{}/versions/1", at % 3);
            let mut statuses = vec![broker.json("PUT", path, &contract("same")).status];
            statuses.push(broker.json("PUT", &tag, &json!({})).status);
            statuses.push(broker.json("PUT", &branch, &json!({})).status);
            statuses
        };
        let threads: Vec<_> = (0..64).map(|at| scope.spawn(move || publishing(at))).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(answers.iter().all(|status| matches!(status, 200 | 201)), "{answers:?}");
    let metrics = broker.get("/metrics").json();
    assert_eq!(metrics["pactPublications"]["count"], 1);
    assert_eq!(metrics["pacticipantVersions"]["count"], 1);
    assert_eq!(metrics["tags"]["count"], 4);
    assert_eq!(metrics["pacticipants"]["count"], 2);
}

/// If different contents are published for one version at the same time, one publication succeeds and the others are
/// rejected.
fn parallel_rivals(broker: &Running) {
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let path = "/pacts/provider/Bar/consumer/Rival/version/1";
        let put = |at: usize| broker.json("PUT", path, &contract(&at.to_string())).status;
        let threads: Vec<_> = (0..32).map(|at| scope.spawn(move || put(at))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let count = |status: u16| statuses.iter().filter(|other| **other == status).count();
    assert_eq!((count(201), count(409)), (1, 31), "{statuses:?}");
}

/// Concurrent merges into one contract all take effect.
fn parallel_parts(broker: &Running) {
    let path = "/pacts/provider/Bar/consumer/Parts/version/1";
    std::thread::scope(|scope| {
        for at in 0..32 {
            scope.spawn(move || {
                let status = broker.json("PATCH", path, &contract(&at.to_string())).status;
                assert!(matches!(status, 200 | 201), "{status}");
            });
        }
    });
    let merged = broker.get(path).json();
    assert_eq!(merged["interactions"].as_array().map(Vec::len), Some(32));
}

fn all(broker: &Running) {
    parallel_publishers(broker);
    parallel_rivals(broker);
    parallel_parts(broker);
}

#[test]
fn parallel_writers_on_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::Sqlite(folder.path().join("broker.sqlite"));
    all(&support::start(database.clone()));
    // After a restart, all data is available, and no migration runs.
    let again = support::start(database);
    assert_eq!(again.get("/pacts/provider/Bar/consumer/Parts/version/1").status, 200);
    assert_eq!(again.get("/metrics").json()["tags"]["count"], 4);
}

#[test]
fn parallel_writers_in_memory() {
    all(&support::start(Database::Memory));
}

/// Starts two brokers on one empty database at the same time.
fn start_two(database: &Database) -> Vec<Running> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| support::start(database.clone())))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("both migrate"))
            .collect()
    })
}

#[test]
fn two_brokers_on_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::Sqlite(folder.path().join("broker.sqlite"));
    let starting = start_two(&database);
    assert_eq!(starting[0].json("PUT", "/pacticipants/A", &json!({})).status, 201);
    assert_eq!(starting[1].get("/pacticipants/A").status, 200);
}

#[test]
fn parallel_writers_on_postgres_through_two_nodes() {
    let Some(database) = support::postgres("durable") else {
        return;
    };
    let nodes = start_two(&database);
    all(&nodes[0]);
    let path = "/pacts/provider/Bar/consumer/Both/version/1";
    std::thread::scope(|scope| {
        for at in 0..32 {
            let node = &nodes[at % 2];
            scope.spawn(move || {
                let status = node.json("PATCH", path, &contract(&at.to_string())).status;
                assert!(matches!(status, 200 | 201), "{status}");
            });
        }
    });
    assert_eq!(
        nodes[1].get(path).json()["interactions"].as_array().map(Vec::len),
        Some(32)
    );
}

#[test]
fn rejects_files_of_newer_brokers_and_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let newer = folder.path().join("newer.sqlite");
    drop(support::start(Database::Sqlite(newer.clone())));
    let connection = rusqlite::Connection::open(&newer).expect("a database");
    connection
        .execute("INSERT INTO schema_version (version) VALUES (1000)", [])
        .expect("a row");
    let other = folder.path().join("other.sqlite");
    std::fs::write(
        &other,
        "this is a letter, not a database, and it is long enough to be read as one".repeat(20),
    )
    .expect("a file");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for (database, expected) in [
        (Database::Sqlite(newer), "newer"),
        (Database::Sqlite(other), "database"),
        (
            Database::Sqlite(folder.path().join("no/such/folder.sqlite")),
            "folder.sqlite",
        ),
        (Database::Postgres("postgres://127.0.0.1:1/none".to_owned()), "connect"),
        (Database::Postgres("nonsense=".to_owned()), "address"),
    ] {
        let refused = runtime
            .block_on(Broker::open(support::options(database)))
            .err()
            .expect("an error")
            .to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_stop_removes_the_log_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("broker.sqlite");
    let broker = support::start(Database::Sqlite(file.clone()));
    assert_eq!(broker.json("PUT", "/pacticipants/A", &json!({})).status, 201);
    assert!(folder.path().join("broker.sqlite-wal").exists());
    broker.stop();
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["broker.sqlite"]);
    // The file alone contains all data.
    let copy = folder.path().join("copy.sqlite");
    std::fs::copy(&file, &copy).expect("a copy");
    assert_eq!(
        support::start(Database::Sqlite(copy)).get("/pacticipants/A").status,
        200
    );
}

#[test]
fn the_sqlite_log_does_not_grow_beyond_its_maximum() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = support::start(Database::Sqlite(folder.path().join("broker.sqlite")));
    let path = |version: u8| format!("/pacts/provider/Bar/consumer/Foo/version/{version}");
    let log = folder.path().join("broker.sqlite-wal");
    let size = || std::fs::metadata(&log).expect("a log").len();
    // The log is restarted after each content. If that does not happen in time, it exceeds its maximum.
    for version in 1..=3 {
        let content = contract(&version.to_string().repeat(24 * 1024 * 1024));
        assert_eq!(broker.json("PUT", &path(version), &content).status, 201);
    }
    let start = Instant::now();
    while size() > 32 * 1024 * 1024 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the log has {} bytes",
            size()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(broker.get(&path(3)).status, 200);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_new_sqlite_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let broker = support::start(Database::Sqlite(folder.path().join("broker.sqlite")));
    assert_eq!(broker.json("PUT", "/pacticipants/A", &json!({})).status, 201);
    let entries = std::fs::read_dir(folder.path()).expect("the folder");
    let mut modes: Vec<_> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| {
            let mode = entry.metadata().expect("a file").permissions().mode() & 0o777;
            (entry.file_name().into_string().expect("a name"), mode)
        })
        .collect();
    modes.sort();
    let expected = ["broker.sqlite", "broker.sqlite-shm", "broker.sqlite-wal"];
    assert_eq!(modes, expected.map(|name| (name.to_owned(), 0o600)));
}
