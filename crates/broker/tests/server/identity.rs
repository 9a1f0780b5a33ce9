//! Identity tokens of CI systems, issued by a local server.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract_broker::{Database, Issuer, Options, Permissions, Settings};
use serde_json::{Value, json};

use crate::keys::{Key, encode, now};
use crate::support::{self, Answer, Running};

const AUDIENCE: &str = "https://broker.example.com";
/// An HTTP server with a discovery document and keys.
struct IssuerServer {
    address: SocketAddr,
    keys: Arc<Mutex<Value>>,
    requests: Arc<AtomicUsize>,
    is_down: Arc<AtomicBool>,
}

impl IssuerServer {
    fn start(keys: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let keys = Arc::new(Mutex::new(Value::from(keys)));
        let (requests, is_down) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let server = Self {
            address,
            keys: Arc::clone(&keys),
            requests: Arc::clone(&requests),
            is_down: Arc::clone(&is_down),
        };
        let url = server.url();
        // The thread ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                if is_down.load(Ordering::Relaxed) {
                    continue;
                }
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !request.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                        _ => break,
                    }
                }
                let request = String::from_utf8_lossy(&request).into_owned();
                let body = if request.starts_with("GET /.well-known/openid-configuration ") {
                    json!({ "issuer": url, "jwks_uri": format!("{url}/keys") })
                } else {
                    requests.fetch_add(1, Ordering::Relaxed);
                    json!({ "keys": *keys.lock().expect("keys") })
                };
                let body = body.to_string();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        server
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn issuer(&self) -> Issuer {
        let text = format!(
            r#"
            [[issuers]]
            preset = "github"
            issuer = "{}"
            audience = "{AUDIENCE}"
            [[issuers.rules]]
            claims = {{ repository_id = 42, ref = ["refs/heads/main", "refs/tags/*"] }}
            scopes = ["publish:web"]
            [[issuers.rules]]
            claims = {{ repository_id = 42, environment = "production" }}
            scopes = ["deploy:production"]
            "#,
            self.url()
        );
        let settings = Settings::parse(&text, Path::new("/")).expect("settings");
        settings.issuers.into_iter().next().expect("an issuer")
    }

    fn claims(&self) -> Value {
        json!({
            "iss": self.url(),
            "aud": AUDIENCE,
            "sub": "repo:acme/web:ref:refs/heads/main",
            "repository_id": "42",
            "ref": "refs/heads/main",
            "event_name": "push",
            "iat": now(),
            "nbf": now(),
            "exp": now() + 300,
        })
    }
}

fn broker(issuer: Issuer) -> Running {
    support::start_as(Options {
        permissions: Permissions {
            issuers: vec![issuer],
            ..Permissions::default()
        },
        log: Arc::new(|_| ()),
        ..support::options(Database::Memory)
    })
}

fn put(broker: &Running, token: &str, name: &str) -> Answer {
    let authorization = format!("Bearer {token}");
    let headers = [
        ("authorization", authorization.as_str()),
        ("content-type", "application/json"),
    ];
    broker.send("PUT", &format!("/pacticipants/{name}"), &headers, Some(b"{}"))
}

fn error(answer: &Answer) -> String {
    answer.json()["error"].as_str().unwrap_or_default().to_owned()
}

