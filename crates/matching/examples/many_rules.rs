//! Measures each step of matching for a contract with very many rules: `cargo run --release -p contract-matching
//! --example many_rules -- COUNT`. With ten times the rules, each step should take ten times as long.

use std::time::Instant;

use contract_matching::{ActualResponse, Options, ResponsePlan};
use contract_model::{Json, Response, SpecificationVersion};

/// Runs a step and prints how long it takes.
fn timed<T>(step: &str, run: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let output = run();
    println!("  {step:<24}{:>10.1} ms", started.elapsed().as_secs_f64() * 1000.0);
    output
}

/// Returns a response with `count` members in its body. Each member has its own rule.
fn response(count: usize) -> String {
    let members: Vec<_> = (0..count).map(|n| format!(r#""m{n}":{{"id":{n}}}"#)).collect();
    let rules: Vec<_> = (0..count)
        .map(|n| format!(r#""$.m{n}.id":{{"combine":"AND","matchers":[{{"match":"integer"}}]}}"#))
        .collect();
    format!(
        r#"{{"status":200,"headers":{{"Content-Type":["application/json"]}},"body":{{"contentType":"application/json","content":{{{}}}}},"matchingRules":{{"body":{{{}}}}}}}"#,
        members.join(","),
        rules.join(",")
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rule_count = std::env::args().nth(1).map_or(Ok(1_000_000), |count| count.parse())?;
    for count in [rule_count / 100, rule_count / 10, rule_count] {
        println!("{count} rules");
        let text = response(count);
        let json = timed("JSON", || Json::parse(text.as_bytes()))?;
        let (response, _) = timed("model", || Response::read(&json, SpecificationVersion::V4))?;
        let plan = timed("plan", || ResponsePlan::new(&response, Options::LENIENT))?;
        let actual = ActualResponse::from(&response);
        timed("compare", || assert!(plan.compare(&actual).is_empty()));
        timed("compare again", || assert!(plan.compare(&actual).is_empty()));
        timed("plan dropped", || drop(plan));
        timed("model dropped", || drop((response, json, actual)));
    }
    Ok(())
}
