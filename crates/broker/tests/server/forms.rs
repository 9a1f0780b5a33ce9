//! The forms of pages. They have the same checks and permissions as the API.

use std::time::{Duration, SystemTime};

use serde_json::json;
use tokio::runtime::Runtime;

use crate::support::{self, Answer, Running};
use crate::webhooks;
use contract_broker::{
    Administration, Credentials, Database, Limits, Options, Permissions, Retention, RetentionPolicy,
};

const PASSWORD: &str = "correct horse";
const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// A person who is signed in with a browser.
struct Person {
    session: String,
    token: String,
}

impl Person {
    fn sign_in(broker: &Running, name: &str) -> Self {
        let fields = format!("username={name}&password={}", PASSWORD.replace(' ', "+"));
        let headers = [FORM, ("sec-fetch-site", "same-origin")];
        let answer = broker.send("POST", "/login", &headers, Some(fields.as_bytes()));
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = answer.header("set-cookie").expect("a cookie");
        let mut person = Self {
            session: cookie.split(';').next().expect("a value").to_owned(),
            token: String::new(),
        };
        let page = person.get(broker, "/").text;
        let (_, rest) = page.split_once("name=\"token\" value=\"").expect("a form");
        rest.split('"').next().expect("a value").clone_into(&mut person.token);
        person
    }

    fn get(&self, broker: &Running, path: &str) -> Answer {
        broker.send("GET", path, &[BROWSER, ("cookie", &self.session)], None)
    }

    fn post(&self, broker: &Running, path: &str, fields: &str) -> Answer {
        let fields = format!("token={}&{fields}", self.token);
        let headers = [
            BROWSER,
            FORM,
            ("sec-fetch-site", "same-origin"),
            ("cookie", &self.session),
        ];
        broker.send("POST", path, &headers, Some(fields.as_bytes()))
    }
}

/// A broker with an administrator, `rosa`, and a reader, `tom`.
fn broker(schema: &str) -> (Running, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = Database::Sqlite(directory.path().join("broker.sqlite"));
    let database = support::postgres(schema).unwrap_or(file);
    Runtime::new().expect("a runtime").block_on(async {
        let opened = Administration::open(&database, &Limits::default(), "test".to_owned()).await;
        let administration = opened.expect("a database");
        for (name, scope) in [("rosa", "admin"), ("tom", "read")] {
            let added = administration.add_user(name, PASSWORD, vec![scope.to_owned()]).await;
            added.expect("a user");
        }
        administration.close().await;
    });
    (support::start_as(webhooks::options(database)), directory)
}

fn location(answer: &Answer, broker: &Running) -> String {
    assert_eq!(answer.status, 303, "{answer:?}");
    let location = answer.header("location").expect("a location");
    location.strip_prefix(&broker.base()).expect("a path").to_owned()
}

