//! Tests that need PostgreSQL: TLS, timeouts, reconnects, and a full disk.

use std::time::Duration;

use contract_broker::{Broker, Limits, Options};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::support;

fn refusal(options: Options) -> Option<String> {
    let runtime = Runtime::new().expect("a runtime");
    let refused = runtime.block_on(Broker::open(options)).err()?;
    let mut text = refused.to_string();
    let mut cause = std::error::Error::source(&refused);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    Some(text)
}

/// `CONTRACT_BROKER_POSTGRES_TLS` is a folder with `ca.pem`, which signed the certificate of the server for localhost,
/// and `other.pem`, which did not. The server accepts the user `encrypted` only with TLS.
#[test]
fn tls_modes_match_libpq() {
    let (Ok(folder), Some(_)) = (
        std::env::var("CONTRACT_BROKER_POSTGRES_TLS"),
        support::postgres("encrypted"),
    ) else {
        return;
    };
    let address = std::env::var("CONTRACT_BROKER_POSTGRES").expect("an address");
    let (_, place) = address.split_once('@').expect("a user");
    let (host_and_port, name) = place.split_once('/').expect("a name");
    let port = host_and_port.rsplit(':').next().expect("a port");
    for (host, query, expected) in [
        ("localhost", "sslmode=disable", Some("no encryption")),
        ("localhost", "", None),
        ("localhost", "sslmode=prefer", None),
        ("127.0.0.1", "sslmode=require", None),
        (
            "localhost",
            "sslmode=require&sslrootcert={other}",
            Some("UnknownIssuer"),
        ),
        ("127.0.0.1", "sslmode=verify-ca&sslrootcert={ca}", None),
        (
            "127.0.0.1",
            "sslmode=verify-ca&sslrootcert={other}",
            Some("UnknownIssuer"),
        ),
        ("localhost", "sslmode=verify-full&sslrootcert={ca}", None),
        (
            "127.0.0.1",
            "sslmode=verify-full&sslrootcert={ca}",
            Some("not valid for name"),
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert={other}",
            Some("UnknownIssuer"),
        ),
        ("localhost", "sslmode=verify-full", Some("UnknownIssuer")),
    ] {
        let query = query
            .replace("{ca}", &format!("{folder}/ca.pem"))
            .replace("{other}", &format!("{folder}/other.pem"));
        let address = format!("postgres://encrypted@{host}:{port}/{name}?{query}");
        let refused = refusal(support::options(contract_broker::Database::Postgres(address)));
        match (expected, &refused) {
            (None, None) => {}
            (Some(expected), Some(text)) if text.contains(expected) => {}
            _ => panic!("{host} {query}: {refused:?}, not {expected:?}"),
        }
    }
}

/// The server accepts the user `certified` only with a client certificate: `certified.pem` is valid, `somebody.pem` is
/// for another user, and `forged.pem` is signed by an unknown authority.
#[test]
fn client_certificates_authenticate() {
    let (Ok(folder), Some(_)) = (
        std::env::var("CONTRACT_BROKER_POSTGRES_TLS"),
        support::postgres("certified"),
    ) else {
        return;
    };
    let address = std::env::var("CONTRACT_BROKER_POSTGRES").expect("an address");
    let port = address
        .rsplit('@')
        .next()
        .and_then(|place| place.split(['/', ':']).nth(1))
        .expect("a port");
    let cases = [
        ("sslcert={}/certified.pem&sslkey={}/certified.key", None),
        ("", Some("certificate")),
        ("sslcert={}/somebody.pem&sslkey={}/somebody.key", Some("certificate")),
        ("sslcert={}/forged.pem&sslkey={}/forged.key", Some("UnknownCA")),
        (
            "sslcert={}/certified.pem&sslkey={}/somebody.key",
            Some("sslcert and sslkey cannot be used"),
        ),
    ];
    for (certificate, expected) in cases {
        let certificate = certificate.replace("{}", &folder);
        let address = format!(
            "postgres://certified@localhost:{port}/broker?sslmode=verify-full&sslrootcert={folder}/ca.pem&{certificate}\
             &options=-csearch_path%3Dcertified"
        );
        let refused = refusal(support::options(contract_broker::Database::Postgres(address)));
        match (expected, &refused) {
            (None, None) => {}
            (Some(expected), Some(text)) if text.contains(expected) => {}
            _ => panic!("{certificate}: {refused:?}, not {expected:?}"),
        }
    }
}

