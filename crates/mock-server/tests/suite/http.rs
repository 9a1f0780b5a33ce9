//! Tests requests and responses.

use std::sync::Arc;

use contract_mock_server::{Clock, MockServer, Order, RequestOutcome, ServedInteraction, ServerOptions, Times};
use contract_model::{Interaction, Json};
use tokio::io::AsyncWriteExt;

use crate::common::{body, connect, get, header, interaction, json, read_answer, send, start, start_with, status};

/// Returns a GET request for a path with these headers.
fn ask(path: &str, headers: &str) -> Vec<u8> {
    request("GET", path, headers, "")
}

fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = if body.is_empty() {
        String::new()
    } else {
        format!("Content-Length: {}\r\n", body.len())
    };
    format!("{method} {path} HTTP/1.1\r\nHost: shop\r\n{headers}{length}\r\n{body}").into_bytes()
}

fn answered(path: &str, response: &str) -> Arc<Interaction> {
    interaction(&format!(
        r#"{{"description": "a request for {path}", "request": {{"method": "GET", "path": "{path}"}},
            "response": {response}}}"#
    ))
}

#[tokio::test]
async fn responds_as_the_contract_specifies() {
    let server = start([answered(
        "/orders/7",
        r#"{"status": 201, "headers": {"Content-Type": ["application/json"], "X-B": ["1", "2"], "x-a": ["3"]},
            "body": {"content": {"id": 7, "price": 1.50}, "contentType": "application/json"}}"#,
    )])
    .await;
    let answer = send(&server, &ask("/orders/7", "")).await;
    assert_eq!(status(&answer), 201);
    assert_eq!(body(&answer), r#"{"id":7,"price":1.50}"#);
    let head: Vec<&str> = answer.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let contract: Vec<&&str> = head
        .iter()
        .filter(|line| !line.starts_with("date") && !line.starts_with("access"))
        .collect();
    assert_eq!(
        contract,
        [
            &"content-type: application/json",
            &"x-b: 1",
            &"x-b: 2",
            &"x-a: 3",
            &"content-length: 21"
        ]
    );
    assert!(server.stop().await.matched);
}

