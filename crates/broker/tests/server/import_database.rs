//! Imports from the PostgreSQL database of a Pact Broker. The tests need PostgreSQL. They create the tables of a Pact
//! Broker and fill them with the data of a broker.

use std::path::Path;

use contract_broker::{Database, ImportCount, ImportError, ImportReport, Limits, import_from_database};
use contract_broker_domain::packed::unpack;
use tokio_postgres::{Client, NoTls};

use crate::history::{Shared, runtime};
use crate::import::{compare_all, count};
use crate::support::{self, Running};
use crate::verdict;

const SCHEMA: &str = include_str!("pact_broker_schema.sql");

/// The tables of a Pact Broker, and the statements that fill them. `$table` stands for the rows of a SQLite table as
/// JSON.
const COPY: [(&str, &str); 16] = [
    (
        "pacticipant",
        "INSERT INTO pacticipants SELECT id, name, display_name, main_branch, repository_url, repository_name, repository_namespace, at(created_at), at(COALESCE(updated_at, created_at))
         FROM json_to_recordset($1) AS r (id INT, name TEXT, display_name TEXT, main_branch TEXT, repository_url TEXT, repository_name TEXT, repository_namespace TEXT, created_at BIGINT, updated_at BIGINT)",
    ),
    (
        "label",
        "INSERT INTO labels SELECT pacticipant_id, name, at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (pacticipant_id INT, name TEXT, created_at BIGINT)",
    ),
    (
        "version",
        "INSERT INTO versions (id, pacticipant_id, number, \"order\", build_url, created_at, updated_at)
         SELECT id + 1000, pacticipant_id, number, id, build_url, at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (id INT, pacticipant_id INT, number TEXT, build_url TEXT, created_at BIGINT)",
    ),
    (
        "branch",
        "INSERT INTO branches SELECT id, name, pacticipant_id, at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (id INT, name TEXT, pacticipant_id INT, created_at BIGINT)",
    ),
    (
        "branch_version",
        "INSERT INTO branch_versions SELECT id, branch_id, version_id + 1000, version_id, 0, '', automatic = 1, at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (id INT, branch_id INT, version_id INT, automatic INT, created_at BIGINT)",
    ),
    (
        "branch",
        "INSERT INTO branch_heads SELECT r.id, bv.id, bv.version_id, 0, ''
         FROM json_to_recordset($1) AS r (id INT, head_version_id INT)
         JOIN branch_versions bv ON bv.branch_id = r.id AND bv.version_id = r.head_version_id + 1000",
    ),
    (
        "tag",
        "INSERT INTO tags SELECT name, version_id + 1000, NULL, NULL, at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (name TEXT, version_id INT, created_at BIGINT)",
    ),
    (
        "content",
        "INSERT INTO pact_versions (id, consumer_id, provider_id, sha, created_at) SELECT id, consumer_id, provider_id, sha, at(created_at)
         FROM json_to_recordset($1) AS r (id INT, consumer_id INT, provider_id INT, sha TEXT, created_at BIGINT)",
    ),
    (
        "content_text",
        "UPDATE pact_versions SET content = r.document FROM json_to_recordset($1) AS r (content_id INT, document TEXT) WHERE id = r.content_id",
    ),
    (
        "publication",
        "INSERT INTO pact_publications SELECT id, version_id + 1000, provider_id, revision, content_id, NULL, at(created_at)
         FROM json_to_recordset($1) AS r (id INT, version_id INT, provider_id INT, revision INT, content_id INT, created_at BIGINT)",
    ),
    (
        "result",
        "INSERT INTO verifications (id, number, success, build_url, pact_version_id, execution_date, created_at, provider_version_id, test_results, wip, verified_by_implementation)
         SELECT id, id, success = 1, build_url, content_id, at(created_at), at(created_at), version_id + 1000, test_results, wip = 1, verified_by::json ->> 'implementation'
         FROM json_to_recordset($1) AS r (id INT, success INT, build_url TEXT, content_id INT, created_at BIGINT, version_id INT, test_results TEXT, wip INT, verified_by TEXT)",
    ),
    (
        "environment",
        "INSERT INTO environments SELECT id, uuid, name, display_name, production = 1, contacts, at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (id INT, uuid TEXT, name TEXT, display_name TEXT, production INT, contacts TEXT, created_at BIGINT)",
    ),
    (
        "deployment",
        "INSERT INTO deployed_versions SELECT id, uuid, version_id + 1000, pacticipant_id, environment_id, NULLIF(instance, ''), instance, at(ended_at), at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (id INT, uuid TEXT, version_id INT, pacticipant_id INT, environment_id INT, instance TEXT, ended_at BIGINT, created_at BIGINT)",
    ),
    (
        "deployment",
        "INSERT INTO currently_deployed_version_ids (pacticipant_id, environment_id, version_id, target_for_index, deployed_version_id)
         SELECT pacticipant_id, environment_id, version_id + 1000, instance, id
         FROM json_to_recordset($1) AS r (id INT, version_id INT, pacticipant_id INT, environment_id INT, instance TEXT, is_current INT) WHERE is_current = 1",
    ),
    (
        "released",
        "INSERT INTO released_versions SELECT id, uuid, version_id + 1000, pacticipant_id, environment_id, at(ended_at), at(created_at), at(created_at)
         FROM json_to_recordset($1) AS r (id INT, uuid TEXT, version_id INT, pacticipant_id INT, environment_id INT, ended_at BIGINT, created_at BIGINT)",
    ),
    (
        "content",
        "INSERT INTO pact_versions (id, consumer_id, provider_id, sha, content, created_at)
         SELECT 4000, consumer_id, provider_id, 'leftover', 'not JSON', at(created_at)
         FROM json_to_recordset($1) AS r (consumer_id INT, provider_id INT, created_at BIGINT) LIMIT 1",
    ),
];

