//! Sign-in with a local `OpenID` provider.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract_broker::{Database, Options, Permissions, Settings};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use url::Url;

use crate::keys::{Key, encode, now};
use crate::support::{self, Answer, Running};

/// How the provider responds to the next token request.
#[derive(Clone)]
struct Behavior {
    /// Claims to change in the token. `null` removes a claim.
    claims: Value,
    status: u16,
    /// The response body. If `None`, the response contains a token.
    response: Option<String>,
    endpoints: Value,
}

impl Default for Behavior {
    fn default() -> Self {
        Self {
            claims: json!({}),
            status: 200,
            response: None,
            endpoints: json!({}),
        }
    }
}

#[derive(Default)]
struct ProviderState {
    behavior: Behavior,
    nonce: String,
    challenge: String,
    /// The `Authorization` header and the form of the last token request.
    authorization: String,
    form: HashMap<String, String>,
}

/// A provider with a discovery document, keys, and a token endpoint.
struct Provider {
    address: SocketAddr,
    state: Arc<Mutex<ProviderState>>,
}

fn form(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

impl Provider {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(ProviderState::default()));
        let shared = Arc::clone(&state);
        let key = Key::ec();
        // The thread ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                let (head, body) = loop {
                    let count = stream.read(&mut buffer).unwrap_or(0);
                    request.extend_from_slice(&buffer[..count]);
                    let text = String::from_utf8_lossy(&request).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else {
                        assert!(count > 0, "the request ended early");
                        continue;
                    };
                    let length = header(head, "content-length").parse().unwrap_or(0);
                    if body.len() >= length {
                        break (head.to_owned(), body.to_owned());
                    }
                };
                let mut state = shared.lock().expect("the state");
                let (status, body) = response(&mut state, &key, address, &head, &body);
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { address, state }
    }

    fn behave(&self, behavior: Behavior) {
        self.state.lock().expect("the state").behavior = behavior;
    }

    fn broker(&self, settings: &str) -> Running {
        let text = format!(
            r#"
            [login]
            issuer = "http://{}"
            client-id = "broker"
            {settings}
            [[login.rules]]
            claims = {{ groups = "platform" }}
            scopes = ["write"]
            "#,
            self.address
        );
        let settings = Settings::parse(&text, Path::new("/")).expect("settings");
        support::start_as(Options {
            permissions: Permissions {
                login: settings.login,
                ..Permissions::default()
            },
            log: Arc::new(|_| ()),
            ..support::options(Database::Memory)
        })
    }

    /// Sends the browser to the provider. Returns the URL at the provider, and the cookie.
    fn begin(&self, broker: &Running) -> (Url, String) {
        let started = broker.send("GET", "/login/start?next=/pacticipants", &[], None);
        assert_eq!(started.status, 303, "{started:?}");
        let url = Url::parse(started.header("location").expect("a location")).expect("a URL");
        let query = form(url.query().unwrap_or_default());
        let mut state = self.state.lock().expect("the state");
        state.nonce.clone_from(&query["nonce"]);
        state.challenge.clone_from(&query["code_challenge"]);
        (url, cookie(&started, "contract-broker-sign-in").expect("a cookie"))
    }

    fn sign_in(&self, broker: &Running) -> Answer {
        let (url, cookie) = self.begin(broker);
        let state = &form(url.query().unwrap_or_default())["state"];
        finish(broker, &format!("code=abc&state={state}"), &cookie)
    }
}

fn finish(broker: &Running, query: &str, cookie: &str) -> Answer {
    // The provider redirected the browser.
    let headers = [("cookie", cookie), ("sec-fetch-site", "cross-site")];
    broker.send("GET", &format!("/login/callback?{query}"), &headers, None)
}