#[tokio::test]
async fn adds_no_headers_that_describe_the_body() {
    let server = start([answered(
        "/a",
        r#"{"status": 200, "body": {"content": {"a": 1}, "contentType": "application/json"}}"#,
    )])
    .await;
    let answer = send(&server, &ask("/a", "")).await;
    assert_eq!(header(&answer, "content-type"), None);
    assert_eq!(body(&answer), r#"{"a":1}"#);
}

#[tokio::test]
async fn ignores_framing_headers_in_the_contract() {
    let server = start([
        answered("/a", r#"{"status": 200, "headers": {"Content-Length": ["99"]}, "body": {"content": "four", "contentType": "text/plain"}}"#),
        answered("/b", r#"{"status": 200, "headers": {"Transfer-Encoding": ["chunked"]}, "body": {"content": "four", "contentType": "text/plain"}}"#),
        answered("/c", r#"{"status": 200, "headers": {"Transfer-Encoding": ["gzip"]}, "body": {"content": "four", "contentType": "text/plain"}}"#),
        answered("/d", r#"{"status": 204, "body": {"content": "four", "contentType": "text/plain"}}"#),
    ])
    .await;
    assert_eq!(body(&send(&server, &ask("/a", "")).await), "four");
    let chunked = send(&server, &ask("/b", "")).await;
    assert_eq!(
        (header(&chunked, "transfer-encoding"), body(&chunked)),
        (Some("chunked"), "4\r\nfour\r\n0\r\n\r\n")
    );
    assert_eq!(body(&send(&server, &ask("/c", "")).await), "four");
    let empty = send(&server, &ask("/d", "")).await;
    assert_eq!(
        (status(&empty), body(&empty), header(&empty, "content-length")),
        (204, "", None)
    );
    // HTTP/1.0 does not support chunked encoding.
    let old = send(&server, b"GET /b HTTP/1.0\r\n\r\n").await;
    assert!(old.ends_with("four"), "{old}");
}

#[tokio::test]
async fn head_responses_have_a_length_but_no_body() {
    let mut head = (*get("/a")).clone();
    let contract_model::InteractionKind::Http(http) = &mut head.kind else {
        panic!()
    };
    http.request.method = "HEAD".into();
    let server = start([Arc::new(head)]).await;
    let mut stream = connect(&server).await;
    stream
        .write_all(b"HEAD /a HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut bytes = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut bytes)
        .await
        .unwrap();
    let answer = String::from_utf8(bytes).unwrap();
    assert_eq!((header(&answer, "content-length"), body(&answer)), (Some("4"), ""));
}

#[tokio::test]
async fn text_beyond_ascii_in_headers() {
    let server = start([
        interaction(
            r#"{"description": "köln", "request": {"method": "GET", "path": "/a", "headers": {"X-City": ["Köln"]}},
                "response": {"status": 200, "headers": {"X-Town": ["Mönch"], "X-Star": ["★"]}}}"#,
        ),
        interaction(
            r#"{"description": "byte", "request": {"method": "GET", "path": "/b", "headers": {"X-Byte": ["\u00ff"]}},
                "response": {"status": 200}}"#,
        ),
    ])
    .await;
    for value in [&b"K\xf6ln"[..], "Köln".as_bytes()] {
        let bytes = [b"GET /a HTTP/1.1\r\nHost: shop\r\nX-City: ", value, b"\r\n\r\n"].concat();
        let answer = send(&server, &bytes).await;
        assert_eq!(status(&answer), 200, "{answer}");
        assert_eq!(header(&answer, "x-town"), Some("Mönch"));
        assert_eq!(header(&answer, "x-star"), Some("\u{e2}\u{98}\u{85}"));
    }
    assert_eq!(
        status(&send(&server, b"GET /b HTTP/1.1\r\nHost: shop\r\nX-Byte: \xff\r\n\r\n").await),
        200
    );
    assert_eq!(
        status(&send(&server, b"GET /b HTTP/1.1\r\nHost: shop\r\nX-Byte: \xfe\r\n\r\n").await),
        500
    );
}

#[tokio::test]
async fn paths_and_queries_are_compared_decoded() {
    let server = start([interaction(
        r#"{"description": "a place", "request": {"method": "get", "path": "/places/café", "query": {"q": ["a b&c"]}},
            "response": {"status": 200}}"#,
    )])
    .await;
    for target in ["/places/caf%C3%A9?q=a+b%26c", "/places/caf%c3%a9?q=a%20b%26c"] {
        assert_eq!(status(&send(&server, &ask(target, "")).await), 200, "{target}");
    }
    // Send non-ASCII bytes without escaping them, as curl does.
    assert_eq!(status(&send(&server, &ask("/places/café?q=a+b%26c", "")).await), 200);
    assert_eq!(status(&send(&server, &ask("/places/cafe?q=a+b%26c", "")).await), 500);
}

#[tokio::test]
async fn broken_escapes_are_compared_as_they_are() {
    let server = start([get("/a%zz"), get("/%ff")]).await;
    assert_eq!(status(&send(&server, &ask("/a%zz", "")).await), 200);
    assert_eq!(status(&send(&server, &ask("/%ff", "")).await), 200);
    assert_eq!(status(&send(&server, &ask("/%fe?%=%zz&&=", "")).await), 500);
}

#[tokio::test]
async fn the_absolute_form_has_a_path_too() {
    let server = start([get("/a")]).await;
    assert_eq!(status(&send(&server, &ask("http://shop/a", "")).await), 200);
}

#[tokio::test]
async fn a_full_match_beats_a_partial_one() {
    let with_headers = interaction(
        r#"{"description": "many headers", "request": {"method": "GET", "path": "/a",
            "headers": {"A": ["1"], "B": ["1"], "C": ["1"], "D": ["2"]}}, "response": {"status": 201}}"#,
    );
    let server = start([with_headers, get("/a")]).await;
    let answer = send(&server, &ask("/a", "A: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n")).await;
    assert_eq!(status(&answer), 200);
}

#[tokio::test]
async fn a_literal_path_beats_a_rule() {
    let any = interaction(
        r#"{"description": "any", "request": {"method": "GET", "path": "/orders/1",
            "matchingRules": {"path": {"combine": "AND", "matchers": [{"match": "regex", "regex": "/orders/\\d+"}]}}},
            "response": {"status": 201}}"#,
    );
    let server = start([any, get("/orders/7")]).await;
    assert_eq!(status(&send(&server, &ask("/orders/7", "")).await), 200);
    assert_eq!(status(&send(&server, &ask("/orders/8", "")).await), 201);
    assert!(server.outcome().matched);
}

