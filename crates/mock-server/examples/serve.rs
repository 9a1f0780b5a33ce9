//! A mock server for benchmarks. It serves GET /items/1 to /items/N and POST /orders/1 with ten matching rules, or the
//! interactions of a contract file.
//!
//! `cargo run --release -p contract-mock-server --example serve -- [port] [N | contract file]`

use contract_mock_server::{MockServer, ServerOptions};
use contract_model::{Contract, Interaction, Json, SpecificationVersion};

const ORDER: &str = include_str!("order.json");

type Problem = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Problem> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let source = arguments.next().unwrap_or_else(|| "1".into());
    let interactions = match source.parse::<usize>() {
        Ok(count) => measured(count)?,
        Err(_) => Contract::read(&std::fs::read(source)?)?.contract.interactions,
    };
    let options = ServerOptions {
        port,
        ..ServerOptions::default()
    };
    let begun = std::time::Instant::now();
    let server = MockServer::start(interactions, options).await?;
    println!("{} (started in {:?})", server.url(), begun.elapsed());
    // Run until standard input ends.
    let mut line = String::new();
    tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut line)).await??;
    let (resident, begun) = (resident(), std::time::Instant::now());
    let outcome = server.stop().await;
    println!("stopped in {:?}; {resident} kB resident", begun.elapsed());
    println!("{:?}", outcome.requests);
    Ok(())
}

fn measured(count: usize) -> Result<Vec<Interaction>, Problem> {
    let items = (1..=count).map(|number| {
        format!(
            r#"{{"type": "Synchronous/HTTP", "description": "item {number}",
                "request": {{"method": "GET", "path": "/items/{number}"}},
                "response": {{"status": 200, "headers": {{"Content-Type": ["application/json"]}},
                              "body": {{"content": {ORDER}, "contentType": "application/json"}}}}}}"#
        )
    });
    let rule = |path: &str, rule: &str| format!(r#""$.{path}": {{"combine": "AND", "matchers": [{rule}]}}"#);
    let rules = [
        rule("id", r#"{"match": "integer"}"#),
        rule("name", r#"{"match": "type"}"#),
        rule("price", r#"{"match": "decimal"}"#),
        rule("active", r#"{"match": "boolean"}"#),
        rule(
            "uuid",
            r#"{"match": "regex", "regex": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"}"#,
        ),
        rule(
            "createdAt",
            r#"{"match": "datetime", "format": "yyyy-MM-dd'T'HH:mm:ss"}"#,
        ),
        rule("email", r#"{"match": "regex", "regex": "^[^@]+@[^@]+$"}"#),
        rule("status", r#"{"match": "regex", "regex": "^(open|closed)$"}"#),
        rule("quantity", r#"{"match": "type"}"#),
        rule("note", r#"{"match": "type"}"#),
    ]
    .join(", ");
    let order = format!(
        r#"{{"type": "Synchronous/HTTP", "description": "an order",
            "request": {{"method": "POST", "path": "/orders/1", "headers": {{"Content-Type": ["application/json"]}},
                         "body": {{"content": {ORDER}, "contentType": "application/json"}},
                         "matchingRules": {{"body": {{{rules}}}}}}},
            "response": {{"status": 200, "headers": {{"Content-Type": ["application/json"]}},
                          "body": {{"content": {ORDER}, "contentType": "application/json"}}}}}}"#
    );
    items.chain([order]).map(|text| read(&text)).collect()
}

fn read(text: &str) -> Result<Interaction, Problem> {
    let (interaction, _) = Interaction::read(&Json::parse(text.as_bytes())?, SpecificationVersion::V4)?;
    Ok(interaction)
}

/// Returns the resident memory in kB, if the operating system reports it.
fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.unwrap_or("? kB").trim().trim_end_matches(" kB").to_owned()
}
