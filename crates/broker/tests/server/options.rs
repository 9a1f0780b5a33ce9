//! Tests the options of the broker.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use contract_broker::{Credentials, Database, Options, Permissions, Rules};
use serde_json::{Value, json};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::{self, Running};

fn with_rules(rules: Rules) -> Running {
    support::start_as(Options {
        rules,
        ..support::options(Database::Memory)
    })
}

fn contract(path: &str) -> Value {
    json!({ "interactions": [{ "description": "a", "request": { "path": path } }] })
}

#[test]
fn published_contracts_can_change_if_allowed() {
    let path = "/pacts/provider/Bar/consumer/Foo/version/1";
    for (contracts_may_change, status) in [(false, 409), (true, 200)] {
        let broker = with_rules(Rules {
            contracts_may_change,
            ..Rules::default()
        });
        assert_eq!(broker.json("PUT", path, &contract("/a")).status, 201);
        assert_eq!(broker.json("PUT", path, &contract("/b")).status, status);
        let expected = if contracts_may_change { "/b" } else { "/a" };
        assert_eq!(broker.get(path).json()["interactions"][0]["request"]["path"], expected);
    }
}

#[test]
fn similar_names_can_be_allowed() {
    let path = |name: &str| format!("/pacts/provider/Bar/consumer/{name}/version/1");
    for (refuse_similar_names, status) in [(true, 409), (false, 201)] {
        let broker = with_rules(Rules {
            refuse_similar_names,
            ..Rules::default()
        });
        assert_eq!(broker.json("PUT", &path("web-shop"), &contract("/a")).status, 201);
        assert_eq!(broker.json("PUT", &path("WebShop"), &contract("/a")).status, status);
    }
}

#[test]
fn tags_can_be_limited_to_tags() {
    for on in [true, false] {
        let broker = with_rules(Rules {
            tags_are_deployments: on,
            first_tag_is_branch: on.then_some(std::time::Duration::from_secs(60)),
            ..Rules::default()
        });
        let made = broker
            .json("POST", "/environments", &json!({ "name": "prod", "production": true }))
            .json();
        assert_eq!(
            broker
                .json("PUT", "/pacticipants/Foo/versions/1/tags/prod", &json!({}))
                .status,
            201
        );
        let branch = broker.get("/pacticipants/Foo/branches/prod").status;
        assert_eq!(branch, if on { 200 } else { 404 });
        let path = format!(
            "/environments/{}/deployed-versions/currently-deployed",
            made["uuid"].as_str().expect("an id")
        );
        let there = broker.get(&path).json();
        let there = there["_embedded"]["deployedVersions"].as_array().map(Vec::len);
        assert_eq!(there, Some(usize::from(on)));
    }
}

#[test]
fn main_branch_names_are_configurable() {
    let broker = with_rules(Rules {
        main_branches: vec!["trunk".to_owned()],
        ..Rules::default()
    });
    for branch in ["main", "trunk"] {
        let path = format!("/pacticipants/{branch}/branches/{branch}/versions/1");
        assert_eq!(broker.json("PUT", &path, &json!({})).status, 201);
    }
    assert_eq!(broker.get("/pacticipants/main").json()["mainBranch"], Value::Null);
    assert_eq!(broker.get("/pacticipants/trunk").json()["mainBranch"], "trunk");
}

#[test]
fn supports_a_base_url_with_a_path() {
    let broker = support::start_as(Options {
        base_urls: vec!["https://example.com/tools/broker/".to_owned()],
        ..support::options(Database::Memory)
    });
    assert_eq!(broker.json("PUT", "/pacticipants/Foo", &json!({})).status, 201);
    for path in [
        "/pacticipants/Foo",
        "/tools/broker/pacticipants/Foo",
        "/tools/broker//pacticipants/Foo",
    ] {
        let body = broker.get(path).json();
        let url = "https://example.com/tools/broker/pacticipants/Foo";
        assert_eq!(body["_links"]["self"]["href"], url, "{path}");
    }
    assert_eq!(
        broker.get("/tools/broker").json()["_links"]["self"]["href"],
        "https://example.com/tools/broker"
    );
    let page = broker
        .get("/tools/broker/pacticipants/Foo/versions?page=1&size=1")
        .json();
    assert_eq!(
        page["_links"]["self"]["href"],
        "https://example.com/tools/broker/pacticipants/Foo/versions?page=1&size=1"
    );
    assert_eq!(broker.get("/tools/brokerpacticipants/Foo").status, 404);
}

#[test]
fn badges_can_be_public() {
    let badge = "/pacts/provider/Bar/consumer/Foo/latest/badge.svg";
    for (public_badges, status) in [(false, 401), (true, 200)] {
        let credentials = Credentials {
            username: "a".to_owned(),
            password: "b".to_owned(),
        };
        let permissions = Permissions {
            read_write: Some(credentials),
            public_badges,
            ..Permissions::default()
        };
        let broker = support::start_with(Database::Memory, permissions);
        assert_eq!(broker.send("GET", badge, &[], None).status, status);
        assert_eq!(broker.get("/pacticipants").status, 401);
        assert_eq!(broker.json("POST", badge, &json!({})).status, 401);
    }
}