#[tokio::test]
async fn equal_interactions_take_turns() {
    let server = start([
        answered("/a", r#"{"status": 201}"#),
        answered("/a", r#"{"status": 202}"#),
    ])
    .await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(status(&send(&server, &ask("/a", "")).await));
    }
    assert_eq!(seen, [201, 202, 201, 202]);
    assert!(server.stop().await.matched);
}

#[tokio::test]
async fn listed_responses_are_sent_in_order() {
    let answering =
        |code: u16, times| ServedInteraction::from(answered("/a", &format!(r#"{{"status": {code}}}"#))).times(times);
    let server = MockServer::start(
        [
            answering(201, Times::exactly(1)),
            answering(202, Times::exactly(2)),
            answering(203, Times::at_most(1)),
        ],
        ServerOptions {
            order: Order::Listed,
            ..ServerOptions::default()
        },
    )
    .await
    .unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(status(&send(&server, &ask("/a", "")).await));
    }
    assert!(server.outcome().matched, "{}", server.outcome());
    for _ in 0..2 {
        seen.push(status(&send(&server, &ask("/a", "")).await));
    }
    assert_eq!(seen, [201, 202, 202, 203, 203]);
    let outcome = server.stop().await;
    assert_eq!(
        outcome.mismatches[0].title(),
        r#"GET /a was requested twice instead of at most once: "a request for /a""#
    );
}

#[tokio::test]
async fn the_last_listed_response_is_repeated() {
    let answering = |code: u16| answered("/a", &format!(r#"{{"status": {code}}}"#));
    let options = ServerOptions {
        order: Order::Listed,
        ..ServerOptions::default()
    };
    let server = start_with([answering(201), answering(202), answering(203)], options).await;
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(status(&send(&server, &ask("/a", "")).await));
    }
    assert_eq!(seen, [201, 202, 203, 203, 203]);
    assert!(server.stop().await.matched);
}

#[tokio::test]
async fn generated_values_depend_on_request_and_seed() {
    let made = answered(
        "/a",
        r#"{"status": 200, "headers": {"Location": ["http://example.com/orders/1"]},
            "body": {"content": {"id": "x", "at": "2020-01-01"}, "contentType": "application/json"},
            "generators": {
                "header": {"Location": {"type": "MockServerURL", "example": "http://example.com/orders/1", "regex": ".*(/orders/\\d+)$"}},
                "body": {"$.id": {"type": "Uuid"}, "$.at": {"type": "Date"}}}}"#,
    );
    let day = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
    let options = ServerOptions {
        seed: Some(7),
        clock: Clock::fixed(day),
        ..ServerOptions::default()
    };
    let mut runs = Vec::new();
    for _ in 0..2 {
        let server = start_with([Arc::clone(&made)], options.clone()).await;
        let first = send(&server, &ask("/a", "")).await;
        assert_eq!(
            header(&first, "location"),
            Some(format!("{}/orders/1", server.url()).as_str())
        );
        assert_eq!(json(&first).get("at").unwrap().as_str(), Some("2026-07-01"));
        let second = send(&server, &ask("/a", "")).await;
        assert_ne!(body(&first), body(&second));
        runs.push((body(&first).to_owned(), body(&second).to_owned()));
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn rules_may_contain_generators() {
    let made = answered(
        "/a",
        r#"{"status": 200,
            "body": {"content": {"list": [{"id": 1}, {"id": 2}], "map": {"k": "old"}}, "contentType": "application/json"},
            "matchingRules": {"body": {
                "$.list": {"matchers": [{"match": "arrayContains", "variants": [
                    {"index": 0, "rules": {"$.id": {"matchers": [{"match": "integer"}]}},
                     "generators": {"$.id": {"type": "RandomInt", "min": 100, "max": 200}}}]}]},
                "$.map": {"matchers": [{"match": "eachValue", "rules": [{"match": "type"}],
                     "generator": {"type": "Regex", "regex": "new"}}]}}}}"#,
    );
    let server = start([made]).await;
    let answer = json(&send(&server, &ask("/a", "")).await);
    let ids = answer.get("list").and_then(Json::as_array).unwrap().iter();
    // The second item does not equal the example of a variant, but matches its rules.
    let ids: Vec<_> = ids.map(|item| item.get("id").and_then(Json::as_u64).unwrap()).collect();
    assert!(ids.iter().all(|id| (100..=200).contains(id)), "{ids:?}");
    assert_eq!(answer.get("map").unwrap().to_text(), r#"{"k":"new"}"#);
    assert!(server.stop().await.matched);
}

#[tokio::test]
async fn generator_failures_keep_the_example_and_are_reported() {
    let server = start([answered(
        "/a",
        r#"{"status": 200, "headers": {"X": ["example"]},
            "generators": {"header": {"X": {"type": "OfSomePlugin"}}}}"#,
    )])
    .await;
    let answer = send(&server, &ask("/a", "")).await;
    assert_eq!(header(&answer, "x"), Some("example"));
    let outcome = server.stop().await;
    assert!(outcome.matched);
    assert!(
        outcome
            .to_string()
            .contains("Other problems:\n  A value in the response of \"a request for /a\""),
        "{outcome}"
    );
}

#[tokio::test]
async fn unexpected_requests_get_an_explanation() {
    let server = start([interaction(
        r#"{"description": "create an order", "key": "k1", "providerStates": [{"name": "open", "params": {"password": "x"}}],
            "request": {"method": "POST", "path": "/orders", "headers": {"Authorization": ["Bearer abc"]},
                        "body": {"content": {"id": 7}, "contentType": "application/json"}},
            "response": {"status": 200}}"#,
    )])
    .await;
    let headers = "Content-Type: application/json\r\nAuthorization: Bearer xyz\r\n";
    let answer = send(
        &server,
        &request("POST", "/orders?a=1", headers, r#"{"id":8,"token":"t"}"#),
    )
    .await;
    assert_eq!(status(&answer), 500);
    assert_eq!(header(&answer, "x-contract"), Some("Request-Mismatch"));
    assert_eq!(header(&answer, "x-pact"), Some("Request-Mismatch"));
    assert_eq!(header(&answer, "content-type"), Some("application/json; charset=utf-8"));
    assert!(
        !answer.contains("xyz") && !answer.contains("abc") && !answer.contains("\"t\""),
        "{answer}"
    );
    let refusal = json(&answer);
    assert_eq!(
        refusal.get("error").unwrap().as_str(),
        Some(
            r#"POST /orders?a=1 does not match "create an order": Unexpected query parameter 'a' received (and 2 more)"#
        )
    );
    assert_eq!(
        refusal.get("request").unwrap().to_text(),
        r#"{"method":"POST","path":"/orders","query":"a=1","headers":{"host":"shop","content-type":"application/json","authorization":"Bearer [redacted]","content-length":"20"},"body":{"id":8,"token":"[redacted]"},"bodyLength":20}"#
    );
    let closest = refusal.get("closest").unwrap();
    assert_eq!(
        closest.get("interaction").unwrap().to_text(),
        r#"{"index":0,"description":"create an order","states":[{"name":"open","parameters":{"password":"[redacted]"}}],"key":"k1"}"#
    );
    let kinds: Vec<_> = closest
        .get("mismatches")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m.get("type").unwrap().text_form().into_owned())
        .collect();
    assert_eq!(kinds, ["QueryMismatch", "HeaderMismatch", "BodyMismatch"]);
    assert_eq!(
        refusal.get("expected").unwrap().to_text(),
        r#"["POST /orders: create an order"]"#
    );

    let answer = send(&server, &ask("/elsewhere", "")).await;
    assert_eq!(header(&answer, "x-contract"), Some("Unexpected-Request"));
    assert!(json(&answer).get("closest").unwrap().is_null());
}

#[tokio::test]
async fn explanations_of_long_requests_are_short() {
    let server = start([interaction(
        r#"{"description": "create", "request": {"method": "POST", "path": "/orders",
            "body": {"content": [], "contentType": "application/json"}}, "response": {"status": 200}}"#,
    )])
    .await;
    let long = format!("[{}]", vec![r#"{"id":1}"#; 200_000].join(","));
    let answer = send(
        &server,
        &request("POST", "/orders", "Content-Type: application/json\r\n", &long),
    )
    .await;
    assert_eq!(status(&answer), 500);
    assert!(answer.len() < 40_000, "{}", answer.len());
    assert!(server.stop().await.to_string().len() < 10_000);
}

#[tokio::test]
async fn cors() {
    let own = answered(
        "/own",
        r#"{"status": 200, "headers": {"Access-Control-Allow-Origin": ["https://shop"], "X-A": ["1"]}}"#,
    );
    let server = start([
        get("/a"),
        own,
        answered("/b", r#"{"status": 200, "headers": {"X-A": ["1"]}}"#),
    ])
    .await;
    let preflight = request(
        "OPTIONS",
        "/a",
        "Origin: http://page\r\nAccess-Control-Request-Method: PURGE\r\nAccess-Control-Request-Headers: x-one, x-two\r\n",
        "",
    );
    let answer = send(&server, &preflight).await;
    assert_eq!(status(&answer), 204);
    assert_eq!(header(&answer, "access-control-allow-origin"), Some("http://page"));
    assert_eq!(header(&answer, "access-control-allow-headers"), Some("x-one, x-two"));
    assert!(answer.contains("PURGE"));

    assert_eq!(
        header(&send(&server, &ask("/a", "")).await, "access-control-allow-origin"),
        Some("*")
    );
    let answer = send(&server, &ask("/b", "Origin: http://page\r\n")).await;
    assert_eq!(header(&answer, "access-control-allow-origin"), Some("http://page"));
    assert_eq!(header(&answer, "access-control-allow-credentials"), Some("true"));
    assert_eq!(header(&answer, "access-control-expose-headers"), Some("x-a"));
    let answer = send(&server, &ask("/own", "Origin: http://page\r\n")).await;
    assert_eq!(header(&answer, "access-control-allow-origin"), Some("https://shop"));
    assert_eq!(header(&answer, "access-control-expose-headers"), None);
    // Without CORS headers, a browser would not allow the page to read the explanation.
    let answer = send(&server, &ask("/nowhere", "Origin: http://page\r\n")).await;
    assert_eq!(header(&answer, "access-control-allow-origin"), Some("http://page"));

    let outcome = server.stop().await;
    assert_eq!((outcome.requests.preflights, outcome.mismatches.len()), (1, 1));
    assert_eq!(server.received()[0].outcome, RequestOutcome::Preflight);

    let off = ServerOptions {
        cors: false,
        ..ServerOptions::default()
    };
    let server = start_with([get("/a")], off).await;
    assert_eq!(status(&send(&server, &preflight).await), 500);
    assert_eq!(
        header(&send(&server, &ask("/a", "")).await, "access-control-allow-origin"),
        None
    );
}

#[tokio::test]
async fn options_interactions_override_cors() {
    let options = interaction(
        r#"{"description": "options", "request": {"method": "OPTIONS", "path": "/a"},
            "response": {"status": 200, "headers": {"Allow": ["GET"]}}}"#,
    );
    let server = start([options]).await;
    let answer = send(&server, &request("OPTIONS", "/a", "Origin: http://page\r\n", "")).await;
    assert_eq!((status(&answer), header(&answer, "allow")), (200, Some("GET")));
    // This is not a preflight request, because it has no Origin header.
    assert_eq!(status(&send(&server, &request("OPTIONS", "/b", "", "")).await), 500);
}

#[tokio::test]
async fn connections_are_kept_and_requests_may_be_pipelined() {
    let server = start([get("/a"), get("/b")]).await;
    let mut stream = connect(&server).await;
    stream
        .write_all(&[ask("/a", ""), ask("/b", ""), ask("/c", ""), ask("/a", "")].concat())
        .await
        .unwrap();
    for want in [200, 200, 500, 200] {
        assert_eq!(status(&read_answer(&mut stream).await), want);
    }
    // Send the request in two parts.
    let bytes = ask("/b", "");
    stream.write_all(&bytes[..9]).await.unwrap();
    tokio::task::yield_now().await;
    stream.write_all(&bytes[9..]).await.unwrap();
    assert_eq!(status(&read_answer(&mut stream).await), 200);
    assert_eq!(server.counts().matched, 4);
}

#[tokio::test]
async fn connections_may_be_closed_after_each_response() {
    let options = ServerOptions {
        keep_alive: false,
        ..ServerOptions::default()
    };
    let server = start_with([get("/a")], options).await;
    let mut stream = connect(&server).await;
    stream.write_all(&ask("/a", "")).await.unwrap();
    assert_eq!(header(&read_answer(&mut stream).await, "connection"), Some("close"));
    assert_eq!(
        tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 8]).await.unwrap(),
        0
    );
}

#[tokio::test]
async fn sends_100_continue_before_the_body() {
    let post = interaction(
        r#"{"description": "post", "request": {"method": "POST", "path": "/a",
            "body": {"content": "four", "contentType": "text/plain"}}, "response": {"status": 200}}"#,
    );
    let server = start([post]).await;
    let mut stream = connect(&server).await;
    stream
        .write_all(b"POST /a HTTP/1.1\r\nHost: shop\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(status(&read_answer(&mut stream).await), 100);
    stream.write_all(b"four").await.unwrap();
    assert_eq!(status(&read_answer(&mut stream).await), 200);
}