/// Returns the address of an empty schema, and a connection to it.
fn connect(runtime: &tokio::runtime::Runtime, schema: &str) -> Option<(String, Client)> {
    let Some(Database::Postgres(address)) = support::postgres(schema) else {
        return None;
    };
    let client = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.expect("a connection");
        tokio::spawn(async move { drop(connection.await) });
        client
    });
    Some((address, client))
}

/// Creates the tables of a Pact Broker with the data of a SQLite database.
fn fill(runtime: &tokio::runtime::Runtime, client: &Client, file: &Path) {
    let own = rusqlite::Connection::open(file).expect("a database");
    let at = "CREATE FUNCTION at(ms BIGINT) RETURNS TIMESTAMP LANGUAGE sql AS $$ SELECT to_timestamp(ms / 1000.0) AT TIME ZONE 'UTC' $$";
    runtime.block_on(async {
        client.batch_execute(SCHEMA).await.expect("the tables");
        client.batch_execute(at).await.expect("a function");
        for (table, statement) in COPY {
            let statement = statement.replace("($1)", "(($1::text)::json)");
            let copied = client.execute(&statement, &[&rows(&own, table)]).await;
            copied.unwrap_or_else(|error| panic!("{table}: {error:?}"));
        }
    });
}

/// Returns the rows of a table as JSON.
fn rows(own: &rusqlite::Connection, table: &str) -> String {
    let mut statement = own.prepare(&format!("SELECT * FROM {table}")).expect("a table");
    let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        let members = names.iter().enumerate().map(|(at, name)| {
            let value = match row.get_unwrap(at) {
                rusqlite::types::Value::Integer(number) => number.into(),
                rusqlite::types::Value::Text(text) => text.into(),
                rusqlite::types::Value::Blob(packed) => unpack(&packed).expect("a compressed text").into(),
                _ => serde_json::Value::Null,
            };
            (name.clone(), value)
        });
        Ok(serde_json::Value::Object(members.collect()))
    });
    let rows: Result<Vec<serde_json::Value>, _> = rows.expect("rows").collect();
    serde_json::Value::Array(rows.expect("rows")).to_string()
}

