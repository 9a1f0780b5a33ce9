//! This project's broker, in memory.

use std::sync::Arc;

use contract_broker::{Broker, Database, HttpLimits, Limits, Options, Permissions, Rules};
use tokio::net::TcpListener;

/// Starts a broker that runs as long as the test's runtime.
pub(crate) async fn start(permissions: Permissions) -> String {
    let options = Options {
        database: Database::Memory,
        base_urls: Vec::new(),
        permissions,
        rules: Rules::default(),
        limits: Limits::default(),
        http: HttpLimits::default(),
        retention: None,
        webhooks: contract_broker::WebhookOptions::default(),
        audit_days: None,
        release_memory: || (),
        tls: None,
        traces: None,
        log: Arc::new(|_| ()),
    };
    let broker = Broker::open(options).await.expect("a broker");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(broker.serve(listener, std::future::pending()));
    url
}
