//! Creates the contracts of the sample applications.

use serde_json::{Value, json};

use super::shop::Release;

pub(super) struct Contract {
    pub(super) document: Value,
}

impl Contract {
    pub(super) fn new(consumer: &str, provider: &str, release: Release) -> Self {
        let is_newer = release == Release::Newer;
        let interactions = match (consumer, provider) {
            ("checkout", "payments") => authorizations(is_newer),
            _ => ordinary(consumer, provider, is_newer),
        };
        Self {
            document: json!({
                "consumer": { "name": consumer },
                "provider": { "name": provider },
                "interactions": interactions,
                "metadata": { "pactSpecification": { "version": "4.0" } },
            }),
        }
    }

    pub(super) fn descriptions(&self) -> impl Iterator<Item = &str> {
        let interactions = self.document["interactions"].as_array();
        interactions
            .into_iter()
            .flatten()
            .filter_map(|http_interaction| http_interaction["description"].as_str())
    }
}

fn body(content: &Value) -> Value {
    json!({ "content": content, "contentType": "application/json", "encoded": false })
}

fn rule(matcher: &Value) -> Value {
    json!({ "combine": "AND", "matchers": [matcher] })
}

/// Returns the `matchingRules` of a body. `rules` contains a path and a matcher for each rule.
fn rules(rules: &[(&str, Value)]) -> Value {
    let rules = rules.iter().map(|(path, matcher)| ((*path).to_owned(), rule(matcher)));
    Value::Object(rules.collect())
}

fn by_type() -> Value {
    json!({ "match": "type" })
}

fn date_and_time() -> Value {
    json!({ "match": "datetime", "format": "yyyy-MM-dd'T'HH:mm:ssXXX" })
}

/// Returns one to four interactions, each of which reads a single resource or a list of resources.
fn ordinary(consumer: &str, provider: &str, is_newer: bool) -> Vec<Value> {
    let resource = ["-api", "-bff", "-check", "-gateway", "-sender", "-log"]
        .iter()
        .fold(provider, |name, suffix| name.strip_suffix(suffix).unwrap_or(name));
    let count = 1 + (consumer.len() + provider.len()) % 4;
    let mut interactions: Vec<Value> = (0..count)
        .map(|at| {
            if at % 2 == 0 {
                http_interaction(resource, at)
            } else {
                list(resource, at)
            }
        })
        .collect();
    if is_newer {
        change(consumer, provider, &mut interactions[0]);
    }
    interactions
}

fn http_interaction(resource: &str, at: usize) -> Value {
    let id = 81 + at;
    json!({
        "type": "Synchronous/HTTP",
        "key": format!("{resource}-{at}"),
        "description": format!("a request for {resource} {id}"),
        "providerStates": [{ "name": format!("{resource} {id} exists") }],
        "request": {
            "method": "GET",
            "path": format!("/{resource}/{id}"),
            "headers": { "Accept": ["application/json"] },
        },
        "response": {
            "status": 200,
            "headers": { "Content-Type": ["application/json"] },
            "body": body(&json!({ "id": id.to_string(), "status": "open", "total": 49.9, "updatedAt": "2026-11-20T09:12:00Z" })),
            "matchingRules": { "body": rules(&[
                ("$.id", by_type()),
                ("$.status", json!({ "match": "regex", "regex": "open|shipped|cancelled" })),
                ("$.total", json!({ "match": "decimal" })),
                ("$.updatedAt", date_and_time()),
            ]) },
        },
    })
}

fn list(resource: &str, at: usize) -> Value {
    let (state, subject) = if at == 1 {
        ("exist", "of a customer")
    } else {
        ("of the last month exist", "of the last month")
    };
    json!({
        "type": "Synchronous/HTTP",
        "key": format!("{resource}-{at}"),
        "description": format!("a request for all {resource} {subject}"),
        "providerStates": [{ "name": format!("{resource} {state}") }],
        "request": {
            "method": "GET",
            "path": format!("/{resource}"),
            "query": { "customer": ["4711"], "limit": ["20"] },
            "headers": { "Accept": ["application/json"] },
        },
        "response": {
            "status": 200,
            "headers": { "Content-Type": ["application/json"] },
            "body": body(&json!({ "items": [{ "id": "81", "status": "open" }], "next": null })),
            "matchingRules": { "body": rules(&[
                ("$.items", json!({ "match": "type", "min": 1 })),
                ("$.items[*].id", by_type()),
            ]) },
        },
    })
}

/// Adds the response field that the newer versions of some consumers require.
fn change(consumer: &str, provider: &str, interaction: &mut Value) {
    let (field, value, matcher) = match (consumer, provider) {
        ("checkout", "loyalty") | ("mobile-bff", "promotions") => ("points", json!(120), None),
        ("returns", "orders") => ("refundable", json!(true), Some(json!({ "match": "boolean" }))),
        _ => return,
    };
    let response = &mut interaction["response"];
    response["body"]["content"][field] = value;
    if let Some(matcher) = matcher {
        response["matchingRules"]["body"][format!("$.{field}")] = rule(&matcher);
    }
}

