//! Tests clients that are slow, send too much or invalid data, or use another protocol.

use std::time::Duration;

use contract_mock_server::{Limits, MockServer, RequestOutcome, ServerMismatch, ServerOptions, ServerProblem};
use contract_wire::{Client, ClientOptions, HttpVersion, Outgoing, Redirects};
use hyper::Method;
use hyper::header::{HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::common::{
    body, connect, ends, get, header, interaction, json, read_answer, send, start, start_with, status, until,
};

async fn start_limited(limits: Limits) -> MockServer {
    let options = ServerOptions {
        limits,
        ..ServerOptions::default()
    };
    start_with([get("/a")], options).await
}

fn short() -> Duration {
    Duration::from_millis(100)
}

/// Reads until the server closes the connection.
async fn closed(stream: &mut tokio::net::TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection reset also ends the connection.
    let _ = ends("the connection", stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the problems that the server recorded. Waits for the server, because the client may see the end of its
/// connection earlier.
async fn troubles(server: &MockServer) -> Vec<ServerProblem> {
    until("a trouble", async || !server.outcome().troubles.is_empty()).await;
    server.outcome().troubles
}

/// Returns the status, code, and count of requests that were rejected without being read. All of them fail the test,
/// and all are recorded when the server has stopped.
async fn refused(server: MockServer) -> Vec<(Option<u16>, &'static str, u64)> {
    let outcome = server.stop().await;
    let refused: Vec<_> = outcome
        .mismatches
        .iter()
        .filter_map(|mismatch| match mismatch {
            ServerMismatch::RequestRefused {
                status, code, count, ..
            } => Some((*status, *code, *count)),
            _ => None,
        })
        .collect();
    assert!(!outcome.matched || refused.is_empty());
    refused
}

#[tokio::test]
async fn rejects_and_reports_bodies_above_the_limit() {
    let server = start_limited(Limits {
        body: 1000,
        ..Limits::default()
    })
    .await;
    let announced = [
        b"POST /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 5000000\r\n\r\n".to_vec(),
        vec![b'x'; 5_000_000],
    ]
    .concat();
    let chunks = [
        b"POST /a HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(),
        b"400\r\n".to_vec(),
        vec![b'x'; 1024],
        b"\r\n0\r\n\r\n".to_vec(),
    ]
    .concat();
    for bytes in [announced, chunks] {
        let answer = send(&server, &bytes).await;
        assert_eq!(status(&answer), 413);
        let error = json(&answer).get("error").unwrap().text_form().into_owned();
        assert_eq!(
            error,
            "POST /a: the body is larger than 1000 bytes. Raise the mock server's `bodySize` limit"
        );
    }
    let RequestOutcome::NotFound { reason: Some(_), .. } = &server.received()[0].outcome else {
        panic!()
    };
    assert_eq!(server.counts().not_found, 2);
}

#[tokio::test]
async fn rejects_large_bodies_with_expect_before_they_are_sent() {
    let server = start_limited(Limits {
        body: 10,
        ..Limits::default()
    })
    .await;
    let answer = send(
        &server,
        b"POST /a HTTP/1.1\r\nHost: shop\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n",
    )
    .await;
    assert_eq!(status(&answer), 413);
}

#[tokio::test]
async fn a_body_at_the_limit_is_read() {
    let server = start_limited(Limits {
        body: 1000,
        ..Limits::default()
    })
    .await;
    let bytes = [
        b"GET /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 1000\r\n\r\n".to_vec(),
        vec![b'x'; 1000],
    ]
    .concat();
    assert_eq!(status(&send(&server, &bytes).await), 200);
}

#[tokio::test]
async fn reports_incomplete_bodies() {
    let server = start([get("/a")]).await;
    let mut stream = connect(&server).await;
    stream
        .write_all(b"POST /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\nhalf")
        .await
        .unwrap();
    stream.shutdown().await.unwrap();
    let answer = closed(&mut stream).await;
    until("the request is recorded", async || server.counts().not_found > 0).await;
    let text = server.stop().await.to_string();
    assert!(
        text.contains("POST /a could not be read\n   The body ended unexpectedly after 4 bytes: "),
        "{text} {answer}"
    );
}

#[tokio::test]
async fn a_body_longer_than_announced_is_the_next_request() {
    let server = start([get("/a")]).await;
    let mut stream = connect(&server).await;
    stream
        .write_all(b"GET /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 2\r\n\r\nxxyyy\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(status(&read_answer(&mut stream).await), 200);
    assert_eq!(status(&closed(&mut stream).await), 400);
    assert_eq!(refused(server).await, [(Some(400), "unreadable", 1)]);
}

#[tokio::test]
async fn rejects_conflicting_lengths() {
    let server = start([get("/a")]).await;
    for headers in [
        "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: -1",
        "Content-Length: x",
    ] {
        let answer = send(
            &server,
            format!("POST /a HTTP/1.1\r\nHost: shop\r\n{headers}\r\n\r\nxx").as_bytes(),
        )
        .await;
        assert_eq!(status(&answer), 400, "{headers}");
    }
    assert_eq!(server.counts().not_found, 0);
    assert!(refused(server).await.iter().all(|(status, ..)| *status == Some(400)));
}

#[tokio::test]
async fn rejects_heads_above_the_limit() {
    let server = start_limited(Limits {
        head: 16 << 10,
        ..Limits::default()
    })
    .await;
    let long = format!("GET /a HTTP/1.1\r\nHost: shop\r\nX: {}\r\n\r\n", "x".repeat(20 << 10));
    assert_eq!(status(&send(&server, long.as_bytes()).await), 431);
    let fits = format!("GET /a HTTP/1.1\r\nHost: shop\r\nX: {}\r\n\r\n", "x".repeat(12 << 10));
    assert_eq!(status(&send(&server, fits.as_bytes()).await), 200);
    assert_eq!(
        server.outcome().to_string(),
        "1 rejected request\n\n1) A request was rejected with status 431\n   The request head exceeds 16384 bytes \
         (status 431). Raise the server's limit headerSize.\n"
    );
    assert_eq!(refused(server).await, [(Some(431), "head-too-large", 1)]);
}

#[tokio::test]
async fn rejects_too_many_headers() {
    let server = start([get("/a")]).await;
    let many = format!("GET /a HTTP/1.1\r\nHost: shop\r\n{}\r\n", "X: 1\r\n".repeat(200));
    for _ in 0..2 {
        assert_eq!(status(&send(&server, many.as_bytes()).await), 431);
    }
    assert_eq!(
        status(&send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await),
        200
    );
    let text = server.stop().await.to_string();
    assert!(
        text.contains("more than 100 headers") && text.contains("limit headerCount"),
        "{text}"
    );
    assert_eq!(refused(server).await, [(Some(431), "too-many-headers", 2)]);
}

#[tokio::test]
async fn accepts_the_maximum_number_of_headers() {
    for (limit, sent, want) in [
        (1000, 900, 200),
        (1000, 1100, 431),
        (10, 20, 431),
        (usize::MAX, 10_000, 200),
    ] {
        let server = start_limited(Limits {
            headers: limit,
            head: 1 << 20,
            ..Limits::default()
        })
        .await;
        let many = format!("GET /a HTTP/1.1\r\nHost: shop\r\n{}\r\n", "X: 1\r\n".repeat(sent));
        assert_eq!(status(&send(&server, many.as_bytes()).await), want, "{limit}");
        assert_eq!(server.stop().await.matched, want == 200);
    }
}

#[tokio::test]
async fn rejects_urls_that_are_too_long() {
    let server = start_limited(Limits {
        head: 1 << 20,
        ..Limits::default()
    })
    .await;
    let long = format!("GET /{} HTTP/1.1\r\nHost: shop\r\n\r\n", "a".repeat(70_000));
    assert_eq!(status(&send(&server, long.as_bytes()).await), 414);
    let refused = server.stop().await.mismatches;
    assert!(
        matches!(
            &refused[0],
            ServerMismatch::RequestRefused {
                status: Some(414),
                code: "url-too-long",
                ..
            }
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_slow_head_is_cut_off() {
    let server = start_limited(Limits {
        head_time: short(),
        head: 1 << 30,
        ..Limits::default()
    })
    .await;
    let mut stream = connect(&server).await;
    stream.write_all(b"GET /a HTTP/1.1\r\nX: ").await.unwrap();
    // An endless head does not extend the timeout.
    until("the connection is closed", async || {
        stream.write_all(b"x").await.is_err()
    })
    .await;
    closed(&mut stream).await;
    let [
        ServerProblem::TimedOut {
            what: "send the head of a request",
        },
    ] = troubles(&server).await[..]
    else {
        panic!()
    };
}

#[tokio::test]
async fn half_open_and_idle_connections_are_closed() {
    let server = start_limited(Limits {
        idle_time: short(),
        ..Limits::default()
    })
    .await;
    let mut silent = connect(&server).await;
    let mut idle = connect(&server).await;
    idle.write_all(b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await.unwrap();
    assert_eq!(status(&read_answer(&mut idle).await), 200);
    assert_eq!(closed(&mut silent).await, "");
    assert_eq!(closed(&mut idle).await, "");
    assert!(server.stop().await.troubles.is_empty());
}

#[tokio::test]
async fn a_stalled_body_is_cut_off() {
    let server = start_limited(Limits {
        idle_time: short(),
        ..Limits::default()
    })
    .await;
    let mut stream = connect(&server).await;
    stream
        .write_all(b"POST /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\nhalf")
        .await
        .unwrap();
    closed(&mut stream).await;
    assert!(matches!(troubles(&server).await[..], [ServerProblem::TimedOut { .. }]));
}

#[tokio::test]
async fn a_dripping_body_is_cut_off() {
    let server = start_limited(Limits {
        request_time: short(),
        body: 1 << 30,
        ..Limits::default()
    })
    .await;
    let mut stream = connect(&server).await;
    stream
        .write_all(b"POST /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 1000000000\r\n\r\n")
        .await
        .unwrap();
    until("the connection is closed", async || {
        stream.write_all(b"x").await.is_err()
    })
    .await;
}

#[tokio::test]
async fn slow_clients_do_not_delay_others() {
    let server = start([get("/a")]).await;
    let mut slow = Vec::new();
    for _ in 0..50 {
        let mut stream = connect(&server).await;
        stream.write_all(b"GET /a HT").await.unwrap();
        slow.push(stream);
    }
    assert_eq!(
        status(&send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await),
        200
    );
    for stream in &mut slow {
        stream.write_all(b"TP/1.1\r\nHost: shop\r\n\r\n").await.unwrap();
        assert_eq!(status(&read_answer(stream).await), 200);
    }
    assert_eq!(server.counts().matched, 51);
}

#[tokio::test]
async fn reports_connections_above_the_limit() {
    let server = start_limited(Limits {
        connections: 2,
        ..Limits::default()
    })
    .await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = connect(&server).await;
        stream
            .write_all(b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n")
            .await
            .unwrap();
        assert_eq!(status(&read_answer(&mut stream).await), 200);
        open.push(stream);
    }
    let answer = closed(&mut connect(&server).await).await;
    assert_eq!(status(&answer), 503);
    assert_eq!(
        header(&answer, "content-length"),
        Some(body(&answer).len().to_string().as_str())
    );
    json(&answer);
    assert_eq!(refused(server).await, [(Some(503), "too-many-connections", 1)]);
}

#[tokio::test]
async fn reports_tls_on_a_plain_port() {
    let server = start([get("/a")]).await;
    let mut stream = connect(&server).await;
    // The start of a TLS ClientHello.
    stream
        .write_all(&[
            0x16, 0x03, 0x01, 0x00, 0xc8, 0x01, 0x00, 0x00, 0xc4, 0x03, 0x03, 0x0a, 0x0a,
        ])
        .await
        .unwrap();
    closed(&mut stream).await;
    assert_eq!(troubles(&server).await, [ServerProblem::TlsToPlain]);
    assert!(server.stop().await.to_string().contains("Use its http:// URL"));
}

#[tokio::test]
async fn reports_invalid_requests() {
    let server = start([get("/a")]).await;
    for noise in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"CONNECT shop:80 HTTP/1.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: shop\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/3\r\n\r\n",
        b"GET /a HTTP/1.1\r\nno colon\r\n\r\n",
    ] {
        let mut stream = connect(&server).await;
        stream.write_all(noise).await.unwrap();
        stream.shutdown().await.unwrap();
        closed(&mut stream).await;
    }
    assert_eq!(
        status(&send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await),
        200
    );
    assert!(!refused(server).await.is_empty());
}

#[tokio::test]
async fn heads_of_http2_have_the_same_limits() {
    let server = start_limited(Limits {
        head: 16 << 10,
        ..Limits::default()
    })
    .await;
    let client = Client::new(ClientOptions {
        http: HttpVersion::Http2,
        ..ClientOptions::default()
    })
    .unwrap();
    for (headers, length, want) in [(50, 10, 200), (200, 1, 431), (2, 9 << 10, 431)] {
        let value = HeaderValue::from_str(&"x".repeat(length)).unwrap();
        let names = (0..headers).map(|number| HeaderName::try_from(format!("x-{number}")).unwrap());
        let request = Outgoing {
            method: Method::GET,
            uri: format!("{}/a", server.url()).parse().unwrap(),
            headers: names.map(|name| (name, value.clone())).collect(),
            body: Vec::new().into(),
            confidential: Vec::new(),
        };
        let answer = client
            .send(request, Redirects::up_to(0), Duration::from_secs(10))
            .await
            .unwrap();
        assert_eq!(answer.status, want, "{headers} headers of {length} bytes");
    }
    let text = server.stop().await.to_string();
    assert!(text.contains("2 unreadable requests"), "{text}");
    assert!(
        text.contains("limit headerCount") && text.contains("limit headerSize"),
        "{text}"
    );
}

#[tokio::test]
async fn broken_http2_ends_one_connection_only() {
    let server = start([get("/a")]).await;
    let mut stream = connect(&server).await;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    stream.write_all(&[0xff; 64]).await.unwrap();
    closed(&mut stream).await;
    assert_eq!(
        status(&send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await),
        200
    );
}

#[tokio::test]
async fn the_journal_is_limited_but_counts_are_complete() {
    let server = start_limited(Limits {
        journal: 5,
        journal_body: 3,
        ..Limits::default()
    })
    .await;
    let mut stream = connect(&server).await;
    for number in 0..20 {
        let path = if number % 2 == 0 {
            "/a".to_owned()
        } else {
            format!("/b/{number}")
        };
        stream
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: shop\r\nContent-Length: 5\r\n\r\n12345").as_bytes())
            .await
            .unwrap();
        read_answer(&mut stream).await;
    }
    let received = server.received();
    assert_eq!(
        received.iter().map(|request| request.number).collect::<Vec<_>>(),
        [15, 16, 17, 18, 19]
    );
    assert!(
        received
            .iter()
            .all(|request| request.body == "123" && request.body_length == 5)
    );
    let counts = server.counts();
    assert_eq!((counts.matched, counts.not_found), (10, 10));
}

#[tokio::test]
async fn many_different_failures_are_counted() {
    let server = start([get("/a")]).await;
    let mut stream = connect(&server).await;
    for number in 0..300 {
        stream
            .write_all(format!("GET /b/{number} HTTP/1.1\r\nHost: shop\r\n\r\n").as_bytes())
            .await
            .unwrap();
        read_answer(&mut stream).await;
    }
    let outcome = server.stop().await;
    assert_eq!((outcome.requests.not_found, outcome.omitted), (300, 100));
    assert!(outcome.to_string().contains("… and 100 more (details not recorded)"));
}

/// Sends requests in which random bytes are changed, and checks that the next valid request gets a response.
#[tokio::test]
async fn survives_damaged_requests() {
    let server = start([get("/a"), get("/b%20c")]).await;
    let whole = b"POST /a%41?x=%zz&y HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json; a=\"b\r\nContent-Length: 11\r\n\r\n{\"id\": [7]}";
    // The random number generator of Numerical Recipes. Any other generator would also do.
    let mut random = 7_u32;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    for _ in 0..300 {
        let mut bytes = whole.to_vec();
        for _ in 0..=next(4) {
            let at = next(bytes.len());
            bytes[at] = u8::try_from(next(256)).unwrap();
        }
        let mut stream = connect(&server).await;
        stream.write_all(&bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        closed(&mut stream).await;
    }
    assert_eq!(
        status(&send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await),
        200
    );
    assert!(!server.stop().await.troubles.contains(&ServerProblem::Internal));
}

#[tokio::test]
async fn generated_bodies_are_limited() {
    let row = format!("[{}]", vec!["\"x\""; 40].join(","));
    let rows = vec![row; 40].join(",");
    let many = interaction(&format!(
        r#"{{"description": "many", "request": {{"path": "/many"}},
            "response": {{"body": {{"content": [{rows}], "contentType": "application/json"}},
                          "generators": {{"body": {{"$[*][*]": {{"type": "RandomString", "size": 10000}}}}}}}}}}"#
    ));
    let options = ServerOptions {
        limits: Limits {
            generated: 100_000,
            ..Limits::default()
        },
        ..ServerOptions::default()
    };
    let server = start_with([many, get("/a")], options).await;
    for _ in 0..2 {
        let answer = send(&server, b"GET /many HTTP/1.1\r\nHost: shop\r\n\r\n").await;
        assert_eq!(status(&answer), 200);
        assert!(answer.len() < 150_000, "{}", answer.len());
    }
    assert_eq!(
        status(&send(&server, b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").await),
        200
    );
    let noted = server.stop().await.troubles;
    assert!(matches!(&noted[..], [ServerProblem::NotGenerated { .. }]), "{noted:?}");
    assert!(
        noted[0].to_string().contains("raise the limit generatedSize"),
        "{noted:?}"
    );
}
