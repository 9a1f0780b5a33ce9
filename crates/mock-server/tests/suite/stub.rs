//! Stubs: many contracts at once, selected by states.

use std::sync::Arc;

use contract_mock_server::{Catalog, ChosenState, MockServer, ServerOptions, Stub, StubContract, StubOptions};
use contract_model::{Contract, Json};

use crate::common::{body, header, json, send, status};

fn contract(consumer: &str, interactions: &str) -> StubContract {
    let text = format!(
        r#"{{"consumer": {{"name": "{consumer}"}}, "provider": {{"name": "orders"}}, "interactions": [{interactions}],
            "metadata": {{"pactSpecification": {{"version": "4.0"}}}}}}"#
    );
    let contract = Contract::read(text.as_bytes()).unwrap().contract;
    StubContract::new(Arc::new(contract), format!("{consumer}.json"))
}

/// Returns an interaction with this description for a request. If `state` is not empty, it is the provider state.
fn interaction(description: &str, state: &str, request: &str, status: u16) -> String {
    let given = if state.is_empty() {
        String::new()
    } else {
        format!(r#""providerStates": [{{"name": "{state}", "params": {{"id": 7}}}}],"#)
    };
    format!(
        r#"{{"type": "Synchronous/HTTP", "description": "{description}", {given} "request": {request},
            "response": {{"status": {status}}}}}"#
    )
}

const ORDER: &str = r#"{"method": "GET", "path": "/orders/7"}"#;
const ANY_ORDER: &str = r#"{"method": "GET", "path": "/orders/1", "matchingRules": {"path": {"matchers": [
    {"match": "regex", "regex": "/orders/\\d+"}]}}}"#;

async fn start(contracts: Vec<StubContract>, options: StubOptions) -> (MockServer, Arc<Stub>) {
    let stub = Arc::new(Stub::new(Catalog::new(contracts), options));
    let server = MockServer::start_handler(Arc::clone(&stub) as _, ServerOptions::default())
        .await
        .unwrap();
    stub.set_url(server.url());
    (server, stub)
}

async fn get(server: &MockServer, path: &str, headers: &str) -> String {
    send(
        server,
        format!("GET {path} HTTP/1.1\r\nHost: h\r\n{headers}\r\n").as_bytes(),
    )
    .await
}

#[tokio::test]
async fn the_first_criterion_that_differs_selects_the_interaction() {
    let web = [
        interaction("any", "", ANY_ORDER, 200),
        interaction("one", "", ORDER, 201),
        interaction("gone", "no order", ORDER, 404),
    ];
    let admin = [interaction("again", "", ORDER, 202)];
    let contracts = vec![contract("web", &web.join(",")), contract("admin", &admin.join(","))];
    let (server, _) = start(contracts, StubOptions::default()).await;
    for _ in 0..2 {
        assert_eq!(
            status(&get(&server, "/orders/7", "").await),
            201,
            "a literal path, first in the list"
        );
    }
    let other = get(&server, "/orders/8", "").await;
    assert_eq!(
        (status(&other), header(&other, "contract-interaction")),
        (200, Some("any"))
    );
    let gone = get(&server, "/orders/7", "Contract-State: no order\r\n").await;
    assert_eq!(status(&gone), 404, "the most selected states");
    let by_cookie = get(&server, "/orders/7", "Cookie: a=1; contract-state=no%20order\r\n").await;
    assert_eq!(status(&by_cookie), 404);
    let parameters = "Contract-State: {\"name\": \"no order\", \"parameters\": {\"id\": 8}}\r\n";
    assert_eq!(
        status(&get(&server, "/orders/7", parameters).await),
        201,
        "other parameters"
    );
    assert_eq!(status(&get(&server, "/orders/7", "Contract-State: {\r\n").await), 400);
}

#[tokio::test]
async fn matching_interactions_respond_in_turn_with_sequence() {
    let both = [interaction("a", "", ORDER, 200), interaction("b", "", ORDER, 201)].join(",");
    let options = StubOptions {
        sequence: true,
        ..StubOptions::default()
    };
    let (server, _) = start(vec![contract("web", &both)], options).await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(status(&get(&server, "/orders/7", "").await));
    }
    assert_eq!(statuses, [200, 201, 200, 201]);
}

