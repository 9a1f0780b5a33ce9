//! Users: sign-in page, sessions, basic authentication, and limits on guessing passwords.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract_broker::{AddressRange, Administration, Credentials, Database, Limits, Options, Permissions, RateLimits};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::support::{self, Answer, Running};

const PASSWORD: &str = "correct horse";

/// A database with the user `alice`, and a function to change it while the broker runs.
struct Users {
    database: Database,
    _directory: TempDir,
}

impl Users {
    fn new(schema: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let file = Database::Sqlite(directory.path().join("broker.sqlite"));
        let users = Self {
            database: support::postgres(schema).unwrap_or(file),
            _directory: directory,
        };
        users.change(async |administration| {
            let added = administration
                .add_user("alice", PASSWORD, vec!["write".to_owned()])
                .await;
            added.expect("a user");
        });
        users
    }

    fn change(&self, change: impl AsyncFnOnce(&Administration)) {
        Runtime::new().expect("a runtime").block_on(async {
            let opened = Administration::open(&self.database, &Limits::default(), "test".to_owned()).await;
            let administration = opened.expect("a database");
            change(&administration).await;
            administration.close().await;
        });
    }

    fn broker(&self) -> Running {
        support::start(self.database.clone())
    }
}

fn form(broker: &Running, path: &str, fields: &str, headers: &[(&str, &str)]) -> Answer {
    let own = [("content-type", "application/x-www-form-urlencoded")];
    broker.send("POST", path, &[&own, headers].concat(), Some(fields.as_bytes()))
}

fn sign_in(broker: &Running, password: &str) -> Answer {
    let fields = format!(
        "username=alice&password={}&next=/pacticipants",
        password.replace(' ', "+")
    );
    form(broker, "/login", &fields, &[("origin", &broker.base())])
}

/// Returns the cookie of a response as `name=value`.
fn cookie(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").expect("a cookie");
    cookie.split(';').next().expect("a value").to_owned()
}

fn put(broker: &Running, headers: &[(&str, &str)]) -> u16 {
    let own = [("content-type", "application/json")];
    let put = broker.send("PUT", "/pacticipants/web", &[&own, headers].concat(), Some(b"{}"));
    put.status
}

#[test]
fn people_sign_in_and_out() {
    let users = Users::new("sign_in");
    let broker = users.broker();
    let page = broker.send("GET", "/login?next=/pacticipants", &[("accept", "text/html")], None);
    assert_eq!(page.status, 200);
    assert!(page.text.contains("name=\"next\" value=\"/pacticipants\""), "{page:?}");
    assert!(!page.text.contains("<script>"), "{page:?}");
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self';"),
        "{policy}"
    );
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let signed_in = sign_in(&broker, PASSWORD);
    assert_eq!(signed_in.status, 303, "{signed_in:?}");
    assert_eq!(
        signed_in.header("location"),
        Some(format!("{}/pacticipants", broker.base()).as_str())
    );
    let attributes = signed_in.header("set-cookie").expect("a cookie");
    assert!(
        attributes.ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400"),
        "{attributes}"
    );
    let session = cookie(&signed_in);
    let get = |session: &str| broker.send("GET", "/pacticipants", &[("cookie", session)], None).status;
    assert_eq!(get(&session), 200);
    assert_eq!(get(&format!("{session}x")), 401);
    // Another site can make the browser send the cookie, but cannot forge the headers.
    assert_eq!(put(&broker, &[("cookie", &session)]), 403);
    assert_eq!(
        put(&broker, &[("cookie", &session), ("origin", "https://evil.example.com")]),
        403
    );
    assert_eq!(
        put(&broker, &[("cookie", &session), ("sec-fetch-site", "cross-site")]),
        403
    );
    assert_eq!(put(&broker, &[("cookie", &session), ("origin", &broker.base())]), 201);
    // The page of a signed-in user has a form that ends the session.
    let page = broker.send("GET", "/login", &[("cookie", &session)], None);
    assert!(
        page.text.contains("signed in as <strong><bdi>alice</bdi></strong>"),
        "{page:?}"
    );
    let token = page
        .text
        .split("name=\"token\" value=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let token = token.expect("a token");
    let same_site = [("cookie", session.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(form(&broker, "/logout", "token=guess", &same_site).status, 403);
    assert_eq!(get(&session), 200);
    let ended = form(&broker, "/logout", &format!("token={token}"), &same_site);
    assert_eq!(ended.status, 303);
    assert!(cookie(&ended).ends_with('='), "{ended:?}");
    assert_eq!(
        get(&session),
        401,
        "a stolen cookie is of no use after the end of the session"
    );
    assert_eq!(
        form(&broker, "/logout", "", &same_site[1..]).status,
        303,
        "without a session"
    );
}

#[test]
fn sign_in_rejects_wrong_input() {
    let users = Users::new("sign_in_wrong");
    let broker = users.broker();
    let wrong = sign_in(&broker, "wrong horse");
    assert_eq!(wrong.status, 401);
    assert!(
        wrong.text.contains("<p>The user name or the password is wrong.</p>"),
        "{wrong:?}"
    );
    assert!(
        !wrong.text.contains("wrong horse") && wrong.header("set-cookie").is_none(),
        "{wrong:?}"
    );
    assert_eq!(wrong.header("www-authenticate"), None, "no dialog of the browser");
    let origin = broker.base();
    let same = [("origin", origin.as_str())];
    let escaped = form(
        &broker,
        "/login",
        "username=%22%3E%3Cscript%3E&password=x&next=//evil",
        &same,
    );
    assert_eq!(escaped.status, 401);
    assert!(
        escaped.text.contains("value=\"&quot;&gt;&lt;script&gt;\"") && !escaped.text.contains("evil"),
        "{escaped:?}"
    );
    assert_eq!(form(&broker, "/login", "username=bob&password=x", &same).status, 401);
    assert_eq!(form(&broker, "/login", "", &same).status, 401);
    assert_eq!(form(&broker, "/login", "username=%ff&password=x", &same).status, 400);
    assert_eq!(
        form(
            &broker,
            "/login",
            &format!("username=alice&password={}", "x".repeat(100_000)),
            &same
        )
        .status,
        401
    );
    let correct = format!("username=alice&password={}", PASSWORD.replace(' ', "+"));
    assert_eq!(
        form(&broker, "/login", &correct, &[("origin", "https://evil.example.com")]).status,
        403
    );
    assert_eq!(form(&broker, "/login", &correct, &[]).status, 403);
    let json = broker.json("POST", "/login", &serde_json::json!({}));
    assert_eq!(json.status, 415);
    assert_eq!(sign_in(&broker, PASSWORD).status, 303, "the next request");
}

#[test]
fn guessing_passwords_is_slow() {
    let users = Users::new("sign_in_guess");
    let broker = users.broker();
    for _ in 0..10 {
        assert_eq!(sign_in(&broker, "wrong horse").status, 401);
    }
    let refused = sign_in(&broker, PASSWORD);
    assert_eq!(refused.status, 429, "even the right password");
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok()),
        "{refused:?}"
    );
    assert!(refused.text.contains("Too many failed logins"), "{refused:?}");
    // Other users are not affected.
    assert_eq!(
        form(
            &broker,
            "/login",
            "username=bob&password=x",
            &[("origin", &broker.base())]
        )
        .status,
        401
    );
}

