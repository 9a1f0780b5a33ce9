//! Tests that lists take a constant number of statements, independent of their length, on both databases.

use std::sync::Arc;

use bytes::Bytes;

use super::params::PathParams;
use super::reply::{HandlerError, HandlerResult};
use super::request::Request;
use super::urls::Urls;
use super::{overview, pacticipants, versions};
use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::{query, rules::Rules};

type Handler = fn(&Request, &mut Tx<'_>) -> HandlerResult;

/// Creates consumers of `users`, each with a label, a branch, a tag, a deployed version, and a verified contract. `web`
/// has the same number of versions.
fn fill(tx: &mut Tx<'_>, count: i64) -> Result<(), StoreError> {
    let n = format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})");
    for statement in [
        "INSERT INTO pacticipant (id, name, created_at) VALUES (1, 'users', 0), (2, 'web', 0)",
        "INSERT INTO environment (id, uuid, name, display_name, production, created_at) VALUES (1, 'e', 'prod', 'prod', 1, 0)",
        "INSERT INTO version (id, pacticipant_id, number, created_at) VALUES (1, 1, '1', 0)",
        "{n} INSERT INTO pacticipant (id, name, created_at) SELECT 10 + i, 'consumer ' || i, 0 FROM n",
        "{n} INSERT INTO label (pacticipant_id, name, created_at) SELECT 10 + i, 'label', 0 FROM n",
        "{n} INSERT INTO integration (consumer_id, provider_id, created_at) SELECT 10 + i, 1, 0 FROM n",
        "{n} INSERT INTO version (id, pacticipant_id, number, created_at) SELECT 10 + i, 10 + i, '1', 0 FROM n",
        "{n} INSERT INTO version (id, pacticipant_id, number, created_at) SELECT 100000 + i, 2, i, 0 FROM n",
        "{n} INSERT INTO branch (id, pacticipant_id, name, head_version_id, created_at) SELECT 10 + i, 10 + i, 'main', 10 + i, 0 FROM n",
        "{n} INSERT INTO branch_version (branch_id, version_id, automatic, created_at) SELECT 10 + i, 10 + i, 0, 0 FROM n",
        "{n} INSERT INTO tag (version_id, name, pacticipant_id, created_at) SELECT 10 + i, 'dev', 10 + i, 0 FROM n",
        "{n} INSERT INTO tag_head (pacticipant_id, name, version_id) SELECT 10 + i, 'dev', 10 + i FROM n",
        "{n} INSERT INTO content (id, consumer_id, provider_id, sha, created_at) SELECT i, 10 + i, 1, 'sha' || i, 0 FROM n",
        "{n} INSERT INTO content_text (content_id, size, document) SELECT i, 2, '{}' FROM n",
        "{n} INSERT INTO publication (consumer_id, provider_id, version_id, content_id, revision, newest, created_at)
           SELECT 10 + i, 1, 10 + i, i, 1, 1, 0 FROM n",
        "{n} INSERT INTO result (id, content_id, version_id, success, wip, created_at) SELECT i, i, 1, 1, 0, 0 FROM n",
        "{n} INSERT INTO latest_result (content_id, version_id, result_id, success) SELECT i, 1, i, 1 FROM n",
        "{n} INSERT INTO deployment (uuid, version_id, pacticipant_id, environment_id, instance, is_current, created_at)
           SELECT 'd' || i, 10 + i, 10 + i, 1, '', 1, 0 FROM n",
    ] {
        tx.execute(&statement.replace("{n}", &n).replace("2, i, 0", "2, CAST(i AS TEXT), 0"), &[])?;
    }
    Ok(())
}

fn request(target: &str, params: &[(&str, &str)]) -> Request {
    Request {
        params: PathParams::new(params.iter().copied()),
        query: query::pairs(target.split_once('?').map_or("", |(_, query)| query)).expect("UTF-8"),
        target: target.to_owned(),
        accepts_text: false,
        names_hal: false,
        accepts_lines: false,
        body: Bytes::new(),
        urls: Urls::new("http://broker"),
        rules: Arc::new(Rules::default()),
        sender: Arc::new(contract_broker_remote::webhooks::WebhookSender::new(
            contract_broker_remote::webhooks::WebhookOptions::default(),
            None,
        )),
        known_contents: Arc::default(),
        actor: Arc::default(),
        form: None,
        retention: None,
        visitor: crate::visitor::Visitor::default(),
        now: 0,
    }
}

/// Returns the number of entries in the response and the number of statements.
async fn statements(store: &Store, handler: Handler, parameter: (&'static str, &'static str)) -> (usize, usize) {
    let (target, list) = parameter;
    let counted = store.read(move |tx| {
        let reply = match handler(&request(target, &[("pacticipant", "web")]), tx) {
            Ok(reply) => reply,
            Err(HandlerError::Store(error)) => return Err(error),
            Err(HandlerError::Rejected(reply)) => *reply,
        };
        Ok(TxOutcome::Rollback((reply.body, tx.statements())))
    });
    let (body, statements) = counted.await.expect("a reply");
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let entries = body.pointer(list).and_then(serde_json::Value::as_array).map(Vec::len);
    (entries.expect("a list"), statements)
}

async fn take_as_many(database: impl AsyncFn(i64) -> Database) {
    let lists: [(Handler, (&str, &str), usize); 3] = [
        (overview::dashboard, ("/dashboard?size=1000", "/items"), 0),
        (
            pacticipants::list,
            ("/pacticipants?size=1000", "/_embedded/pacticipants"),
            2,
        ),
        (
            versions::list,
            ("/pacticipants/web/versions?size=1000", "/_embedded/versions"),
            0,
        ),
    ];
    let mut counts: Vec<Vec<usize>> = Vec::new();
    for count in [10, 100, 998] {
        let store = Store::open(&database(count).await, &Limits::default())
            .await
            .expect("a database");
        let filled = store.write(move |tx| fill(tx, count).map(TxOutcome::Commit));
        filled.await.expect("rows");
        let mut measured = Vec::new();
        for (handler, parameter, overhead) in lists {
            let (entries, statements) = statements(&store, handler, parameter).await;
            assert_eq!(
                Some(entries),
                usize::try_from(count).ok().map(|count| count + overhead),
                "{parameter:?}"
            );
            measured.push(statements);
        }
        counts.push(measured);
        store.close().await;
    }
    assert_eq!(counts, vec![vec![8, 4, 8]; 3], "statements for 10, 100 and 998 entries");
}

#[test]
fn lists_take_a_constant_number_of_statements_on_sqlite() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(take_as_many(async |_| Database::Memory));
}

/// `CONTRACT_BROKER_POSTGRES` is the address of a test database.
#[test]
fn lists_take_a_constant_number_of_statements_on_postgres() {
    let Ok(address) = std::env::var("CONTRACT_BROKER_POSTGRES") else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(take_as_many(async |count| {
        let (client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls)
            .await
            .expect("a connection");
        tokio::spawn(async move { drop(connection.await) });
        let sql = format!("DROP SCHEMA IF EXISTS statements{count} CASCADE; CREATE SCHEMA statements{count}");
        client.batch_execute(&sql).await.expect("an empty schema");
        let separator = if address.contains('?') { '&' } else { '?' };
        Database::Postgres(format!("{address}{separator}options=-csearch_path%3Dstatements{count}"))
    }));
}