const CREATE: &str = r#"{"method": "POST", "path": "/orders", "headers": {"Content-Type": ["application/json"]},
    "body": {"contentType": "application/json", "content": {"item": "tea"}}}"#;

async fn post(server: &MockServer, body: &str) -> String {
    let length = body.len();
    let head = format!(
        "POST /orders HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    send(server, (head + body).as_bytes()).await
}

#[tokio::test]
async fn requests_that_do_not_match_are_explained_as_a_problem() {
    let created = interaction("create", "", CREATE, 201);
    let (server, _) = start(vec![contract("web", &created)], StubOptions::default()).await;
    let answer = post(&server, r#"{"item": "tea", "price": 1}"#).await;
    assert_eq!(status(&answer), 501, "unexpected fields are mismatches");
    assert_eq!(header(&answer, "content-type"), Some("application/problem+json"));
    let problem = json(&answer);
    let text = |pointer: &str| {
        problem
            .pointer(pointer)
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(text("/closest/interaction"), "create");
    assert_eq!(text("/closest/source"), "web.json");
    assert_eq!(text("/closest/mismatches/0/place"), "$");
    assert_eq!(text("/type"), "urn:contract:no-matching-interaction");
    let near = json(&get(&server, "/order", "").await);
    assert_eq!(
        near.pointer("/closest/interaction").and_then(Json::as_str),
        Some("create")
    );
    let far = json(&get(&server, "/something/else/entirely", "").await);
    assert_eq!(far.pointer("/closest"), None);
}

#[tokio::test]
async fn excluded_states_are_listed() {
    let gone = interaction("gone", "no order", ORDER, 404);
    let (server, _) = start(vec![contract("web", &gone)], StubOptions::default()).await;
    let problem = json(&get(&server, "/orders/7", "Contract-State: closed\r\n").await);
    assert_eq!(
        problem.pointer("/otherStates/0").and_then(Json::as_str),
        Some("no order")
    );
    assert!(
        problem.to_text().contains("provider states that are not selected"),
        "{}",
        problem.to_text()
    );
}

#[tokio::test]
async fn a_loose_stub_responds_with_the_closest_interaction() {
    let both = [
        interaction("create", "", CREATE, 201),
        interaction(
            "any",
            "",
            r#"{"method": "POST", "path": "/orders", "query": {"dry": ["1"]}}"#,
            202,
        ),
    ];
    let options = StubOptions {
        loose: true,
        ..StubOptions::default()
    };
    let (server, _) = start(vec![contract("web", &both.join(","))], options).await;
    let answer = post(&server, r#"{"item": "coffee"}"#).await;
    assert_eq!(status(&answer), 201);
    assert_eq!(header(&answer, "contract-mismatches"), Some("1"));
    assert_eq!(status(&get(&server, "/orders", "").await), 501, "the method must match");
}

#[tokio::test]
async fn administration_requests_select_states_and_read_the_journal() {
    let both = [
        interaction("one", "", ORDER, 200),
        interaction("gone", "no order", ORDER, 404),
    ]
    .join(",");
    let (server, _) = start(vec![contract("web", &both)], StubOptions::default()).await;
    let put = |body: &str| {
        let length = body.len();
        format!("PUT /_contract/state HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n{body}")
    };
    let selected = send(&server, put(r#"{"states": [{"name": "no order"}]}"#).as_bytes()).await;
    assert_eq!(body(&selected), r#"{"states":[{"name":"no order"}]}"#);
    assert_eq!(
        status(&get(&server, "/orders/7", "Authorization: Bearer abc\r\n").await),
        404
    );
    assert_eq!(status(&send(&server, put("{").as_bytes()).await), 400);
    let cleared = send(&server, b"DELETE /_contract/state HTTP/1.1\r\nHost: h\r\n\r\n").await;
    assert_eq!(body(&cleared), r#"{"states":[]}"#);
    assert_eq!(status(&get(&server, "/orders/7", "").await), 200);
    let answer = get(&server, "/_contract/requests", "Origin: http://page\r\n").await;
    assert_eq!(
        header(&answer, "access-control-allow-origin"),
        None,
        "other pages cannot read the journal"
    );
    assert!(!answer.contains("abc"), "secrets are redacted: {answer}");
    let journal = json(&answer);
    assert_eq!(journal.pointer("/total").and_then(Json::as_u64), Some(2));
    assert_eq!(
        journal.pointer("/requests/0/interaction").and_then(Json::as_str),
        Some("gone")
    );
    assert_eq!(status(&get(&server, "/_contract/nothing", "").await), 404);
    assert_eq!(
        status(
            &send(
                &server,
                b"PUT /_contract HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
            )
            .await
        ),
        405
    );
}

#[tokio::test]
async fn pages_of_other_origins_can_send_credentials() {
    let (server, _) = start(
        vec![contract("web", &interaction("one", "", ORDER, 200))],
        StubOptions::default(),
    )
    .await;
    let preflight =
        b"OPTIONS /orders/7 HTTP/1.1\r\nHost: h\r\nOrigin: http://page\r\nAccess-Control-Request-Method: PUT\r\n\
        Access-Control-Request-Headers: contract-state\r\n\r\n";
    for answer in [
        send(&server, preflight).await,
        get(&server, "/orders/7", "Origin: http://page\r\n").await,
    ] {
        assert_eq!(header(&answer, "access-control-allow-origin"), Some("http://page"));
        assert_eq!(header(&answer, "access-control-allow-credentials"), Some("true"));
    }
}

#[tokio::test]
async fn contracts_are_replaced_while_the_server_runs() {
    let (server, stub) = start(
        vec![contract("web", &interaction("one", "", ORDER, 200))],
        StubOptions::default(),
    )
    .await;
    assert_eq!(status(&get(&server, "/orders/7", "").await), 200);
    stub.replace(Catalog::new(vec![contract("web", &interaction("one", "", ORDER, 410))]));
    assert_eq!(status(&get(&server, "/orders/7", "").await), 410);
    assert_eq!(stub.requests(), 2);
}

#[tokio::test]
async fn an_interaction_with_an_invalid_rule_is_reported_when_it_is_requested() {
    let broken = r#"{"method": "GET", "path": "/broken", "query": {"q": ["a"]},
        "matchingRules": {"query": {"q": {"matchers": [{"match": "regex", "regex": "("}]}}}}"#;
    let (server, _) = start(
        vec![contract("web", &interaction("broken", "", broken, 200))],
        StubOptions::default(),
    )
    .await;
    let answer = get(&server, "/broken?q=a", "").await;
    assert_eq!(status(&answer), 501);
    assert!(body(&answer).contains("not a valid regular expression"), "{answer}");
}

#[test]
fn conflicts_and_unsupported_interactions_are_reported() {
    let plugin = r#"{"type": "Synchronous/HTTP", "description": "binary", "pluginConfiguration": {"csv": {"a": 1}},
        "request": {"path": "/csv"}, "response": {"status": 200}}"#;
    let message = r#"{"type": "Asynchronous/Messages", "description": "m", "contents": {"content": "x"}}"#;
    let web = [interaction("a", "", ORDER, 200), plugin.to_owned(), message.to_owned()].join(",");
    let same = interaction("same", "", ORDER, 200);
    let other = interaction("other", "", ORDER, 204);
    let contracts = vec![contract("web", &web), contract("app", &same), contract("admin", &other)];
    let catalog = Catalog::new(contracts);
    assert_eq!((catalog.len(), catalog.messages()), (3, 1));
    let [unsupported] = catalog.unsupported() else {
        panic!("one interaction is not served");
    };
    assert!(unsupported.contains("requires the plugin \"csv\""), "{unsupported}");
    let conflicts = catalog.conflicts();
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert_eq!(conflicts[0].first, "\"a\" (web and orders, web.json)");
    assert_eq!(conflicts[0].other, "\"other\" (admin and orders, admin.json)");
}

#[tokio::test]
async fn states_of_the_options_are_selected_until_a_client_selects_others() {
    let both = [
        interaction("one", "", ORDER, 200),
        interaction("gone", "no order", ORDER, 404),
    ]
    .join(",");
    let options = StubOptions {
        states: vec![ChosenState::named("no order")],
        ..StubOptions::default()
    };
    let (server, _) = start(vec![contract("web", &both)], options).await;
    assert_eq!(status(&get(&server, "/orders/7", "").await), 404);
    assert_eq!(status(&get(&server, "/orders/7", "Contract-State: x\r\n").await), 200);
}