#[test]
fn branches_are_deleted_in_the_background() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::Sqlite(folder.path().join("broker.sqlite"));
    let broker = support::start(database.clone());
    for at in 0..50 {
        let path = format!("/pacticipants/Foo/branches/b{at}/versions/{at}");
        assert_eq!(broker.json("PUT", &path, &json!({})).status, 201);
    }
    assert_eq!(
        broker
            .json("PUT", "/pacticipants/Foo/branches/main/versions/50", &json!({}))
            .status,
        201
    );
    let promised = broker.send("DELETE", "/pacticipants/Foo/branches?exclude[]=b7", &[], None);
    assert_eq!(promised.status, 202);
    assert!(
        promised.text.contains("49 branches of Foo will be deleted"),
        "{promised:?}"
    );
    let left = |broker: &Running| {
        let branches = broker.get("/pacticipants/Foo/branches").json();
        let names = branches["_embedded"]["branches"].as_array().expect("a list").clone();
        names
            .into_iter()
            .map(|branch| branch["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    // The next broker that starts finishes the remaining work.
    broker.stop();
    let broker = support::start(database);
    while left(&broker).len() > 2 {
        std::thread::yield_now();
    }
    assert_eq!(left(&broker), ["main", "b7"]);
    let versions = broker.get("/pacticipants/Foo/versions").json();
    assert_eq!(
        versions["_embedded"]["versions"].as_array().map(Vec::len),
        Some(51),
        "versions stay"
    );
}

#[test]
fn serves_https() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let tls = contract_broker::tls(certificate.as_bytes(), key.as_bytes()).expect("a valid configuration");
    let broker = support::start_as(Options {
        tls: Some(tls),
        ..support::options(Database::Memory)
    });
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a root");
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let config = Arc::new(config);
    let ask = || {
        let name = ServerName::try_from("localhost").expect("a name");
        let connection = ClientConnection::new(Arc::clone(&config), name).expect("a connection");
        let stream = TcpStream::connect(broker.address).expect("a connection");
        let mut stream = StreamOwned::new(connection, stream);
        let head = format!(
            "GET / HTTP/1.1\r\nhost: localhost:{}\r\nconnection: close\r\n\r\n",
            broker.address.port()
        );
        stream.write_all(head.as_bytes()).expect("a sent request");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let link = format!("\"href\":\"https://localhost:{}/pacticipants\"", broker.address.port());
    assert!(ask().contains(&link), "{}", ask());
    // A client without TLS is disconnected, and the next request succeeds.
    let mut plain = TcpStream::connect(broker.address).expect("a connection");
    plain
        .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        .expect("a sent request");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
    assert!(ask().starts_with("HTTP/1.1 200"));
}

#[test]
fn rejects_unusable_certificates_and_keys() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let (certificate, key) = (made.cert.pem(), other.signing_key.serialize_pem());
    for (certificate, key, expected) in [
        ("", key.as_str(), "certificates"),
        (certificate.as_str(), "nonsense", "private key"),
        (certificate.as_str(), key.as_str(), "cannot be used"),
    ] {
        let refused = contract_broker::tls(certificate.as_bytes(), key.as_bytes()).expect_err("an error");
        assert!(refused.to_string().contains(expected), "{refused}");
    }
}

#[test]
fn path_suffixes_select_the_media_type() {
    let broker = support::start(Database::Memory);
    broker.json("PUT", "/pacts/provider/Bar/consumer/Foo/version/1", &contract("/a"));
    for (path, kind) in [
        ("/pacticipants.json", "application/hal+json"),
        ("/pacts/provider/Bar/latest.json?x=1", "application/hal+json"),
        ("/relationships.csv", "text/csv"),
    ] {
        let answer = broker.send("GET", path, &[("accept", "text/html")], None);
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            answer
                .header("content-type")
                .is_some_and(|found| found.starts_with(kind)),
            "{answer:?}"
        );
    }
    // A name can end with the suffix.
    assert_eq!(broker.json("PUT", "/pacticipants/a.json", &json!({})).status, 201);
    assert_eq!(broker.get("/pacticipants/a.json").json()["name"], "a.json");
}

#[test]
fn a_tag_records_a_deployment_each_time_it_is_put() {
    let broker = with_rules(Rules::default());
    let made = broker
        .json("POST", "/environments", &json!({ "name": "prod", "production": true }))
        .json();
    let uuid = made["uuid"].as_str().expect("an id");
    let deployed = || {
        let path = format!("/environments/{uuid}/deployed-versions/currently-deployed");
        let list = broker.get(&path).json();
        let versions = list["_embedded"]["deployedVersions"].as_array().expect("a list");
        let number = |one: &Value| {
            one["_embedded"]["version"]["number"]
                .as_str()
                .expect("a number")
                .to_owned()
        };
        versions.iter().map(number).collect::<Vec<_>>()
    };
    let put = |version: &str| {
        let path = format!("/pacticipants/Foo/versions/{version}/tags/prod");
        broker.json("PUT", &path, &json!({})).status
    };
    assert_eq!((put("1"), deployed()), (201, vec!["1".to_owned()]));
    assert_eq!((put("2"), deployed()), (201, vec!["2".to_owned()]));
    assert_eq!((put("1"), deployed()), (200, vec!["1".to_owned()]), "rolled back");

    // Tags in publications and in version updates are not deployments.
    let publication = json!({
        "pacticipantName": "Foo", "pacticipantVersionNumber": "3", "tags": ["prod"], "contracts": [],
    });
    assert_eq!(broker.json("POST", "/contracts/publish", &publication).status, 200);
    let tags = json!({ "tags": [{ "name": "prod" }] });
    assert_eq!(broker.json("PUT", "/pacticipants/Foo/versions/4", &tags).status, 201);
    assert_eq!(deployed(), ["1"]);
}