#[test]
fn users_can_use_basic_authentication_until_they_are_removed() {
    let users = Users::new("sign_in_basic");
    let broker = users.broker();
    let header = |password: &str| format!("Basic {}", STANDARD.encode(format!("alice:{password}")));
    let put_with = |password: &str| put(&broker, &[("authorization", &header(password))]);
    assert_eq!(put_with(PASSWORD), 201);
    assert_eq!(put_with("wrong horse"), 401);
    assert_eq!(
        put(
            &broker,
            &[("authorization", &header(PASSWORD)), ("sec-fetch-site", "cross-site")]
        ),
        403
    );
    let session = cookie(&sign_in(&broker, PASSWORD));
    users.change(async |administration| {
        administration
            .set_password("alice", "another horse")
            .await
            .expect("a password");
    });
    // The cached login with the old password expires within seconds.
    while put_with(PASSWORD) == 200 {
        std::thread::yield_now();
    }
    assert_eq!(put_with("another horse"), 200);
    let get = broker.send("GET", "/pacticipants", &[("cookie", &session)], None);
    assert_eq!(get.status, 401, "a new password ends sessions");
    users.change(async |administration| {
        administration.remove_user("alice").await.expect("a removed user");
        assert!(administration.users().await.expect("users").is_empty());
        administration.remove_user("alice").await.expect_err("no user");
    });
    while put_with("another horse") == 200 {
        std::thread::yield_now();
    }
    assert_eq!(broker.get("/pacticipants").status, 401, "the broker stays closed");
}

#[test]
fn requests_are_limited_per_credential_and_address() {
    let credentials = |name: &str| Credentials {
        username: name.to_owned(),
        password: "x".to_owned(),
    };
    let start = |per_credential, per_address| {
        support::start_as(Options {
            permissions: Permissions {
                read_write: Some(credentials("rw")),
                read_only: Some(credentials("ro")),
                rate_limits: RateLimits {
                    per_credential,
                    per_address,
                },
                trusted_proxies: vec!["127.0.0.0/8".parse::<AddressRange>().expect("a range")],
                ..Permissions::default()
            },
            ..support::options(Database::Memory)
        })
    };
    let get = |broker: &Running, name: &str, address: &str| {
        let header = format!("Basic {}", STANDARD.encode(format!("{name}:x")));
        broker.send(
            "GET",
            "/",
            &[("authorization", &header), ("x-forwarded-for", address)],
            None,
        )
    };
    let exhaust = |broker: &Running| {
        for _ in 0..1_000 {
            let answer = get(broker, "rw", "10.0.0.1");
            if answer.status == 429 {
                return answer;
            }
        }
        panic!("no limit");
    };
    let broker = start(1, 0);
    let refused = exhaust(&broker);
    assert!(
        refused.text.contains("Too many requests with these credentials"),
        "{refused:?}"
    );
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    assert_eq!(
        get(&broker, "rw", "10.0.0.2").status,
        429,
        "the same credentials from elsewhere"
    );
    assert_eq!(get(&broker, "ro", "10.0.0.1").status, 200);
    let broker = start(0, 1);
    let refused = exhaust(&broker);
    assert!(
        refused.text.contains("Too many requests from this address"),
        "{refused:?}"
    );
    assert_eq!(get(&broker, "ro", "10.0.0.1").status, 429, "other credentials");
    assert_eq!(get(&broker, "rw", "10.0.0.2").status, 200);
    assert_eq!(broker.get("/diagnostic/status/heartbeat").status, 200);
}
