//! Webhook requests are not lost when the broker is killed.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use crate::process::{self, BrokerProcess, command, send};

/// Number of publications, unless `CONTRACT_BROKER_DELIVERIES` is set. Each triggers one request.
const DELIVERIES: usize = 400;
/// Number of consumers, each with a webhook.
const CONSUMERS: usize = 8;
/// Maximum number of kills, unless `CONTRACT_BROKER_WEBHOOK_KILLS` is set.
const KILLS: u64 = 4;
/// Time between kills, unless `CONTRACT_BROKER_KILL_INTERVAL` is set, in milliseconds.
const KILL_INTERVAL: u64 = 150;
const PROVIDER: &str = "provider-of-killed-webhooks";
/// Maximum time without a new request.
const PATIENCE: Duration = Duration::from_secs(60);

fn number<N: std::str::FromStr>(variable: &str, default: N) -> N {
    let value = std::env::var(variable).ok();
    value.map_or(default, |value| {
        value.parse().unwrap_or_else(|_| panic!("{variable} is not a number"))
    })
}

/// Returns a name that no other process uses.
fn consumer_name(consumer: usize) -> String {
    format!("consumer-{}-{consumer}", std::process::id())
}

/// The bodies of the requests that each webhook has sent, in order, without repetitions.
type Received = Arc<Mutex<HashMap<String, Vec<usize>>>>;

/// Receives requests. The path identifies the webhook, and the body contains the version.
fn receive(received: Received, repeated: Arc<AtomicUsize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (received, repeated) = (Arc::clone(&received), Arc::clone(&repeated));
            std::thread::spawn(move || answer(stream, &received, &repeated));
        }
    });
    address
}

fn answer(mut stream: TcpStream, received: &Received, repeated: &AtomicUsize) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 2048];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
            if body.len() >= length {
                let webhook = head.split(' ').nth(1).expect("a path").to_owned();
                let version = body.parse().expect("a version");
                let mut received = received.lock().expect("no panic");
                let versions = received.entry(webhook).or_default();
                if versions.contains(&version) {
                    repeated.fetch_add(1, Ordering::Relaxed);
                } else {
                    versions.push(version);
                }
                drop(received);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn start(database: &str) -> BrokerProcess {
    let options = "serve --listen 127.0.0.1:0 --log-level error --allow-anonymous --stop-with-stdin \
                   --webhook-scheme-whitelist http --webhook-network-whitelist 127.0.0.1";
    let mut arguments: Vec<&str> = options.split_whitespace().collect();
    arguments.extend(["--webhook-retry-schedule", "1 1 1 1 1 1 1 1 1 1", "--db", database]);
    process::start(command(&arguments, &[]))
}

fn publish(address: &RwLock<String>, consumer: &str, version: usize) {
    let path = format!("/pacts/provider/{PROVIDER}/consumer/{consumer}/version/{version}");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let at = address.read().expect("no panic").clone();
        match send(&at, "PUT", &path, r#"{"interactions": []}"#) {
            Some((200 | 201, _)) => return,
            // The broker was killed, or is starting.
            None => std::thread::sleep(Duration::from_millis(20)),
            Some((status, body)) => panic!("{status} for {path}: {body}"),
        }
        assert!(Instant::now() < deadline, "{path} could not be published");
    }
}

/// Creates the webhooks, publishes, and kills the broker again and again until all requests have been received.
fn deliver(database: &str) {
    let deliveries = number("CONTRACT_BROKER_DELIVERIES", DELIVERIES);
    let interval = number("CONTRACT_BROKER_KILL_INTERVAL", KILL_INTERVAL);
    let max_kills = number("CONTRACT_BROKER_WEBHOOK_KILLS", KILLS);
    let expected = deliveries / CONSUMERS * CONSUMERS;
    let (received, repeated) = (Received::default(), Arc::new(AtomicUsize::new(0)));
    let target = receive(Arc::clone(&received), Arc::clone(&repeated));
    let mut broker = start(database);
    for consumer in 0..CONSUMERS {
        let name = consumer_name(consumer);
        assert!(send(&broker.address, "PUT", &format!("/pacticipants/{name}"), "{}").is_some());
        let webhook = format!(
            r#"{{"consumer": {{"name": "{name}"}}, "events": [{{"name": "contract_published"}}],
                "request": {{"method": "POST", "url": "http://{target}/{name}", "body": "${{pactbroker.consumerVersionNumber}}"}}}}"#
        );
        let created = send(
            &broker.address,
            "PUT",
            &format!("/webhooks/webhook-of-{name}"),
            &webhook,
        );
        assert!(matches!(created, Some((201, _))), "{created:?}");
    }
    let address = RwLock::new(broker.address.clone());
    let mut kills = 0;
    let count = || received.lock().expect("no panic").values().map(Vec::len).sum::<usize>();
    std::thread::scope(|scope| {
        for consumer in 0..CONSUMERS {
            let address = &address;
            scope.spawn(move || {
                for version in 0..deliveries / CONSUMERS {
                    publish(address, &consumer_name(consumer), version);
                }
            });
        }
        while kills < max_kills && count() < expected {
            // Avoid multiples of the broker's own intervals.
            std::thread::sleep(Duration::from_millis(interval + 37 * (kills % 7)));
            broker.child.kill().expect("the process is killed");
            broker.child.wait().expect("the process has ended");
            kills += 1;
            broker = start(database);
            address.write().expect("no panic").clone_from(&broker.address);
        }
    });
    let (mut last, mut since) = (count(), Instant::now());
    while last < expected {
        std::thread::sleep(Duration::from_millis(50));
        let now = count();
        if now > last {
            (last, since) = (now, Instant::now());
        }
        assert!(since.elapsed() < PATIENCE, "{now} of {expected} requests were received");
    }
    for (webhook, versions) in received.lock().expect("no panic").iter() {
        assert!(versions.is_sorted(), "{webhook}: {versions:?}");
        assert_eq!(versions.len(), deliveries / CONSUMERS, "{webhook}");
    }
    eprintln!(
        "{expected} requests were received in order, {} of them twice, while the broker was killed {kills} times",
        repeated.load(Ordering::Relaxed)
    );
}

#[test]
fn every_request_of_a_webhook_is_sent_from_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file: &Path = &directory.path().join("broker.sqlite");
    deliver(&format!("sqlite:{}", file.display()));
}

/// `CONTRACT_BROKER_POSTGRES` is the address of a test database.
#[test]
fn every_request_of_a_webhook_is_sent_from_postgres() {
    if let Ok(address) = std::env::var("CONTRACT_BROKER_POSTGRES") {
        deliver(&address);
    }
}