#[test]
fn webhooks_are_created_changed_and_deleted() {
    let (broker, _directory) = broker("forms0");
    let rosa = Person::sign_in(&broker, "rosa");
    let tom = Person::sign_in(&broker, "tom");
    assert_eq!(tom.get(&broker, "/webhooks/new").status, 403);
    assert!(rosa.get(&broker, "/webhooks").text.contains("href=\"/webhooks/new\""));
    assert!(!tom.get(&broker, "/webhooks").text.contains("href=\"/webhooks/new\""));

    let fields = |url: &str, more: &str| {
        format!(
            "description=Build&method=POST&url={url}&enabled=true&event=contract_published&consumer-by=label&consumer=web{more}"
        )
    };
    let rejected = rosa.post(
        &broker,
        "/webhooks",
        &fields("nonsense", "&headers=a+line&provider-by=name&provider=nobody"),
    );
    assert_eq!(rejected.status, 400, "{rejected:?}");
    for error in [
        "id=\"url-error\"",
        "id=\"headers-error\"",
        "id=\"provider-error\"",
        "value=\"nonsense\"",
        "value=\"nobody\"",
    ] {
        assert!(rejected.text.contains(error), "{error}: {}", rejected.text);
    }
    assert_eq!(
        tom.post(&broker, "/webhooks", &fields("http://127.0.0.1:1/a", ""))
            .status,
        403
    );

    let more =
        "&headers=X-Kind:+a%0D%0AAuthorization:+Bearer+secret&body=%7B%22a%22:1%7D&username=ci&password=s3cret-word";
    let created = rosa.post(&broker, "/webhooks", &fields("http://127.0.0.1:1/a", more));
    let path = location(&created, &broker);
    let page = rosa.get(&broker, &path).text;
    for text in ["<h1><bdi>Build</bdi></h1>", "x-kind: a", "consumers with the label web"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let edit = format!("{path}/edit");
    let form = rosa.get(&broker, &edit).text;
    assert!(
        form.contains("authorization: **********") && form.contains("value=\"ci\""),
        "{form}"
    );
    assert!(
        !form.contains("s3cret-word") && !form.contains("Bearer secret"),
        "{form}"
    );

    // The masked header and the password, which the form leaves empty, stay.
    let more = "&headers=authorization:+**********&username=ci&event=provider_verification_failed";
    let changed = rosa.post(
        &broker,
        &edit,
        &fields("http://127.0.0.1:1/b", more).replace("&enabled=true", ""),
    );
    assert_eq!(location(&changed, &broker), path);
    let stored = broker.send("GET", &path, &[("cookie", &rosa.session)], None).json();
    assert_eq!(stored["enabled"], false);
    assert_eq!(stored["request"]["url"], "http://127.0.0.1:1/b");
    assert_eq!(stored["request"]["password"], "**********");
    assert_eq!(stored["request"]["headers"], json!({ "authorization": "**********" }));
    let names = json!([{ "name": "contract_published" }, { "name": "provider_verification_failed" }]);
    assert_eq!(stored["events"], names);

    let elsewhere = rosa.post(&broker, &edit, &fields("http://127.0.0.1:2/b", more));
    assert_eq!(elsewhere.status, 400);
    assert!(
        elsewhere
            .text
            .contains("must be sent again, because the scheme, host, or port of the URL changed"),
        "{}",
        elsewhere.text
    );

    assert_eq!(tom.post(&broker, &format!("{path}/delete"), "").status, 403);
    assert_eq!(
        location(&rosa.post(&broker, &format!("{path}/delete"), ""), &broker),
        "/webhooks"
    );
    assert_eq!(rosa.get(&broker, &path).status, 404);
    assert_eq!(
        rosa.post(&broker, &edit, &fields("http://127.0.0.1:1/a", "")).status,
        404
    );
}

#[test]
fn tokens_are_created_and_revoked() {
    let (broker, _directory) = broker("forms1");
    let rosa = Person::sign_in(&broker, "rosa");
    let created = rosa.post(
        &broker,
        "/admin/tokens",
        "label=web+CI&expires=90&scope=publish&publish=web,+mobile-*",
    );
    assert_eq!(created.status, 200, "{created:?}");
    assert_eq!(created.header("cache-control"), Some("no-store"));
    let (_, rest) = created.text.split_once("id=\"secret\">").expect("the token");
    let secret = rest.split('<').next().expect("the token").to_owned();
    let bearer = format!("Bearer {secret}");
    let read = |broker: &Running| {
        broker
            .send("GET", "/pacticipants", &[("authorization", &bearer)], None)
            .status
    };
    assert_eq!(read(&broker), 200);

    let page = rosa.get(&broker, "/admin/tokens").text;
    assert!(!page.contains(&secret), "the token is shown once");
    assert!(page.contains("publish:web") && page.contains("publish:mobile-*") && page.contains("in 90 days"));
    let (_, rest) = page.split_once("action=\"/admin/tokens/").expect("a form");
    let id = rest.split('/').next().expect("an ID");
    let revoked = rosa.post(&broker, &format!("/admin/tokens/{id}/revoke"), "");
    assert_eq!(location(&revoked, &broker), "/admin/tokens");
    assert_eq!(read(&broker), 401);
    assert!(rosa.get(&broker, "/admin/tokens").text.contains("Revoked"));
}

#[test]
fn a_rejected_form_keeps_what_was_entered() {
    let (broker, _directory) = broker("forms2");
    let rosa = Person::sign_in(&broker, "rosa");
    for (fields, problem) in [
        ("label=&expires=30&scope=read", "label must have 1 to 200 bytes"),
        ("label=%3Cb%3E&expires=30", "scopes must have at least 1"),
        (
            "label=%3Cb%3E&expires=30&scope=deploy",
            "&quot;deploy:&quot; is not a scope",
        ),
        (
            "label=%3Cb%3E&expires=soon&scope=read",
            "expiresInDays must be a whole number of days",
        ),
    ] {
        let rejected = rosa.post(&broker, "/admin/tokens", fields);
        assert_eq!(rejected.status, 400, "{fields}: {rejected:?}");
        assert!(rejected.text.contains(problem), "{fields}: {}", rejected.text);
        assert!(rejected.text.contains("New token"), "the form is shown again");
        assert!(
            !fields.contains("%3Cb") || rejected.text.contains("value=\"&lt;b&gt;\""),
            "{fields}"
        );
    }
    let users = rosa.post(&broker, "/admin/users", "name=ines&password=short&scope=read");
    assert_eq!(users.status, 400, "{users:?}");
    assert!(users.text.contains("at least 8 characters") && users.text.contains("value=\"ines\""));
    assert!(!users.text.contains("short"), "the password is not in the page");
    assert!(
        rosa.get(&broker, "/admin/tokens").text.contains("No tokens"),
        "nothing was created"
    );
    let exists = rosa.post(&broker, "/admin/users", "name=tom&password=long+enough&scope=read");
    assert_eq!(exists.status, 409);
    assert!(exists.text.contains("already exists"), "{}", exists.text);
}

#[test]
fn users_are_added_changed_and_removed() {
    let (broker, _directory) = broker("forms3");
    let rosa = Person::sign_in(&broker, "rosa");
    let added = rosa.post(
        &broker,
        "/admin/users",
        "name=ines+d&password=correct+horse&scope=write",
    );
    assert_eq!(location(&added, &broker), "/admin/users");
    let ines = Person::sign_in(&broker, "ines+d");
    assert_eq!(ines.get(&broker, "/admin/users").status, 403);

    let path = "/admin/users/ines%20d/change";
    assert!(rosa.get(&broker, path).text.contains("value=\"write\" checked"));
    let scopes = rosa.post(&broker, path, "part=scopes&scope=admin");
    assert!(scopes.text.contains("The scopes were changed."), "{scopes:?}");
    assert_eq!(ines.get(&broker, "/admin/users").status, 200);
    let short = rosa.post(&broker, path, "part=password&password=short");
    assert_eq!(short.status, 400);
    assert_eq!(ines.get(&broker, "/").status, 200, "the next request");
    let password = rosa.post(&broker, path, "part=password&password=battery+staple");
    assert!(password.text.contains("The password was changed"), "{password:?}");
    assert_eq!(ines.get(&broker, "/").status, 401, "a new password ends sessions");

    let removed = rosa.post(&broker, "/admin/users/ines%20d/remove", "");
    assert_eq!(location(&removed, &broker), "/admin/users");
    assert_eq!(rosa.get(&broker, path).status, 404);
    assert_eq!(rosa.post(&broker, "/admin/users/ines%20d/remove", "").status, 404);
}

#[test]
fn forms_of_other_sites_and_sessions_are_refused() {
    let (broker, _directory) = broker("forms4");
    let (rosa, tom) = (Person::sign_in(&broker, "rosa"), Person::sign_in(&broker, "tom"));
    let fields = "label=x&expires=&scope=admin";
    let send = |headers: &[(&str, &str)], fields: &str| {
        let own = [BROWSER, FORM, ("cookie", rosa.session.as_str())];
        broker
            .send(
                "POST",
                "/admin/tokens",
                &[&own, headers].concat(),
                Some(fields.as_bytes()),
            )
            .status
    };
    let signed = format!("token={}&{fields}", rosa.token);
    assert_eq!(send(&[("sec-fetch-site", "cross-site")], &signed), 403);
    assert_eq!(send(&[], &signed), 403, "without an origin");
    let same = [("sec-fetch-site", "same-origin")];
    assert_eq!(send(&same, fields), 403, "without the token");
    assert_eq!(send(&same, &format!("token={}&{fields}", tom.token)), 403);
    assert_eq!(tom.post(&broker, "/admin/tokens", fields).status, 403);
    assert!(rosa.get(&broker, "/admin/tokens").text.contains("No tokens"));
    assert_eq!(send(&same, &signed), 200, "the next request");
}

#[test]
fn an_open_broker_accepts_forms_of_its_own_pages_only() {
    let broker = support::start(Database::Memory);
    assert_eq!(
        broker.json("POST", "/pacticipants", &json!({ "name": "web" })).status,
        201
    );
    assert_eq!(broker.send("DELETE", "/pacticipants/web", &[], None).status, 204);
    let page = broker.send("GET", "/deletions", &[BROWSER], None).text;
    let (_, rest) = page.split_once("action=\"/deletions").expect("a form");
    let path = format!("/deletions{}", rest.split('"').next().expect("a path"));
    for (site, status) in [
        ("cross-site", 403),
        ("same-site", 403),
        ("same-origin", 303),
        ("same-origin", 404),
    ] {
        let answer = broker.send("POST", &path, &[BROWSER, FORM, ("sec-fetch-site", site)], Some(b""));
        assert_eq!(answer.status, status, "{site}: {answer:?}");
    }
    assert_eq!(broker.get("/pacticipants/web").status, 200);
    let page = broker.send("GET", "/admin/tokens", &[BROWSER], None).text;
    assert!(page.contains("This broker is open"), "{page}");
}

#[test]
fn webhooks_are_disabled_tested_and_replayed() {
    let (broker, _directory) = broker("forms5");
    let (rosa, tom) = (Person::sign_in(&broker, "rosa"), Person::sign_in(&broker, "tom"));
    let webhook = json!({
        "description": "Build <users>",
        "events": [{ "name": "contract_published" }],
        "request": {
            "method": "POST", "url": "http://127.0.0.1:9/build?secret=x", "body": { "version": "${pactbroker.consumerVersionNumber}" },
        },
    });
    let own = [
        ("content-type", "application/json"),
        ("cookie", rosa.session.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let body = serde_json::to_vec(&webhook).expect("JSON");
    let created = broker.send("POST", "/webhooks", &own, Some(&body));
    assert_eq!(created.status, 201, "{created:?}");
    let uuid = created.json()["uuid"].as_str().expect("a UUID").to_owned();
    let path = format!("/webhooks/{uuid}");

    let page = rosa.get(&broker, &path).text;
    assert!(
        page.contains("Build &lt;users&gt;") && page.contains("${pactbroker.consumerVersionNumber}"),
        "{page}"
    );
    assert!(!tom.get(&broker, &path).text.contains("Disable"));
    let disable = format!("{path}/disable");
    assert_eq!(tom.post(&broker, &disable, "").status, 403);
    assert_eq!(location(&rosa.post(&broker, &disable, ""), &broker), path);
    assert!(rosa.get(&broker, &path).text.contains("disabled"));
    let stored = broker.send("GET", &path, &[("cookie", &rosa.session)], None).json();
    assert_eq!(
        (&stored["enabled"], &stored["request"]["method"]),
        (&json!(false), &json!("POST"))
    );
    assert_eq!(
        location(&rosa.post(&broker, &format!("{path}/enable"), ""), &broker),
        path
    );

    let tested = rosa.post(&broker, &format!("{path}/execute"), "");
    assert_eq!(tested.status, 200, "{tested:?}");
    assert!(tested.text.contains("Webhook execution failed"), "{tested:?}");
    assert!(
        tested.text.contains(&format!("href=\"{path}\"")),
        "the way back: {tested:?}"
    );
    assert_eq!(rosa.post(&broker, "/webhooks/unknown/execute", "").status, 404);
    assert_eq!(rosa.post(&broker, "/triggered-webhooks/unknown/retry", "").status, 404);
}

#[test]
fn deliveries_are_replayed() {
    let receiver = webhooks::HookReceiver::ok();
    let broker = support::start_as(webhooks::options(Database::Memory));
    let webhook = json!({
        "events": [{ "name": "contract_published" }],
        "request": { "method": "POST", "url": receiver.url("/build"), "body": "go" },
    });
    assert_eq!(broker.json("POST", "/webhooks", &webhook).status, 201);
    let contract = json!({ "interactions": [{ "description": "a", "request": { "path": "/" } }] });
    let put = broker.json("PUT", "/pacts/provider/users/consumer/web/version/1", &contract);
    assert_eq!(put.status, 201);
    receiver.next();
    let get = |path: &str| broker.send("GET", path, &[BROWSER], None).text;
    let until = |path: &str, text: &str| {
        for _ in 0..100 {
            let page = get(path);
            if page.contains(text) {
                return page;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{path} never shows {text}: {}", get(path));
    };
    let page = until("/webhooks", "Replay");
    let (_, rest) = page.split_once("action=\"/triggered-webhooks/").expect("a form");
    let path = format!("/triggered-webhooks/{}", rest.split('"').next().expect("a path"));
    let own = [BROWSER, FORM, ("sec-fetch-site", "same-origin")];
    let replayed = broker.send("POST", &path, &own, Some(b""));
    let log = location(&replayed, &broker);
    assert_eq!(log, path.replace("/retry", "/logs"));
    receiver.next();
    let page = until(&log, "Attempt 2");
    assert!(page.contains("POST") && page.contains("/build"), "{page}");
}

#[test]
fn browsers_ask_for_a_password_only_if_there_is_no_page_for_it() {
    let challenge = |broker: &Running, accept: &str| {
        let answer = broker.send("GET", "/pacticipants", &[("accept", accept)], None);
        assert_eq!(answer.status, 401);
        answer.header("www-authenticate").unwrap_or_default().to_owned()
    };
    let (broker, _directory) = broker("forms7");
    assert!(challenge(&broker, BROWSER.1).starts_with("Bearer"));
    assert!(challenge(&broker, "application/hal+json").starts_with("Basic"));
    let configured = Permissions {
        read_write: Some(Credentials {
            username: "ci".to_owned(),
            password: "secret".to_owned(),
        }),
        ..Permissions::default()
    };
    let configured = support::start_with(Database::Memory, configured);
    assert!(challenge(&configured, BROWSER.1).starts_with("Basic"));
}

#[test]
fn retention_is_previewed() {
    let broker = support::start_as(Options {
        retention: Some(Retention {
            policy: RetentionPolicy {
                days: 0,
                ..RetentionPolicy::default()
            },
            ..Retention::default()
        }),
        ..support::options(Database::Memory)
    });
    for number in ["1", "2"] {
        let put = broker.json("PUT", &format!("/pacticipants/web/versions/{number}"), &json!({}));
        assert_eq!(put.status, 201);
    }
    // A version is old if it was created in an earlier millisecond than the request.
    let last_put = SystemTime::now();
    while last_put
        .elapsed()
        .is_ok_and(|elapsed| elapsed < Duration::from_millis(1))
    {
        std::thread::yield_now();
    }
    let page = broker.send("GET", "/admin/retention", &[BROWSER], None);
    assert_eq!(page.status, 200);
    assert!(
        page.text.contains("Versions are kept for 0 days")
            && page.text.contains("1 version: <span class=\"mono\"><bdi>1</bdi>")
            && page.text.contains("1 latest version of the application"),
        "{}",
        page.text
    );
    let off = support::start(Database::Memory).send("GET", "/admin/retention", &[BROWSER], None);
    assert!(off.text.contains("Retention is off"), "{}", off.text);
}
