//! Helpers for the tests: interactions from JSON, and a client that sends raw bytes.

use std::sync::Arc;
use std::time::Duration;

use contract_mock_server::{MockServer, ServerOptions};
use contract_model::{Interaction, Json, SpecificationVersion};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Parses an interaction in the V4 format. The `type` member is optional.
pub(crate) fn interaction(json: &str) -> Arc<Interaction> {
    let mut json = Json::parse(json.as_bytes()).unwrap();
    let members = json.as_object_mut().unwrap();
    if !members.contains_key("type") {
        members.insert("type", "Synchronous/HTTP");
    }
    let (interaction, _) = Interaction::read(&json, SpecificationVersion::V4).unwrap();
    Arc::new(interaction)
}

/// Returns an interaction with a GET request for this path and a response with status 200 and a text body.
pub(crate) fn get(path: &str) -> Arc<Interaction> {
    interaction(&format!(
        r#"{{"description": "a request for {path}", "request": {{"method": "GET", "path": "{path}"}},
            "response": {{"status": 200, "headers": {{"Content-Type": ["text/plain"]}},
                          "body": {{"content": "here", "contentType": "text/plain"}}}}}}"#
    ))
}

pub(crate) async fn start(interactions: impl IntoIterator<Item = Arc<Interaction>>) -> MockServer {
    start_with(interactions, ServerOptions::default()).await
}

pub(crate) async fn start_with(
    interactions: impl IntoIterator<Item = Arc<Interaction>>,
    options: ServerOptions,
) -> MockServer {
    MockServer::start(interactions, options).await.unwrap()
}

pub(crate) async fn connect(server: &MockServer) -> TcpStream {
    TcpStream::connect(("127.0.0.1", server.port())).await.unwrap()
}

/// Sends bytes over a new connection and reads one response.
pub(crate) async fn send(server: &MockServer, bytes: &[u8]) -> String {
    let mut stream = connect(server).await;
    stream.write_all(bytes).await.unwrap();
    read_answer(&mut stream).await
}

/// Waits until the condition is true. The timeout only ends a test that would otherwise hang.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !condition().await {
            tokio::task::yield_now().await;
        }
    };
    ends(what, wait).await;
}

/// Waits for a future that should complete immediately. The timeout ends the test if the server waits for something
/// that never happens.
pub(crate) async fn ends<T>(what: &str, future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_secs(30), future).await;
    ended.unwrap_or_else(|_| panic!("timed out: {what}"))
}

/// A duration that is longer than any test.
pub(crate) const NEVER: Duration = Duration::from_secs(3600);

/// Sends the head of a request, and waits until the server requests the body of four bytes.
pub(crate) async fn begin_request(server: &MockServer) -> TcpStream {
    let mut stream = connect(server).await;
    let head = b"GET /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head).await.unwrap();
    assert_eq!(status(&read_answer(&mut stream).await), 100);
    stream
}

/// Reads one response: the head, and a body of the length in the head.
pub(crate) async fn read_answer(stream: &mut TcpStream) -> String {
    let answer = tokio::time::timeout(Duration::from_secs(10), answer_of(stream)).await;
    answer.expect("no answer within ten seconds")
}

async fn answer_of(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // Read the head byte by byte, because the bytes after this response belong to the next one.
    while !bytes.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else {
            return text(&bytes);
        };
        bytes.push(byte);
    }
    let head = text(&bytes);
    let length = header(&head, "content-length").map(|length| length.parse::<usize>().unwrap());
    if let Some(length) = length.filter(|_| ![204, 304].contains(&status(&head))) {
        let start = bytes.len();
        bytes.resize(start + length, 0);
        stream.read_exact(&mut bytes[start..]).await.unwrap();
    } else if header(&head, "transfer-encoding").is_some() {
        while !bytes.ends_with(b"0\r\n\r\n") {
            bytes.push(stream.read_u8().await.unwrap());
        }
    } else if status(&head) >= 200 && ![204, 304].contains(&status(&head)) {
        stream.read_to_end(&mut bytes).await.unwrap();
    }
    text(&bytes)
}

/// Decodes Latin-1, which is how the tests read headers.
fn text(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap_or("0").parse().unwrap()
}

pub(crate) fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next()?;
    head.lines().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then_some(value.trim_matches(' '))
    })
}

pub(crate) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

pub(crate) fn json(answer: &str) -> Json {
    Json::parse(body(answer).as_bytes()).unwrap()
}
