//! Tests the requests that the provider receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use contract_model::Json;
use contract_verifier::{
    BoxFuture, CallbackError, CustomHeader, ErrorCode, HeaderSource, HeaderValue, OutgoingRequest, RequestContext,
    RequestFilter, States, Transport,
};
use http::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{
    Handlers, Provider, answer, assert_error, assert_passed, contract, exchange, options, raw, values, verify_one,
};

/// Verifies an interaction that accepts any response. Returns the request that the provider received.
async fn sent(request: &str) -> http::Request<Bytes> {
    let provider = Provider::start(|_| answer(200, "")).await;
    let report = verify_one(options(&provider.url), exchange(request, "{}")).await;
    assert_passed(&report);
    provider.requests().remove(0)
}

#[tokio::test]
async fn path_and_query_as_the_contract_has_them() {
    let request =
        sent(r#"{"method": "GET", "path": "/a//b/../c%2Fd/é x", "query": {"b": ["2", "1"], "a": ["x y&z"]}}"#).await;
    assert_eq!(request.uri().to_string(), "/a//b/../c%2Fd/%C3%A9%20x?b=2&b=1&a=x+y%26z");
}

#[tokio::test]
async fn a_path_may_begin_with_two_slashes() {
    assert_eq!(sent(r#"{"path": "//x/../y"}"#).await.uri(), "//x/../y");
}

#[tokio::test]
async fn closes_connections_at_the_end() {
    let (closed, seen) = tokio::sync::mpsc::unbounded_channel();
    let url = raw(move |mut stream| {
        let closed = closed.clone();
        async move {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
            let _ = closed.send(stream.read(&mut [0]).await.unwrap_or(0));
        }
    })
    .await;
    let options = options(&url);
    // Keep a clone of the client, as the JavaScript binding does.
    let _client = options.client.clone();
    assert_passed(&verify_one(options, exchange(r#"{"path": "/"}"#, "{}")).await);
    let mut seen = seen;
    let read = tokio::time::timeout(std::time::Duration::from_secs(2), seen.recv()).await;
    assert_eq!(read.unwrap(), Some(0));
}

#[tokio::test]
async fn headers_as_the_contract_has_them_and_no_others() {
    let request = sent(r#"{"method": "GET", "path": "/", "headers": {"X-Id": ["1"], "Accept": ["a/b", "c/d"]}}"#).await;
    let mut names: Vec<_> = request.headers().keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "host", "x-id"]);
    assert_eq!(request.headers()["accept"], "a/b, c/d");
}

#[tokio::test]
async fn bodies_with_type_and_length() {
    let request = sent(
        r#"{"method": "POST", "path": "/", "headers": {"Content-Length": ["999"]},
            "body": {"content": {"a": 1.0}, "contentType": "application/json", "encoded": false}}"#,
    )
    .await;
    assert_eq!(request.body(), r#"{"a":1.0}"#);
    assert_eq!(request.headers()["content-type"], "application/json");
    assert_eq!(request.headers()["content-length"], "9");
}

#[tokio::test]
async fn null_is_a_body() {
    let request = sent(r#"{"method": "PUT", "path": "/", "body": {"content": "null", "contentType": "application/json", "encoded": "json"}}"#).await;
    assert_eq!(request.body(), "null");
    assert_eq!(request.headers()["content-type"], "application/json");
}

#[tokio::test]
async fn prepends_the_path_of_the_transport() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let options = options(&format!("{}/api/v1/", provider.url));
    assert_passed(&verify_one(options, exchange(r#"{"path": "/orders"}"#, "{}")).await);
    assert_eq!(provider.requests()[0].uri(), "/api/v1/orders");
}

#[tokio::test]
async fn transports_are_chosen_by_name() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut with_two = options("http://127.0.0.1:1");
    with_two
        .transports
        .push(Transport::new("admin", &format!("{}/admin", provider.url)).unwrap());
    let wants = |transport: &str| {
        contract(&format!(
            r#"[{{"description": "x", "transport": "{transport}", "request": {{"path": "/"}}, "response": {{}}}}]"#
        ))
    };
    assert_passed(&verify_one(with_two.clone(), wants("admin")).await);
    let report = verify_one(with_two, wants("grpc")).await;
    assert_error(&report, ErrorCode::Transport, &["\"grpc\"", "configured: http, admin"]);
    let report = verify_one(options(&provider.url), wants("https")).await;
    assert_passed(&report);
}

struct Counting(AtomicUsize);

impl HeaderSource for Counting {
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            if number == 2 {
                Err(CallbackError::new("no token left").with_token(7))
            } else {
                Ok(format!("n{number}"))
            }
        })
    }
}

#[tokio::test]
async fn custom_headers_replace_those_of_the_contract() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    options.headers.push(CustomHeader::fixed("AUTHORIZATION", "Bearer me"));
    options.headers.push(CustomHeader {
        name: "X-Nonce".into(),
        value: HeaderValue::Made(Arc::new(Counting(0.into()))),
    });
    let interaction = exchange(
        r#"{"path": "/", "headers": {"Authorization": ["Bearer example"]}}"#,
        "{}",
    );
    for number in 0..2 {
        assert_passed(&verify_one(options.clone(), interaction.clone()).await);
        let request = &provider.requests()[number];
        assert_eq!(
            request.headers().get_all("authorization").iter().collect::<Vec<_>>(),
            ["Bearer me"]
        );
        assert_eq!(request.headers()["x-nonce"], format!("n{number}"));
    }
    let report = verify_one(options, interaction).await;
    assert_error(&report, ErrorCode::CustomHeader, &["\"X-Nonce\"", "no token left"]);
    assert_eq!(report.error.unwrap().token, Some(7));
}

#[tokio::test]
async fn reports_contain_no_values_of_custom_headers() {
    let provider = Provider::start(|_| answer(500, "")).await;
    let mut options = options(&provider.url);
    for (name, value) in [
        ("Authorization", "Bearer hush"),
        ("X-Key", "hush"),
        ("X-Tenant", "hush"),
        ("Accept", "text/plain"),
    ] {
        options.headers.push(CustomHeader::fixed(name, value));
    }
    let report = verify_one(options, exchange(r#"{"path": "/", "headers": {"X-Own": ["1"]}}"#, "{}")).await;
    let request = report.request.expect("the request was sent");
    let mut headers: Vec<_> = request
        .headers
        .expect("the interaction failed")
        .into_iter()
        .map(|header| format!("{}: {}", header.name, header.values.join("|")))
        .collect();
    headers.sort();
    assert_eq!(
        headers,
        [
            "Accept: text/plain",
            "Authorization: Bearer [redacted]",
            "X-Key: [redacted]",
            "X-Own: 1",
            "X-Tenant: [redacted]"
        ]
    );
}

#[tokio::test]
async fn state_values_apply_to_every_part() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    let handlers = Handlers::new(|change| {
        Ok(match change.state.as_str() {
            "an order" => values(&[("id", Json::from(42_u64)), ("user", "mine".into())]),
            _ => values(&[("user", "later".into())]),
        })
    });
    options.states = Some(States::new(Arc::new(handlers)));
    let interaction = contract(
        r#"[{"description": "x",
             "providerStates": [{"name": "an order", "params": {"user": "given", "shop": "s1"}}, {"name": "a user"}],
             "request": {"method": "POST", "path": "/orders/1", "query": {"user": ["u"]}, "headers": {"X-Shop": ["s"]},
                 "body": {"content": {"id": 1}, "contentType": "application/json", "encoded": false},
                 "generators": {
                     "path": {"type": "ProviderState", "expression": "/orders/${id}"},
                     "query": {"user": {"type": "ProviderState", "expression": "${user}"}},
                     "header": {"X-Shop": {"type": "ProviderState", "expression": "${shop}"}},
                     "body": {"$.id": {"type": "ProviderState", "expression": "${id}"}}}},
             "response": {}}]"#,
    );
    assert_passed(&verify_one(options, interaction).await);
    let request = &provider.requests()[0];
    assert_eq!(request.uri(), "/orders/42?user=later");
    assert_eq!(request.headers()["x-shop"], "s1");
    assert_eq!(request.body(), r#"{"id":42}"#);
}

#[tokio::test]
async fn missing_state_values_are_errors() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let interaction = exchange(
        r#"{"path": "/orders/1", "generators": {"path": {"type": "ProviderState", "expression": "/orders/${id}"}}}"#,
        "{}",
    );
    let report = verify_one(options(&provider.url), interaction).await;
    assert_error(&report, ErrorCode::Generator, &["the path", "\"id\""]);
    assert!(provider.requests().is_empty());
}

struct Signing;

impl RequestFilter for Signing {
    fn filter(
        &self,
        mut request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>> {
        Box::pin(async move {
            if context.interaction.description == "refused" {
                return Err(CallbackError::new("no key").with_token(3));
            }
            let user = context
                .state_values
                .get("user")
                .and_then(Json::as_str)
                .unwrap_or("nobody")
                .to_owned();
            request.method = "PATCH".into();
            request.path.push_str("/sub path");
            request.query.append("signed", Some("yes & no".into()));
            request.headers.set("X-User", vec![user.into()]);
            request.body = Bytes::from_static(b"\"other\"");
            Ok(request)
        })
    }
}

#[tokio::test]
async fn filters_change_everything() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    options.request_filter = Some(Arc::new(Signing));
    let interaction = |description: &str| {
        contract(&format!(
            r#"[{{"description": "{description}", "providerStates": [{{"name": "s", "params": {{"user": "ann"}}}}],
                 "request": {{"method": "POST", "path": "/a", "body": {{"content": [1], "contentType": "application/json", "encoded": false}}}},
                 "response": {{}}}}]"#
        ))
    };
    assert_passed(&verify_one(options.clone(), interaction("fine")).await);
    let request = &provider.requests()[0];
    assert_eq!(request.method(), "PATCH");
    assert_eq!(request.uri(), "/a/sub%20path?signed=yes+%26+no");
    assert_eq!(request.headers()["x-user"], "ann");
    assert_eq!(request.headers()["content-length"], "7");
    assert_eq!(request.body(), "\"other\"");
    let report = verify_one(options, interaction("refused")).await;
    assert_error(
        &report,
        ErrorCode::RequestFilter,
        &["the request filter failed: no key"],
    );
    assert_eq!(report.error.unwrap().token, Some(3));
}