fn changed(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

#[test]
fn claims_are_mapped_to_scopes() {
    for key in [Key::rsa(), Key::ec(), Key::ed()] {
        let server = IssuerServer::start(vec![key.public("a")]);
        let broker = broker(server.issuer());
        let claims = server.claims();
        let token = key.token("a", &claims);
        let accepted = put(&broker, &token, "web");
        assert!(
            matches!(accepted.status, 200 | 201),
            "{}: {accepted:?}",
            key.algorithm()
        );
        assert_eq!(put(&broker, &token, "users").status, 403);
        // The audience may be an array of one value.
        let token = key.token("a", &changed(&claims, "aud", json!([AUDIENCE])));
        assert_eq!(put(&broker, &token, "web").status, 200);
        for (name, value, status) in [
            ("ref", json!("refs/tags/v1"), 200),
            ("ref", json!("refs/heads/feature"), 403),
            ("repository_id", json!(42), 200),
            ("repository_id", json!("421"), 403),
            ("repository_id", json!(null), 403),
            ("event_name", json!("pull_request_target"), 403),
            // The rule for environments has no scope for publishing.
            ("environment", json!("production"), 200),
        ] {
            let token = key.token("a", &changed(&claims, name, value.clone()));
            assert_eq!(put(&broker, &token, "web").status, status, "{name} {value}");
        }
        assert_eq!(server.requests.load(Ordering::Relaxed), 1, "keys are kept");
        let refused = put(&broker, &key.token("a", &changed(&claims, "ref", json!("x"))), "web");
        let text = "The identity token is valid, but no rule of its issuer matches its claims (subject \"repo:acme/web:ref:refs/heads/main\").";
        assert_eq!(error(&refused), text);
        assert_eq!(broker.get("/pacticipants").status, 401);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn forged_expired_and_foreign_tokens_are_rejected() {
    let (key, other) = (Key::rsa(), Key::ed());
    let server = IssuerServer::start(vec![
        key.public("a"),
        json!({ "kid": "s", "kty": "oct", "k": "c2VjcmV0" }),
    ]);
    let broker = broker(server.issuer());
    let claims = server.claims();
    let valid = key.token("a", &claims);
    let parts: Vec<&str> = valid.split('.').collect();
    let with_header = |header: Value| key.token_with(&header, &claims);
    let changed_claims = encode(changed(&claims, "repository_id", json!("43")).to_string().as_bytes());
    let hs256 = {
        // An HMAC whose secret is the public key of the issuer.
        let header = encode(json!({ "alg": "HS256", "kid": "a" }).to_string().as_bytes());
        let message = format!("{header}.{}", parts[1]);
        let secret = key.public("a")["n"].as_str().expect("a modulus").to_owned();
        let secret = URL_SAFE_NO_PAD.decode(secret).expect("bytes");
        let hmac = ring::hmac::sign(
            &ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &secret),
            message.as_bytes(),
        );
        format!("{message}.{}", encode(hmac.as_ref()))
    };
    let none = format!("{}.{}.", encode(br#"{"alg":"none","kid":"a"}"#), parts[1]);
    for (token, expected) in [
        (
            none,
            "uses the algorithm \"none\". Supported algorithms: RS256, ES256, EdDSA.",
        ),
        (hs256, "uses the algorithm \"HS256\""),
        (
            with_header(json!({ "alg": "RS512", "kid": "a" })),
            "uses the algorithm \"RS512\"",
        ),
        (
            with_header(json!({ "alg": "ES256", "kid": "a" })),
            "uses the algorithm \"ES256\"",
        ),
        (
            with_header(json!({ "alg": "RS256", "kid": "s" })),
            "signed with a key that its issuer does not publish",
        ),
        (
            with_header(json!({ "alg": "RS256", "kid": "b" })),
            "signed with a key that its issuer does not publish",
        ),
        (with_header(json!({ "alg": "RS256" })), "has no key ID"),
        (
            with_header(json!({ "alg": "RS256", "kid": "a", "crit": ["b64"], "b64": false })),
            "is malformed",
        ),
        (
            with_header(json!({ "alg": "RS256", "kid": "b", "jwk": other.public("b") })),
            "does not publish",
        ),
        (other.token("a", &claims), "uses the algorithm \"EdDSA\""),
        (
            format!("{}.{changed_claims}.{}", parts[0], parts[2]),
            "signature of the identity token is invalid",
        ),
        (
            format!("{}.{}.{}", parts[0], parts[1], encode(&[0; 256])),
            "signature of the identity token is invalid",
        ),
        (
            format!("{}.{}.", parts[0], parts[1]),
            "signature of the identity token is invalid",
        ),
        (format!("{}.{}.{}", parts[0], &parts[1][1..], parts[2]), "is malformed"),
        ("a.b.c".to_owned(), "is malformed"),
        ("..".to_owned(), "is malformed"),
        (format!("{}.{}", parts[0], parts[1]), "unknown format"),
        (format!("{valid}.a"), "unknown format"),
        (
            format!("{}.{}.a", parts[0], "A".repeat(20_000)),
            "is larger than 16 KiB",
        ),
        (
            key.token("a", &changed(&claims, "exp", json!(now() - 60))),
            "has expired",
        ),
        (key.token("a", &changed(&claims, "exp", json!("soon"))), "claim \"exp\""),
        (key.token("a", &changed(&claims, "exp", Value::Null)), "claim \"exp\""),
        (
            key.token("a", &changed(&claims, "nbf", json!(now() + 60))),
            "is not valid yet",
        ),
        (
            key.token("a", &changed(&claims, "iat", json!(now() + 60))),
            "is not valid yet",
        ),
        (
            key.token("a", &changed(&claims, "aud", json!("https://other"))),
            "It has \"https://other\".",
        ),
        (
            key.token("a", &changed(&claims, "aud", json!([AUDIENCE, "https://other"]))),
            "must have only the audience \"https://broker.example.com\"",
        ),
        (key.token("a", &changed(&claims, "aud", Value::Null)), "aud"),
        (
            key.token("a", &changed(&claims, "iss", json!("https://other"))),
            "issuer that is not configured: \"https://other\"",
        ),
        (
            key.token("a", &changed(&claims, "iss", json!([server.url()]))),
            "issuer that is not configured",
        ),
    ] {
        let refused = put(&broker, &token, "web");
        assert_eq!(refused.status, 401, "{token}: {refused:?}");
        assert!(error(&refused).contains(expected), "{expected}: {refused:?}");
        assert!(!refused.text.contains(&token), "{refused:?}");
        assert!(
            matches!(put(&broker, &valid, "web").status, 200 | 201),
            "the next request"
        );
    }
}

#[test]
fn clocks_may_differ_a_little() {
    let key = Key::ed();
    let server = IssuerServer::start(vec![key.public("a")]);
    let broker = broker(server.issuer());
    let claims = changed(&server.claims(), "exp", json!(now() - 10));
    let claims = changed(&claims, "nbf", json!(now() + 10));
    let claims = changed(&claims, "iat", json!(now() + 10));
    assert_eq!(put(&broker, &key.token("a", &claims), "web").status, 201);
}

#[test]
fn keys_are_rotated() {
    let (old, new) = (Key::ec(), Key::ed());
    let server = IssuerServer::start(vec![old.public("old")]);
    let broker = broker(Issuer {
        refresh_interval: Duration::ZERO,
        ..server.issuer()
    });
    let claims = server.claims();
    assert_eq!(put(&broker, &old.token("old", &claims), "web").status, 201);
    *server.keys.lock().expect("keys") = json!([old.public("old"), new.public("new")]);
    assert_eq!(
        put(&broker, &new.token("new", &claims), "web").status,
        200,
        "an unknown key is fetched"
    );
    assert_eq!(put(&broker, &old.token("old", &claims), "web").status, 200);
    // A key that the issuer removed is no longer used after the keys were fetched again.
    *server.keys.lock().expect("keys") = json!([new.public("new")]);
    assert_eq!(put(&broker, &new.token("unknown", &claims), "web").status, 401);
    assert_eq!(put(&broker, &old.token("old", &claims), "web").status, 401);
    assert_eq!(put(&broker, &new.token("new", &claims), "web").status, 200);
}

#[test]
fn unknown_keys_are_not_fetched_again_within_the_interval() {
    let key = Key::ed();
    let server = IssuerServer::start(vec![key.public("a")]);
    let broker = broker(server.issuer());
    let claims = server.claims();
    assert_eq!(put(&broker, &key.token("a", &claims), "web").status, 201);
    for at in 0..20 {
        assert_eq!(put(&broker, &key.token(&format!("x{at}"), &claims), "web").status, 401);
    }
    assert_eq!(server.requests.load(Ordering::Relaxed), 1);
}

#[test]
fn an_issuer_that_fails_does_not_end_what_is_known() {
    let key = Key::ed();
    let server = IssuerServer::start(vec![key.public("a")]);
    server.is_down.store(true, Ordering::Relaxed);
    let broker = broker(Issuer {
        refresh_interval: Duration::ZERO,
        ..server.issuer()
    });
    let token = key.token("a", &server.claims());
    let refused = put(&broker, &token, "web");
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(
        error(&refused).contains("could not be fetched. Try again later."),
        "{refused:?}"
    );
    assert_eq!(refused.header("retry-after"), Some("30"));
    server.is_down.store(false, Ordering::Relaxed);
    assert_eq!(put(&broker, &token, "web").status, 201);
    server.is_down.store(true, Ordering::Relaxed);
    assert_eq!(put(&broker, &token, "web").status, 200);
    assert_eq!(put(&broker, &key.token("b", &server.claims()), "web").status, 503);
    assert_eq!(put(&broker, &token, "web").status, 200);
    // Documents without usable keys.
    server.is_down.store(false, Ordering::Relaxed);
    *server.keys.lock().expect("keys") = json!([{ "kid": 1 }, "x"]);
    assert_eq!(put(&broker, &key.token("b", &server.claims()), "web").status, 503);
    *server.keys.lock().expect("keys") = json!("x".repeat(2_000_000));
    assert_eq!(put(&broker, &key.token("b", &server.claims()), "web").status, 503);
    assert_eq!(put(&broker, &token, "web").status, 200);
}