fn header(head: &str, name: &str) -> String {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn response(state: &mut ProviderState, key: &Key, address: SocketAddr, head: &str, body: &str) -> (u16, String) {
    let issuer = format!("http://{address}");
    if head.starts_with("GET /.well-known/openid-configuration ") {
        let mut document = json!({
            "issuer": issuer,
            "jwks_uri": format!("{issuer}/keys"),
            "authorization_endpoint": format!("{issuer}/authorize?tenant=a"),
            "token_endpoint": format!("{issuer}/token"),
        });
        for (name, value) in state.behavior.endpoints.as_object().expect("an object") {
            document[name] = value.clone();
        }
        return (200, document.to_string());
    }
    if head.starts_with("GET /keys ") {
        return (200, json!({ "keys": [key.public("a")] }).to_string());
    }
    assert!(head.starts_with("POST /token "), "{head}");
    state.authorization = header(head, "authorization");
    state.form = form(body);
    if let Some(response) = &state.behavior.response {
        return (state.behavior.status, response.clone());
    }
    let verifier = digest(&SHA256, state.form["code_verifier"].as_bytes());
    if state.form["code"] != "abc" || encode(verifier.as_ref()) != state.challenge {
        return (400, json!({ "error": "invalid_grant" }).to_string());
    }
    let mut claims = json!({
        "iss": issuer,
        "aud": "broker",
        "sub": "42",
        "nonce": state.nonce,
        "preferred_username": "alice",
        "email": "alice@example.com",
        "groups": ["staff", "platform"],
        "iat": now(),
        "exp": now() + 300,
    });
    for (name, value) in state.behavior.claims.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    (
        200,
        json!({ "id_token": key.token("a", &claims), "token_type": "Bearer" }).to_string(),
    )
}

/// Returns the named cookie of a response as `name=value`, or `None` if its value is empty.
fn cookie(answer: &Answer, name: &str) -> Option<String> {
    let mut cookies = answer
        .headers("set-cookie")
        .filter_map(|cookie| cookie.split(';').next());
    let found = cookies.find(|cookie| cookie.starts_with(&format!("{name}=")));
    found.filter(|cookie| !cookie.ends_with('=')).map(str::to_owned)
}

fn problem(answer: &Answer) -> String {
    let rest = answer.text.split("role=\"alert\">").nth(1).unwrap_or_default();
    let rest = rest.split("<p>").nth(1).unwrap_or_default();
    rest.split("</p>").next().unwrap_or_default().to_owned()
}

#[test]
fn a_person_signs_in_with_a_provider() {
    let provider = Provider::start();
    let broker = provider.broker("name = \"Example & Co\"\nsession-hours = 8");
    assert_eq!(broker.get("/pacticipants").status, 401);
    let page = broker.send("GET", "/login?next=/pacticipants", &[], None);
    let link = "/login/start?next=%2Fpacticipants\">Sign in with Example &amp; Co</a>";
    assert!(page.text.contains(link), "{page:?}");
    assert!(
        !page.text.contains("type=\"password\""),
        "there are no users with passwords"
    );

    let (url, sign_in) = provider.begin(&broker);
    let query = form(url.query().unwrap_or_default());
    assert_eq!(url.path(), "/authorize");
    for (name, expected) in [
        ("tenant", "a"),
        ("response_type", "code"),
        ("client_id", "broker"),
        ("scope", "openid profile email"),
        ("redirect_uri", &format!("{}/login/callback", broker.base())),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(query[name], expected, "{name}");
    }
    let finished = finish(&broker, &format!("code=abc&state={}", query["state"]), &sign_in);
    assert_eq!(finished.status, 303, "{finished:?}");
    let location = format!("{}/pacticipants", broker.base());
    assert_eq!(finished.header("location"), Some(location.as_str()));
    let attributes = finished.headers("set-cookie").find(|cookie| cookie.contains("session"));
    assert!(attributes.is_some_and(|cookie| cookie.ends_with("; HttpOnly; SameSite=Lax; Max-Age=28800")));
    assert_eq!(
        cookie(&finished, "contract-broker-sign-in"),
        None,
        "the cookie is deleted"
    );
    {
        let state = provider.state.lock().expect("the state");
        assert_eq!(state.form["client_id"], "broker");
        assert_eq!(state.form["redirect_uri"], format!("{}/login/callback", broker.base()));
        assert_eq!(state.authorization, "");
    }

    let session = cookie(&finished, "contract-broker-session").expect("a session");
    let page = broker.send("GET", "/login", &[("cookie", &session)], None);
    assert!(
        page.text.contains("signed in as <strong><bdi>alice</bdi></strong>"),
        "{page:?}"
    );
    let own = [
        ("cookie", session.as_str()),
        ("origin", &broker.base()),
        ("content-type", "application/json"),
    ];
    assert_eq!(broker.send("PUT", "/pacticipants/web", &own, Some(b"{}")).status, 201);
    assert_eq!(broker.send("GET", "/admin/tokens", &own, None).status, 403);
    let token = page.text.split("name=\"token\" value=\"").nth(1);
    let token = token.and_then(|rest| rest.split('"').next()).expect("a token");
    let form_headers = [
        ("cookie", session.as_str()),
        ("origin", &broker.base()),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let ended = broker.send(
        "POST",
        "/logout",
        &form_headers,
        Some(format!("token={token}").as_bytes()),
    );
    assert_eq!(ended.status, 303, "{ended:?}");
    assert_eq!(broker.send("GET", "/pacticipants", &own, None).status, 401);
}

#[test]
fn the_client_secret_is_sent_as_the_provider_asks() {
    let provider = Provider::start();
    let broker = provider.broker("client-secret = \"s3cr:t+\"");
    assert_eq!(provider.sign_in(&broker).status, 303);
    let sent = provider.state.lock().expect("the state").authorization.clone();
    assert_eq!(sent, format!("Basic {}", STANDARD.encode("broker:s3cr%3At%2B")));
    provider.behave(Behavior {
        endpoints: json!({ "token_endpoint_auth_methods_supported": ["client_secret_post"] }),
        ..Behavior::default()
    });
    let broker = provider.broker("client-secret = \"s3cr:t+\"");
    assert_eq!(provider.sign_in(&broker).status, 303);
    let state = provider.state.lock().expect("the state");
    assert_eq!(state.authorization, "");
    assert_eq!(state.form["client_secret"], "s3cr:t+");
}

#[test]
fn invalid_responses_start_no_session() {
    let provider = Provider::start();
    let broker = provider.broker("");
    let with_claims = |claims: Value| Behavior {
        claims,
        ..Behavior::default()
    };
    let with_response = |status, response: &str| Behavior {
        status,
        response: Some(response.to_owned()),
        ..Behavior::default()
    };
    for (behavior, status, expected) in [
        (
            with_claims(json!({ "groups": ["staff"] })),
            403,
            "alice, but no rule of this broker grants you access",
        ),
        (
            with_claims(json!({ "nonce": "x" })),
            401,
            "the ID token belongs to another sign-in",
        ),
        (
            with_claims(json!({ "aud": "other" })),
            401,
            "must have only the audience",
        ),
        (
            with_claims(json!({ "aud": ["broker", "other"] })),
            401,
            "must have only the audience",
        ),
        (
            with_claims(json!({ "iss": "https://evil.example.com" })),
            401,
            "The claim &quot;iss&quot;",
        ),
        (with_claims(json!({ "exp": 1 })), 401, "has expired"),
        (with_claims(json!({ "sub": null })), 401, "The claim &quot;sub&quot;"),
        (
            with_response(400, r#"{"error":"invalid_grant"}"#),
            401,
            "rejected the request (invalid_grant)",
        ),
        (with_response(500, "<html>"), 401, "rejected the request (status 500"),
        (with_response(200, "{}"), 502, "has no ID token"),
        (
            with_response(200, r#"{"id_token":"a.b.c"}"#),
            401,
            "The identity token is malformed.",
        ),
        (
            with_response(200, &"x".repeat(2_000_000)),
            502,
            "cannot be reached, or its response is invalid",
        ),
    ] {
        provider.behave(behavior);
        let answer = provider.sign_in(&broker);
        assert_eq!(answer.status, status, "{expected}: {answer:?}");
        let text = problem(&answer);
        assert!(
            text.starts_with("Could not sign in with single sign-on: ") && text.contains(expected),
            "{expected}: {text}"
        );
        assert_eq!(cookie(&answer, "contract-broker-session"), None, "{expected}");
        provider.behave(Behavior::default());
        assert_eq!(provider.sign_in(&broker).status, 303, "the sign-in after: {expected}");
    }
}

#[test]
fn a_sign_in_belongs_to_its_browser() {
    let provider = Provider::start();
    let broker = provider.broker("");
    let (url, sign_in) = provider.begin(&broker);
    let state = form(url.query().unwrap_or_default())["state"].clone();
    let (_, other) = provider.begin(&broker);
    let issuer = format!("http://{}", provider.address);
    for (query, cookie, status, expected) in [
        (format!("code=abc&state={state}"), "", 400, "the sign-in took too long"),
        (
            format!("code=abc&state={state}"),
            other.as_str(),
            400,
            "belongs to another sign-in",
        ),
        ("code=abc".to_owned(), &sign_in, 400, "belongs to another sign-in"),
        (
            format!("code=abc&state={state}&iss=https://evil.example.com"),
            &sign_in,
            400,
            "another sign-in",
        ),
        (
            format!("state={state}&error=access_denied"),
            &sign_in,
            401,
            "rejected the request (access_denied)",
        ),
        (
            format!("state={state}"),
            &sign_in,
            401,
            "rejected the request (no code)",
        ),
    ] {
        let answer = finish(&broker, &query, cookie);
        assert_eq!(answer.status, status, "{query}: {answer:?}");
        assert!(problem(&answer).contains(expected), "{query}: {}", problem(&answer));
    }
    let (url, sign_in) = provider.begin(&broker);
    let state = form(url.query().unwrap_or_default())["state"].clone();
    let finished = finish(&broker, &format!("code=abc&state={state}&iss={issuer}"), &sign_in);
    assert_eq!(finished.status, 303, "{finished:?}");
    // The path to open is a path of this broker.
    let started = broker.send("GET", "/login/start?next=https://evil.example.com", &[], None);
    let cookie = cookie(&started, "contract-broker-sign-in").expect("a cookie");
    assert!(cookie.ends_with(&format!(".{}", encode(b"/"))), "{cookie}");
}

#[test]
fn a_provider_that_is_down_does_not_affect_users_with_passwords() {
    let provider = Provider::start();
    provider.behave(Behavior {
        endpoints: json!({ "token_endpoint": "http://provider.example.com/token" }),
        ..Behavior::default()
    });
    let broker = provider.broker("");
    let answer = broker.send("GET", "/login/start", &[], None);
    assert_eq!(answer.status, 502, "{answer:?}");
    assert!(problem(&answer).contains("cannot be reached, or its response is invalid"));
    assert_eq!(broker.send("GET", "/login", &[], None).status, 200);
    provider.behave(Behavior::default());
    assert_eq!(provider.sign_in(&broker).status, 303, "the provider works again");
}

#[test]
fn a_broker_without_a_provider_has_no_sign_in_with_it() {
    let broker = support::start(Database::Memory);
    for path in ["/login/start", "/login/callback?code=a"] {
        assert_eq!(broker.send("GET", path, &[], None).status, 404, "{path}");
    }
}

#[test]
fn errors_in_the_configuration_name_the_setting() {
    let rules = "[[login.rules]]\nclaims = { groups = \"a\" }\nscopes = [\"read\"]";
    let login = |settings: &str| format!("[login]\n{settings}\n{rules}");
    let valid = "issuer = \"https://id.example.com\"\nclient-id = \"a\"";
    for (text, expected) in [
        (login("client-id = \"a\""), "missing field `issuer`"),
        (
            login("issuer = \"http://id\"\nclient-id = \"a\""),
            "login.issuer: \"http://id\" must start with https://",
        ),
        (
            login("issuer = \"https://id\"\nclient-id = \" \""),
            "login.client-id must not be empty",
        ),
        (
            login(&format!("{valid}\nclient-secret = \"\"")),
            "login.client-secret must not be empty",
        ),
        (
            login(&format!("{valid}\nclient-secret = \"a\"\nclient-secret-file = \"b\"")),
            "either client-secret or client-secret-file",
        ),
        (
            login(&format!("{valid}\nclient-secret-file = \"missing\"")),
            "login.client-secret-file: could not read /etc/contract-missing/missing: No such file",
        ),
        (
            login(&format!("{valid}\nsession-hours = 0")),
            "login.session-hours must be between 1 and 720",
        ),
        (login(&format!("{valid}\ncolor = \"red\"")), "unknown field `color`"),
        (
            format!("[login]\n{valid}"),
            "login has no rules, so no token would be accepted. Add [[login.rules]]",
        ),
        (
            login(valid).replace("{ groups = \"a\" }", "{}"),
            "login.rules[0].claims must not be empty",
        ),
        (
            login(valid).replace("read", "sudo"),
            "login.rules[0].scopes: \"sudo\" is not a scope",
        ),
    ] {
        let error = Settings::parse(&text, Path::new("/etc/contract-missing")).expect_err("an error");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let settings = Settings::parse(&login(&format!("{valid}\nclient-secret = \"hidden\"")), Path::new("/"));
    assert!(!format!("{settings:?}").contains("hidden"));
}