/// Returns the interactions between `checkout` and `payments`. The newer version of `checkout` requires the `expiresAt`
/// field, which the older version of `payments` lacks.
fn authorizations(is_newer: bool) -> Vec<Value> {
    let mut interactions = vec![authorization(is_newer)];
    interactions.extend([
        refusal(
            "declined",
            "a request to authorize with a declined card",
            402,
            "card_declined",
        ),
        refusal(
            "limit",
            "a request above the limit of a customer",
            402,
            "limit_exceeded",
        ),
        refusal(
            "unknown",
            "a request for an unknown authorization",
            404,
            "unknown_authorization",
        ),
    ]);
    interactions.push(json!({
        "type": "Asynchronous/Messages",
        "key": "captured",
        "description": "a “payment captured” event",
        "providerStates": [{ "name": "authorization a_81f3 is captured" }],
        "contents": body(&json!({ "id": "a_81f3", "capturedAt": "2026-11-22T18:30:00Z" })),
        "matchingRules": { "body": rules(&[("$.id", by_type()), ("$.capturedAt", date_and_time())]) },
        "metadata": { "contentType": "application/json", "topic": "payments.captured" },
    }));
    interactions
}

fn refusal(key: &str, description: &str, status: u16, code: &str) -> Value {
    let state = match key {
        "declined" => json!([{ "name": "card 4000 is declined" }]),
        _ => json!([]),
    };
    let (method, path) = match key {
        "unknown" => ("GET", "/authorizations/a_0000"),
        _ => ("POST", "/authorizations"),
    };
    json!({
        "type": "Synchronous/HTTP",
        "key": key,
        "description": description,
        "providerStates": state,
        "request": { "method": method, "path": path },
        "response": {
            "status": status,
            "headers": { "Content-Type": ["application/json"] },
            "body": body(&json!({ "code": code, "retry": key == "limit" })),
            "matchingRules": { "body": rules(&[("$.retry", json!({ "match": "boolean" }))]) },
        },
    })
}

fn authorization(is_newer: bool) -> Value {
    let mut interaction = json!({
        "type": "Synchronous/HTTP",
        "key": "authorize",
        "description": "a request to authorize a payment",
        "providerStates": [
            { "name": "customer 4711 exists" },
            { "name": "card 4242 is valid", "params": { "currency": "EUR", "limit": 500 } },
        ],
        "request": {
            "method": "POST",
            "path": "/authorizations",
            "headers": {
                "Content-Type": ["application/json"],
                "Idempotency-Key": ["5f0c2a9e-77b1-4d3e-9a51-0d8c2e7f4b60"],
            },
            "body": body(&json!({ "customerId": 4711, "amount": { "value": 49.9, "currency": "EUR" }, "card": "tok_4242" })),
            "matchingRules": {
                "header": {
                    "Idempotency-Key": rule(&json!({ "match": "regex", "regex": "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}" })),
                },
                "body": rules(&[
                    ("$.customerId", json!({ "match": "integer" })),
                    ("$.amount.value", json!({ "match": "decimal" })),
                    ("$.amount.currency", json!({ "match": "regex", "regex": "[A-Z]{3}" })),
                ]),
            },
        },
        "response": {
            "status": 201,
            "headers": { "Content-Type": ["application/json"], "Location": ["/authorizations/a_81f3"] },
            "body": body(&json!({
                "authorization": { "id": "a_81f3", "status": "authorized", "amount": 49.9 },
                "checks": [{ "name": "cvc", "passed": true }],
            })),
            "matchingRules": {
                "header": { "Location": rule(&json!({ "match": "regex", "regex": "/authorizations/a_\\w+" })) },
                "body": rules(&[
                    ("$.authorization.id", json!({ "match": "regex", "regex": "a_\\w+" })),
                    ("$.authorization.status", by_type()),
                    ("$.authorization.amount", json!({ "match": "decimal" })),
                    ("$.checks", json!({ "match": "type", "min": 1 })),
                    ("$.checks[*].name", by_type()),
                    ("$.checks[*].passed", json!({ "match": "boolean" })),
                ]),
            },
        },
        "comments": {
            "text": [
                "We show the customer how long the amount is reserved. See [ADR 31](https://adr.fernway.example/31).",
                "- **EUR and SEK only.** Other currencies go through `/quotes` first.",
            ],
            "testname": "checkout reserves the amount",
        },
    });
    if is_newer {
        let response = &mut interaction["response"];
        response["body"]["content"]["authorization"]["expiresAt"] = json!("2026-11-22T18:30:00Z");
        let rules = &mut response["matchingRules"]["body"];
        rules["$.authorization.expiresAt"] = rule(&date_and_time());
        rules["$.authorization.status"] = rule(&json!({ "match": "regex", "regex": "authorized|review" }));
    }
    interaction
}