#[tokio::test]
async fn connections_are_kept() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let one = r#"{"description": "a", "request": {"path": "/"}, "response": {}}"#;
    let report = crate::support::verify(
        options(&provider.url),
        contract(&format!(
            "[{one}, {}, {}]",
            one.replace("\"a\"", "\"b\""),
            one.replace("\"a\"", "\"c\"")
        )),
    )
    .await;
    assert_eq!((report.summary.passed, provider.connections()), (3, 1));
}

#[tokio::test]
async fn requests_that_cannot_be_sent() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let report = verify_one(
        options(&provider.url),
        exchange(r#"{"path": "/", "headers": {"X-A": ["a\nb"]}}"#, "{}"),
    )
    .await;
    assert_error(&report, ErrorCode::RequestInvalid, &["X-A", "line breaks"]);
    let long = "x".repeat(70_000);
    let report = verify_one(
        options(&provider.url),
        exchange(&format!(r#"{{"path": "/{long}"}}"#), "{}"),
    )
    .await;
    assert_error(
        &report,
        ErrorCode::RequestInvalid,
        &["the path or the query is not valid in a URL"],
    );
}

#[tokio::test]
async fn redirects_are_followed() {
    let provider = Provider::start(|request| match request.uri().path() {
        "/old" => Response::builder()
            .status(303)
            .header("Location", "new?x=1")
            .body(Bytes::new())
            .unwrap(),
        _ => answer(200, "\"here\""),
    })
    .await;
    let request = r#"{"method": "POST", "path": "/old", "body": {"content": [1], "contentType": "application/json", "encoded": false}}"#;
    let expected =
        r#"{"status": 200, "body": {"content": "\"here\"", "contentType": "application/json", "encoded": "json"}}"#;
    assert_passed(&verify_one(options(&provider.url), exchange(request, expected)).await);
    let last = provider.requests().pop().unwrap();
    assert_eq!(
        (last.method().as_str(), last.uri().to_string().as_str()),
        ("GET", "/new?x=1")
    );
    assert!(last.body().is_empty() && last.headers().get("content-type").is_none());

    let expects_redirect = exchange(request, r#"{"status": 303, "headers": {"Location": ["new?x=1"]}}"#);
    assert_passed(&verify_one(options(&provider.url), expects_redirect).await);
    let mut not_followed = options(&provider.url);
    not_followed.redirects = 0;
    let report = verify_one(not_followed, exchange(request, expected)).await;
    assert_eq!(report.mismatches[0].to_string(), "Expected status 200 but was 303");
}

/// Returns the headers that a different host receives after a redirect.
async fn redirected(allowed: bool) -> http::HeaderMap {
    let other = Provider::start(|_| answer(200, "")).await;
    let target = format!("{}/there", other.url);
    let provider = Provider::start(move |_| {
        Response::builder()
            .status(307)
            .header("Location", target.as_str())
            .body(Bytes::new())
            .unwrap()
    })
    .await;
    let mut options = options(&provider.url);
    options.redirect_credentials = allowed;
    options.headers.push(CustomHeader::fixed("X-Custom", "k"));
    options.headers.push(CustomHeader::fixed("Authorization", "Bearer t"));
    options.request_filter = Some(Arc::new(Signing));
    let interaction = exchange(
        r#"{"path": "/", "headers": {"Cookie": ["a=1"], "X-Session-Token": ["s"], "X-Plain": ["p"]}}"#,
        "{}",
    );
    assert_passed(&verify_one(options, interaction).await);
    assert_eq!(provider.requests()[0].headers()["x-session-token"], "s");
    other.requests().remove(0).headers().clone()
}

const CREDENTIALS: [&str; 5] = ["authorization", "cookie", "x-custom", "x-session-token", "x-user"];

#[tokio::test]
async fn credentials_stay_with_their_host() {
    let seen = redirected(false).await;
    assert_eq!(seen["x-plain"], "p");
    for name in CREDENTIALS {
        assert!(seen.get(name).is_none(), "{name}");
    }
}

#[tokio::test]
async fn credentials_follow_where_they_may() {
    let seen = redirected(true).await;
    for name in CREDENTIALS {
        assert!(seen.get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn more_headers_than_a_message_holds() {
    let many: Vec<String> = (0..100_000).map(|number| format!(r#""X-{number}": ["1"]"#)).collect();
    let provider = Provider::start(|_| answer(200, "")).await;
    let request = format!(r#"{{"path": "/", "headers": {{{}}}}}"#, many.join(","));
    let report = verify_one(options(&provider.url), exchange(&request, "{}")).await;
    assert_error(&report, ErrorCode::RequestInvalid, &["too many headers: 100000"]);
    let report = verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, "{}")).await;
    assert_passed(&report);
}

#[tokio::test]
async fn headers_beyond_ascii() {
    let headers = sent(r#"{"path": "/", "headers": {"X-City": ["Köln"], "X-Town": ["Łódź"], "X": ["a", "b"]}}"#).await;
    let headers = headers.headers();
    assert_eq!(headers["x-city"].as_bytes(), b"K\xf6ln");
    assert_eq!(headers["x-town"].as_bytes(), "Łódź".as_bytes());
    assert_eq!(headers.get_all("x").iter().count(), 2);
    for bytes in [&b"K\xf6ln"[..], "Köln".as_bytes()] {
        let provider = Provider::start(move |_| {
            let mut answer = answer(200, "");
            answer
                .headers_mut()
                .insert("x-city", http::HeaderValue::from_bytes(bytes).unwrap());
            answer
        })
        .await;
        let expected = r#"{"headers": {"X-City": ["Köln"]}}"#;
        assert_passed(&verify_one(options(&provider.url), exchange(r#"{"path": "/"}"#, expected)).await);
    }
}

#[tokio::test]
async fn redirect_loops_end() {
    let provider = Provider::start(|request| {
        let next = if request.uri().path() == "/a" { "/b" } else { "/a" };
        Response::builder()
            .status(302)
            .header("Location", next)
            .body(Bytes::new())
            .unwrap()
    })
    .await;
    let report = verify_one(options(&provider.url), exchange(r#"{"path": "/a"}"#, "{}")).await;
    assert_error(
        &report,
        ErrorCode::RequestRedirect,
        &["more than 10 redirects", "/a → ", "/b → ", "…"],
    );
    assert_eq!(provider.requests().len(), 11);
}
