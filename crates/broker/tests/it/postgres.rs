//! What only PostgreSQL has: TLS to it, and limits that it keeps.

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

/// `CONTRACT_BROKER_POSTGRES_TLS` names a folder with `ca.pem`, by which the server of `CONTRACT_BROKER_POSTGRES` has a
/// certificate for localhost, and `other.pem`, by which it has none. The user `encrypted` is let in through TLS only.
#[test]
fn tls_means_what_libpq_means_by_it() {
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

/// The user `certified` is let in with a certificate of its own only: `certified.pem` is one, `somebody.pem` that of another user,
/// `forged.pem` in its name from somebody whom the server does not know.
#[test]
fn a_certificate_is_a_name() {
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
fn a_statement_that_takes_too_long_is_given_up() {
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
    // The tables cannot be made in so short a time.
    let refused = refusal(options).expect("it is given up");
    assert!(refused.contains("timeout"), "{refused}");
    // Nothing of them stays, and who has more time makes them.
    let broker = support::start(database);
    assert_eq!(broker.json("PUT", "/pacticipants/A", &json!({})).status, 201);
}

#[test]
fn connections_that_broke_are_made_anew_and_nobody_notices() {
    let Some(contract_broker::Database::Postgres(address)) = support::postgres("broken") else {
        return;
    };
    let named = format!("{address}&application_name=broken");
    let broker = support::start(contract_broker::Database::Postgres(named));
    let server = std::env::var("CONTRACT_BROKER_POSTGRES").expect("an address");
    for round in 0..3 {
        // As when a server is started anew, or a firewall forgets: all connections of this broker, wherever they are used.
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

/// `CONTRACT_BROKER_POSTGRES_SMALL` names a tablespace with room for some megabytes.
#[test]
fn a_server_without_room_is_507_and_goes_on_when_there_is_some() {
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
        // Nothing that could be packed.
        let text: String = std::iter::repeat_with(fastrand::alphanumeric).take(40_000).collect();
        let answer = broker.json("PUT", &path(at), &json!({ "interactions": [{ "description": text }] }));
        assert!(
            answer.status == 201 || answer.text.contains("nothing was written"),
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
            .expect("the database answers");
        tokio::spawn(async move { drop(connection.await) });
        client.batch_execute(sql).await.expect("it is done");
    });
}