#[test]
fn long_statements_time_out() {
    let Some(database) = support::postgres("slow") else {
        return;
    };
    let options = Options {
        limits: Limits {
            statement: Duration::from_millis(1),
            ..Limits::default()
        },
        ..support::options(database.clone())
    };
    // Creating the tables takes longer than the timeout.
    let refused = refusal(options).expect("an error");
    assert!(refused.contains("timeout"), "{refused}");
    // Nothing of the failed migration remains.
    let broker = support::start(database);
    assert_eq!(broker.json("PUT", "/pacticipants/A", &json!({})).status, 201);
}

#[test]
fn reconnects_after_lost_connections() {
    let Some(contract_broker::Database::Postgres(address)) = support::postgres("broken") else {
        return;
    };
    let named = format!("{address}&application_name=broken");
    let broker = support::start(contract_broker::Database::Postgres(named));
    let server = std::env::var("CONTRACT_BROKER_POSTGRES").expect("an address");
    for round in 0..3 {
        // Terminates all connections of this broker, as a server restart or a firewall would.
        std::thread::scope(|scope| {
            for at in 0..16 {
                let broker = &broker;
                scope.spawn(move || {
                    let path = format!("/pacticipants/{round}-{at}");
                    assert_eq!(broker.json("PUT", &path, &json!({})).status, 201);
                    assert_eq!(broker.get(&path).status, 200);
                });
            }
        });
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'broken'";
        execute(&server, end);
    }
    assert_eq!(broker.get("/pacticipants/0-0").status, 200);
}

/// `CONTRACT_BROKER_POSTGRES_SMALL` is a tablespace with a few megabytes of space.
#[test]
fn a_full_disk_is_507_until_space_is_freed() {
    let (Ok(tablespace), Some(_)) = (
        std::env::var("CONTRACT_BROKER_POSTGRES_SMALL"),
        support::postgres("small"),
    ) else {
        return;
    };
    let address = std::env::var("CONTRACT_BROKER_POSTGRES").expect("an address");
    let filler = "SET search_path = small; CREATE TABLE filler (text TEXT) TABLESPACE {t};
        ALTER TABLE filler ALTER text SET STORAGE EXTERNAL; INSERT INTO filler SELECT repeat('x', 1000000) FROM generate_series(1, 6)";
    execute(&address, &filler.replace("{t}", &tablespace));
    let options = format!("?options=-csearch_path%3Dsmall%20-cdefault_tablespace%3D{tablespace}");
    let broker = support::start(contract_broker::Database::Postgres(format!("{address}{options}")));
    let path = |at: usize| format!("/pacts/provider/Bar/consumer/Foo/version/{at}");
    let publish = |at: usize| {
        // Random text does not compress.
        let text: String = std::iter::repeat_with(fastrand::alphanumeric).take(40_000).collect();
        let answer = broker.json("PUT", &path(at), &json!({ "interactions": [{ "description": text }] }));
        assert!(
            answer.status == 201 || answer.text.contains("Nothing was written"),
            "{answer:?}"
        );
        answer.status
    };
    let statuses: Vec<u16> = (0..300).map(publish).collect();
    let there = || (0..300).map(|at| broker.get(&path(at)).status).collect::<Vec<_>>();
    let right: Vec<u16> = statuses
        .iter()
        .map(|status| if *status == 201 { 200 } else { 404 })
        .collect();
    assert!(statuses.contains(&201) && statuses.contains(&507), "{statuses:?}");
    assert_eq!(there(), right);
    execute(&address, "DROP TABLE small.filler");
    assert_eq!(publish(1_000), 201);
    assert_eq!(there(), right);
}

fn execute(address: &str, sql: &str) {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls)
            .await
            .expect("a connection");
        tokio::spawn(async move { drop(connection.await) });
        client.batch_execute(sql).await.expect("an executed statement");
    });
}
