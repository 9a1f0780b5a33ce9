//! Benchmark: verifies interactions with a provider that responds immediately. The example `bare_client` is the
//! baseline.
//!
//! `cargo run --release -p contract-verifier --example verify [COUNT]`

use std::sync::Arc;
use std::time::Instant;

use contract_model::{Contract, Object};
use contract_verifier::{
    BoxFuture, CallbackError, NamedContract, Options, StateChange, StateHandler, States, TextOptions, Transport,
    Verifier,
};

mod common;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    let url = common::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    for (label, with_states, concurrency) in [
        ("without states", false, 1),
        ("with states", true, 1),
        ("without states, 8 at a time", false, 8),
    ] {
        let contract = Arc::new(contract(count, with_states)?);
        let mut times = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..common::ROUNDS {
            let mut options = Options::new("orders");
            options.transports.push(Transport::http(&url)?);
            options.states = Some(States {
                teardown: true,
                ..States::new(Arc::new(Nothing))
            });
            options.concurrency = concurrency;
            let contracts = vec![NamedContract::new(Arc::clone(&contract), "generated")];
            let started = Instant::now();
            let report = runtime.block_on(Verifier::new(options)?.verify(contracts))?;
            times.push(started.elapsed().as_secs_f64() * 1000.0);
            assert!(report.success, "{}", report.to_text(TextOptions::default()));
            let started = Instant::now();
            assert!(serde_json::to_string(&report)?.len() > count);
            texts.push(started.elapsed().as_secs_f64() * 1000.0);
        }
        let (time, text) = (common::median(times), common::median(texts));
        println!("verification, {count} interactions {label}: {time:.1} ms; report as JSON: {text:.1} ms");
    }
    Ok(())
}

struct Nothing;

impl StateHandler for Nothing {
    fn change(&self, _: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>> {
        Box::pin(async { Ok(Object::new()) })
    }
}

fn contract(count: usize, with_states: bool) -> Result<Contract, Box<dyn std::error::Error>> {
    let states = if with_states {
        r#"[{"name": "an order exists", "params": {"id": 7}}]"#
    } else {
        "[]"
    };
    let interaction = |number: usize| {
        format!(
            r#"{{"type": "Synchronous/HTTP", "description": "order {number}", "providerStates": {states},
                "request": {{"method": "GET", "path": "/orders/{number}", "query": {{"page": ["1"]}}, "headers": {{"Accept": ["application/json"]}}}},
                "response": {{"status": 200, "headers": {{"Content-Type": ["application/json"]}},
                    "body": {{"content": {{"id": 1, "name": "Bob", "tags": ["x"], "total": 1.5, "paid": false}}, "contentType": "application/json", "encoded": false}},
                    "matchingRules": {{"body": {{
                        "$.id": {{"combine": "AND", "matchers": [{{"match": "integer"}}]}},
                        "$.name": {{"combine": "AND", "matchers": [{{"match": "type"}}]}},
                        "$.tags": {{"combine": "AND", "matchers": [{{"match": "type", "min": 1}}]}},
                        "$.total": {{"combine": "AND", "matchers": [{{"match": "decimal"}}]}},
                        "$.paid": {{"combine": "AND", "matchers": [{{"match": "type"}}]}}}}}}}}}}"#
        )
    };
    let interactions: Vec<_> = (0..count).map(interaction).collect();
    let document = format!(
        r#"{{"consumer": {{"name": "web"}}, "provider": {{"name": "orders"}}, "interactions": [{}],
            "metadata": {{"pactSpecification": {{"version": "4.0"}}}}}}"#,
        interactions.join(",")
    );
    Ok(Contract::read(document.as_bytes())?.contract)
}