fn import(runtime: &tokio::runtime::Runtime, address: &str, database: &Database) -> Result<ImportReport, ImportError> {
    runtime.block_on(import_from_database(address, database, &Limits::default(), &|_| ()))
}

/// A broker with a random history in a SQLite file.
fn with_history(seed: u64, folder: &Path, steps: usize) -> Running {
    let broker = support::start(Database::Sqlite(folder.join("source.sqlite")));
    let mut story = verdict::begin(&broker, seed);
    for _ in 0..steps {
        story.step();
    }
    drop(story);
    broker
}

#[test]
fn an_imported_database_answers_random_questions_equally() {
    let runtime = runtime();
    for seed in 20..23 {
        let Some((address, client)) = connect(&runtime, &format!("pact_broker_{seed}")) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("source.sqlite");
        let source = support::start(Database::Sqlite(file.clone()));
        let mut story = verdict::begin(&source, seed);
        for _ in 0..150 {
            story.step();
        }
        fill(&runtime, &client, &file);
        let target = Shared::new(&format!("import_database_{seed}"));
        let report = import(&runtime, &address, &target.database).expect("an import");
        assert_eq!(report.problems, Vec::<String>::new(), "{report:?}");
        assert!(count(&report, "results").added > 10, "{report:?}");
        let copy = target.start();
        compare_all(&copy, &source, &mut story, 300);
        drop(copy);
        // A second import adds nothing.
        let again = import(&runtime, &address, &target.database).expect("an import");
        for (kind, of) in &report.counts {
            let expected = ImportCount {
                added: 0,
                known: of.added + of.known,
                failed: 0,
            };
            assert_eq!(count(&again, kind), expected, "{kind}: {report:?}");
        }
    }
}

#[test]
fn an_imported_database_continues_after_changes() {
    let runtime = runtime();
    let Some((address, client)) = connect(&runtime, "pact_broker_changes") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    drop(with_history(24, folder.path(), 100));
    fill(&runtime, &client, &folder.path().join("source.sqlite"));
    let target = Shared::new("import_database_changes");
    import(&runtime, &address, &target.database).expect("an import");
    // A contract gets a new revision, and a deployment ends.
    let change = "
        INSERT INTO pact_versions (id, consumer_id, provider_id, sha, content, created_at)
          SELECT 5000, consumer_id, provider_id, 'changed', '{\"interactions\": []}', now() AT TIME ZONE 'UTC' FROM pact_versions ORDER BY id LIMIT 1;
        INSERT INTO pact_publications (id, consumer_version_id, provider_id, revision_number, pact_version_id, created_at)
          SELECT 5000, pp.consumer_version_id, pp.provider_id, 100, 5000, now() AT TIME ZONE 'UTC' FROM pact_publications pp
          JOIN pact_versions pv ON pv.id = 5000 JOIN versions v ON v.id = pp.consumer_version_id AND v.pacticipant_id = pv.consumer_id
          WHERE pp.provider_id = pv.provider_id ORDER BY pp.id LIMIT 1;
        DELETE FROM currently_deployed_version_ids;
        INSERT INTO pact_version_provider_tag_successful_verifications (pact_version_id, provider_version_tag_name, wip, execution_date)
          VALUES (5000, 'old', false, TIMESTAMP '2020-01-01 00:00:00');
        INSERT INTO verifications (id, number, success, pact_version_id, execution_date, created_at, provider_version)
          VALUES (5000, 9000, true, 5000, now(), now(), '1');
    ";
    runtime.block_on(client.batch_execute(change)).expect("changes");
    let report = import(&runtime, &address, &target.database).expect("an import");
    let added = |kind: &str| count(&report, kind).added;
    assert_eq!((added("contracts"), added("tagSuccesses")), (1, 1), "{report:?}");
    assert_eq!(count(&report, "results").failed, 1, "{report:?}");
    assert!(
        report.problems[0].ends_with("the provider version is missing"),
        "{report:?}"
    );
    let copy = target.start();
    for environment in copy.get("/environments").json()["_embedded"]["environments"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let uuid = environment["uuid"].as_str().expect("a UUID");
        let deployed = copy.get(&format!("/environments/{uuid}/deployed-versions/currently-deployed"));
        let deployed = deployed.json();
        assert_eq!(
            deployed["_embedded"]["deployedVersions"],
            serde_json::json!([]),
            "{deployed}"
        );
    }
}

