//! Starts a broker on a free port and sends requests to it.
#![allow(clippy::format_push_string, reason = "this module contains only tests")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract_broker::{Broker, Database, HttpLimits, Keyring, Limits, Options, Permissions, Rules, WebhookOptions};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct Running {
    pub address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
    runtime: Option<Runtime>,
}

/// Creates an empty schema in the PostgreSQL test database, if one is configured.
pub(crate) fn postgres(schema: &str) -> Option<Database> {
    let address = std::env::var("CONTRACT_BROKER_POSTGRES").ok()?;
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls)
            .await
            .expect("a connection");
        tokio::spawn(async move { drop(connection.await) });
        client
            .batch_execute(&format!(
                "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}"
            ))
            .await
            .expect("an empty schema");
    });
    let separator = if address.contains('?') { '&' } else { '?' };
    Some(Database::Postgres(format!(
        "{address}{separator}options=-csearch_path%3D{schema}"
    )))
}

pub(crate) fn start(database: Database) -> Running {
    start_with(database, Permissions::default())
}

pub(crate) fn start_with(database: Database, permissions: Permissions) -> Running {
    start_as(Options {
        permissions,
        ..options(database)
    })
}

/// Returns default options with a log that prints errors. If a PostgreSQL test database is configured, it replaces the
/// in-memory database.
pub(crate) fn options(database: Database) -> Options {
    static SCHEMAS: AtomicUsize = AtomicUsize::new(0);
    let schema = || format!("test{}", SCHEMAS.fetch_add(1, Ordering::Relaxed));
    let database = match database {
        Database::Memory => postgres(&schema()).unwrap_or(Database::Memory),
        named => named,
    };
    Options {
        database,
        base_urls: vec![],
        permissions: Permissions::default(),
        rules: Rules::default(),
        limits: Limits::default(),
        http: HttpLimits::default(),
        retention: None,
        webhooks: WebhookOptions {
            keys: Keyring::parse(&Keyring::generate().expect("a key")).expect("a key"),
            ..WebhookOptions::default()
        },
        audit_days: None,
        release_memory: || (),
        tls: None,
        traces: None,
        log: Arc::new(|entry| {
            if entry.level == contract_broker::Level::Error {
                eprintln!("{entry:?}");
            }
        }),
    }
}

pub(crate) fn start_as(options: Options) -> Running {
    let runtime = Runtime::new().expect("a runtime");
    let broker = runtime.block_on(Broker::open(options)).expect("a broker");
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let (end, ended) = oneshot::channel::<()>();
    let serving = runtime.spawn(broker.serve(listener, async { drop(ended.await) }));
    Running {
        address,
        end: Some(end),
        serving: Some(serving),
        runtime: Some(runtime),
    }
}

impl Running {
    /// Stops the broker and waits until it has stopped.
    pub(crate) fn stop(mut self) {
        drop(self.end.take());
        if let (Some(serving), Some(runtime)) = (self.serving.take(), &self.runtime) {
            runtime.block_on(serving).expect("a clean shutdown");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns all values of a header.
    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.headers.iter().filter(move |(known, _)| known == name);
        values.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("invalid JSON ({error}): {self:?}"))
    }
}

impl Running {
    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&[u8]>) -> Answer {
        send(self.address, method, path, headers, body)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[("accept", "application/hal+json")], None)
    }

    pub(crate) fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("accept", "application/hal+json"), ("content-type", "application/json")];
        self.send(method, path, &headers, Some(body.to_string().as_bytes()))
    }
}

pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Answer {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = body {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    stream
        .write_all(format!("{head}\r\n").as_bytes())
        .expect("the head is sent");
    // The broker may respond before it has read the whole body.
    let _ = stream.write_all(body.unwrap_or_default());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no response to {method} {path}: {text:?}"));
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|code| code.parse().ok());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    Answer {
        status: status.expect("a status"),
        headers,
        text: body.to_owned(),
    }
}