#[tokio::test]
async fn chunked_bodies_are_read_whole() {
    let post = interaction(
        r#"{"description": "post", "request": {"method": "POST", "path": "/a",
            "body": {"content": {"id": 7}, "contentType": "application/json"}}, "response": {"status": 200}}"#,
    );
    let server = start([post]).await;
    let bytes =
        b"POST /a HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\
        3\r\n{\"i\r\n5;x=y\r\nd\": 7\r\n1\r\n}\r\n0\r\nX-Trailer: 1\r\n\r\n";
    assert_eq!(status(&send(&server, bytes).await), 200);
}

#[tokio::test]
async fn five_hundred_interactions_are_found_by_path() {
    let server = start((0..500).map(|number| get(&format!("/items/{number}")))).await;
    for number in [0, 250, 499] {
        assert_eq!(status(&send(&server, &ask(&format!("/items/{number}"), "")).await), 200);
    }
    assert_eq!(server.outcome().mismatches.len(), 497);
}

#[tokio::test]
async fn ignores_messages() {
    let message =
        interaction(r#"{"type": "Asynchronous/Messages", "description": "an event", "contents": {"content": "x"}}"#);
    let server = start([message, get("/a")]).await;
    assert_eq!(status(&send(&server, &ask("/a", "")).await), 200);
    let outcome = server.stop().await;
    assert!(outcome.matched);
    assert_eq!(
        outcome
            .interactions
            .iter()
            .map(|count| count.matched)
            .collect::<Vec<_>>(),
        [0, 1]
    );
}

#[tokio::test]
async fn http2_with_prior_knowledge() {
    let server = start([get("/a")]).await;
    let url = format!("{}/a", server.url());
    let output = tokio::process::Command::new("curl")
        .args([
            "-s",
            "--http2-prior-knowledge",
            "-w",
            " %{http_version} %{http_code}",
            &url,
        ])
        .output()
        .await;
    // Skip the test if curl is not installed.
    let Ok(output) = output else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "here 2 200");
    assert!(server.stop().await.matched);
}