#[test]
fn webhooks_of_a_database_are_imported_without_secrets() {
    let runtime = runtime();
    let Some((address, client)) = connect(&runtime, "pact_broker_webhooks") else {
        return;
    };
    let rows = "
        INSERT INTO webhooks (id, uuid, method, url, headers, body, is_json_request_body, password, provider_label, created_at) VALUES
          (1, 'plain', 'POST', 'https://ci.example.com', '{\"X-Kind\": \"a\"}', '{\"a\": 1}', true, NULL, 'team:a', now()),
          (2, 'secret', 'POST', 'https://ci.example.com', '{\"Authorization\": \"Bearer very-secret\"}', NULL, NULL, 'dmVyeS1zZWNyZXQ=', NULL, now()),
          (3, 'unknown', 'POST', 'https://ci.example.com', NULL, NULL, NULL, NULL, NULL, now());
        INSERT INTO webhook_events (webhook_id, name) VALUES
          (1, 'contract_published'), (2, 'contract_content_changed'), (3, 'team_created');
    ";
    runtime
        .block_on(client.batch_execute(&format!("{SCHEMA}; {rows}")))
        .expect("the tables");
    let target = Shared::new("import_database_webhooks");
    let report = import(&runtime, &address, &target.database).expect("an import");
    assert_eq!(
        count(&report, "webhooks"),
        ImportCount {
            added: 2,
            known: 0,
            failed: 1
        }
    );
    let problems = report.problems.join("\n");
    assert!(
        problems.contains(
            "webhook secret: imported as disabled, because these secrets are not imported: header Authorization, password."
        ) && problems.contains("webhook unknown: unknown events: [\"team_created\"]"),
        "{problems}"
    );
    let copy = target.start();
    let plain = copy.get("/webhooks/plain").json();
    assert_eq!(
        (
            &plain["enabled"],
            &plain["request"]["body"],
            &plain["request"]["headers"]["x-kind"]
        ),
        (&true.into(), &serde_json::json!({ "a": 1 }), &"a".into()),
        "{plain}"
    );
    let secret = copy.get("/webhooks/secret");
    assert_eq!(secret.json()["enabled"], false, "{secret:?}");
    assert!(!secret.text.contains("very-secret"), "{secret:?}");
}

#[test]
fn other_databases_are_rejected_before_one_is_created() {
    let runtime = runtime();
    let Some((address, client)) = connect(&runtime, "pact_broker_other") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new.sqlite");
    let reject = |address: &str| {
        let error = import(&runtime, address, &Database::Sqlite(path.clone())).expect_err("an error");
        assert!(!path.exists(), "{error}");
        error.to_string()
    };
    let error = reject(&address);
    assert!(error.contains("does not belong to a Pact Broker"), "{error}");
    let old =
        "CREATE TABLE schema_migrations (filename TEXT); INSERT INTO schema_migrations VALUES ('20210202_old.rb')";
    runtime.block_on(client.batch_execute(old)).expect("a table");
    let error = reject(&address);
    assert!(error.contains("last migration: 20210202_old.rb"), "{error}");
    let broken = "UPDATE schema_migrations SET filename = '20260217_last.rb'";
    runtime.block_on(client.batch_execute(broken)).expect("an update");
    let error = import(&runtime, &address, &Database::Memory)
        .expect_err("an error")
        .to_string();
    assert!(
        error.starts_with("the database to import:") && error.contains("environments"),
        "{error}"
    );
    let error = reject("postgres://ci:very-secret@127.0.0.1:1/broker");
    assert!(
        error.contains("cannot connect") && !error.contains("very-secret"),
        "{error}"
    );
}
