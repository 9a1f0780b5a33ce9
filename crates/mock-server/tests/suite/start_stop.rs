//! Tests starting and stopping servers.

use std::sync::Arc;
use std::time::Duration;

use contract_mock_server::{Limits, MockServer, Prepared, ServerOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::common::{
    NEVER, begin_request, connect, ends, get, interaction, read_answer, send, start, start_with, status, until,
};

const ASK: &[u8] = b"GET /a HTTP/1.1\r\nHost: shop\r\n\r\n";

fn on(host: &str, port: u16) -> ServerOptions {
    ServerOptions {
        host: host.into(),
        port,
        ..ServerOptions::default()
    }
}

/// Starts a server that waits this long for requests in flight when it stops.
async fn start_waiting(stop_time: Duration) -> MockServer {
    let limits = Limits {
        stop_time,
        ..Limits::default()
    };
    let options = ServerOptions {
        limits,
        ..ServerOptions::default()
    };
    start_with([get("/a")], options).await
}

#[tokio::test]
async fn reports_a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = MockServer::start([get("/a")], on("127.0.0.1", port)).await.unwrap_err();
    assert!(error.is_address_in_use() && !error.is_bad_address());
    assert_eq!((error.host(), error.port()), (Some("127.0.0.1"), Some(port)));
    assert!(error.os_error().is_some());
    let text = error.to_string();
    assert!(
        text.starts_with(&format!(
            "cannot start the mock server on 127.0.0.1 port {port}: the port is in use ("
        )),
        "{text}"
    );
}

#[tokio::test]
async fn reports_an_invalid_address() {
    for host in ["192.0.2.1", "no such host", ""] {
        let error = MockServer::start([get("/a")], on(host, 0)).await.unwrap_err();
        assert!(error.is_bad_address(), "{host}: {error}");
        assert!(error.to_string().contains(host), "{error}");
    }
}

#[tokio::test]
async fn invalid_rules_are_reported_with_the_interaction() {
    let broken = interaction(
        r#"{"description": "a broken rule", "request": {"method": "GET", "path": "/a",
            "matchingRules": {"path": {"combine": "AND", "matchers": [{"match": "regex", "regex": "("}]}}},
            "response": {"status": 200}}"#,
    );
    let error = MockServer::start([broken], ServerOptions::default()).await.unwrap_err();
    assert!(error.is_rule());
    assert_eq!(error.interaction(), Some("a broken rule"));
}

#[tokio::test]
async fn invalid_responses_are_reported_with_the_interaction() {
    for response in [
        r#"{"status": 101}"#,
        r#"{"status": 200, "headers": {"X": ["a\r\nb"]}}"#,
        r#"{"status": 200, "headers": {"a b": ["c"]}}"#,
    ] {
        let broken = interaction(&format!(
            r#"{{"description": "a broken response", "request": {{"method": "GET", "path": "/a"}}, "response": {response}}}"#
        ));
        let error = MockServer::start([broken], ServerOptions::default()).await.unwrap_err();
        assert!(error.is_response(), "{error}");
        assert_eq!(error.interaction(), Some("a broken response"));
    }
}

#[tokio::test]
async fn localhost_listens_on_ipv4_and_ipv6() {
    let server = start_with([get("/a")], on("localhost", 0)).await;
    assert_eq!(server.url(), format!("http://localhost:{}", server.port()));
    let mut hosts = vec!["127.0.0.1"];
    if TcpListener::bind("[::1]:0").await.is_ok() {
        hosts.push("::1");
    }
    for host in hosts {
        let mut stream = TcpStream::connect((host, server.port())).await.unwrap();
        stream.write_all(ASK).await.unwrap();
        assert_eq!(status(&read_answer(&mut stream).await), 200, "{host}");
    }
}

#[tokio::test]
async fn urls_are_reachable() {
    for (host, want) in [
        ("0.0.0.0", "http://127.0.0.1:"),
        ("127.0.0.1", "http://127.0.0.1:"),
        ("::1", "http://[::1]:"),
        ("[::1]", "http://[::1]:"),
        ("::", "http://[::1]:"),
    ] {
        let Ok(server) = MockServer::start([get("/a")], on(host, 0)).await else {
            assert!(host.contains(':'), "{host}");
            continue;
        };
        assert!(server.url().starts_with(want), "{host}: {}", server.url());
    }
}