#[tokio::test]
async fn headers_may_contain_any_bytes() {
    let interaction = interaction(
        r#"{"description": "a city", "request": {"path": "/", "headers": {"X-City": ["Köln"], "Accept": ["a/b", "c/d"]}},
            "response": {"headers": {"X-City": ["Köln"], "X-Town": ["Łódź"], "Vary": ["a", "b"], "X": ["1", "2"],
                                     "Set-Cookie": ["a=1", "b=2"]}}}"#,
    );
    let server = start([interaction]).await;
    let ask = |city: &[u8]| {
        [
            b"GET / HTTP/1.1\r\nHost: shop\r\nAccept: a/b\r\nAccept: c/d\r\nX-City: ",
            city,
            b"\r\n\r\n",
        ]
        .concat()
    };
    let answer = send(&server, &ask(b"K\xf6ln")).await;
    assert_eq!(status(&answer), 200);
    let head = answer.to_lowercase();
    for line in [
        "x-city: köln",
        "vary: a, b",
        "x: 1",
        "x: 2",
        "set-cookie: a=1",
        "set-cookie: b=2",
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line} is missing in {head}");
    }
    let town: String = "Łódź".bytes().map(char::from).collect();
    assert_eq!(header(&answer, "x-town"), Some(town.as_str()));
    assert_eq!(status(&send(&server, &ask("Köln".as_bytes())).await), 200);
}

#[tokio::test]
async fn more_headers_than_a_message_can_contain() {
    let many: Vec<String> = (0..100_000).map(|number| format!(r#""X-{number}": ["1"]"#)).collect();
    let many = many.join(",");
    let answered = interaction(&format!(
        r#"{{"description": "many", "request": {{"path": "/"}}, "response": {{"headers": {{{many}}}}}}}"#
    ));
    let error = MockServer::start([answered], ServerOptions::default())
        .await
        .unwrap_err();
    assert!(
        error.is_response() && error.to_string().contains("too many headers: 100000"),
        "{error}"
    );
    let asked = interaction(&format!(
        r#"{{"description": "many", "request": {{"path": "/", "headers": {{{many}}}}}, "response": {{}}}}"#
    ));
    let server = start([asked]).await;
    let answer = send(&server, b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n").await;
    assert_eq!(status(&answer), 500);
    assert_eq!(server.counts().mismatched, 1);
}
