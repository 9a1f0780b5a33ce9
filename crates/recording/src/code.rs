//! Converts interactions to a consumer test in TypeScript.

use std::fmt::Write as _;

use contract_matching::UUID_PATTERN;
use contract_model::{
    Body, Content, ContentValue, Contract, HttpInteraction, Json, PathExpression, PathRules, PathToken, Rule, RuleList,
    Text, write_string,
};

/// Returns a test file for `node:test` with one test for each interaction. The tests call `fetch`, which users replace
/// with calls to their client.
pub fn to_code(contract: &Contract) -> String {
    let mut code = String::from(
        "// Written by contract record. Review the matchers: keep only what your client uses, add provider states, and\n\
        // replace the calls to fetch with calls to your client.\n\
         import assert from 'node:assert/strict'\n\
         import { test } from 'node:test'\n\
         import { Contract, match } from 'contract'\n\n",
    );
    let (consumer, provider) = (quoted(&contract.consumer), quoted(&contract.provider));
    // Writing to a string cannot fail.
    let _ = writeln!(
        code,
        "const contract = new Contract({consumer}, {provider}, {{ directory: './contracts' }})"
    );
    for interaction in &contract.interactions {
        if let Some(http) = interaction.http() {
            code.push_str(&test(&interaction.description, http));
        }
    }
    code
}

fn test(description: &str, http: &HttpInteraction) -> String {
    let name = quoted(description);
    let mut code = format!("\ntest({name}, async () => {{\n  contract\n    .uponReceiving({name})\n");
    let mut line = |text: String| {
        let _ = writeln!(code, "    {text}");
    };
    let request = &http.request;
    let path = text_of(&request.path, request.rules.path.as_ref());
    line(format!(".withRequest({}, {path})", quoted(&request.method)));
    for name in request.query.names() {
        let rule = request.rules.query.get(name);
        let values: Vec<String> = request
            .query
            .values(name)
            .map(|value| text_of(value.map_or("", Text::as_str), rule))
            .collect();
        let values = match values.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        line(format!(".withQueryParameter({}, {values})", quoted(name)));
    }
    for (name, values) in request.headers.iter() {
        line(format!(".withHeader({}, {})", quoted(name), quoted(&values.join(", "))));
    }
    if let Some(call) = body_call(&request.body, &request.rules.body) {
        line(call);
    }
    let response = &http.response;
    line(format!(".willRespondWith({})", response.status));
    for (name, values) in response.headers.iter() {
        let value = text_of(&values.join(", "), response.rules.header.get(name));
        line(format!(".withHeader({}, {value})", quoted(name)));
    }
    if let Some(call) = body_call(&response.body, &response.rules.body) {
        line(call);
    }
    code.push_str("  await contract.serve(async ({ url }) => {\n");
    code.push_str(&call(http));
    let _ = writeln!(
        code,
        "    assert.equal(response.status, {})\n  }})\n}})",
        response.status
    );
    code
}

/// Returns the call to `fetch` for a request.
fn call(http: &HttpInteraction) -> String {
    let request = &http.request;
    let query = request.query.to_text();
    let target = if query.is_empty() {
        request.path.to_string()
    } else {
        format!("{}?{query}", request.path)
    };
    let mut options = Vec::new();
    if request.method != "GET" {
        options.push(format!("method: {}", quoted(&request.method)));
    }
    if !request.headers.is_empty() {
        let headers = request.headers.iter();
        let headers: Vec<String> = headers
            .map(|(name, values)| format!("{}: {}", quoted(name), quoted(&values.join(", "))))
            .collect();
        options.push(format!("headers: {{ {} }}", headers.join(", ")));
    }
    match &request.body {
        Body::Present(content) => {
            if let Some(text) = content.text() {
                options.push(format!("body: {}", quoted(&text)));
            }
        }
        Body::Null => options.push("body: 'null'".to_owned()),
        Body::Missing | Body::Empty => {}
    }
    let options = if options.is_empty() {
        String::new()
    } else {
        format!(", {{ {} }}", options.join(", "))
    };
    format!("    const response = await fetch(url + {}{options})\n", quoted(&target))
}