#[tokio::test]
async fn stopping_ends_idle_connections_at_once() {
    let server = start_waiting(NEVER).await;
    let mut silent = connect(&server).await;
    let mut beginning = connect(&server).await;
    beginning.write_all(b"GET /a HT").await.unwrap();
    // The server accepts connections in order. When it responds on the last one, it has accepted all others.
    let mut idle = connect(&server).await;
    idle.write_all(ASK).await.unwrap();
    read_answer(&mut idle).await;
    assert!(ends("the stop", server.stop()).await.matched);
    for stream in [&mut idle, &mut silent, &mut beginning] {
        assert_eq!(stream.read(&mut [0; 8]).await.unwrap_or(0), 0);
    }
    assert!(TcpStream::connect(("127.0.0.1", server.port())).await.is_err());
    // Stopping the server again returns the same outcome.
    assert!(server.stop().await.matched && server.is_stopped());
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_request_in_flight_may_finish() {
    let server = Arc::new(start_waiting(NEVER).await);
    let mut stream = begin_request(&server).await;
    stream.write_all(b"ha").await.unwrap();
    let stopping = tokio::spawn({
        let server = Arc::clone(&server);
        async move { server.stop().await }
    });
    until("the stop", async || server.is_stopped()).await;
    until("no new connections", async || {
        TcpStream::connect(("127.0.0.1", server.port())).await.is_err()
    })
    .await;
    assert!(!stopping.is_finished());
    stream.write_all(b"lf").await.unwrap();
    assert_eq!(status(&read_answer(&mut stream).await), 200);
    assert!(stopping.await.unwrap().matched);
}

#[tokio::test]
async fn hanging_requests_do_not_delay_the_stop() {
    let server = start_waiting(Duration::from_millis(1)).await;
    let mut stream = begin_request(&server).await;
    assert!(!ends("the stop", server.stop()).await.matched);
    assert_eq!(stream.read(&mut [0; 8]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn concurrent_stops_return_the_same_outcome() {
    let server = start([get("/a")]).await;
    send(&server, ASK).await;
    let (one, two, three) = tokio::join!(server.stop(), server.stop(), server.stop());
    assert!(one.matched && two.matched && three.matched);
}

#[tokio::test]
async fn a_dropped_server_is_stopped() {
    let server = start([get("/a")]).await;
    let port = server.port();
    let mut stream = connect(&server).await;
    stream.write_all(ASK).await.unwrap();
    read_answer(&mut stream).await;
    drop(server);
    assert_eq!(stream.read(&mut [0; 8]).await.unwrap_or(0), 0);
    // The port is available again.
    let start_on = || MockServer::start([get("/a")], on("127.0.0.1", port));
    until("the port", async || start_on().await.is_ok()).await;
}

#[test]
fn leaves_no_tasks() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    for is_stopped in [true, false] {
        runtime.block_on(async {
            let server = start([get("/a")]).await;
            let mut idle = connect(&server).await;
            idle.write_all(ASK).await.unwrap();
            read_answer(&mut idle).await;
            if is_stopped {
                server.stop().await;
            } else {
                drop(server);
            }
            // For a short time, the runtime still counts a task that has ended.
            let metrics = tokio::runtime::Handle::current().metrics();
            until("no tasks", async || metrics.num_alive_tasks() == 0).await;
        });
    }
}

#[test]
fn a_server_may_outlive_its_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime.block_on(start([get("/a")]));
    drop(runtime);
    assert!(!server.outcome().matched);
    drop(server);
}

#[tokio::test]
async fn a_hundred_servers_at_once() {
    let mut servers = Vec::new();
    for _ in 0..100 {
        servers.push(start([get("/a")]).await);
    }
    for server in &servers {
        assert_eq!(status(&send(server, ASK).await), 200);
    }
    for server in &servers {
        assert!(server.stop().await.matched);
    }
}

#[tokio::test]
async fn serves_other_interactions_on_the_same_port() {
    let server = start([get("/a")]).await;
    assert_eq!(status(&send(&server, ASK).await), 200);
    let other = interaction(r#"{"request": {"path": "/a"}, "response": {"status": 202}}"#);
    server.substitute(Prepared::new([other], ServerOptions::default()).unwrap());
    assert!(server.received().is_empty() && !server.outcome().matched);
    assert_eq!(status(&send(&server, ASK).await), 202);
    assert_eq!(server.received().len(), 1);
    assert!(server.restore().unwrap().matched);
    assert!(server.restore().is_none());
    assert_eq!((status(&send(&server, ASK).await), server.received().len()), (200, 2));
}

#[tokio::test]
async fn the_outcome_of_a_stopped_server_is_that_of_the_original_interactions() {
    let server = start([get("/a")]).await;
    assert_eq!(status(&send(&server, ASK).await), 200);
    server.substitute(Prepared::new([get("/b")], ServerOptions::default()).unwrap());
    assert!(server.stop().await.matched);
}
