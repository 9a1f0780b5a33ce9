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