fn body_call(body: &Body, rules: &PathRules) -> Option<String> {
    match body {
        Body::Missing | Body::Empty => None,
        Body::Null => Some(".withJsonBody(null)".to_owned()),
        Body::Present(Content {
            value: ContentValue::Json(json),
            content_type,
            ..
        }) => {
            let value = value(json, rules, &PathExpression::root(), 2);
            let kind = content_type
                .as_ref()
                .filter(|kind| kind.essence() != "application/json");
            let kind = kind.map_or_else(String::new, |kind| format!(", {}", quoted(&kind.to_string())));
            Some(format!(".withJsonBody({value}{kind})"))
        }
        Body::Present(content) => Some(match content.text() {
            Some(text) => {
                let kind = content.content_type.as_ref();
                let kind = kind.map_or_else(String::new, |kind| format!(", {}", quoted(&kind.to_string())));
                format!(".withTextBody({}{kind})", quoted(&text))
            }
            None => format!(
                ".withBinaryBody(Uint8Array.of({}))",
                content.bytes().iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

fn text_of(example: &str, rule: Option<&RuleList>) -> String {
    match rule.and_then(|list| list.rules.first()) {
        Some(Rule::Regex(pattern)) => regex(example, pattern),
        Some(Rule::Type { .. }) => format!("match.str({})", quoted(example)),
        _ => quoted(example),
    }
}

fn regex(example: &str, pattern: &str) -> String {
    if pattern == UUID_PATTERN {
        return format!("match.uuid({})", quoted(example));
    }
    format!("match.regex({}, {})", quoted(example), quoted(pattern))
}

fn value(json: &Json, rules: &PathRules, at: &PathExpression, depth: usize) -> String {
    let rule = rules.get(at).and_then(|list| list.rules.first());
    match (json, rule) {
        (Json::Object(members), Some(Rule::Values)) => match members.iter().next() {
            Some((name, inner)) => format!(
                "match.eachKeyLike({}, {})",
                quoted(name),
                value(inner, rules, &at.join(PathToken::AnyKey), depth)
            ),
            None => "{}".to_owned(),
        },
        (Json::Object(members), _) => {
            if members.is_empty() {
                return "{}".to_owned();
            }
            let indent = "  ".repeat(depth + 1);
            let lines: Vec<String> = members
                .iter()
                .map(|(name, inner)| {
                    let inner = value(inner, rules, &at.join(PathToken::Key(name.clone())), depth + 1);
                    format!("{indent}{}: {inner},\n", key(name))
                })
                .collect();
            format!("{{\n{}{}}}", lines.concat(), "  ".repeat(depth))
        }
        (Json::Array(items), Some(Rule::Type { min, .. })) => match items.first() {
            Some(item) => {
                let item = value(item, rules, &at.join(PathToken::AnyIndex), depth);
                if min.is_some() {
                    format!("match.eachLike({item})")
                } else {
                    format!("match.eachLike({item}, {{ min: 0 }})")
                }
            }
            None => "match.like([])".to_owned(),
        },
        (Json::Array(items), _) => {
            let items: Vec<String> = items
                .iter()
                .enumerate()
                .map(|(index, item)| value(item, rules, &at.join(PathToken::Index(index)), depth))
                .collect();
            format!("[{}]", items.join(", "))
        }
        (scalar, Some(Rule::Integer)) => format!("match.int({})", scalar.to_text()),
        (scalar, Some(Rule::Number | Rule::Decimal)) => format!("match.number({})", scalar.to_text()),
        (Json::String(text), Some(Rule::Regex(pattern))) => regex(text, pattern),
        (Json::String(text), Some(_)) => format!("match.str({})", quoted(text)),
        (Json::Bool(bool), Some(_)) => format!("match.bool({bool})"),
        (Json::String(text), None) => quoted(text),
        (scalar, _) => scalar.to_text(),
    }
}

/// Returns the name of an object member as JavaScript source, in quotes if necessary.
fn key(name: &str) -> String {
    let mut characters = name.chars();
    let is_identifier = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || "_$".contains(first))
        && characters.all(|next| next.is_ascii_alphanumeric() || "_$".contains(next));
    if is_identifier && name != "__proto__" {
        name.to_owned()
    } else if name == "__proto__" {
        "['__proto__']".to_owned()
    } else {
        quoted(name)
    }
}

/// Returns a string literal in JavaScript. JSON strings are valid JavaScript.
fn quoted(text: &str) -> String {
    let is_plain =
        |next: char| next != '\'' && next != '\\' && !next.is_control() && !matches!(next, '\u{2028}' | '\u{2029}');
    if text.chars().all(is_plain) {
        return format!("'{text}'");
    }
    let mut literal = String::new();
    write_string(text, &mut literal);
    literal
}

#[cfg(test)]
mod tests {
    use contract_model::Headers;

    use super::to_code;
    use crate::{Exchange, Options, infer};

    #[test]
    fn interactions_become_tests() {
        let exchange = Exchange {
            method: "POST".into(),
            path: "/orders/7/items".into(),
            query: contract_model::Query::parse("page=2"),
            request_headers: [("Content-Type", "application/json")].into_iter().collect(),
            request_body: r#"{"item": "it's"}"#.into(),
            status: 201,
            response_headers: [("Content-Type", "application/json"), ("Location", "/items/1")]
                .into_iter()
                .collect::<Headers>(),
            response_body: r#"{"items": [{"id": 1, "unit price": 1.5}], "empty": [], "on": true}"#.into(),
            ..Exchange::default()
        };
        let code = to_code(&infer(vec![exchange], &Options::new("web", "orders")).contract);
        let (_, test) = code.split_once("\ntest(").unwrap();
        assert_eq!(
            format!("test({test}"),
            r#"test('POST /orders/{number}/items returns 201', async () => {
  contract
    .uponReceiving('POST /orders/{number}/items returns 201')
    .withRequest('POST', match.regex('/orders/7/items', "/orders/\\d+/items"))
    .withQueryParameter('page', match.regex('2', "\\d+"))
    .withHeader('Content-Type', 'application/json')
    .withJsonBody({
      item: match.str("it's"),
    })
    .willRespondWith(201)
    .withHeader('Content-Type', 'application/json')
    .withHeader('Location', match.regex('/items/1', "/items/\\d+"))
    .withJsonBody({
      items: match.eachLike({
        id: match.int(1),
        'unit price': match.number(1.5),
      }),
      empty: match.like([]),
      on: match.bool(true),
    })
  await contract.serve(async ({ url }) => {
    const response = await fetch(url + '/orders/7/items?page=2', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: "{\"item\":\"it's\"}" })
    assert.equal(response.status, 201)
  })
})
"#
        );
    }
}
